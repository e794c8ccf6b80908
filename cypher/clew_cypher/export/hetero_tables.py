"""What an export is collected in: tables of ids, buffers of edges, and arrays of vectors.

All of it is numpy, a fixed number of bytes an element, so that an export needs its result and one
batch of rows, whatever the size of the corpus.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew_cypher.ids import ID_LENGTH

ID_TYPE = f"S{ID_LENGTH}"
EdgeRows = tuple[Sequence[str], Sequence[str]]


class Ids(Sequence[str]):
    """Ids in 25 bytes each, by row; ``sort`` them to find the rows of ids."""

    def __init__(self, values: NDArray[np.bytes_], *, sort: bool = False) -> None:
        self._values = values
        if sort:
            self._values.sort()

    @classmethod
    def collect(cls, ids: Iterable[str], expected: int, *, sort: bool = False) -> "Ids":
        """Take ``ids`` as they come; ``expected``: how many, roughly."""
        values, size = np.zeros(max(expected, 1), dtype=ID_TYPE), 0
        for key in ids:
            if size == len(values):  # the corpus grows while it is read
                values = np.concatenate([values, np.zeros(len(values) // 4 + 1000, ID_TYPE)])
            values[size] = key.encode()
            size += 1
        return cls(values[:size], sort=sort)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, row: int) -> str:  # type: ignore[override]
        return bytes(self._values[row]).decode()

    def __iter__(self) -> Iterator[str]:
        return (bytes(value).decode() for value in self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def batches(self, size: int) -> Iterator[tuple[int, list[str]]]:
        """Yield the first row and the ids of each batch."""
        for start in range(0, len(self._values), size):
            yield start, [bytes(value).decode() for value in self._values[start : start + size]]

    def rows(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each id, -1 where it is not there; needs sorted ids."""
        # what goes while it is read has no id any more
        wanted = np.array([(key or "").encode() for key in ids], dtype=ID_TYPE)
        if not len(self._values):
            return np.full(len(wanted), -1, dtype=np.int64)
        found = np.searchsorted(self._values, wanted)
        found[found == len(self._values)] = 0
        return np.where(self._values[found] == wanted, found, -1).astype(np.int64)


class Edges:
    """Edges between two tables, appended batch by batch; one with an end outside is left out.

    ``capacity``: the most there can be; room that is not used takes no memory. ``attribute``: the
    type of a number that each edge has.
    """

    def __init__(
        self, sources: Ids, targets: Ids, capacity: int, attribute: type[np.number] | None = None
    ) -> None:
        self._ids = sources, targets
        self._index = np.empty((max(capacity, 1), 2), dtype=np.int64)
        self._values = None if attribute is None else np.empty(max(capacity, 1), dtype=attribute)
        self._size = 0

    def append(
        self, pairs: Sequence[tuple[str, str]], values: Sequence[float] = ()
    ) -> NDArray[np.bool_]:
        """Append edges by the ids of their ends; return which of them have both ends."""
        if not pairs:
            return np.empty(0, dtype=bool)
        rows = np.stack(
            [
                table.rows(ends)
                for table, ends in zip(self._ids, zip(*pairs, strict=True), strict=True)
            ],
            axis=1,
        )
        kept = (rows[:, 0] >= 0) & (rows[:, 1] >= 0)
        end = self._size + int(kept.sum())
        if end > len(self._index):  # the corpus grows while it is read
            self._index.resize((end + end // 4, 2), refcheck=False)
            if self._values is not None:
                self._values.resize(end + end // 4, refcheck=False)
        self._index[self._size : end] = rows[kept]
        if self._values is not None:
            self._values[self._size : end] = np.asarray(values)[kept]
        self._size = end
        return kept

    @property
    def index(self) -> NDArray[np.int64]:
        """[2, E]: the rows of sources and of targets."""
        return self._index[: self._size].T

    @property
    def values(self) -> NDArray[np.number]:
        """[E]: the edges' attribute."""
        assert self._values is not None
        return self._values[: self._size]


def vector_array(rows: int, dimension: int, folder: Path | None, name: str) -> NDArray[np.float32]:
    """Return [rows, dimension] zeros: in memory, or mapped to ``folder``/``name``.npy."""
    if folder is None or rows == 0:
        return np.zeros((rows, dimension), dtype=np.float32)
    folder.mkdir(parents=True, exist_ok=True)
    return np.lib.format.open_memmap(
        folder / f"{name}.npy", mode="w+", dtype=np.float32, shape=(rows, dimension)
    )
