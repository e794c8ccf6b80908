"""Folders of trained weights as life leaves them: copied in part, emptied, of another model."""

import shutil
from collections.abc import Iterator
from pathlib import Path


def damaged(folder: Path, into: Path, *files: str) -> Iterator[Path]:
    """Yield copies of ``folder`` by what is wrong: one of ``files`` missing, empty, cut, noise."""
    for file in files:
        data = (folder / file).read_bytes()
        for how, left in {
            "missing": None,
            "empty": b"",
            "cut": data[: len(data) // 2],
            "noise": bytes(reversed(data)),
        }.items():
            copy = into / f"{file}-{how}"
            shutil.copytree(folder, copy)
            if left is None:
                (copy / file).unlink()
            else:
                (copy / file).write_bytes(left)
            yield copy
