"""Triples and textual triplets of chunks by a language model: KC-1, then KC-2."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from clew_ingest.triples.base import ChunkText, ChunkTriples
from clew_ingest.triples.llm import LanguageModelExtractor
from clew_ingest.triples.llm_calls import in_order
from clew_ingest.triples.prompts import TEXTUAL_TRIPLETS, TRIPLES
from clew_ingest.triples.reply_cache import ReplyCache
from clew_ingest.triples.textual import TripletTask, TripletWriter, located
from clew_models.language_model import LanguageModel, Message

log = logging.getLogger(__name__)

TRIPLET = "textual triplet: "
"""What stands before a reason that belongs to KC-2."""


def llm_fingerprint(model_name: str) -> str:
    """Return what the triples of a model depend on: its name and the wording of both prompts."""
    return f"llm {model_name} {TRIPLES.version} {TEXTUAL_TRIPLETS.version}"


@dataclass(frozen=True)
class PlannedCalls:
    """The calls that a chunk needs, by what would be asked, and how many ``cached`` replies stand
    for calls. Two calls: those for triples and for textual triplets, whose triples are not known
    yet; one: for the textual triplets of known triples.
    """

    asked: tuple[list[Message], ...]
    cached: int


class LanguageModelExtraction:
    """Asks for the triples of a chunk, then for their textual triplets; chunks run side by side.

    A chunk whose triples cannot be had has none, one whose textual triplets cannot be had has
    its sentences in their place: both say so in ``failed``. Arguments: see ``build_extraction``.
    """

    name = "llm"

    def __init__(
        self,
        model: LanguageModel,
        cache: ReplyCache | None,
        *,
        concurrency: int = 8,
        triple_tokens: int = 2048,
        triplet_tokens: int = 4096,
    ) -> None:
        self.fingerprint = llm_fingerprint(model.name)
        self._concurrency = concurrency
        self.extractor = LanguageModelExtractor(model, cache, max_tokens=triple_tokens)
        self.writer = TripletWriter(model, cache, max_tokens=triplet_tokens)

    def extract(
        self, chunks: Iterable[ChunkText], *, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[ChunkTriples]:
        """Yield the triples of each chunk, in order; see ``Extraction``."""
        return in_order(chunks, self._one, concurrency=self._concurrency, cancelled=cancelled)

    def plan(self, chunk: ChunkText) -> PlannedCalls:
        """Return what ``extract`` would ask about a chunk; nothing is asked."""
        title, text = chunk.title, chunk.text
        if not text.strip():
            return PlannedCalls((), 0)
        if not self.extractor.is_cached(title, text):
            task = TripletTask(title, text, (), ())
            asked = (self.extractor.messages(title, text), self.writer.messages(task))
            return PlannedCalls(asked, 0)
        task = TripletTask(title, text, (), self.extractor.extract_one(title, text).triples)
        if not task.triples:
            return PlannedCalls((), 1)
        if self.writer.is_cached(task):
            return PlannedCalls((), 2)
        return PlannedCalls((self.writer.messages(task),), 1)

    def _one(self, chunk: ChunkText) -> ChunkTriples:
        found = self.extractor.extract_one(chunk.title, chunk.text)
        triples = tuple(located(triple, chunk.sentences) for triple in found.triples)
        asked = bool(chunk.text.strip()) and not found.cached
        written = self.writer.write(TripletTask(chunk.title, chunk.text, chunk.sentences, triples))
        dropped = Counter(found.dropped)
        dropped.update({TRIPLET + reason: count for reason, count in written.malformed.items()})
        failed = found.failed or (written.failed and TRIPLET + written.failed)
        if failed:
            log.warning("A chunk of %.80r: %s", chunk.title, failed)
        return ChunkTriples(
            triples,
            tuple(
                text if is_written else None
                for text, is_written in zip(written.texts, written.written, strict=True)
            ),
            int(asked) + int(bool(triples) and not written.cached),
            found.prompt_tokens + written.prompt_tokens,
            found.completion_tokens + written.completion_tokens,
            found.seconds + written.seconds,
            dict(dropped),
            failed,
        )
