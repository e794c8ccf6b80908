"""The default reader: no language model, an answer of a few words with the sentences that carry it.

A question is taken apart (decomposition). The words of each part choose passages that a span model
reads (marks), both score the candidates of the evidence's sentences (features, scorer), and the
sentences on the way are quoted and cited.
"""

import math
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from clew.answering.citations import cite
from clew.answering.finding import find
from clew.answering.found import SECTION, VERDICT, Finding
from clew.answering.numbering import Verbatim
from clew.answering.readers import ANSWER_THRESHOLD
from clew.answering.sureness import POSSIBLE, stated
from clew.answering.triple_answers import CLEAR, pieces_of, read_triples, triple_answer
from clew.answering.unsupported import NOT_SAID, unsupported_answer
from clew.comprehension.chains import parsed_question
from clew.comprehension.compound import about_the_same, questions_in
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.follow_up import AskedBefore
from clew.comprehension.read_evidence import ReaderModels, ReadEvidence, reader_models
from clew.comprehension.typed_questions import plain, with_capitals
from clew.results.evidence import (
    Answer,
    Citation,
    DocumentHeads,
    Evidence,
    ScoredChunk,
    Search,
    TraceStep,
    WholeDocument,
)
from clew.strategies.retrieval import originals_of, scored_chunk
from clew_cypher.searching.chunks import (
    chunks_of_document,
    first_chunks_of_documents,
    first_chunks_with_fields,
)
from clew_cypher.store import Row

if TYPE_CHECKING:
    from clew.resources.resources import Resources


MOST_PASSAGES = 1000
"""Passages of a document whose tables are read whole, the most."""
MOST_HEADS = 2000
"""Documents whose fields are a table, the most."""


class ExtractiveReader:
    """Answers from the evidence's own words.

    ``threshold``: below this confidence the answer is that the evidence does not say; ``whole``
    returns whole documents, so that tables can be counted, and ``heads`` where documents with
    fields begin, so that these can; None: none is.
    """

    name = "extractive"

    def __init__(
        self,
        models: ReaderModels,
        *,
        threshold: float = ANSWER_THRESHOLD,
        whole: WholeDocument | None = None,
        heads: DocumentHeads | None = None,
    ) -> None:
        self.models = models
        self._threshold = threshold
        self._whole = whole
        self._heads = heads

    def read(self, evidence: Evidence, search: Search | None = None) -> Iterator[str | Answer]:
        """Yield the answer, then the sentences that carry it, and last the Answer."""
        if not evidence.chunks and evidence.triples:
            yield from read_triples(evidence, self.models.embedder, self.name, self._threshold)
            return
        if not evidence.chunks:
            yield NOT_SAID
            yield unsupported_answer(evidence, self.name)
            return
        started = time.perf_counter()
        read = self.opened(evidence.chunks, search, evidence.corpus)
        viewed = time.perf_counter()
        parts = self.find_parts(evidence.question, read)
        found = time.perf_counter()
        view = read.view
        trace: tuple[TraceStep, ...] = (
            TraceStep(
                name="sentences",
                seconds=viewed - started,
                detail={"sentences": len(view.sentences), "candidates": len(view.candidates)},
            ),
            TraceStep(
                name="extraction",
                seconds=found - viewed,
                detail={
                    "steps": [step for part in parts for step in part.steps],
                    "confidence": round(_confidence(parts), 3),
                },
            ),
        )
        whole = read.grown(evidence)
        unsure = parts[0].confidence < max(self._threshold, POSSIBLE)
        if unsure and len(parts) == 1 and any(one.of_base for one in evidence.triples):
            least = max(self._threshold, CLEAR)
            stated, step = triple_answer(whole, self.models.embedder, self.name, least)
            trace = (*trace, step)
            if stated is not None:
                yield from pieces_of(stated)
                yield stated.model_copy(update={"trace": trace})
                return
        yield from self._told(whole, view, parts, trace)

    def opened(
        self, chunks: Sequence[ScoredChunk], search: Search | None = None, corpus: str = ""
    ) -> ReadEvidence:
        """Return the chunks as they are read; ``search``: for parts of the question."""
        whole = None if self._whole is None else partial(self._whole, corpus)
        heads = None if self._heads is None else partial(self._heads, corpus)
        return ReadEvidence(chunks, self.models, search, whole, heads)

    def find_parts(self, question: str, read: ReadEvidence) -> list["Part"]:
        """Return what is asked, one thing after another, each with the best answer to it."""
        question = with_capitals(plain(question), read.view, read.is_usual)
        before: list[AskedBefore] = []
        parts: list[Part] = []
        texts = questions_in(read.parsed([question])[0])
        if len(texts) < 2:
            return [Part(question, find(question, read), self._threshold)]
        for text in texts:
            alone = about_the_same(read.parsed([text])[0], text, before)
            read.look_for(alone, (parts[-1].told if parts else "") or "what is asked first")
            part = Part(alone, find(alone, read), self._threshold)
            parts.append(part)
            # what it describes is known by now: "he" is the director of Spione
            meant = parsed_question(part.resolved if part.told else alone, read)
            (told,) = read.parsed([part.told]) if part.told else ([],)
            before.append(AskedBefore(meant, next(iter(told), None)))
        return parts

    def _told(
        self,
        evidence: Evidence,
        view: EvidenceView,
        parts: Sequence["Part"],
        trace: tuple[TraceStep, ...],
    ) -> Iterator[str | Answer]:
        """Yield the answer to each part, behind the question where there are several."""
        pieces: list[str] = []
        citations: list[Citation] = []
        for part in parts:
            carriers = part.finding.carriers if part.finding else ()
            whole = part.finding is not None and part.finding.kind in {SECTION, VERDICT}
            quoted = (_stretches if whole else _citations)(evidence, view, carriers)
            said = [part.opening, *(f"\n“{cited.quote}” [{cited.number}]" for cited in quoted)]
            if len(parts) > 1:
                said[0] = f"{part.question} {said[0]}"
            if pieces:
                said[0] = f"\n\n{said[0]}"
            yield Verbatim(said[0])
            yield from said[1:]
            pieces += said
            citations += quoted
        text, told = "".join(pieces), [part for part in parts if part.told]
        if not told:
            yield unsupported_answer(
                evidence,
                self.name,
                text=text,
                confidence=_confidence(parts),
                citations=tuple(dict.fromkeys(citations)),
                trace=trace,
            )
            return
        yield Answer(
            question=evidence.question,
            text=text,
            short="; ".join(part.told for part in told),
            items=_items(parts),
            supported=True,
            confidence=_confidence(parts),
            citations=tuple(dict.fromkeys(citations)),
            reader=self.name,
            evidence=evidence,
            trace=trace,
        )


