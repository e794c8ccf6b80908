"""An embedder that remembers: a question is embedded by who searches, and again by who reads."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, wait
from threading import Lock, Thread

import numpy as np
from numpy.typing import NDArray

from clew_models.embedding.base import Embedder
from clew_models.recently_used import RecentlyUsed

KEPT = 512
"""Texts that are remembered, the last used; a vector takes 1.5 kB."""


class RememberingEmbedder:
    """Another embedder, which is asked for what is not remembered.

    Shared by threads; two that ask for the same text at once may both have it embedded, unless it
    was begun.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.dimension = embedder.dimension
        self.device = embedder.device
        self.bytes = embedder.bytes
        self._known: RecentlyUsed[str, NDArray[np.float32]] = RecentlyUsed(KEPT)
        self._begun: dict[str, Future[None]] = {}
        self._lock = Lock()

    def begin(self, text: str) -> None:
        """Begin to embed a text in a thread: who asks for it soon waits for the rest alone."""
        ended: Future[None] = Future()
        with self._lock:
            if text in self._begun:
                return
            self._begun[text] = ended

        def run() -> None:
            try:
                self._known.values([text], self._copies)
            except Exception:  # who asks for it has it embedded again, and is told
                pass
            finally:
                with self._lock:
                    del self._begun[text]
                ended.set_result(None)

        Thread(target=run, name="embed", daemon=True).start()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] float32 vectors of unit length, in the order of ``texts``."""
        if self._begun:
            with self._lock:
                begun = [self._begun[text] for text in dict.fromkeys(texts) if text in self._begun]
            wait(begun)
        vectors = self._known.values(texts, self._copies)
        return np.array(vectors, np.float32).reshape(-1, self.dimension)

    def _copies(self, texts: Sequence[str]) -> Iterable[NDArray[np.float32]]:
        """Return the texts' vectors, none of which keeps all of its batch."""
        return map(np.copy, self._embedder.embed(texts))

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the embedder's tokenizer the text has, none cut off."""
        return self._embedder.count_tokens(text)
