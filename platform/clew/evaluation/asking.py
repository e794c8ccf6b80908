"""Asks one question by one strategy, and notes everything that is measured of it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from clew.answering.base import Reader, whole_answer
from clew.errors import CLEW_ERRORS
from clew.evaluation.data_set_corpus import triple_words
from clew.evaluation.metrics.coverage import leading_clues
from clew.evaluation.run import AnswerRecord, ChunkRecord, Outcome, RankedChunk, Usage
from clew.results.data_set import BenchQuestion, GoldUnit
from clew.results.evidence import Answer, Evidence, EvidenceTriple, Search
from clew.results.explanation import QuotesCard, SubgraphCard
from clew_cypher.checking.validity import Cited, CitedEdge
from clew_cypher.errors import GraphUnavailable
from clew_models.errors import LanguageModelUnavailable, PromptRefused
from clew_models.language_model import UsageMeter, metered

Retrieve = Callable[[str, int], Evidence]
"""A strategy as the bench sees it: from a question and a number of chunks to evidence."""

SHOWN_PATHS = 3
SHOWN_TEXT = 600
"""Characters of a chunk's text that a run keeps, to show it."""


@dataclass(frozen=True)
class Asked:
    """An outcome with what else is needed of it: what it cites, the chunks it found, what the
    reader was handed, and the quotes that led to gold, with the passage that they led to.

    ``outage``: what kept a language model from answering, so that the outcome is no answer of what
    is measured: asked again, there may be one.
    """

    outcome: Outcome
    cited: Cited
    chunks: Mapping[str, ChunkRecord]
    context: tuple[str, ...] = ()
    clues: tuple[tuple[str, str], ...] = ()
    outage: LanguageModelUnavailable | None = None


@dataclass(frozen=True)
class Asker:
    """How questions are asked in a run. ``keys``: a document's id, or a triple's words,
    → its key in the data set.

    ``parts``: how readers search for parts of a question, of the strategy's name here and the
    evidence for the whole; None: by the strategy itself. ``readers``: of the strategies that are
    not read by ``reader``.
    """

    reader: Reader | None
    depth: int
    top_k: int
    unit: GoldUnit
    keys: Mapping[str, str]
    parts: Callable[[str, Evidence], Search] | None = None
    readers: Mapping[str, Reader] = field(default_factory=dict)

    def ask(self, strategy: str, retrieve: Retrieve, question: BenchQuestion) -> Asked:
        """Ask; what the strategy raises is the outcome's error, what the reader, the answer's.
        Raises GraphUnavailable: that is no answer to any question.

        The reader is handed the first ``top_k`` of the ``depth`` chunks, as Clew.ask does. Only
        the retrieval and the reading are timed.
        """
        started = time.perf_counter()
        with metered() as meter:
            try:
                evidence = retrieve(question.question, self.depth)
                seconds = time.perf_counter() - started
            except GraphUnavailable:
                raise
            except Exception as error:
                return _failed(strategy, question, error, meter, time.perf_counter() - started)
            answer, answer_seconds, answer_error, outage = None, None, None, None
            reader = self.readers.get(strategy, self.reader)
            if reader is not None:
                begun = time.perf_counter()
                try:
                    answer = self._read(reader, strategy, evidence, retrieve)
                except GraphUnavailable:
                    raise
                except Exception as error:
                    answer_error, outage = _said(error), outage_of(error)
                answer_seconds = time.perf_counter() - begun
        outcome = Outcome(
            strategy=strategy,
            question_id=question.id,
            ranking=self._ranking(evidence),
            seeds=tuple(seed.name for seed in evidence.seeds),
            paths=evidence.paths[:SHOWN_PATHS],
            notices=evidence.notices,
            seconds=seconds,
            steps=evidence.trace,
            answer=None if answer is None else _answer_record(answer),
            answer_error=answer_error,
            answer_seconds=answer_seconds,
            answer_steps=() if answer is None else answer.trace,
            usage=_usage(meter),
        )
        # with what the reader found for parts of the question
        handed = evidence.chunks[: self.top_k] if answer is None else answer.evidence.chunks
        return Asked(
            outcome,
            cited(evidence)
            if answer is None
            else Cited.union(map(cited, (evidence, answer.evidence))),
            {
                chunk.id: ChunkRecord(
                    key=self._key(chunk.id, chunk.document_id),
                    title=chunk.title,
                    text=chunk.text[:SHOWN_TEXT],
                )
                for chunk in (*evidence.chunks, *handed)
            }
            | {
                one.id: ChunkRecord(
                    key=self._triple_key(one), title=one.title, text=one.text[:SHOWN_TEXT]
                )
                for one in evidence.triples[: self.depth]
                if self.unit == "triple"
            },
            tuple(f"{chunk.title}\n{chunk.text}" for chunk in handed),
            leading_clues(
                evidence,
                [chunk.chunk_id for chunk in outcome.ranking if chunk.key in question.gold],
            ),
            outage,
        )

    def _read(
        self, reader: Reader, strategy: str, evidence: Evidence, retrieve: Retrieve
    ) -> Answer:
        handed = evidence.model_copy(update={"chunks": evidence.chunks[: self.top_k]})
        if self.parts is not None:
            return whole_answer(reader, handed, self.parts(strategy, evidence))
        return whole_answer(reader, handed, retrieve)

    def _ranking(self, evidence: Evidence) -> tuple[RankedChunk, ...]:
        if self.unit == "triple":
            return tuple(
                RankedChunk(chunk_id=one.id, key=self._triple_key(one), score=one.score)
                for one in evidence.triples[: self.depth]
            )
        return tuple(
            RankedChunk(
                chunk_id=chunk.id,
                key=self._key(chunk.id, chunk.document_id),
                score=chunk.score,
            )
            for chunk in evidence.chunks
        )

    def _triple_key(self, triple: EvidenceTriple) -> str:
        return self.keys.get(triple_words(triple.head, triple.relation, triple.tail), triple.id)

    def _key(self, chunk_id: str, document_id: str) -> str:
        if self.unit == "chunk":
            return chunk_id
        return self.keys.get(document_id, document_id)


