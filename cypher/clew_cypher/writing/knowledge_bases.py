"""Writing knowledge bases: documents whose lines are triples, without a passage between.

A triple is a RELATION as an extracted one is, with its document and line in place of chunk and
sentence. One transaction a batch; the same batch twice is once. A triple's id is of its document
and what it says, so that a later version keeps those that it has too, and a run that was killed
goes on with those that are missing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from clew_cypher.corpora import unknown_corpus
from clew_cypher.errors import EntityVectorsMissing, GraphError
from clew_cypher.kinds import KIND_OF_TYPE
from clew_cypher.rows import DocumentRow, KnowledgeTripleRow, Vector
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.vectors import check_dimension, to_driver
from clew_cypher.writing.entities import LockedEntities, lock_entities
from clew_cypher.writing.locking import lock_version
from clew_cypher.writing.removal import (
    Step,
    in_steps,
    remove_records,
    remove_text,
    settle_entities,
)

DRAINED = 2_000
"""Triples that are taken out in one transaction."""

Guard = Callable[[Transaction], None]


@dataclass(frozen=True)
class Line:
    """Where the graph has a triple: at which line; whether in the version that was asked for; and
    whether it has a vector. ``said``: how it is written.
    """

    number: int
    current: bool
    embedded: bool
    said: Row

    def differs(self, row: KnowledgeTripleRow) -> bool:
        """Whether it is of another version, and the same is written otherwise now."""
        return not self.current and self.said != _said(row)


@dataclass(frozen=True)
class Written:
    """How many triples and entities are new in the graph."""

    triples: int
    entities: int


def version_of(row: DocumentRow) -> str:
    """Return the name of a document's version, as its triples have it."""
    return f"{row.sha256}:{row.fingerprint}" if row.fingerprint else row.sha256


def knowledge_bases_among(store: GraphStore, corpus: str, ids: Sequence[str]) -> set[str]:
    """Return which documents are read as triples."""
    rows = store.read("knowledge_bases_among", corpus=corpus, ids=sorted(ids))
    return {row["id"] for row in rows}


def documents_with_lines(store: GraphStore, ids: Sequence[str]) -> list[str]:
    """Return which documents have triples of a knowledge base, whatever they are read as now."""
    return [row["id"] for row in store.read("documents_with_lines", ids=sorted(ids))]


def lines_of_page(
    store: GraphStore, corpus: str, document_id: str, limit: int, line: int | None = None
) -> list[Row]:
    """Return the first triples of a knowledge base, as `document_triples` with their ``line``;
    those of ``line`` are among them, wherever it stands.
    """
    return store.read(
        "lines_of_page", corpus=corpus, document_id=document_id, limit=limit, line=line
    )


def entities_of_page(store: GraphStore, corpus: str, document_id: str, limit: int) -> list[Row]:
    """Return the entities that most triples of a knowledge base join: rows {id, name, type,
    chunk_count}, the last of them the number of triples.
    """
    return store.read("entities_of_page", corpus=corpus, document_id=document_id, limit=limit)


def line_ids_of_documents(store: GraphStore, corpus: str, ids: Sequence[str]) -> Iterator[str]:
    """Yield the ids of all triples that knowledge bases among the documents have."""
    for row in store.stream("line_ids_of_documents", corpus=corpus, ids=list(ids)):
        yield row["id"]


def line_ids_of_corpus(store: GraphStore, corpus: str) -> Iterator[str]:
    """Yield the ids of all triples of the knowledge bases of a corpus."""
    for row in store.stream("line_ids_of_corpus", corpus=corpus):
        yield row["id"]


def triples_there(store: GraphStore, row: DocumentRow, ids: Iterable[str]) -> dict[str, Line]:
    """Return which triples are in the graph, of this version or another one, by their ids."""
    return _lines(store.read("triples_there", ids=sorted(ids), version=version_of(row)))


def _lines(rows: Sequence[Row]) -> dict[str, Line]:
    return {r["id"]: Line(r["line"], r["current"], r["embedded"], r["said"]) for r in rows}


