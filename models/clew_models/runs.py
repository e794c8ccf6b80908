"""Texts of different lengths as runs of a model: rows of about one length, padded to it."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def runs_of(sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield the places of texts of so many tokens, the shortest first, in runs.

    A run has at most ``most`` tokens, padding counted, or one text.
    """
    rows: list[int] = []
    for place in sorted(range(len(sizes)), key=sizes.__getitem__):
        if rows and (len(rows) + 1) * sizes[place] > most:
            yield rows
            rows = []
        rows.append(place)
    if rows:
        yield rows


def padded(
    rows: Sequence[Sequence[int]], step: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of ids as one [B, L], L a multiple of ``step``, and the mask [B, L] of what is no
    padding.
    """
    length = max(map(len, rows))
    whole = np.zeros((len(rows), length + -length % step), np.int64)
    mask = np.zeros_like(whole)
    for number, row in enumerate(rows):
        whole[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return whole, mask
