"""Triples of chunks by a text-to-triples model that was trained here (RA-3)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from clew_ingest.errors import IngestCancelled
from clew_ingest.triples.base import ChunkText, ChunkTriples, ExtractedTriple
from clew_ingest.triples.lines import read_lines

CHUNKS = 32
"""Chunks whose sentences are written together: sentences of like lengths meet in a batch."""


class TextToTriples(Protocol):
    """Writes the triples of sentences as lines; ``version`` names the weights."""

    version: str

    def write(
        self,
        sentences: Sequence[tuple[str, str]],
        *,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[str]:
        """Return what is written of each (title, sentence), in order.

        Where ``cancelled`` says so, ends early; what was not written is "".
        """
        ...


def model_fingerprint(version: str) -> str:
    """Return what the triples of a version depend on."""
    return f"model {version}"


class ModelExtraction:
    """Asks for the triples of each sentence. A name is kept as the sentence or its title has it."""

    name = "model"

    def __init__(self, model: TextToTriples) -> None:
        self.fingerprint = model_fingerprint(model.version)
        self._model = model

    def extract(
        self, chunks: Iterable[ChunkText], *, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[ChunkTriples]:
        """Yield the triples of each chunk, in order; see ``Extraction``."""
        coming = iter(chunks)
        while together := list(islice(coming, CHUNKS)):
            asked = [
                (chunk.title, sentence)
                for chunk in together
                for sentence in chunk.sentences
                if sentence.strip()
            ]
            written = iter(self._model.write(asked, cancelled=cancelled))
            if cancelled():
                raise IngestCancelled("The extraction was cancelled.")
            for chunk in together:
                yield _read(chunk, written)


def _read(chunk: ChunkText, written: Iterator[str]) -> ChunkTriples:
    triples: list[ExtractedTriple] = []
    dropped: Counter[str] = Counter()
    for place, sentence in enumerate(chunk.sentences):
        if sentence.strip():
            found, malformed = read_lines(next(written), chunk.title, sentence, place)
            triples += found
            dropped.update(malformed)
    return ChunkTriples(tuple(triples), (None,) * len(triples), dropped=dict(dropped))
