"""The arrays of guided-pagerank on disk."""

from dataclasses import fields
from pathlib import Path

from clew_models.array_files import load_arrays, save_arrays
from clew_models.guided_pagerank.arrays import GuidedArrays

FORMAT = "guided-pagerank-2"
_ARRAYS = tuple(field.name for field in fields(GuidedArrays))


def save_snapshot(arrays: GuidedArrays, folder: Path) -> None:
    """Write ``arrays`` to ``folder``, which appears complete or not at all."""
    save_arrays({name: getattr(arrays, name) for name in _ARRAYS}, folder, FORMAT)


def load_snapshot(folder: Path) -> GuidedArrays | None:
    """Return the arrays of ``folder``, the sentence vectors memory-mapped; None where there are
    none, or where another version of the format wrote them or they are damaged.
    """
    arrays = load_arrays(folder, FORMAT, mapped=("sentence_vectors",))
    try:
        return GuidedArrays(**arrays) if arrays is not None else None
    except (TypeError, ValueError):
        return None
