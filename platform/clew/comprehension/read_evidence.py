"""The evidence as the extractive reader reads it. It grows: a part of the question, once what was
asked before it is known, is a question of its own, and other passages may answer it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.comprehension.annotation import Annotator
from clew.comprehension.candidates import EvidenceSentence, find_candidates, without_marks
from clew.comprehension.features import EvidenceView
from clew.comprehension.marks import Marks
from clew.comprehension.passage_memory import PassageMemory
from clew.results.evidence import Evidence, ScoredChunk, Search
from clew.results.explanation import Found, Round, RoundsCard
from clew_ingest.parsing.entity_names import normalise_name
from clew_models.embedding.base import Embedder
from clew_models.span_reader import SpanReader

if TYPE_CHECKING:
    from clew.resources.resources import Resources


@dataclass(frozen=True)
class ReaderModels:
    """What reads: a parser, an embedder and a span model; ``memory``: of passages read lately."""

    embedder: Embedder
    spans: SpanReader
    annotator: Annotator = field(default_factory=Annotator)
    memory: PassageMemory = field(default_factory=PassageMemory)


def reader_models(resources: "Resources") -> ReaderModels:
    """Return what reads, shared by all who read in this process."""
    settings = resources.settings
    return ReaderModels(
        resources.embedder,
        resources.models.get(
            "span reader",
            lambda: SpanReader(threads=settings.embed_threads),
            name="the reader's span model",
        ),
        Annotator(resources.parser.pipeline),
        resources.models.get(
            "passage memory", PassageMemory, name="passages read lately", size=lambda memory: 0
        ),
    )


class ReadEvidence:
    """The passages of one question, read. ``view``: all that is known of them by now."""

    def __init__(
        self, chunks: Sequence[ScoredChunk], models: ReaderModels, search: Search | None = None
    ) -> None:
        """``search``: finds evidence for a part of the question; None: there is no more of it."""
        self.models = models
        self._search = search
        self._marks = Marks(models.spans)
        self._chunks: list[ScoredChunk] = []
        self._rounds: list[Round] = []
        self.view = self._read(chunks)

    def look_for(self, part: str, found: str) -> None:
        """Search for a part of the question, into which ``found`` was put, and read what is new."""
        if self._search is None or any(one.asked == part for one in self._rounds):
            return
        new = self.add(self._search(part).chunks)
        self._rounds.append(
            Round(
                number=len(self._rounds) + 1,
                asked=part,
                found=tuple(Found(id=chunk.id, title=chunk.title) for chunk in new),
                decided=f"asked once {found} was known",
            )
        )

    def add(self, chunks: Sequence[ScoredChunk]) -> list[ScoredChunk]:
        """Read more passages; return those that are new."""
        known = {chunk.id for chunk in self._chunks}
        new = [chunk for chunk in chunks if chunk.id not in known]
        if new:
            self.view = self._read(new)
        return new

    def grown(self, evidence: Evidence) -> Evidence:
        """Return the evidence with what was found for parts of its question behind it."""
        if not self._rounds:
            return evidence
        card = RoundsCard(
            title="Parts of the question",
            summary="Each part was searched for once the part before it was known; here are the "
            "passages that came with it.",
            rounds=tuple(self._rounds),
        )
        return evidence.model_copy(
            update={
                "chunks": tuple(self._chunks),
                "explanation": (*evidence.explanation, card),
            }
        )

    def _read(self, chunks: Sequence[ScoredChunk]) -> EvidenceView:
        """Return the view of all passages, ``chunks`` behind those known: numbers stay."""
        self._chunks.extend(chunks)
        self._marks.add(chunks)
        models = self.models
        read = models.memory.sentences(self._chunks, models.annotator, models.embedder)
        sentences = [
            EvidenceSentence(
                chunk=number,
                position=position,
                title=chunk.title,
                title_key=normalise_name(chunk.title.split(" (")[0]),
                parse=sentence,
                key=without_marks(normalise_name(sentence.text)),
                vector=vector,
            )
            for number, (chunk, own) in enumerate(zip(self._chunks, read, strict=True))
            for position, (sentence, vector) in enumerate(own)
        ]
        return EvidenceView.of(sentences, find_candidates(sentences), self._marks)