def _confidence(parts: Sequence["Part"]) -> float:
    """Return how surely all that is told is right; of the nearest where nothing is told."""
    return math.prod(part.confidence for part in [part for part in parts if part.told] or parts)


def _items(parts: Sequence["Part"]) -> tuple[str, ...]:
    """Return the answers to several questions, or the things that one asks for."""
    if len(parts) > 1:
        return tuple(part.told for part in parts if part.told)
    (part,) = parts
    return () if part.finding is None else part.finding.items


@dataclass(frozen=True)
class Part:
    """A question that stands alone, and what was found for it; ``threshold``: of the reader."""

    question: str
    finding: Finding | None
    threshold: float

    @property
    def confidence(self) -> float:
        """That of what was found."""
        return 0.0 if self.finding is None else self.finding.confidence

    @property
    def resolved(self) -> str:
        """The question with names for what it describes, as far as they were found."""
        return (
            self.steps[-1]["asked"]
            if self.finding and self.finding.kind == "open"
            else self.question
        )

    @property
    def steps(self) -> tuple[dict[str, Any], ...]:
        """What was asked on the way to it, and found."""
        return () if self.finding is None else self.finding.steps

    @property
    def told(self) -> str:
        """The answer in a few words; "" where it is not sure enough to be told."""
        if self.finding is None or self.confidence < max(self.threshold, 1e-9):
            return ""
        return self.finding.short

    @property
    def opening(self) -> str:
        """The answer in a sentence, as sure as it is."""
        if self.finding is None:
            return NOT_SAID
        basis = self.finding.basis if self.told else ""
        if self.finding.kind == SECTION and basis:
            # the sentences that follow are the answer
            return (
                basis if self.confidence >= POSSIBLE else f"Possibly {basis[:1].lower()}{basis[1:]}"
            )
        return f"{self._said} {basis}" if basis else self._said

    @property
    def _said(self) -> str:
        if not self.told:
            return f"{NOT_SAID} The nearest it comes:"
        return stated(self.told, self.confidence)


def _citations(
    evidence: Evidence, view: EvidenceView, carriers: Sequence[int]
) -> tuple[Citation, ...]:
    return tuple(
        cite(
            view.sentences[index].chunk + 1,
            evidence.chunks[view.sentences[index].chunk],
            view.sentences[index].parse.text,
        )
        for index in carriers
    )


def _stretches(
    evidence: Evidence, view: EvidenceView, carriers: Sequence[int]
) -> tuple[Citation, ...]:
    """Return one citation a passage of sentences that follow one another."""
    found = []
    for passage, group in groupby(carriers, lambda index: view.sentences[index].chunk):
        own = [view.sentences[index].parse for index in group]
        chunk, end = evidence.chunks[passage], own[-1].start + len(own[-1].text)
        found.append(cite(passage + 1, chunk, chunk.text[own[0].start : end]))
    return tuple(found)


def extractive_reader(resources: "Resources") -> ExtractiveReader:
    """Return the extractive reader of the settings."""
    threshold = resources.settings.answer_threshold
    return ExtractiveReader(
        reader_models(resources),
        threshold=threshold,
        whole=partial(whole_document, resources),
        heads=partial(document_heads, resources),
    )


def whole_document(
    resources: "Resources", corpus: str, document_id: str
) -> tuple[ScoredChunk, ...]:
    """Return a document's passages in their order; none where they are more than MOST_PASSAGES."""
    rows = chunks_of_document(resources.store, corpus, document_id, MOST_PASSAGES + 1)
    return () if len(rows) > MOST_PASSAGES else _passages(resources, rows)


def document_heads(
    resources: "Resources", corpus: str, documents: Collection[str] | None = None
) -> tuple[ScoredChunk, ...]:
    """Return where the documents begin that have fields: of ``documents``, or of all that are
    asked; none where these are more than MOST_HEADS."""
    if documents is None and resources.selection is not None:
        documents = resources.selection.document_ids
    if documents is None:
        rows = first_chunks_with_fields(resources.store, corpus, MOST_HEADS)
    else:
        rows = first_chunks_of_documents(resources.store, corpus, documents)
    return _passages(resources, rows) if len(rows) <= MOST_HEADS else ()


def _passages(resources: "Resources", rows: Sequence[Row]) -> tuple[ScoredChunk, ...]:
    originals = originals_of(resources.store, rows)
    return tuple(scored_chunk(row, 0.0, originals) for row in rows)
