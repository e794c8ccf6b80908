"""Knowledge bases into the graph: documents whose lines are triples, embedded and written as such.

Reading is a child process of its own, embedding a thread; the caller's thread writes, a batch a
transaction. What the graph has already, of an older version or of a run that was killed, is not
worked on again.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clew_cypher.errors import DocumentGone, EntityVectorsMissing, UnknownDocument
from clew_cypher.ids import content_id, entity_id
from clew_cypher.rows import DocumentRow, KnowledgeEnd, KnowledgeTripleRow
from clew_cypher.searching.documents import get_document
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import claim_document, document_data
from clew_cypher.writing.knowledge_bases import (
    documents_with_lines,
    finish_knowledge_base,
    triples_there,
    write_knowledge,
)
from clew_ingest.errors import ReadingInterrupted, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.pipeline.embed_stage import SeenEntities
from clew_ingest.pipeline.progress import FailedDocument, Tally
from clew_ingest.pipeline.stages import Line
from clew_ingest.pipeline.write_stage import Guard, give_up
from clew_ingest.reading.triple_reader import TripleReader
from clew_ingest.reading.triple_spool import Fact, NamedEnd, in_words
from clew_ingest.resolution.types import identity_kind
from clew_ingest.triples.predicates import verb_base
from clew_models.embedding.base import Embedder

VERSION = 4
"""To be raised when other triples are made of the same file."""

_REMEMBERED = 500_000
_ENTITIES_AT_HAND = 100_000
_EMBEDDED_TOGETHER = 256
_AHEAD = 2


def knowledge_fingerprint(limits: IngestLimits) -> str:
    """Return the fingerprint of knowledge bases that are read with these settings."""
    return content_id("f", "triples", str(VERSION), str(limits.triple_vectors))


@dataclass(frozen=True)
class _Batch:
    """What one transaction writes. ``kept``: triples that the graph has, in another version or at
    another line.
    """

    triples: list[KnowledgeTripleRow]
    kept: list[KnowledgeTripleRow]
    entity_vectors: dict[str, NDArray[np.float32]]


class KnowledgeBases:
    """Writes knowledge bases of one corpus, one after another; ``line``: asked whether to stop."""

    def __init__(
        self,
        store: GraphStore,
        corpus: str,
        embedder: Embedder,
        limits: IngestLimits,
        tally: Tally,
        cancelled: Callable[[], bool],
        guard: Guard | None,
    ) -> None:
        self._store = store
        self._corpus = corpus
        self._embedder = embedder
        self._limits = limits
        self._tally = tally
        self._cancelled = cancelled
        self._guard = guard
        self._seen = SeenEntities(store, _REMEMBERED)
        self._fresh = False

    def write(self, document_ids: Sequence[str]) -> None:
        """Make accepted knowledge bases searchable; one that cannot be read turns failed."""
        with TripleReader(self._limits) as reader:
            for document_id in document_ids:
                try:
                    row = self._waiting(document_id)
                    if row is None:
                        self._tally.add("read", unchanged=1)
                    else:
                        self._document(reader, row)
                except (DocumentGone, UnknownDocument):
                    self._tally.add("write", superseded=1)

    def _waiting(self, document_id: str) -> DocumentRow | None:
        found = get_document(self._store, self._corpus, document_id)
        if found["status"] != "accepted":
            return None
        fingerprint = knowledge_fingerprint(self._limits)
        if found["fingerprint"] != fingerprint and not claim_document(
            self._store, self._corpus, document_id, found["sha256"], fingerprint
        ):
            raise UnknownDocument(f"{found['uri']} was accepted anew in this moment.")
        return DocumentRow(
            id=document_id,
            uri=found["uri"],
            title=found["title"],
            media_type=found["media_type"],
            sha256=found["sha256"],
            fingerprint=fingerprint,
        )

    def _document(self, reader: TripleReader, row: DocumentRow) -> None:
        begun = time.monotonic()
        try:
            with self._tally.timed("read"):
                data = document_data(self._store, row.id)
                # files of one title, in two folders, have nodes of their own
                owner = f"{row.title} ({row.id[1:9]})"
                total = reader.open(data, row.media_type, owner, self._cancelled)
                del data
            self._tally.add("read", triples_total=total)
            self._fresh = not documents_with_lines(self._store, [row.id])
            with Line(self._cancelled) as line:
                facts = line.stage("read", self._facts(reader, line), _AHEAD)
                for batch in line.stage("embed", self._batches(row, facts, line), _AHEAD):
                    self._write(row, batch)
        except UnreadableSource as error:
            blameless = isinstance(error, ReadingInterrupted)
            give_up(self._store, self._corpus, row, str(error), blameless=blameless)
            self._tally.fail("read", FailedDocument(row.id, row.uri, str(error)))
            return
        with self._tally.timed("write"):
            finish_knowledge_base(
                self._store,
                self._corpus,
                row,
                vectors=self._limits.triple_vectors,
                seconds=time.monotonic() - begun,
                guard=self._guard,
            )
        self._tally.add("write", ready=1)

    def _facts(self, reader: TripleReader, line: Line) -> Generator[list[Fact], None, None]:
        batches = reader.batches(line.stopping)
        while True:
            with self._tally.timed("read"):
                facts = next(batches, None)
            if facts is None:
                return
            yield facts

    def _batches(
        self, row: DocumentRow, facts: Iterator[list[Fact]], line: Line
    ) -> Generator[_Batch, None, None]:
        for some in facts:
            with self._tally.timed("embed"):
                batch = self._batch(row, some, line)
            yield batch

    def _batch(self, row: DocumentRow, facts: Sequence[Fact], line: Line) -> _Batch:
        rows: dict[str, KnowledgeTripleRow] = {}
        for fact in facts:
            made = self._row(row, fact)
            rows.setdefault(made.id, made)  # of lines that say the same the first counts
        vectors = self._limits.triple_vectors
        there = {} if self._fresh else triples_there(self._store, row, rows)
        new, kept = [], []
        for made in rows.values():
            found = there.get(made.id)
            if found is None or found.differs(made) or (vectors and not found.embedded):
                new.append(made)
            elif not found.current or found.number > made.line:
                kept.append(made)
        self._tally.add("read", triples_kept=len(rows) - len(new))
        ends = {end.id: end.key for made in new for end in made.ends}
        unknown = sorted(set(ends) - self._seen.of(sorted(ends)))
        texts = [ends[key] for key in unknown]
        if vectors:
            texts += [made.ttr for made in new]
        embedded = self._embed(texts, line)
        if vectors:
            new = [
                replace(made, embedding=embedded[len(unknown) + number])
                for number, made in enumerate(new)
            ]
        return _Batch(new, kept, dict(zip(unknown, embedded, strict=False)))

    def _row(self, row: DocumentRow, fact: Fact) -> KnowledgeTripleRow:
        head, tail = _entity(self._corpus, fact.head), _entity(self._corpus, fact.tail)
        relation = in_words(fact.relation)
        return KnowledgeTripleRow(
            id=content_id("t", row.id, head.id, fact.relation, tail.id),
            line=fact.line,
            head=head,
            relation=fact.relation,
            predicate=base_form(relation),
            tail=tail,
            ttr=f"{head.name} {relation} {tail.name}.",
            relation_iri=fact.relation_iri,
            language=fact.language,
        )

    def _embed(self, texts: Sequence[str], line: Line) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, each embedded once; a cancel is heard in between."""
        unique = list(dict.fromkeys(texts))
        unique.sort(key=len)
        vectors = np.empty((len(unique), self._embedder.dimension), np.float32)
        for start in range(0, len(unique), _EMBEDDED_TOGETHER):
            line.check()
            part = unique[start : start + _EMBEDDED_TOGETHER]
            vectors[start : start + len(part)] = self._embedder.embed(part)
        place = {text: number for number, text in enumerate(unique)}
        return vectors[[place[text] for text in texts]] if texts else vectors

    def _write(self, row: DocumentRow, batch: _Batch) -> None:
        if not batch.triples and not batch.kept:
            return
        vectors = dict(batch.entity_vectors)
        with self._tally.timed("write"):
            while True:
                try:
                    written = write_knowledge(
                        self._store,
                        self._corpus,
                        row,
                        batch.triples,
                        batch.kept,
                        vectors,
                        self._guard,
                    )
                    break
                except EntityVectorsMissing as error:
                    keys = {end.id: end.key for made in batch.triples for end in made.ends}
                    texts = [keys[key] for key in error.ids]
                    vectors.update(zip(error.ids, self._embedder.embed(texts), strict=True))
        self._tally.add("write", triples=written.triples, entities=written.entities)


@lru_cache(_ENTITIES_AT_HAND)
def _entity(corpus: str, end: NamedEnd) -> KnowledgeEnd:
    key = entity_id(corpus, end.key, identity_kind(end.key, end.type))
    return KnowledgeEnd(key, end.key, end.name, end.type, end.iri)


@lru_cache(4096)
def base_form(relation: str) -> str:
    """Return a relation in words with its first word in base form, as extracted predicates are."""
    first, _, rest = relation.partition(" ")
    return f"{verb_base(first)} {rest}".strip()
