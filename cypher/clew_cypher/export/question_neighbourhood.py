"""The part of the graph near a question: where to look, instead of at all of it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from clew_cypher.rows import Vector
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.searching.triples import nearest_triples
from clew_cypher.searching.vectors import nearest_chunk_ids, nearest_entities, nearest_sentences
from clew_cypher.store import GraphStore, Row

CHUNK_BATCH = 1000


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


HUB_CHUNKS = 200
"""An entity in more chunks leads everywhere."""
MEMBER_BATCH = 200


def question_neighbourhood(
    store: GraphStore,
    corpus: str,
    vector: Vector,
    *,
    chunks: int = 100,
    sentences: int = 100,
    triples: int = 100,
    entities: int = 20,
    node_limit: int = 5000,
) -> list[str]:
    """Return the ids of the chunks near a question, nearest first.

    ``vector``: [D], the question's. First the chunks that are near it, that have a sentence or a
    triple near it, or that mention an entity near it (``chunks``, ``sentences``, ``triples``,
    ``entities``: how many of each are looked at), in turn; then chunks that share a name with
    these, the rarest first. Of them as many as have, with their sentences and entities, at most
    ``node_limit`` nodes. For :func:`export_hetero_data`.
    """
    near = [row["id"] for row in nearest_chunk_ids(store, corpus, vector, chunks)]
    said = [row["chunk_id"] for row in nearest_sentences(store, corpus, vector, sentences)]
    near_triples = nearest_triples(store, corpus, vector, triples)
    # a line of a knowledge base stands in no chunk
    stated = [row["chunk_id"] for row in near_triples if row["chunk_id"]]
    named = [row["id"] for row in nearest_entities(store, corpus, vector, entities)]
    held = _chunks_of(store, corpus, named, chunks)
    first = list(_in_turn(near, said, stated, held))
    kept, nodes = _within(store, corpus, first, node_limit, set())
    if len(kept) < len(first):
        return kept
    shared = store.read("names_in_chunks", corpus=corpus, ids=kept, value_types=list(VALUE_TYPES))
    known = set(kept)
    around = _chunks_of(store, corpus, [row["id"] for row in shared], node_limit)
    further = [key for key in around if key not in known]
    return kept + _within(store, corpus, further, node_limit, nodes)[0]


def _chunks_of(store: GraphStore, corpus: str, entity_ids: Sequence[str], limit: int) -> list[str]:
    rows = store.read(
        "chunks_of_entities",
        corpus=corpus,
        ids=list(entity_ids),
        hub_chunks=HUB_CHUNKS,
        limit=limit,
    )
    return [row["id"] for row in rows]


def _in_turn(*lists: Sequence[str]) -> Iterable[str]:
    """Return the first of each list, then the second of each, …, each id once."""
    turns = (key for turn in zip_longest(*lists) for key in turn if key is not None)
    return dict.fromkeys(turns)


def _within(
    store: GraphStore, corpus: str, chunk_ids: Sequence[str], node_limit: int, nodes: set[str]
) -> tuple[list[str], set[str]]:
    """Return the first chunks that fit, and the nodes that there are with them."""
    kept: list[str] = []
    taken = set(nodes)
    for row in _members(store, corpus, chunk_ids):
        more = {row["id"], *row["sentences"], *row["entities"]} - taken
        if len(taken) + len(more) > node_limit:
            break
        taken |= more
        kept.append(row["id"])
    return kept, taken


def _members(store: GraphStore, corpus: str, chunk_ids: Sequence[str]) -> Iterator[Row]:
    for start in range(0, len(chunk_ids), MEMBER_BATCH):
        batch = list(chunk_ids[start : start + MEMBER_BATCH])
        rows = {row["id"]: row for row in store.read("chunk_members", corpus=corpus, ids=batch)}
        yield from (rows[key] for key in batch if key in rows)
