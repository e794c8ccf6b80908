"""Parts of the graph to draw: around an entity, or of an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clew_cypher.schema import VALUE_TYPES
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.searching.entities import entities_by_id
from clew_cypher.store import GraphStore, Row


@dataclass(frozen=True)
class SubgraphNode:
    """A node to draw. ``size``: how many chunks hold an entity, 1 for a chunk."""

    id: str
    kind: Literal["entity", "chunk"]
    label: str
    type: str
    size: int
    text: str
    document_id: str | None


@dataclass(frozen=True)
class SubgraphEdge:
    """An edge between two nodes of the subgraph; ``weight``: mentions, 1 for other edges."""

    source: str
    target: str
    kind: Literal["MENTIONED_IN", "NEXT_CHUNK", "RELATION"]
    weight: float
    text: str = ""


@dataclass(frozen=True)
class Subgraph:
    """Nodes and the edges between them; ``truncated``: the limit cut something off."""

    nodes: tuple[SubgraphNode, ...]
    edges: tuple[SubgraphEdge, ...]
    truncated: bool


def neighbourhood(store: GraphStore, corpus: str, entity_id: str, limit: int) -> Subgraph:
    """Return an entity, chunks that hold it, and the other entities of these chunks.

    At most ``limit`` nodes: up to a third of them chunks, those named after it and those that
    name it most first; then the entities that most of these chunks share. Empty for an entity
    that the corpus does not have.
    """
    centre = entities_by_id(store, corpus, [entity_id])
    if not centre or limit < 1:
        return Subgraph((), (), bool(centre))
    chunk_limit = max(1, limit // 3)
    incidence = store.read(
        "neighbourhood",
        corpus=corpus,
        entity_id=entity_id,
        chunk_limit=chunk_limit,
        entity_limit=limit,
    )
    return _subgraph(store, corpus, incidence, [entity_id], [], limit, centre[0]["chunk_count"])


def path_between(store: GraphStore, corpus: str, a: str, b: str) -> Subgraph:
    """Return the shortest way from one entity to another, in its order, by at most 8 edges.

    Over triples, whose edges say how they are written, and passages that mention both ends. Empty
    where there is none, or one of them is not in the corpus.
    """
    rows = store.read("path_between", corpus=corpus, a=a, b=b) if a != b else []
    if not rows:
        return Subgraph((), (), False)
    ids = [node["id"] for node in rows[0]["nodes"]]
    found = {row["id"]: _chunk(row) for row in chunks_by_id(store, corpus, ids)}
    found |= {row["id"]: _entity(row) for row in entities_by_id(store, corpus, ids)}
    return Subgraph(
        tuple(found[key] for key in ids if key in found),
        tuple(SubgraphEdge(**edge) for edge in rows[0]["edges"]),
        False,
    )


def answer_subgraph(
    store: GraphStore,
    corpus: str,
    entity_ids: Sequence[str],
    chunk_ids: Sequence[str],
    limit: int,
) -> Subgraph:
    """Return the given chunks and entities and the entities that join them.

    At most ``limit`` nodes: the question's entities, the chunks, then the entities that most of
    the chunks name, of these those that few chunks of the corpus name first.
    """
    incidence = store.read(
        "joined_entities",
        corpus=corpus,
        chunk_ids=list(dict.fromkeys(chunk_ids)),
        entity_ids=list(dict.fromkeys(entity_ids)),
        value_types=list(VALUE_TYPES),
        limit=limit + 1,
    )
    return _subgraph(store, corpus, incidence, entity_ids, chunk_ids, limit, len(chunk_ids))


def _subgraph(
    store: GraphStore,
    corpus: str,
    incidence: Sequence[Row],
    entity_ids: Sequence[str],
    chunk_ids: Sequence[str],
    limit: int,
    chunk_total: int,
) -> Subgraph:
    """Take nodes up to ``limit``: the given ones, then other chunks, then other entities."""
    places: dict[str, int] = {}
    for row in incidence:
        places[row["entity_id"]] = places.get(row["entity_id"], 0) + 1
    chunks = chunks_by_id(
        store, corpus, [*chunk_ids, *sorted({row["chunk_id"] for row in incidence})]
    )
    entities = entities_by_id(
        store, corpus, [*entity_ids, *sorted(places, key=lambda key: (-places[key], key))]
    )
    given = set(entity_ids)
    first = [_entity(row) for row in entities if row["id"] in given]
    rest = [_entity(row) for row in entities if row["id"] not in given]
    wanted = [*first, *(_chunk(row) for row in chunks), *rest]
    nodes = tuple(wanted[:limit])
    shown = {node.id for node in nodes}
    edges = [
        SubgraphEdge(row["entity_id"], row["chunk_id"], "MENTIONED_IN", float(row["weight"]))
        for row in incidence
        if row["entity_id"] in shown and row["chunk_id"] in shown
    ]
    following = store.read(
        "chunk_successions", chunk_ids=[node.id for node in nodes if node.kind == "chunk"]
    )
    edges += [SubgraphEdge(row["source"], row["target"], "NEXT_CHUNK", 1.0) for row in following]
    truncated = len(wanted) > limit or len(chunks) < chunk_total
    return Subgraph(nodes, tuple(edges), truncated)


def _entity(row: Row) -> SubgraphNode:
    return SubgraphNode(row["id"], "entity", row["name"], row["type"], row["chunk_count"], "", None)


def _chunk(row: Row) -> SubgraphNode:
    return SubgraphNode(
        row["id"], "chunk", row["title"], "Chunk", 1, row["text"], row["document_id"]
    )
