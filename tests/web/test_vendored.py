"""What is not ours under static/vendor: as its note says, and served as a script."""

import hashlib
import re
from pathlib import Path
from typing import Any

VENDOR = Path(__file__).parents[2] / "web" / "clew_web" / "static" / "vendor"


def test_files_are_those_that_their_note_names() -> None:
    for folder in VENDOR.iterdir():
        note = (folder / "README.md").read_text()
        named = re.findall(r"([\w./-]+) +# SHA-256 ([0-9a-f]{64})", note)
        assert {Path(name).name for name, _ in named} | {"README.md"} == {
            file.name for file in folder.iterdir()
        }
        for name, digest in named:
            content = (folder / Path(name).name).read_bytes()
            assert hashlib.sha256(content).hexdigest() == digest, name
        assert "Permission is hereby granted" in (folder / "LICENSE").read_text()


def test_the_module_is_served_as_a_script(client: Any) -> None:
    with client.get("/static/vendor/cytoscape/cytoscape.esm.min.mjs") as response:
        assert response.status_code == 200
        assert response.mimetype in ("text/javascript", "application/javascript")
