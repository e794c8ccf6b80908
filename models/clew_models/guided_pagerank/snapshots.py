"""Arrays on disk: a folder a revision, written whole or not at all."""

import json
import os
import shutil
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from clew_models.guided_pagerank.arrays import GuidedArrays

FORMAT = 1
_ARRAYS = tuple(field.name for field in fields(GuidedArrays))
_MANIFEST = "manifest.json"
_HEADER = 128
"""Bytes of an .npy file without elements: nothing that could be mapped."""


def save_snapshot(arrays: GuidedArrays, folder: Path) -> None:
    """Write ``arrays`` to ``folder``, which appears complete or not at all.

    A whole one that is there already stays, since a folder's name says what is in it; a damaged
    one is replaced.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    try:
        for name in _ARRAYS:
            np.save(scratch / f"{name}.npy", getattr(arrays, name), allow_pickle=False)
        (scratch / _MANIFEST).write_text(json.dumps({"format": FORMAT, "arrays": _ARRAYS}))
        if folder.exists() and load_snapshot(folder) is None:
            shutil.rmtree(folder)
        if not folder.exists():
            os.rename(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def load_snapshot(folder: Path) -> GuidedArrays | None:
    """Return the arrays of ``folder``, the sentence vectors memory-mapped; None where there are
    none, or where another version of the format wrote them or they are damaged.
    """
    try:
        if json.loads((folder / _MANIFEST).read_text()).get("format") != FORMAT:
            return None
        return GuidedArrays(**{name: _load(folder / f"{name}.npy") for name in _ARRAYS})
    except (OSError, ValueError, EOFError):
        return None


def _load(path: Path) -> Any:
    mapped = path.stem == "sentence_vectors" and path.stat().st_size > _HEADER
    return np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
