"""Writing what ingest made of documents: one transaction a batch, the same batch twice is once."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from clew_cypher.corpora import unknown_corpus
from clew_cypher.documents import document_parameters
from clew_cypher.errors import DocumentGone, EntityVectorsMissing, GraphError
from clew_cypher.ids import corpus_key
from clew_cypher.removal import remove_chunks, remove_documents
from clew_cypher.rows import GraphBatch
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.vectors import check_dimension, to_driver
from clew_cypher.word_index import chunk_label

EXISTING = {
    "Chunk": "existing_ids_of_chunks",
    "Document": "existing_ids_of_documents",
    "Entity": "existing_ids_of_entities",
    "Sentence": "existing_ids_of_sentences",
}


@dataclass(frozen=True)
class WriteCounts:
    """What one batch wrote, what it removed of older versions, and the revision it made."""

    documents: int
    chunks: int
    sentences: int
    entities: int
    mentions: int
    removed_chunks: int
    removed_entities: int
    revision: int


def existing_ids(store: GraphStore, label: str, ids: Sequence[str]) -> set[str]:
    """Return which ``ids`` are in the graph.

    ``label``: Chunk, Document, Entity or Sentence; another one is a ValueError.
    """
    if label not in EXISTING:
        raise ValueError(f"{label!r} is none of {sorted(EXISTING)}.")
    return {row["id"] for row in store.read(EXISTING[label], ids=sorted(set(ids)))}


def write_batch(
    store: GraphStore,
    corpus: str,
    batch: GraphBatch,
    *,
    guard: Callable[[Transaction], None] | None = None,
) -> WriteCounts:
    """Write ``batch`` in one transaction; writing it again changes nothing.

    A chunk comes with all its sentences, mentions and roles. The chunks that a finished document
    had in an older version disappear, and with them what only they supported; the document turns
    ``ready`` and loses its stored bytes. ``guard`` runs first, in the transaction: what it raises
    refuses the batch (a job that lost its lease).

    Raises UnknownCorpus; EmbeddingDimensionMismatch; DocumentGone where a document of the batch
    was deleted or accepted in another version meanwhile; EntityVectorsMissing where an entity
    without vector is not in the graph.
    """
    return store.in_transaction(lambda transaction: _write(transaction, corpus, batch, guard))


def _write(
    transaction: Transaction,
    corpus: str,
    batch: GraphBatch,
    guard: Callable[[Transaction], None] | None,
) -> WriteCounts:
    if guard is not None:
        guard(transaction)
    found = transaction.run("corpus", corpus=corpus)
    if not found:
        raise unknown_corpus(corpus)
    vectors = [
        row.embedding
        for rows in (batch.chunks, batch.sentences, batch.entities)
        for row in rows
        if row.embedding is not None
    ]
    check_dimension(vectors, found[0]["dimension"], corpus)
    _check_documents(transaction, corpus, batch)
    transaction.run(
        "write_documents",
        corpus=corpus,
        rows=[document_parameters(row) for row in sorted(batch.documents, key=lambda r: r.id)],
    )
    lost = _clear(transaction, batch)
    _write_nodes(transaction, corpus, batch)
    _write_edges(transaction, batch)
    removed = _finish(transaction, corpus, batch, lost)
    mentioned = {row.entity_id for row in batch.mentions}
    transaction.run("refresh_entities", ids=sorted(mentioned))
    revision = found[0]["revision"]
    if batch.chunks or removed["chunks"]:
        revision = transaction.run("bump_revision", corpus=corpus)[0]["revision"]
    return WriteCounts(
        documents=len(batch.finished),
        chunks=len(batch.chunks),
        sentences=len(batch.sentences),
        entities=len(batch.entities),
        mentions=len(batch.mentions),
        removed_chunks=removed["chunks"],
        removed_entities=removed["entities"],
        revision=revision,
    )


def _check_documents(transaction: Transaction, corpus: str, batch: GraphBatch) -> None:
    """Refuse to bring back what was deleted, or to finish a version that was replaced."""
    versions = {row.id: row.sha256 for row in batch.documents}
    parents = {row.parent_id for row in batch.documents if row.parent_id is not None}
    records = {row.id for row in batch.documents if row.parent_id is not None}
    used = {row.document_id for row in batch.chunks}.union(batch.finished, versions)
    needed = sorted(used.difference(records).union(parents))
    rows = transaction.run("lock_documents", corpus=corpus, ids=needed)
    present = {row["id"]: row["sha256"] for row in rows}
    gone = {
        key
        for key in needed
        if key not in present or versions.get(key, present[key]) != present[key]
    }
    gone.update(row.id for row in batch.documents if row.parent_id in gone)
    if gone:
        raise DocumentGone(
            f"{len(gone)} documents of this batch are not accepted in this version (any more): "
            f"{sorted(gone)[:3]} …",
            ids=tuple(sorted(gone)),
            remedy="They were deleted or replaced meanwhile: leave them out and go on.",
        )


def _clear(transaction: Transaction, batch: GraphBatch) -> set[str]:
    """Take away what chunks that are written again no longer have; return entities that lost."""
    ids = sorted(row.id for row in batch.chunks)
    again = [row["id"] for row in transaction.run("existing_ids_of_chunks", ids=ids)]
    if not again:
        return set()
    keep: dict[str, list[str]] = {key: [] for key in again}
    for mention in batch.mentions:
        if mention.chunk_id in keep:
            keep[mention.chunk_id].append(mention.entity_id)
    transaction.run(
        "clear_chunk_sentences",
        chunk_ids=again,
        keep_ids=sorted(row.id for row in batch.sentences),
    )
    transaction.run("clear_chunk_roles", chunk_ids=again)
    rows = transaction.run("clear_chunk_mentions", chunk_ids=again, keep=keep)
    return {row["entity_id"] for row in rows}


def _run_rows(transaction: Transaction, name: str, rows: Sequence[Row], **params: Any) -> None:
    """Write ``rows``; a row whose ends are not in the graph must not be lost in silence."""
    written = transaction.run(name, rows=rows, **params)[0]["written"]
    if written != len(rows):
        raise GraphError(
            f"{len(rows) - written} of {len(rows)} rows of {name} refer to what is neither in the "
            "batch nor in the graph; nothing was written.",
            remedy="A batch holds the documents, chunks and entities that its other rows name.",
        )


def _write_nodes(transaction: Transaction, corpus: str, batch: GraphBatch) -> None:
    _run_rows(
        transaction,
        "write_chunks",
        corpus=corpus,
        label=chunk_label(corpus),
        rows=[
            {
                "id": row.id,
                "document_id": row.document_id,
                "position": row.position,
                "title": row.title,
                "text": row.text,
                "embedding": to_driver(row.embedding),
            }
            for row in sorted(batch.chunks, key=lambda row: row.id)
        ],
    )
    _run_rows(
        transaction,
        "write_sentences",
        corpus=corpus,
        rows=[
            {
                "id": row.id,
                "chunk_id": row.chunk_id,
                "position": row.position,
                "text": row.text,
                "hyperrelation": row.hyperrelation,
                "embedding": to_driver(row.embedding),
            }
            for row in sorted(batch.sentences, key=lambda row: row.id)
        ],
    )
    entities = sorted(batch.entities, key=lambda row: row.id)
    _run_rows(
        transaction,
        "write_entities",
        corpus=corpus,
        corpus_key=corpus_key(corpus),
        rows=[{"id": row.id, "key": row.key} for row in entities],
    )
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


def _write_edges(transaction: Transaction, batch: GraphBatch) -> None:
    # other names come with a title, and go with it
    aliases = {row.id: sorted(set(row.aliases)) for row in batch.entities if row.aliases}
    titles = {row.entity_id for row in batch.mentions if row.is_title}
    _run_rows(
        transaction,
        "write_mentions",
        rows=[
            {
                "entity_id": row.entity_id,
                "chunk_id": row.chunk_id,
                "count": row.count,
                "surface": row.surface,
                "type": row.type,
                "is_title": row.is_title,
                "aliases": sorted(row.aliases)
                or (
                    aliases.get(row.entity_id)
                    if row.is_title or row.entity_id not in titles
                    else None
                ),
            }
            for row in sorted(batch.mentions, key=lambda row: (row.entity_id, row.chunk_id))
        ],
    )
    roles: dict[str, list[Row]] = defaultdict(list)
    for role in sorted(batch.roles, key=lambda row: (row.entity_id, row.sentence_id)):
        roles[role.role].append(
            {"entity_id": role.entity_id, "sentence_id": role.sentence_id, "type": role.type}
        )
    _run_rows(transaction, "write_heads", roles["head"])
    _run_rows(transaction, "write_tails", roles["tail"])


def _finish(
    transaction: Transaction, corpus: str, batch: GraphBatch, lost: set[str]
) -> dict[str, int]:
    """Flip finished documents to ready and remove what only their old versions had."""
    removed = {"documents": 0, "chunks": 0, "sentences": 0, "entities": 0}
    finished = sorted(batch.finished)
    if finished:
        stale = [row["id"] for row in transaction.run("stale_chunks", ids=finished)]
        removed.update(remove_chunks(transaction, stale, lost))
        records = {row.id for row in batch.documents if row.parent_id is not None}
        files = [key for key in finished if key not in records]
        former = [r["id"] for r in transaction.run("records_of", corpus=corpus, ids=files)]
        if former:  # the file was one of records before
            for name, count in remove_documents(transaction, corpus, former).items():
                removed[name] += count
        transaction.run("link_chunks", ids=finished)
        transaction.run("link_sentences", ids=finished)
        transaction.run("finish_documents", ids=finished)
        transaction.run("drop_blobs", ids=finished)
    elif lost:
        removed.update(remove_chunks(transaction, [], lost))
    return removed
