"""What a batch must be before it is written: whole, and of documents that are still wanted."""

from clew_cypher.errors import DocumentGone, GraphError
from clew_cypher.rows import GraphBatch
from clew_cypher.store import Transaction
from clew_cypher.vectors import check_dimension


def check_rows(batch: GraphBatch, dimension: int, corpus: str) -> None:
    """Raise EmbeddingDimensionMismatch, or GraphError where rows and their chunks do not fit."""
    vectors = [
        row.embedding
        for rows in (batch.chunks, batch.sentences, batch.entities, batch.triples)
        for row in rows
        if row.embedding is not None
    ]
    check_dimension(vectors, dimension, corpus)
    chunks = {row.id for row in batch.chunks}
    sentences = {row.id: row.chunk_id for row in batch.sentences}
    astray = [row.id for row in batch.triples if row.chunk_id not in chunks]
    astray += [
        row.id
        for row in batch.triples
        if row.sentence_id is not None and sentences.get(row.sentence_id) != row.chunk_id
    ]
    astray += [row.id for row in batch.kept if row.id in chunks]
    if astray:
        raise GraphError(
            f"{len(astray)} rows belong to chunks that this batch does not write, or keep chunks "
            f"that it writes: {astray[:3]} …",
            remedy="A chunk is either kept, or comes with all its sentences and triples.",
        )


def check_documents(transaction: Transaction, corpus: str, batch: GraphBatch) -> None:
    """Lock the documents; refuse to bring back what was deleted, or to finish what was replaced.

    Raises DocumentGone.
    """
    versions = {row.id: (row.sha256, row.fingerprint) for row in batch.documents}
    parents = {row.parent_id for row in batch.documents if row.parent_id is not None}
    records = {row.id for row in batch.documents if row.parent_id is not None}
    used = {row.document_id for rows in (batch.chunks, batch.kept, batch.costs) for row in rows}
    used = used.union(batch.finished, versions)
    needed = sorted(used.difference(records).union(parents))
    rows = transaction.run("lock_documents", corpus=corpus, ids=needed)
    present = {row["id"]: (row["sha256"], row["fingerprint"]) for row in rows}
    gone = {
        key
        for key in needed
        if key not in present or _is_replaced(versions.get(key, present[key]), present[key])
    }
    gone.update(row.id for row in batch.documents if row.parent_id in gone)
    if gone:
        raise DocumentGone(
            f"{len(gone)} documents of this batch are not accepted in this version (any more): "
            f"{sorted(gone)[:3]} …",
            ids=tuple(sorted(gone)),
            remedy="They were deleted or replaced meanwhile: leave them out and go on.",
        )


def _is_replaced(version: tuple[str, str | None], present: tuple[str, str | None]) -> bool:
    """Whether the document was accepted in another version; one without fingerprint fits any."""
    settings = {version[1], present[1]} - {None}
    return version[0] != present[0] or len(settings) > 1
