"""Nearest chunks, entities and sentences by the cosine of their embeddings."""

from collections.abc import Sequence
from typing import NamedTuple

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


def nearest_chunk_ids(store: GraphStore, corpus: str, vector: Vector, limit: int) -> list[Row]:
    """Return as :func:`nearest_chunks`, but rows {id, score} only, which is faster."""
    (found,) = _nearest(store, "nearest_chunk_ids", corpus, vector, limit)
    return [
        {"id": id_, "score": score}
        for id_, score in zip(found["ids"], found["scores"], strict=True)
    ]


def nearest_entities(store: GraphStore, corpus: str, vector: Vector, limit: int) -> list[Row]:
    """Return at most ``limit`` rows {id, key, name, type, score}, best first; as nearest_chunks."""
    return _nearest(store, "nearest_entities", corpus, vector, limit)


def nearest_entities_each(
    store: GraphStore, corpus: str, vectors: Sequence[Vector], limit: int
) -> list[list[Row]]:
    """Return for each vector, in one call, as :func:`nearest_entities`; rows with ``chunk_count``,
    the number of chunks that hold the entity.
    """
    found: list[list[Row]] = [[] for _ in vectors]
    if found:
        for row in store.read(
            "nearest_entities_each",
            corpus=corpus,
            vectors=[to_driver(vector) for vector in vectors],
            width=max(2 * limit, SEARCH_WIDTH),
            limit=limit,
        ):
            found[row.pop("place")].append(row)
    return found


def nearest_sentences(store: GraphStore, corpus: str, vector: Vector, limit: int) -> list[Row]:
    """Return at most ``limit`` rows {id, chunk_id, text, score}, best first; as nearest_chunks."""
    return _nearest(store, "nearest_sentences", corpus, vector, limit)


class NearSentence(NamedTuple):
    """A sentence, and its cosine with a question."""

    id: str
    text: str
    cosine: float


def sentence_cosines(
    store: GraphStore, corpus: str, ids: Sequence[str], vector: Vector
) -> dict[str, list[NearSentence]]:
    """Return the sentences of chunks, by the chunks' ids, with their cosines with ``vector`` [D],
    in the order of the text. Chunks without sentences are left out.
    """
    found: dict[str, list[NearSentence]] = {}
    rows = store.read("sentence_cosines", corpus=corpus, ids=list(ids), vector=to_driver(vector))
    for row in rows:
        sentence = NearSentence(row["id"], row["text"], row["cosine"])
        found.setdefault(row["chunk_id"], []).append(sentence)
    return found


def _nearest(store: GraphStore, name: str, corpus: str, vector: Vector, limit: int) -> list[Row]:
    return store.read(
        name,
        corpus=corpus,
        vector=to_driver(vector),
        width=max(2 * limit, SEARCH_WIDTH),
        limit=limit,
    )
