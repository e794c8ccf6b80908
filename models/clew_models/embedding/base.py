"""What every embedder does."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors of unit length, so that a dot product is a cosine.

    ``device``: what it lies on, 'cpu' or 'cuda'; ``bytes``: of its weights, None where only the
    process' growth tells.
    """

    name: str
    dimension: int
    device: str
    bytes: int | None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] float32 vectors of unit length, in the order of ``texts`` (N may be 0)."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of this embedder's tokenizer the text has, none cut off."""
        ...
