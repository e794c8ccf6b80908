"""Passages that were read lately: their sentences and vectors, which no question changes.

Parsing and embedding the evidence takes most of an answer's time, and many questions are asked of
the same passages.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.annotation import AnnotatedSentence, Annotator
from clew.results.evidence import ScoredChunk
from clew_models.embedding.base import Embedder

KEPT = 512
"""Passages that are kept, the last used; one of 100 words takes some 70 kB."""

ReadSentence = tuple[AnnotatedSentence, NDArray[np.float32]]
"""A sentence and its unit vector; it is embedded after its title."""


class PassageMemory:
    """Sentences of passages by title and text, for one parser and one embedder.

    Shared by threads; two that ask for the same passage at once may both read it.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._limit = kept
        self._kept: OrderedDict[tuple[str, str], list[ReadSentence]] = OrderedDict()
        self._lock = Lock()

    def sentences(
        self, chunks: Sequence[ScoredChunk], annotator: Annotator, embedder: Embedder
    ) -> list[list[ReadSentence]]:
        """Return each chunk's sentences, those of new passages parsed and embedded together."""
        keys = [(chunk.title, chunk.text) for chunk in chunks]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            found.update(zip(missing, _read(missing, annotator, embedder), strict=True))
        with self._lock:
            for key in keys:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return [found[key] for key in keys]


def _read(
    passages: Sequence[tuple[str, str]], annotator: Annotator, embedder: Embedder
) -> list[list[ReadSentence]]:
    parsed = annotator.annotate([text for _, text in passages])
    titled = [
        f"{title}\n{sentence.text}"
        for (title, _), own in zip(passages, parsed, strict=True)
        for sentence in own
    ]
    vectors = iter(embedder.embed(titled))
    return [[(sentence, next(vectors)) for sentence in own] for own in parsed]
