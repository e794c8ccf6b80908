"""The incidence of sentences, entities and chunks, streamed out of Neo4j as arrays need it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore
from clew_cypher.vectors import to_array

VECTOR_BATCH = 2000


@dataclass(frozen=True)
class SentenceIncidence:
    """A sentence and its entities, each with the spaCy type it has there."""

    id: str
    entities: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ChunkMention:
    """An entity in a chunk; ``is_title``: it is the title of the chunk's document."""

    entity_id: str
    type: str
    count: int
    is_title: bool


@dataclass(frozen=True)
class ChunkIncidence:
    """A chunk with its sentences in order and its entities by id."""

    id: str
    sentences: tuple[SentenceIncidence, ...]
    mentions: tuple[ChunkMention, ...]


def export_chunks(store: GraphStore, corpus: str) -> Iterator[ChunkIncidence]:
    """Yield every chunk of ``corpus`` in the order of ids; raises UnknownCorpus.

    Read in one statement, but not at one moment: compare ``corpus_revision`` before and after.
    """
    get_corpus(store, corpus)
    for row in store.stream("export_chunks", corpus=corpus):
        yield ChunkIncidence(
            id=row["id"],
            sentences=tuple(
                SentenceIncidence(key, tuple((entity, kind) for entity, kind in entities))
                for key, entities in row["sentences"]
            ),
            mentions=tuple(ChunkMention(*mention) for mention in row["mentions"]),
        )


def export_entity_names(store: GraphStore, corpus: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each entity of ``corpus`` that has a name: its id, and the keys it is known by."""
    for row in store.stream("entity_names", corpus=corpus):
        yield row["id"], (row["key"], *row["aliases"])


def export_sentence_vectors(
    store: GraphStore, corpus: str, ids: Sequence[str]
) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Yield the embeddings of sentences in batches: ids and [N, D], in the order of ``ids``.

    Ids that the corpus does not have (any more) are left out. Raises UnknownCorpus.
    """
    dimension = get_corpus(store, corpus).dimension
    for start in range(0, len(ids), VECTOR_BATCH):
        rows = store.read(
            "sentence_vectors",
            corpus=corpus,
            ids=list(ids[start : start + VECTOR_BATCH]),
            dimension=dimension,
        )
        yield [row["id"] for row in rows], to_array([row["embedding"] for row in rows], dimension)
