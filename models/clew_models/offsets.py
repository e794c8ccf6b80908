"""Where groups begin in arrays that hold them one after the other (CSR)."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Return [N + 1] where each of N groups of these lengths begins, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def group_offsets(groups: NDArray[np.integer[Any]], count: int) -> NDArray[np.int64]:
    """Return [count + 1] where each of ``count`` groups begins once ``groups`` are sorted."""
    return offsets_of(np.bincount(groups, minlength=count))
