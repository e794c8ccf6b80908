"""An embedder that remembers: a question is embedded by who searches, and again by who reads."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew_models.embedding.base import Embedder

KEPT = 512
"""Texts that are remembered, the last used; a vector takes 1.5 kB."""


class RememberingEmbedder:
    """Another embedder, which is asked for what is not remembered.

    Shared by threads; two that ask for the same text at once may both have it embedded.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.dimension = embedder.dimension
        self.device = embedder.device
        self.bytes = embedder.bytes
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] float32 vectors of unit length, in the order of ``texts``."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            # copies: a row would keep all of a large batch
            vectors = map(np.copy, self._embedder.embed(missing))
            found.update(zip(missing, vectors, strict=True))
        with self._lock:
            for text in texts:
                self._kept[text] = found[text]
                self._kept.move_to_end(text)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return np.array([found[text] for text in texts], np.float32).reshape(-1, self.dimension)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the embedder's tokenizer the text has, none cut off."""
        return self._embedder.count_tokens(text)
