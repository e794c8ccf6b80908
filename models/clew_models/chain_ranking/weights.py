"""What each sign counts in the score of a passage and of a step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NODE = (
    *("walk", "reached", "spread", "titled", "dense", "sentence", "unnamed"),
    *("words", "bm25", "named"),
)
"""Signs of a passage, in the order of their columns; ``features.py`` says what each is."""
STEP = ("before", "link", "shared", "part", "new", "back")
"""Signs of a step."""

Floats64 = NDArray[np.float64]


@dataclass(frozen=True)
class ChainWeights:
    """A weight a sign, and ``repeat``: what a passage loses for each better one of its title.

    A sign that is not named counts nothing.
    """

    node: Mapping[str, float]
    step: Mapping[str, float]
    repeat: float = 0.5

    def __post_init__(self) -> None:
        for given, known in ((self.node, NODE), (self.step, STEP)):
            unknown = sorted(set(given) - set(known))
            if unknown:
                raise ValueError(
                    f"Unknown signs {', '.join(unknown)}; expected {', '.join(known)}."
                )

    def of_node(self) -> Floats64:
        """Return [len(NODE)]."""
        return _row(self.node, NODE)

    def of_step(self) -> Floats64:
        """Return [len(STEP)]."""
        return _row(self.step, STEP)


def _row(weights: Mapping[str, float], names: Sequence[str]) -> Floats64:
    return np.array([weights.get(name, 0.0) for name in names], dtype=np.float64)