def write_knowledge(
    store: GraphStore,
    corpus: str,
    document: DocumentRow,
    triples: Sequence[KnowledgeTripleRow],
    kept: Sequence[KnowledgeTripleRow],
    entity_vectors: dict[str, Vector],
    guard: Guard | None = None,
) -> Written:
    """Write triples with their ends in one transaction, and return how many are new.

    ``triples``: those that the graph has not, or not so: without their vector, or written otherwise
    in another version. ``kept``: those that it has. ``entity_vectors``: by id, of entities that are
    new. Raises UnknownCorpus; DocumentGone where the document was deleted or replaced;
    EntityVectorsMissing where an entity without vector is not in the graph.
    """
    return store.in_transaction(
        lambda tx: _write(tx, corpus, document, triples, kept, entity_vectors, guard)
    )


def _write(
    transaction: Transaction,
    corpus: str,
    document: DocumentRow,
    triples: Sequence[KnowledgeTripleRow],
    kept: Sequence[KnowledgeTripleRow],
    entity_vectors: dict[str, Vector],
    guard: Guard | None,
) -> Written:
    if guard is not None:
        guard(transaction)
    found = transaction.run("corpus", corpus=corpus)
    if not found:
        raise unknown_corpus(corpus)
    vectors = [row.embedding for row in triples if row.embedding is not None]
    check_dimension([*vectors, *entity_vectors.values()], found[0]["dimension"], corpus)
    lock_version(transaction, corpus, document)
    version = version_of(document)
    locked = LockedEntities({}, frozenset(), frozenset())
    there: dict[str, Line] = {}
    if triples:
        ends = {end for row in triples for end in (row.head_id, row.tail_id)}
        locked = lock_entities(transaction, [], ends)
        # under the lock: lines of batches before say the same, and another run may be faster
        ids = sorted(row.id for row in triples)
        there = _lines(transaction.run("triples_there", ids=ids, version=version))
    again = {row.id for row in triples if row.id in there and there[row.id].differs(row)}
    if again:
        transaction.run("delete_triples", ids=sorted(again))
    same = there.keys() - again
    keeping = [*kept, *(row for row in triples if row.id in same)]
    if keeping:
        rows = [{"id": r.id, "line": r.line} for r in sorted(keeping, key=lambda row: row.id)]
        _all(transaction.run("keep_lines", version=version, rows=rows), rows)
    new = sorted((row for row in triples if row.id not in same), key=lambda row: row.id)
    if new:
        _write_ends(transaction, corpus, new, locked, entity_vectors)
        rows = [_parameters(row, locked) for row in new]
        _all(
            transaction.run(
                "write_lines",
                corpus=corpus,
                document_id=document.id,
                version=version,
                rows=rows,
            ),
            rows,
        )
    embedded = [
        {"id": row.id, "embedding": to_driver(row.embedding)}
        for row in triples
        if row.embedding is not None and not (row.id in same and there[row.id].embedded)
    ]
    if embedded:
        transaction.run("embed_triples", rows=embedded)
    transaction.run("bump_revision", corpus=corpus)
    return Written(len(new) - len(again), len(entity_vectors))


def _write_ends(
    transaction: Transaction,
    corpus: str,
    triples: Sequence[KnowledgeTripleRow],
    locked: LockedEntities,
    entity_vectors: dict[str, Vector],
) -> None:
    ends = {end for row in triples for end in row.ends}
    rows = [
        {"id": e.id, "key": e.key, "name": e.name, "type": e.type, "named": e.named, "iri": e.iri}
        for e in sorted(ends, key=lambda e: (e.id, e.name, e.type, e.iri or ""))
        if e.id not in locked.canonical
    ]
    _all(
        transaction.run("write_named_entities", corpus=corpus, kinds=KIND_OF_TYPE, rows=rows), rows
    )
    written = {end.id for end in ends if end.id not in locked.canonical}
    vectors = [
        {"id": key, "embedding": to_driver(entity_vectors[key])}
        for key in sorted(written & entity_vectors.keys())
    ]
    if vectors:
        transaction.run("write_entity_vectors", rows=vectors)
    bare = transaction.run("entities_without_vector", ids=sorted(written))
    if bare:
        raise EntityVectorsMissing(
            f"{len(bare)} entities came without vectors and are not in the graph (any more).",
            ids=tuple(row["id"] for row in bare),
            remedy="Embed them and write the triples again.",
        )


