"""From parsed chunks to the rows of one graph batch: pure, apart from the embedder it calls."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from clew_cypher.ids import content_id
from clew_cypher.rows import (
    ChunkRow,
    DocumentRow,
    EntityRow,
    GraphBatch,
    MentionRow,
    RoleRow,
    SentenceRow,
)
from clew_ingest.chunking import TextChunk
from clew_ingest.entities import aliases_of, is_entity_name, normalise_name
from clew_ingest.mentions import Mention
from clew_ingest.parsing import ParsedSentence
from clew_ingest.prepared import DocumentSlice
from clew_models.embedding.base import Embedder

KnownIds = Callable[[Sequence[str]], set[str]]


@dataclass
class _Draft:
    """Rows without vectors, and the texts whose vectors they need."""

    documents: dict[str, DocumentRow] = field(default_factory=dict)
    finished: list[str] = field(default_factory=list)
    chunks: list[tuple[str, DocumentRow, TextChunk]] = field(default_factory=list)
    sentences: list[tuple[str, str, int, str, ParsedSentence]] = field(default_factory=list)
    entities: dict[str, str] = field(default_factory=dict)  # id → key
    aliases: dict[str, set[str]] = field(default_factory=dict)
    mentions: list[MentionRow] = field(default_factory=list)
    roles: list[RoleRow] = field(default_factory=list)


def graph_batch(
    corpus: str, slices: Sequence[DocumentSlice], embedder: Embedder, known_entities: KnownIds
) -> GraphBatch:
    """Return what one transaction writes for ``slices``.

    Chunks and sentences are embedded with their document's title and a line break in front,
    entities by their key, and these only where ``known_entities`` does not return their id.
    """
    draft = _Draft()
    for item in slices:
        draft.documents[item.row.id] = item.row
        if item.last:
            draft.finished.append(item.row.id)
        for chunk in item.chunks:
            _add_chunk(draft, corpus, item.row, chunk)
    known = known_entities(sorted(draft.entities))
    new = [key for key in draft.entities if key not in known]
    texts = [f"{row.title}\n{chunk.text}" for _, row, chunk in draft.chunks]
    texts += [f"{title}\n{sentence.text}" for _, _, _, title, sentence in draft.sentences]
    texts += [draft.entities[entity_id] for entity_id in new]
    # A chunk of one sentence is the same text twice.
    unique = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    vectors = embedder.embed(list(unique))[[unique[text] for text in texts]]
    chunk_count, sentence_count = len(draft.chunks), len(draft.sentences)
    entity_vectors = dict(zip(new, vectors[chunk_count + sentence_count :], strict=True))
    return GraphBatch(
        documents=tuple(draft.documents.values()),
        chunks=tuple(
            ChunkRow(chunk_id, row.id, chunk.position, row.title, chunk.text, vector)
            for (chunk_id, row, chunk), vector in zip(draft.chunks, vectors, strict=False)
        ),
        sentences=tuple(
            SentenceRow(
                sentence_id, chunk_id, position, sentence.text, sentence.hyperrelation, vector
            )
            for (sentence_id, chunk_id, position, _, sentence), vector in zip(
                draft.sentences, vectors[chunk_count:], strict=False
            )
        ),
        entities=tuple(
            EntityRow(
                entity_id,
                key,
                tuple(sorted(draft.aliases.get(entity_id, ()))),
                entity_vectors.get(entity_id),
            )
            for entity_id, key in draft.entities.items()
        ),
        mentions=tuple(draft.mentions),
        roles=tuple(draft.roles),
        finished=tuple(draft.finished),
    )


def without_documents(batch: GraphBatch, ids: set[str]) -> GraphBatch:
    """Return the batch without some documents and what only they have."""
    chunks = tuple(row for row in batch.chunks if row.document_id not in ids)
    chunk_ids = {row.id for row in chunks}
    sentences = tuple(row for row in batch.sentences if row.chunk_id in chunk_ids)
    sentence_ids = {row.id for row in sentences}
    mentions = tuple(row for row in batch.mentions if row.chunk_id in chunk_ids)
    mentioned = {row.entity_id for row in mentions}
    return GraphBatch(
        documents=tuple(row for row in batch.documents if row.id not in ids),
        chunks=chunks,
        sentences=sentences,
        entities=tuple(row for row in batch.entities if row.id in mentioned),
        mentions=mentions,
        roles=tuple(row for row in batch.roles if row.sentence_id in sentence_ids),
        finished=tuple(key for key in batch.finished if key not in ids),
    )


def _add_chunk(draft: _Draft, corpus: str, row: DocumentRow, chunk: TextChunk) -> None:
    chunk_id = content_id("c", row.id, str(chunk.position), chunk.text)
    draft.chunks.append((chunk_id, row, chunk))
    by_key: dict[str, list[Mention]] = {}
    for position, sentence in enumerate(chunk.sentences):
        if not any(character.isalnum() for character in sentence.text):
            continue
        sentence_id = content_id("s", chunk_id, str(position), sentence.text)
        draft.sentences.append((sentence_id, chunk_id, position, row.title, sentence))
        for mention in sentence.mentions:
            by_key.setdefault(mention.key, []).append(mention)
        heads, tails = sentence.heads, sentence.tails
        draft.roles += [
            RoleRow(_entity(draft, corpus, key), sentence_id, "head", type_)
            for key, type_ in heads.items()
        ]
        draft.roles += [
            RoleRow(_entity(draft, corpus, key), sentence_id, "tail", type_)
            for key, type_ in tails.items()
        ]
    title_key = normalise_name(row.title) if is_entity_name(row.title) else ""
    if title_key:
        entity_id = _entity(draft, corpus, title_key)
        draft.aliases.setdefault(entity_id, set()).update(aliases_of(row.title))
        by_key.setdefault(title_key, [])
    for key, mentions in by_key.items():
        draft.mentions.append(
            MentionRow(
                entity_id=_entity(draft, corpus, key),
                chunk_id=chunk_id,
                count=len(mentions),
                surface=_most_frequent(
                    [mention.surface for mention in mentions] or [row.title], longest=True
                ),
                type=_most_frequent([mention.type for mention in mentions] or [""]),
                is_title=key == title_key,
            )
        )


def _entity(draft: _Draft, corpus: str, key: str) -> str:
    entity_id = content_id("e", corpus, key)
    draft.entities.setdefault(entity_id, key)
    return entity_id


def _most_frequent(values: Sequence[str], *, longest: bool = False) -> str:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], -len(value) if longest else 0, value))
