"""A ClueIndex on disk."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from clew_models.array_files import load_arrays, save_arrays
from clew_models.constrained_decoding import SpanIndex, TokenTrie
from clew_models.translator.clue_index import ClueIndex

FORMAT = "clue-index-1"
_PARTS: dict[str, type[Any]] = {"names": TokenTrie, "spans": SpanIndex}


def save_index(index: ClueIndex, folder: Path) -> None:
    """Write ``index`` to ``folder``, which appears complete or not at all."""
    arrays = {}
    for field in fields(index):
        value = getattr(index, field.name)
        if field.name in _PARTS:
            for part in fields(value):
                arrays[f"{field.name}.{part.name}"] = getattr(value, part.name)
        else:
            arrays[field.name] = value
    save_arrays(arrays, folder, FORMAT)


def load_index(folder: Path) -> ClueIndex | None:
    """Return the index of ``folder``, memory-mapped; None where there is none, or where another
    version of the format wrote it or it is damaged.
    """
    arrays = load_arrays(folder, FORMAT)
    if arrays is None:
        return None
    values: dict[str, Any] = {}
    try:
        for field in fields(ClueIndex):
            part = _PARTS.get(field.name)
            values[field.name] = (
                part(**{p.name: arrays[f"{field.name}.{p.name}"] for p in fields(part)})
                if part
                else arrays[field.name]
            )
        return ClueIndex(**values)
    except (KeyError, TypeError, ValueError):
        return None
