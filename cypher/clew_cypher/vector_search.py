"""Nearest chunks, entities and sentences by the cosine of their embeddings."""

from clew_cypher.rows import Vector
from clew_cypher.store import GraphStore, Row
from clew_cypher.vectors import to_driver

SEARCH_WIDTH = 100
"""Least number of neighbours the index looks for: fewer, and its approximation misses some."""


def nearest_chunks(store: GraphStore, corpus: str, vector: Vector, limit: int) -> list[Row]:
    """Return at most ``limit`` rows {id, document_id, title, text, score}, best first.

    ``vector``: [D]; ``score``: the cosine, in [-1, 1]; ties in the order of ids.
    """
    return _nearest(store, "nearest_chunks", corpus, vector, limit)


def nearest_entities(store: GraphStore, corpus: str, vector: Vector, limit: int) -> list[Row]:
    """Return at most ``limit`` rows {id, key, name, type, score}, best first; as nearest_chunks."""
    return _nearest(store, "nearest_entities", corpus, vector, limit)


def nearest_sentences(store: GraphStore, corpus: str, vector: Vector, limit: int) -> list[Row]:
    """Return at most ``limit`` rows {id, chunk_id, text, score}, best first; as nearest_chunks."""
    return _nearest(store, "nearest_sentences", corpus, vector, limit)


def _nearest(store: GraphStore, name: str, corpus: str, vector: Vector, limit: int) -> list[Row]:
    return store.read(
        name,
        corpus=corpus,
        vector=to_driver(vector),
        width=max(limit, SEARCH_WIDTH),
        limit=limit,
    )
