"""Vectors that are made up of ids, and the comparison of arrays, for the tests of both walks."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from clew_models.chain_ranking import ChainArrays

DIMENSION = 4


def vectors(ids: Sequence[str]) -> NDArray[np.float32]:
    """One unit vector an id, the same whoever asks and when."""
    rows = [np.random.default_rng(list(id_.encode())).normal(size=DIMENSION) for id_ in ids]
    made = np.array(rows, dtype=np.float32).reshape(-1, DIMENSION)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def check_same(one: ChainArrays, other: ChainArrays) -> None:
    """Fail where any array of the two differs."""
    for part in fields(ChainArrays):
        if part.name != "graph":
            assert np.array_equal(getattr(one, part.name), getattr(other, part.name)), part.name
    for part in fields(one.graph):
        assert np.array_equal(getattr(one.graph, part.name), getattr(other.graph, part.name))
