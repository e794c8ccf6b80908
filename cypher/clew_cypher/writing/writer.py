"""Writing what ingest made of documents: one transaction a batch, the same batch twice is once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clew_cypher.corpora import unknown_corpus
from clew_cypher.errors import (
    EntityVectorsMissing,
    GraphError,
    KeptChunksGone,
    StatementFailed,
)
from clew_cypher.rows import GraphBatch
from clew_cypher.searching.words import chunk_label
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.vectors import to_driver
from clew_cypher.writing import batch as batch_rows
from clew_cypher.writing.batch import check_documents, check_rows
from clew_cypher.writing.documents import document_parameters
from clew_cypher.writing.entities import LockedEntities, lock_entities
from clew_cypher.writing.removal import (
    CHUNKS_AT_ONCE,
    Step,
    in_steps,
    remove_chunks,
    remove_records,
    settle_entities,
)

EXISTING = {
    "Chunk": "existing_ids_of_chunks",
    "Document": "existing_ids_of_documents",
    "Entity": "existing_ids_of_entities",
    "Sentence": "existing_ids_of_sentences",
}
MERGE_ATTEMPTS = 5
"""How often a batch is begun again because entities of it were merged while it was written."""

Guard = Callable[[Transaction], None]


class _MergedMeanwhile(Exception):
    """An entity was made and merged by others between our lock and our write."""


class _MuchToRemove(Exception):
    """Older versions of what the batch finishes have more to lose than goes in one transaction."""


@dataclass(frozen=True)
class WriteCounts:
    """What one batch wrote, what it removed of older versions, and the revision it made."""

    documents: int
    chunks: int
    sentences: int
    entities: int
    mentions: int
    triples: int
    removed_chunks: int
    removed_entities: int
    revision: int


def existing_ids(store: GraphStore, label: str, ids: Sequence[str]) -> set[str]:
    """Return which ``ids`` are in the graph.

    ``label``: Chunk, Document, Entity or Sentence; another one is a ValueError. An entity that is
    merged into another one is there, too.
    """
    if label not in EXISTING:
        raise ValueError(f"{label!r} is none of {sorted(EXISTING)}.")
    return {row["id"] for row in store.read(EXISTING[label], ids=sorted(set(ids)))}


def unit_chunks(store: GraphStore, document_id: str, units: Sequence[str]) -> dict[str, list[str]]:
    """Return the chunk ids, in order, of those ``units`` of the document that are there whole.

    They can be kept (:class:`KeptChunk`) in a version that has the unit too.
    """
    rows = store.read("unit_chunks", document_id=document_id, units=sorted(set(units)))
    return {row["unit"]: row["ids"] for row in rows}


def write_batch(
    store: GraphStore, corpus: str, batch: GraphBatch, *, guard: Guard | None = None
) -> WriteCounts:
    """Write ``batch`` in one transaction; writing it again changes nothing.

    A chunk comes with all its sentences, mentions, roles and triples: what it had before is
    cleared. The chunks that a finished document had in an older version disappear, unless they are
    ``kept``, and with them what only they supported; the document turns ``ready`` and loses its
    stored bytes. Rows of merged entities are written at the one they go by. ``guard`` runs first,
    in the transaction: what it raises refuses the batch (a job that lost its lease).

    Where older versions have more to lose than goes in one transaction, the batch is written first,
    then that goes in steps, and the document turns ``ready`` last: until then it is as between any
    two of its batches, and who is killed goes on with what is left.

    Entities with many edges get their name and type after the last batch, by
    `refresh_stale_entities`.

    Raises UnknownCorpus; EmbeddingDimensionMismatch; DocumentGone where a document of the batch
    was deleted or accepted in another version meanwhile; EntityVectorsMissing where an entity
    without vector is not in the graph; KeptChunksGone where a kept chunk is not.
    """
    for _ in range(MERGE_ATTEMPTS):
        try:
            return store.in_transaction(lambda tx: _write(tx, corpus, batch, guard))
        except _MergedMeanwhile:
            continue
        except _MuchToRemove:
            part = replace(batch, finished=(), costs=())
            write_batch(store, corpus, part, guard=guard)
            in_steps(store, lambda tx: _remove_older(tx, corpus, batch, guard))
    raise StatementFailed(
        "Entities of this batch were merged again and again while it was written.",
        remedy="Write it again when the entity resolution that runs now has ended.",
    )


def _remove_older(
    transaction: Transaction, corpus: str, batch: GraphBatch, guard: Guard | None
) -> Step:
    """Take out what only older versions had of the documents that a written batch finishes."""
    if guard is not None:
        guard(transaction)
    check_documents(transaction, corpus, batch)
    stale = transaction.run("stale_chunks", ids=sorted(batch.finished))
    if not stale:
        return remove_records(transaction, corpus, _files(batch))
    older = sorted({row["document_id"] for row in stale})
    transaction.run("shorten_documents", ids=older, going=False, error=None)
    counts = remove_chunks(transaction, [row["id"] for row in stale[:CHUNKS_AT_ONCE]])
    transaction.run("bump_revision", corpus=corpus)
    return counts, False


def _files(batch: GraphBatch) -> list[str]:
    """Return the finished documents that are no records of a file."""
    records = {row.id for row in batch.documents if row.parent_id is not None}
    return sorted(set(batch.finished) - records)


def _write(
    transaction: Transaction, corpus: str, batch: GraphBatch, guard: Guard | None
) -> WriteCounts:
    if guard is not None:
        guard(transaction)
    found = transaction.run("corpus", corpus=corpus)
    if not found:
        raise unknown_corpus(corpus)
    check_rows(batch, found[0]["dimension"], corpus)
    check_documents(transaction, corpus, batch)
    transaction.run(
        "write_documents",
        corpus=corpus,
        rows=[document_parameters(row) for row in sorted(batch.documents, key=lambda r: r.id)],
    )
    _keep_chunks(transaction, batch)
    again, stale = _older_chunks(transaction, batch)
    if len(stale) > CHUNKS_AT_ONCE:
        raise _MuchToRemove
    locked = lock_entities(transaction, [*again, *stale], _entities_of(batch))
    _clear(transaction, again)
    _write_nodes(transaction, corpus, batch, locked)
    _write_edges(transaction, corpus, batch, locked)
    _run_rows(transaction, "write_costs", batch_rows.cost_rows(batch))
    removed = _finish(transaction, corpus, batch, stale, locked)
    revision = found[0]["revision"]
    if batch.chunks or batch.kept or removed["chunks"]:
        revision = transaction.run("bump_revision", corpus=corpus)[0]["revision"]
    return WriteCounts(
        documents=len(batch.finished),
        chunks=len(batch.chunks),
        sentences=len(batch.sentences),
        entities=len(batch.entities),
        mentions=len(batch.mentions),
        triples=len({row.id for row in batch.triples}),
        removed_chunks=removed["chunks"],
        removed_entities=removed["entities"],
        revision=revision,
    )


def _entities_of(batch: GraphBatch) -> set[str]:
    return (
        {row.id for row in batch.entities}.union(row.entity_id for row in batch.mentions)
        .union(row.entity_id for row in batch.roles)
        .union(key for row in batch.triples for key in (row.head_id, row.tail_id))
    )


def _keep_chunks(transaction: Transaction, batch: GraphBatch) -> None:
    rows = batch_rows.kept_rows(batch)
    if not rows:
        return
    there = {row["id"] for row in transaction.run("write_kept_chunks", rows=rows)}
    gone = [row["id"] for row in rows if row["id"] not in there]
    if gone:
        raise KeptChunksGone(
            f"{len(gone)} chunks that were to be kept are not in the graph (any more): "
            f"{gone[:3]} …",
            ids=tuple(gone),
            remedy="Read their part of the document anew and write it with the batch.",
        )


def _older_chunks(transaction: Transaction, batch: GraphBatch) -> tuple[list[str], list[str]]:
    """Return the chunks that are written again, and those that only an older version had."""
    ids = sorted(row.id for row in batch.chunks)
    again = [row["id"] for row in transaction.run("existing_ids_of_chunks", ids=ids)]
    finished = sorted(batch.finished)
    rows = transaction.run("stale_chunks", ids=finished) if finished else []
    written = set(ids)
    return again, [row["id"] for row in rows if row["id"] not in written]


def _clear(transaction: Transaction, ids: Sequence[str]) -> None:
    """Take from chunks that are written again all that comes anew with them."""
    if ids:
        for name in (
            "delete_triples_of_chunks",
            "clear_chunk_mentions",
            "clear_chunk_sentences",
        ):
            transaction.run(name, ids=ids)


def _run_rows(transaction: Transaction, name: str, rows: Sequence[Row], **params: Any) -> None:
    """Write ``rows``; a row whose ends are not in the graph must not be lost in silence."""
    if not rows:
        return
    written = transaction.run(name, rows=rows, **params)[0]["written"]
    if written != len(rows):
        raise GraphError(
            f"{len(rows) - written} of {len(rows)} rows of {name} refer to what is neither in the "
            "batch nor in the graph; nothing was written.",
            remedy="A batch holds the documents, chunks and entities that its other rows name.",
        )


def _write_nodes(
    transaction: Transaction, corpus: str, batch: GraphBatch, locked: LockedEntities
) -> None:
    _run_rows(
        transaction,
        "write_chunks",
        corpus=corpus,
        label=chunk_label(corpus),
        rows=batch_rows.chunk_rows(batch),
    )
    _run_rows(transaction, "write_sentences", corpus=corpus, rows=batch_rows.sentence_rows(batch))
    entities = sorted(
        (row for row in batch.entities if row.id not in locked.canonical), key=lambda row: row.id
    )
    _run_rows(
        transaction,
        "write_entities",
        corpus=corpus,
        rows=[{"id": row.id, "key": row.key} for row in entities],
    )
    if transaction.run("merged_into", ids=[row.id for row in entities]):
        raise _MergedMeanwhile
    transaction.run(
        "write_entity_vectors",
        rows=[
            {"id": row.id, "embedding": to_driver(row.embedding)}
            for row in entities
            if row.embedding is not None
        ],
    )
    without = [row.id for row in entities if row.embedding is None]
    missing = [row["id"] for row in transaction.run("entities_without_vector", ids=without)]
    if missing:
        raise EntityVectorsMissing(
            f"{len(missing)} entities came without vectors and are not in the graph (any more).",
            ids=tuple(missing),
            remedy="Embed them and write the batch again.",
        )


def _write_edges(
    transaction: Transaction, corpus: str, batch: GraphBatch, locked: LockedEntities
) -> None:
    canonical = locked.canonical
    _run_rows(transaction, "write_mentions", batch_rows.mention_rows(batch, canonical))
    _run_rows(transaction, "write_heads", batch_rows.role_rows(batch, canonical, "head"))
    _run_rows(transaction, "write_tails", batch_rows.role_rows(batch, canonical, "tail"))
    _run_rows(transaction, "write_triples", batch_rows.triple_rows(batch, canonical), corpus=corpus)


def _finish(
    transaction: Transaction,
    corpus: str,
    batch: GraphBatch,
    stale: Sequence[str],
    locked: LockedEntities,
) -> dict[str, int]:
    """Flip finished documents to ready and remove what only their old versions had."""
    finished = sorted(batch.finished)
    touched = {locked.canonical.get(key, key) for key in _entities_of(batch)} | locked.ends
    if stale:
        removed = remove_chunks(transaction, stale, replace(locked, ends=frozenset(touched)))
    else:
        gone = settle_entities(transaction, touched, locked.origins, later=True)
        removed = {"chunks": 0, "entities": gone}
    if finished:
        former, whole = remove_records(transaction, corpus, _files(batch))
        if not whole:
            raise _MuchToRemove
        for name in removed:
            removed[name] += former.get(name, 0)
        transaction.run("unlink_chunks", ids=finished)
        transaction.run("unlink_sentences", ids=finished)
        transaction.run("link_chunks", ids=finished)
        transaction.run("link_sentences", ids=finished)
        transaction.run("finish_documents", ids=finished)
        transaction.run("drop_blobs", ids=finished)
    return removed
