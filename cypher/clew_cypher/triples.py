"""Triples: near a question, of chunks, and of an entity.

A row of a triple: {id, head, predicate, tail, ttr, chunk_id, sentence_id, extractor, head_entity,
tail_entity}. ``head`` and ``tail`` are the arguments as they were extracted; ``head_entity`` and
``tail_entity`` the entities {id, key, name, type, named} that they refer to. One that is not
``named`` is a concept. ``sentence_id``: None where the extractor could not say.
"""

from collections.abc import Sequence

from clew_cypher.rows import Vector
from clew_cypher.store import GraphStore, Row
from clew_cypher.vector_search import SEARCH_WIDTH
from clew_cypher.vectors import to_driver

CHUNK_BATCH = 1000


def nearest_triples(store: GraphStore, corpus: str, vector: Vector, limit: int) -> list[Row]:
    """Return at most ``limit`` triples with ``score``, best first.

    ``vector``: [D]; ``score``: the cosine to the embedding of the title and the textual triplet,
    in [-1, 1]; ties in the order of ids.
    """
    return store.read(
        "nearest_triples",
        corpus=corpus,
        vector=to_driver(vector),
        width=max(2 * limit, SEARCH_WIDTH),
        limit=limit,
    )


def triples_of_chunks(store: GraphStore, corpus: str, chunk_ids: Sequence[str]) -> list[Row]:
    """Return the triples that chunks state, chunk by chunk in the order given, then by sentence."""
    ids = list(dict.fromkeys(chunk_ids))
    found: dict[str, list[Row]] = {key: [] for key in ids}
    for start in range(0, len(ids), CHUNK_BATCH):
        batch = ids[start : start + CHUNK_BATCH]
        for row in store.read("triples_of_chunks", corpus=corpus, chunk_ids=batch):
            found[row["chunk_id"]].append(row)
    return [row for key in ids for row in found[key]]


def triples_of_entity(store: GraphStore, corpus: str, entity_id: str, limit: int) -> list[Row]:
    """Return at most ``limit`` triples of an entity: those it is the head of come first."""
    return store.read("triples_of_entity", corpus=corpus, entity_id=entity_id, limit=limit)