def _failed(
    strategy: str, question: BenchQuestion, error: Exception, meter: UsageMeter, seconds: float
) -> Asked:
    outcome = Outcome(
        strategy=strategy,
        question_id=question.id,
        error=_said(error),
        seconds=seconds,
        usage=_usage(meter),
    )
    return Asked(outcome, Cited(), {}, outage=outage_of(error))


def outage_of(error: Exception) -> LanguageModelUnavailable | None:
    """Return the error if a language model is away for now, not for this question or at all."""
    if not isinstance(error, LanguageModelUnavailable) or isinstance(error, PromptRefused):
        return None
    return None if error.lasting else error


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, CLEW_ERRORS) else f"{type(error).__name__}: {error}"


def _usage(meter: UsageMeter) -> Usage:
    return Usage(
        calls=meter.calls,
        prompt_tokens=meter.prompt_tokens,
        completion_tokens=meter.completion_tokens,
    )


def _answer_record(answer: Answer) -> AnswerRecord:
    texts = {chunk.id: chunk.text for chunk in answer.evidence.chunks}
    texts |= {triple.id: triple.text for triple in answer.evidence.triples}
    cited = [(one.chunk_id or one.triple_id, one.quote) for one in answer.citations]
    return AnswerRecord(
        text=answer.text,
        short=answer.short,
        supported=answer.supported,
        confidence=answer.confidence,
        cited=tuple(id_ for id_, _ in cited),
        misquoted=tuple(id_ for id_, quote in cited if quote not in texts.get(id_, "")),
        dropped_citations=answer.dropped_citations,
    )


def cited(evidence: Evidence) -> Cited:
    """Return everything that evidence names: chunks, triples, seeds, paths and explanation."""
    chunks = {chunk.id for chunk in evidence.chunks}
    entities = {seed.id for seed in evidence.seeds}
    sentences: set[str] = set()
    documents: set[str] = set()
    triples = {one.id for one in evidence.triples}
    entities |= {end for one in evidence.triples for end in (one.head_id, one.tail_id)}
    edges: set[CitedEdge] = set()
    ids = {
        "chunk": chunks,
        "entity": entities,
        "sentence": sentences,
        "document": documents,
        "triple": triples,
    }
    for path in evidence.paths:
        for step in path.nodes:
            ids[step.kind].add(step.id)
        edges |= {CitedEdge(edge.source, edge.target, edge.kind) for edge in path.edges}
    for card in evidence.explanation:
        if isinstance(card, QuotesCard):
            for quote in card.quotes:
                chunks |= {*quote.chunk_ids, *(span.chunk_id for span in quote.spans)}
                sentences |= {span.sentence_id for span in quote.spans if span.sentence_id}
        elif isinstance(card, SubgraphCard):
            for node in card.nodes:
                ids[node.kind].add(node.id)
            triples |= {edge.id for edge in card.edges if edge.id}
            edges |= {CitedEdge(edge.source, edge.target, edge.kind) for edge in card.edges}
        else:
            for found in (found for one in card.rounds for found in one.found):
                ids[found.kind].add(found.id)
    return Cited(
        chunks=frozenset(chunks),
        entities=frozenset(entities),
        sentences=frozenset(sentences),
        documents=frozenset(documents),
        triples=frozenset(triples),
        edges=frozenset(edges),
    )
