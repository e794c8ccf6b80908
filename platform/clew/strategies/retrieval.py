"""One retrieval on its way from the question to the evidence: its trace and its notices."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.dates import with_dates
from clew.errors import InvalidRequest
from clew.results.evidence import (
    Evidence,
    EvidenceTriple,
    Progress,
    ScoredChunk,
    SeedEntity,
    TraceStep,
)
from clew.results.explanation import Card
from clew.strategies.base import Tell, untold
from clew_cypher.corpora import check_embedder, get_corpus
from clew_cypher.searching.chunks import chunks_by_id, documents_with_originals
from clew_cypher.searching.ties import ToldSentence, sentences_by_id

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_cypher.store import GraphStore

Row = dict[str, Any]

SPARE = 20
"""Chunks ranked beyond k: some may be gone, or say word for word what a better one says."""


def check_k(k: int) -> None:
    """Raise InvalidRequest where fewer than one chunk is asked for."""
    if k < 1:
        raise InvalidRequest(f"Evidence of {k} chunks was asked for.", remedy="Ask for 1 or more.")


class Retrieval:
    """Records what a strategy does for one question; used by one thread.

    ``tell``: called with what happens on the way; steps of the trace are told here.
    Raises UnknownCorpus, and InvalidRequest where ``k`` is below 1.
    """

    def __init__(
        self,
        resources: "Resources",
        strategy: str,
        question: str,
        corpus: str,
        k: int,
        tell: Tell = untold,
    ) -> None:
        check_k(k)
        self.resources = resources
        self.strategy = strategy
        self.question = question
        self.k = k
        self.tell = tell
        self._steps: list[TraceStep] = []
        self._notices: list[str] = []
        self._vector: NDArray[np.float32] | None = None
        self._selection = resources.selection
        self._rows: dict[str, Row] = {}
        self._told: dict[str, ToldSentence] = {}
        with self.step("corpus") as detail:
            asked = resources.asked
            if asked is None or asked.name != corpus:
                asked = get_corpus(resources.store, corpus)
            self.corpus = asked
            detail["revision"] = self.corpus.revision

    @contextmanager
    def step(self, name: str) -> Iterator[dict[str, Any]]:
        """Time a step of the trace; what is put into the yielded dict is its detail (JSON)."""
        detail: dict[str, Any] = {}
        started = time.perf_counter()
        yield detail
        seconds = time.perf_counter() - started
        step = TraceStep(name=name, seconds=seconds, detail=detail)
        self._steps.append(step)
        self.tell(step)

    def add(self, steps: Sequence[TraceStep]) -> None:
        """Add steps that a search within this one took, which told them itself."""
        self._steps += steps

    def notice(self, sentence: str) -> None:
        """Add a sentence that the user is to read."""
        self._notices.append(sentence)

    def doing(self, what: str) -> None:
        """Tell what takes seconds now, in words, such as the loading of a model."""
        self.tell(Progress(text=what))

    @property
    def depth(self) -> int:
        """How many chunks to rank, so that k of them are left."""
        return self.k + SPARE

    @property
    def words(self) -> str:
        """The question as its words are searched for: with other spellings of its dates."""
        return with_dates(self.question)

    @property
    def vector(self) -> NDArray[np.float32]:
        """[D] The question's embedding, computed when first asked for."""
        if self._vector is None:
            self.embed_with([])
        assert self._vector is not None
        return self._vector

    def embed_with(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] the embeddings of ``texts``; the question's comes along, if it is still
        to be computed: one call costs little more than the longest of its texts. Raises
        EmbedderMismatch where the vectors of the corpus are another embedder's.
        """
        pending = [self.question] if self._vector is None else []
        if not pending and not texts:
            return np.zeros((0, self.corpus.dimension), dtype=np.float32)
        embedder = self.resources.embedder
        if self.corpus.revision:
            check_embedder(self.corpus, embedder.name, embedder.dimension)
        with self.step("embed") as detail:
            detail["embedder"] = embedder.name
            detail["texts"] = len(pending) + len(texts)
            vectors = embedder.embed([*pending, *texts])
        if pending:
            self._vector = vectors[0]
        return vectors[len(pending) :]

    def read_chunks(self, ids: Sequence[str], scores: Sequence[float]) -> list[Row]:
        """Return the `first` rows of chunks by their ids, best first; those that are gone are not
        among them, so pass ``depth`` of them.
        """
        with self.step("read chunks") as detail:
            rows = self.first(self.rows_of(ids[: self.k]))
            if len(rows) < min(self.k, len(ids)):
                rows = self.first(self.rows_of(ids))
            detail["chunks"] = len(rows)
        score_of = dict(zip(ids, scores, strict=True))
        return [row | {"score": score_of[row["id"]]} for row in rows]

    def rows_of(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows of chunks in the order of ``ids``, whatever document they are of; each is
        read once in a retrieval, and what is gone is left out.
        """
        if missing := [id_ for id_ in ids if id_ not in self._rows]:
            self.keep(rows=chunks_by_id(self.resources.store, self.corpus.name, missing))
        return [self._rows[id_] for id_ in dict.fromkeys(ids) if id_ in self._rows]

    def sentences_of(self, ids: Collection[str]) -> dict[str, ToldSentence]:
        """Return sentences by their ids, each read once; what is gone is left out."""
        if missing := [id_ for id_ in ids if id_ not in self._told]:
            store, corpus = self.resources.store, self.corpus.name
            self.keep(sentences=sentences_by_id(store, corpus, missing))
        return {id_: self._told[id_] for id_ in ids if id_ in self._told}

    def keep(
        self, rows: Iterable[Row] = (), sentences: Mapping[str, ToldSentence] | None = None
    ) -> None:
        """Keep what was read of chunks and sentences for who asks for them later."""
        self._rows |= {row["id"]: row for row in rows}
        self._told |= sentences or {}

    def first(self, rows: Iterable[Row]) -> list[Row]:
        """Return the first k rows of chunks of the documents that the question is asked of; a
        passage that stands in several documents of one title counts once.
        """
        distinct: dict[tuple[str, str], Row] = {}
        for row in rows:
            if self._selection is None or row["document_id"] in self._selection.document_ids:
                distinct.setdefault((row["title"], row["text"]), row)
        return list(distinct.values())[: self.k]

    def evidence_by_id(
        self, ids: Sequence[str], scores: Sequence[float], seeds: Sequence[SeedEntity] = ()
    ) -> Evidence:
        """Return the evidence of chunks by their ids; see ``read_chunks``."""
        return self.evidence(self.read_chunks(ids, scores), seeds)

    def triples(self, rows: Sequence[Row], scores: Sequence[float]) -> tuple[EvidenceTriple, ...]:
        """Return rows of `nearest_triples` or `triples_by_id` as evidence, with their scores."""
        return tuple(
            EvidenceTriple(
                id=row["id"],
                head_id=row["head_entity"]["id"],
                head=row["head"],
                relation=row["relation"],
                tail_id=row["tail_entity"]["id"],
                tail=row["tail"],
                text=row["ttr"],
                score=float(score),
                chunk_id=row["chunk_id"],
                document_id=row["document_id"],
                title=row["title"],
                line=row["line"],
            )
            for row, score in zip(rows, scores, strict=True)
        )

    def evidence(
        self,
        rows: Sequence[Row],
        seeds: Sequence[SeedEntity] = (),
        cards: Sequence[Card] = (),
        triples: Sequence[EvidenceTriple] = (),
    ) -> Evidence:
        """Return the evidence of the `first` ``rows`` {id, document_id, title, text, score, pages,
        headings}.
        """
        first = self.first(rows)
        originals = originals_of(self.resources.store, first)
        return Evidence(
            question=self.question,
            corpus=self.corpus.name,
            strategy=self.strategy,
            chunks=tuple(scored_chunk(row, row["score"], originals) for row in first),
            triples=tuple(
                triple
                for triple in triples
                if self._selection is None or triple.document_id in self._selection.document_ids
            ),
            seeds=tuple(seeds),
            explanation=tuple(cards),
            trace=tuple(self._steps),
            notices=tuple(self._notices),
        )


def originals_of(store: "GraphStore", rows: Sequence[Row]) -> set[str]:
    """Return the documents of chunks that can be opened at their pages."""
    return documents_with_originals(store, {row["document_id"] for row in rows if row.get("pages")})


def scored_chunk(row: Row, score: float, originals: Collection[str] = ()) -> ScoredChunk:
    """Return a row {id, document_id, title, text, pages, headings} as a chunk of evidence."""
    return ScoredChunk(
        id=row["id"],
        document_id=row["document_id"],
        title=row["title"],
        text=row["text"],
        score=float(score),
        pages=tuple(row.get("pages", ())),
        headings=tuple(row.get("headings", ())),
        original=row["document_id"] in originals,
    )
