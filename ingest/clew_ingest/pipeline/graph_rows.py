"""From parsed chunks to the rows of one graph batch: pure, apart from the vectors it asks for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew_cypher.rows import (
    ChunkRow,
    DocumentCost,
    DocumentRow,
    EntityRow,
    GraphBatch,
    KeptChunk,
    SentenceRow,
    TripleRow,
)
from clew_ingest.parsing.chunking import TextChunk, line_places
from clew_ingest.pipeline.chunk_rows import ChunkRows, chunk_rows
from clew_ingest.pipeline.prepared import DocumentSlice

KnownIds = Callable[[Sequence[str]], set[str]]
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass
class _Draft:
    """Rows without vectors."""

    documents: dict[str, DocumentRow] = field(default_factory=dict)
    finished: list[str] = field(default_factory=list)
    chunks: list[tuple[DocumentRow, TextChunk, ChunkRows]] = field(default_factory=list)
    entities: dict[str, str] = field(default_factory=dict)  # id → key
    kept: list[KeptChunk] = field(default_factory=list)
    costs: list[DocumentCost] = field(default_factory=list)


def graph_batch(
    corpus: str,
    slices: Sequence[DocumentSlice],
    embed: Embed,
    known_entities: KnownIds,
    extractor: str = "rules",
) -> GraphBatch:
    """Return what one transaction writes for ``slices``.

    Chunks (their ``subject``), sentences and textual triplets are embedded with their document's
    title and a line break in front, each text once; entities by their key, and these only where
    ``known_entities`` does not return their id. ``extractor``: whose the triples are.
    """
    draft = _Draft()
    for item in slices:
        draft.documents[item.row.id] = item.row
        if item.last:
            draft.finished.append(item.row.id)
        draft.kept += item.kept
        draft.costs += item.costs
        for chunk in item.chunks:
            rows = chunk_rows(corpus, item.row, chunk)
            draft.chunks.append((item.row, chunk, rows))
            for entity_id, key in rows.entities.items():
                draft.entities.setdefault(entity_id, key)
    known = known_entities(sorted(draft.entities))
    vector = _vectors(draft, known, embed)
    entities = tuple(
        EntityRow(entity_id, key, None if entity_id in known else vector[key])
        for entity_id, key in draft.entities.items()
    )
    return GraphBatch(
        documents=tuple(draft.documents.values()),
        chunks=tuple(
            ChunkRow(
                rows.id,
                row.id,
                chunk.position,
                row.title,
                chunk.text,
                vector[_titled(row, chunk.subject)],
                chunk.unit,
                chunk.unit_chunks,
                *line_places(chunk.lines),
                chunk.extraction_failed,
            )
            for row, chunk, rows in draft.chunks
        ),
        sentences=tuple(
            SentenceRow(
                sentence_id,
                rows.id,
                position,
                sentence.text,
                sentence.hyperrelation,
                vector[_titled(row, sentence.text)],
            )
            for row, _, rows in draft.chunks
            for sentence_id, position, sentence in rows.sentences
        ),
        entities=entities,
        mentions=tuple(mention for _, _, rows in draft.chunks for mention in rows.mentions),
        roles=tuple(role for _, _, rows in draft.chunks for role in rows.roles),
        triples=tuple(
            TripleRow(
                triple.id,
                triple.head_id,
                triple.tail_id,
                triple.head,
                triple.predicate,
                triple.tail,
                triple.ttr,
                rows.id,
                triple.sentence_id,
                extractor,
                None if triple.is_sentence else vector[_titled(row, triple.ttr)],
                triple.caption,
            )
            for row, _, rows in draft.chunks
            for triple in rows.triples
        ),
        kept=tuple(draft.kept),
        costs=tuple(draft.costs),
        finished=tuple(draft.finished),
    )


def without_documents(batch: GraphBatch, ids: set[str]) -> GraphBatch:
    """Return the batch without some documents and what only they have."""
    chunks = tuple(row for row in batch.chunks if row.document_id not in ids)
    chunk_ids = {row.id for row in chunks}
    sentences = tuple(row for row in batch.sentences if row.chunk_id in chunk_ids)
    sentence_ids = {row.id for row in sentences}
    mentions = tuple(row for row in batch.mentions if row.chunk_id in chunk_ids)
    triples = tuple(row for row in batch.triples if row.chunk_id in chunk_ids)
    needed = {row.entity_id for row in mentions}
    needed.update(end for row in triples for end in (row.head_id, row.tail_id))
    return GraphBatch(
        documents=tuple(row for row in batch.documents if row.id not in ids),
        chunks=chunks,
        sentences=sentences,
        entities=tuple(row for row in batch.entities if row.id in needed),
        mentions=mentions,
        roles=tuple(row for row in batch.roles if row.sentence_id in sentence_ids),
        triples=triples,
        kept=tuple(row for row in batch.kept if row.document_id not in ids),
        costs=tuple(row for row in batch.costs if row.document_id not in ids),
        finished=tuple(key for key in batch.finished if key not in ids),
    )


def _titled(row: DocumentRow, text: str) -> str:
    return f"{row.title}\n{text}"


def _vectors(draft: _Draft, known: set[str], embed: Embed) -> dict[str, NDArray[np.float32]]:
    """Return the vector of each text that is embedded, a TTR only where it is no sentence."""
    texts = [_titled(row, chunk.subject) for row, chunk, _ in draft.chunks]
    for row, _, rows in draft.chunks:
        texts += [_titled(row, sentence.text) for _, _, sentence in rows.sentences]
        texts += [_titled(row, one.ttr) for one in rows.triples if not one.is_sentence]
    texts += [key for entity_id, key in draft.entities.items() if entity_id not in known]
    unique = list(dict.fromkeys(texts))
    return dict(zip(unique, embed(unique), strict=True))
