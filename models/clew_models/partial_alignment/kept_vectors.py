"""Vectors on their way to an index: on disk as they come, so that an interruption costs a batch."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class KeptVectors:
    """Vectors by the hashes of their texts, in a folder that one process writes at a time.

    Two files that grow: ``keys`` (uint64) and ``vectors`` (float16, of ``dimension``). A batch of
    which a part was written when its process was killed is cut off. Raises OSError where the folder
    cannot be written.
    """

    def __init__(self, folder: Path, dimension: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._keys, self._vectors = folder / "keys", folder / "vectors"
        key, row = np.dtype(np.uint64).itemsize, np.dtype(np.float16).itemsize * dimension
        for path in (self._keys, self._vectors):
            path.touch()
        count = min(self._keys.stat().st_size // key, self._vectors.stat().st_size // row)
        os.truncate(self._keys, count * key)
        os.truncate(self._vectors, count * row)
        self.keys: NDArray[np.uint64] = np.fromfile(self._keys, np.uint64)
        """[K] What was there when it was opened."""
        self.vectors: NDArray[np.floating[Any]] = np.zeros((0, dimension), np.float16)
        """[K, D] Their vectors, mapped to the file."""
        if count:
            self.vectors = np.memmap(self._vectors, np.float16, "r", shape=(count, dimension))

    def add(self, keys: NDArray[np.uint64], vectors: NDArray[np.floating[Any]]) -> None:
        """Append vectors [N, D] of texts by their hashes [N]."""
        for path, array in ((self._vectors, vectors), (self._keys, keys)):
            with path.open("ab") as file:
                file.write(np.ascontiguousarray(array).tobytes())
