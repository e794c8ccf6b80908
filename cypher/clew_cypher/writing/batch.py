"""A batch on its way into the graph: checked, then as the parameters of statements.

Rows are in the order of ids, so that locks are taken alike by all transactions.
"""

from collections.abc import Mapping
from dataclasses import asdict

from clew_cypher.errors import DocumentGone, GraphError
from clew_cypher.rows import DocumentCost, GraphBatch
from clew_cypher.store import Row, Transaction
from clew_cypher.vectors import check_dimension, to_driver
from clew_cypher.writing.locking import file_version, is_replaced, lock_with_linked

Canonical = Mapping[str, str]
"""By the id of a merged entity: the one it goes by."""


def chunk_rows(batch: GraphBatch) -> list[Row]:
    """Return the chunks; null where the document's part or place is not known."""
    return [
        {
            "id": row.id,
            "document_id": row.document_id,
            "position": row.position,
            "title": row.title,
            "text": row.text,
            "unit": row.unit or None,
            "unit_chunks": row.unit_chunks if row.unit else None,
            "extraction_failed": row.extraction_failed or None,
            "pages": list(row.pages) or None,
            "headings": list(row.headings) or None,
            "embedding": to_driver(row.embedding),
        }
        for row in sorted(batch.chunks, key=lambda row: row.id)
    ]


def sentence_rows(batch: GraphBatch) -> list[Row]:
    """Return the sentences."""
    return [
        {
            "id": row.id,
            "chunk_id": row.chunk_id,
            "position": row.position,
            "text": row.text,
            "hyperrelation": row.hyperrelation,
            "embedding": to_driver(row.embedding),
        }
        for row in sorted(batch.sentences, key=lambda row: row.id)
    ]


def mention_rows(batch: GraphBatch, canonical: Canonical) -> list[Row]:
    """Return the mentions, each with the other names of its chunk, which go with it."""
    return [
        {
            "entity_id": canonical.get(row.entity_id, row.entity_id),
            "origin": row.entity_id if row.entity_id in canonical else None,
            "chunk_id": row.chunk_id,
            "count": row.count,
            "surface": row.surface,
            "type": row.type,
            "is_title": row.is_title,
            "aliases": sorted(set(row.aliases)) or None,
        }
        for row in sorted(batch.mentions, key=lambda row: (row.entity_id, row.chunk_id))
    ]


def role_rows(batch: GraphBatch, canonical: Canonical, role: str) -> list[Row]:
    """Return the roles that are ``role``: head or tail."""
    return [
        {
            "entity_id": canonical.get(row.entity_id, row.entity_id),
            "origin": row.entity_id if row.entity_id in canonical else None,
            "sentence_id": row.sentence_id,
            "type": row.type,
        }
        for row in sorted(batch.roles, key=lambda row: (row.entity_id, row.sentence_id))
        if row.role == role
    ]


def triple_rows(batch: GraphBatch, canonical: Canonical) -> list[Row]:
    """Return the triples, each id once."""
    once = {row.id: row for row in batch.triples}
    return [
        {
            "id": row.id,
            "head_id": canonical.get(row.head_id, row.head_id),
            "tail_id": canonical.get(row.tail_id, row.tail_id),
            "head_origin": row.head_id if row.head_id in canonical else None,
            "tail_origin": row.tail_id if row.tail_id in canonical else None,
            "head": row.head,
            "predicate": row.predicate,
            "caption": row.caption or row.predicate,
            "tail": row.tail,
            "ttr": row.ttr,
            "chunk_id": row.chunk_id,
            "sentence_id": row.sentence_id,
            "extractor": row.extractor,
            "embedding": None if row.embedding is None else to_driver(row.embedding),
        }
        for row in sorted(once.values(), key=lambda row: row.id)
    ]


def kept_rows(batch: GraphBatch) -> list[Row]:
    """Return the chunks that stay."""
    return [
        {
            "id": row.id,
            "document_id": row.document_id,
            "position": row.position,
            "pages": list(row.pages) or None,
            "headings": list(row.headings) or None,
        }
        for row in sorted(batch.kept, key=lambda row: row.id)
    ]


def cost_rows(batch: GraphBatch) -> list[Row]:
    """Return one row a document, its costs in this batch added up."""
    totals: dict[str, DocumentCost] = {}
    for row in batch.costs:
        before = totals.get(row.document_id, DocumentCost(row.document_id, 0.0))
        totals[row.document_id] = DocumentCost(
            row.document_id,
            before.seconds + row.seconds,
            before.calls + row.calls,
            before.prompt_tokens + row.prompt_tokens,
            before.completion_tokens + row.completion_tokens,
        )
    return [asdict(totals[key]) for key in sorted(totals)]


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
    texts = {row.id: row.text for row in batch.sentences}
    without = [
        row.id
        for row in batch.triples
        if row.embedding is None and texts.get(row.sentence_id or "") != row.ttr
    ]
    if without:
        raise GraphError(
            f"{len(without)} triples have neither a vector nor the text of a sentence of this "
            f"batch: {without[:3]} …",
            remedy="Embed their textual triplets.",
        )
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
    versions = {row.parent_id or row.id: file_version(row) for row in batch.documents}
    records = {row.id for row in batch.documents if row.parent_id is not None}
    used = {row.document_id for rows in (batch.chunks, batch.kept, batch.costs) for row in rows}
    used = used.union(batch.finished, records)
    needed = sorted(used.difference(records).union(versions))
    rows = lock_with_linked(transaction, corpus, needed, of=used)
    present = {row["id"]: row for row in rows}
    gone = {
        key
        for key in needed
        if key not in present or is_replaced(versions.get(key, present[key]), present[key])
    }
    gone.update(row.id for row in batch.documents if row.parent_id in gone)
    if gone:
        raise DocumentGone(
            f"{len(gone)} documents of this batch are not accepted in this version (any more): "
            f"{sorted(gone)[:3]} …",
            ids=tuple(sorted(gone)),
            remedy="They were deleted or replaced meanwhile: leave them out and go on.",
        )
