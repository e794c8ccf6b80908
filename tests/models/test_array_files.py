"""How many bytes a value's arrays take in memory of the process' own."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from clew_models.array_files import bytes_in_memory, load_arrays, save_arrays


@dataclass
class Held:
    arrays: tuple[np.ndarray, ...]
    by_name: dict[str, object]


def test_arrays_are_counted_once_at_any_depth() -> None:
    whole = np.zeros(100, dtype=np.float32)
    matrix = csr_matrix(np.eye(10, dtype=np.float64))
    parts = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    held = Held((whole, whole[10:], whole.reshape(10, 10)), {"m": matrix, "none": None, "n": 3})
    assert bytes_in_memory(held) == 400 + parts
    assert bytes_in_memory(np.frombuffer(bytes(16), dtype=np.uint8)) == 16


def test_mapped_arrays_count_nothing(tmp_path: Path) -> None:
    save_arrays({"a": np.zeros(1000), "b": np.zeros(10)}, tmp_path / "x", "test")
    mapped = load_arrays(tmp_path / "x", "test", mapped=("a",))
    assert bytes_in_memory(mapped) == 80
