"""Weights that were fitted, by name, in JSON files of this package, each of which says to what."""

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray


def fitted_weights(file: str, names: Sequence[str], kind: str = "weights") -> NDArray[np.float64]:
    """Return the weights [N] of ``names``, of a ``kind`` that the file has."""
    stored = _stored(file)[kind]
    return np.array([stored[name] for name in names])


@lru_cache
def _stored(file: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files("clew.comprehension").joinpath(file).read_text())
    return content
