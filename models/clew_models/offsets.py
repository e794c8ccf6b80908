"""Where groups begin in arrays that hold them one after the other (CSR), and pairs of equals."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Return [N + 1] where each of N groups of these lengths begins, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def group_offsets(groups: NDArray[np.integer[Any]], count: int) -> NDArray[np.int64]:
    """Return [count + 1] where each of ``count`` groups begins once ``groups`` are sorted."""
    return offsets_of(np.bincount(groups, minlength=count))


def joined(
    left: NDArray[np.integer], right: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs (i, j) with left[i] == right[j], as two arrays."""
    order = np.argsort(right, kind="stable")
    keys = right[order]
    first = np.searchsorted(keys, left, side="left")
    counts = np.searchsorted(keys, left, side="right") - first
    i = np.repeat(np.arange(len(left), dtype=np.int64), counts)
    before = np.cumsum(counts) - counts
    j = np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(first - before, counts)
    return i, order[j]