def _parameters(row: KnowledgeTripleRow, locked: LockedEntities) -> Row:
    canonical = locked.canonical
    return {
        "id": row.id,
        "line": row.line,
        "head_id": canonical.get(row.head_id, row.head_id),
        "tail_id": canonical.get(row.tail_id, row.tail_id),
        "head_origin": row.head_id if row.head_id in canonical else None,
        "tail_origin": row.tail_id if row.tail_id in canonical else None,
        "relation": row.relation,
        "predicate": row.predicate,
        **_said(row),
    }


def _said(row: KnowledgeTripleRow) -> Row:
    """Return what may differ between lines that say the same."""
    return {
        "head": row.head.name,
        "tail": row.tail.name,
        "ttr": row.ttr,
        "head_type": row.head.type,
        "tail_type": row.tail.type,
        "head_iri": row.head.iri,
        "relation_iri": row.relation_iri,
        "tail_iri": row.tail.iri,
        "language": row.language,
    }


def _all(written: Sequence[Row], rows: Sequence[Row]) -> None:
    if written and written[0]["written"] != len(rows):
        raise GraphError(
            f"{len(rows) - written[0]['written']} of {len(rows)} rows of a knowledge base were "
            "not written: what they refer to is not in the graph.",
            remedy="Ingest the file again.",
        )


def finish_knowledge_base(
    store: GraphStore,
    corpus: str,
    document: DocumentRow,
    *,
    vectors: bool,
    seconds: float,
    guard: Guard | None = None,
) -> int:
    """Take out what other versions of the document had, and mark it ``ready``; return its triples.

    What goes, goes in batches, and the state flips last. ``vectors``: whether its triples have
    some; ``seconds`` of work that it took. Raises DocumentGone.
    """

    def lock(transaction: Transaction) -> None:
        if guard is not None:
            guard(transaction)
        lock_version(transaction, corpus, document)

    def finish(transaction: Transaction) -> Step:
        lock(transaction)
        for remove in (remove_text, remove_records):  # it was a text, or a file of records, before
            counts, whole = remove(transaction, corpus, [document.id])
            if not whole:
                return counts, False
        transaction.run("drop_blobs", ids=[document.id])
        finished = transaction.run(
            "finish_knowledge_base", id=document.id, vectors=vectors, seconds=seconds
        )
        transaction.run("bump_revision", corpus=corpus)
        return {"ready": finished[0]["triples"]}, True

    remove_lines(store, corpus, document.id, but=version_of(document), guard=lock)
    return in_steps(store, finish)["ready"]


def remove_lines(
    store: GraphStore,
    corpus: str,
    document_id: str,
    *,
    but: str | None = None,
    guard: Guard | None = None,
) -> dict[str, int]:
    """Take triples of a knowledge base out, with the entities that nothing else needs.

    ``but``: the version that stays. In batches, since it may have millions: who is killed in
    between does it again. ``guard`` runs first in each transaction. Returns how many triples and
    entities went.
    """
    total = {"triples": 0, "entities": 0}

    def drain(transaction: Transaction) -> tuple[int, int]:
        if guard is not None:
            guard(transaction)
        transaction.run("lock_documents", corpus=corpus, ids=[document_id])
        rows = transaction.run(
            "lines_of_document", document_id=document_id, version=but, limit=DRAINED
        )
        if not rows:
            return 0, 0
        ends = {row[key] for row in rows for key in ("head_id", "tail_id")}
        origins = {row[key] for row in rows for key in ("head_origin", "tail_origin")} - {None}
        lock_entities(transaction, [], ends)
        deleted = transaction.run("delete_triples", ids=sorted(row["id"] for row in rows))
        gone = settle_entities(transaction, ends, origins, later=True)
        transaction.run("bump_revision", corpus=corpus)
        return deleted[0]["deleted"], gone

    while True:
        triples, entities = store.in_transaction(drain)
        if not triples:
            return total
        total["triples"] += triples
        total["entities"] += entities
