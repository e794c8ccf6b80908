"""A batch as the parameters of statements: rows in the order of ids, so that locks are taken alike.

The rows of merged entities stand at the one they go by, with the id they came with as origin.
"""

from collections.abc import Mapping
from dataclasses import asdict

from clew_cypher.rows import DocumentCost, GraphBatch
from clew_cypher.store import Row
from clew_cypher.vectors import to_driver

Canonical = Mapping[str, str]
"""By the id of a merged entity: the one it goes by."""


def chunk_rows(batch: GraphBatch) -> list[Row]:
    """Return the chunks; ``unit``: null where the document's part is not known."""
    return [
        {
            "id": row.id,
            "document_id": row.document_id,
            "position": row.position,
            "title": row.title,
            "text": row.text,
            "unit": row.unit or None,
            "unit_chunks": row.unit_chunks if row.unit else None,
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
            "tail": row.tail,
            "ttr": row.ttr,
            "chunk_id": row.chunk_id,
            "sentence_id": row.sentence_id,
            "extractor": row.extractor,
            "embedding": to_driver(row.embedding),
        }
        for row in sorted(once.values(), key=lambda row: row.id)
    ]


def kept_rows(batch: GraphBatch) -> list[Row]:
    """Return the chunks that stay."""
    return [
        {"id": row.id, "document_id": row.document_id, "position": row.position}
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
