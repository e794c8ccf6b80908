"""Arrays on disk: a folder that is written whole or not at all, and read memory-mapped."""

import json
import mmap
import os
import shutil
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MANIFEST = "manifest.json"
_HEADER = 128
"""Bytes of an .npy file without elements: nothing that could be mapped."""


def save_arrays(arrays: Mapping[str, NDArray[Any]], folder: Path, format: str) -> None:
    """Write ``arrays`` to ``folder``, which appears complete or not at all.

    ``format`` names what they are and its version. A whole folder that is there already stays,
    since a folder's name says what is in it; a damaged one is replaced.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    try:
        for name, array in arrays.items():
            np.save(scratch / f"{name}.npy", array, allow_pickle=False)
        manifest = {"format": format, "arrays": sorted(arrays)}
        (scratch / _MANIFEST).write_text(json.dumps(manifest))
        if folder.exists() and load_arrays(folder, format) is None:
            shutil.rmtree(folder)
        if not folder.exists():
            os.rename(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def load_arrays(
    folder: Path, format: str, mapped: Collection[str] | None = None
) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of ``folder``, those in ``mapped`` (None: all) memory-mapped.

    None where there are none, or where another format wrote them or they are damaged.
    """
    try:
        manifest = json.loads((folder / _MANIFEST).read_text())
        if manifest.get("format") != format:
            return None
        return {
            name: _load(folder / f"{name}.npy", mapped is None or name in mapped)
            for name in manifest["arrays"]
        }
    except (OSError, ValueError, EOFError, KeyError):
        return None


def _load(path: Path, mapped: bool) -> NDArray[Any]:
    mappable = mapped and path.stat().st_size > _HEADER
    array = np.load(path, mmap_mode="r" if mappable else None, allow_pickle=False)
    # numpy's memmap class takes several times as long as an array for each element that is read
    plain: NDArray[Any] = np.asarray(array).view(np.ndarray)
    return plain


def bytes_in_memory(value: Any) -> int:
    """Return the bytes of the arrays that ``value`` holds in memory of its own, at any depth.

    Arrays that are mapped to a file count nothing: the system takes their pages back when it needs
    them. Looked into: dataclasses and other objects with attributes, sequences and mappings.
    """
    seen: set[int] = set()
    pending, total = [value], 0
    while pending:
        one = pending.pop()
        if id(one) in seen or isinstance(one, str | bytes | int | float | bool | type | None):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            if isinstance(one.base, np.ndarray):
                pending.append(one.base)
            elif not isinstance(one.base, mmap.mmap):
                total += one.nbytes
        elif isinstance(one, Mapping):
            pending += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            pending += one
        elif hasattr(one, "__dict__") and not callable(one):
            pending += vars(one).values()
    return total
