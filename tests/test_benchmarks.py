"""The scripts that make the figures start: what they import is there, and each has its help."""

import runpy
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_starts(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(script.parent)  # as where it is run: scripts import one another
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    assert not ended.value.code
    assert capsys.readouterr().out.startswith(f"usage: {script.name}")


def test_the_readme_names_every_script() -> None:
    text = (SCRIPTS[0].parent / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in SCRIPTS if f"| `{path.name}" not in text] == []
