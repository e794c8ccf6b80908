"""Parts of the graph to draw: around an entity, or of an answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clew_cypher.schema import VALUE_TYPES
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.searching.entities import entities_by_id
from clew_cypher.store import GraphStore, Row


@dataclass(frozen=True)
class SubgraphNode:
    """A node to draw. ``size``: how many chunks hold an entity, are drawn of a document; else 1."""

    id: str
    kind: Literal["entity", "chunk", "document"]
    label: str
    type: str
    size: int
    text: str
    document_id: str | None


@dataclass(frozen=True)
class SubgraphEdge:
    """An edge between two nodes of the subgraph.

    ``weight``: mentions, or triples; 1 for other edges. ``text``: how the triples are written.
    """

    source: str
    target: str
    kind: Literal["MENTIONED_IN", "NEXT_CHUNK", "PART_OF", "RELATION"]
    weight: float
    text: str = ""


@dataclass(frozen=True)
class Subgraph:
    """Nodes and the edges between them; ``truncated``: the limit cut something off."""

    nodes: tuple[SubgraphNode, ...]
    edges: tuple[SubgraphEdge, ...]
    truncated: bool


def neighbourhood(store: GraphStore, corpus: str, entity_id: str, limit: int) -> Subgraph:
    """Return an entity with what triples say of it, its passages, and their documents.

    At most ``limit`` nodes: up to a third of them entities that triples join with it, those of most
    triples first; up to a third chunks, those named after it and those that name it most first;
    the documents of these, up to a sixth; then the entities that most of these chunks share.
    Triples are drawn between whatever entities there are, one edge a pair. Empty for an entity
    that the corpus does not have.
    """
    centre = entities_by_id(store, corpus, [entity_id])
    if not centre or limit < 1:
        return Subgraph((), (), bool(centre))
    chunk_limit = max(1, limit // 3)
    related = store.read(
        "related_entities", corpus=corpus, entity_id=entity_id, limit=max(1, limit // 3) + 1
    )
    joined = [row["id"] for row in related[: max(1, limit // 3)]]
    incidence = store.read(
        "neighbourhood",
        corpus=corpus,
        entity_id=entity_id,
        chunk_limit=chunk_limit,
        entity_limit=limit,
    )
    part = _subgraph(
        store, corpus, incidence, [entity_id, *joined], [], limit, centre[0]["chunk_count"]
    )
    found = _with_documents(store, corpus, part, limit, most=max(1, limit // 6))
    truncated = found.truncated or len(related) > len(joined)
    return replace(found, edges=found.edges + _triples(store, corpus, found), truncated=truncated)


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


def _with_documents(
    store: GraphStore, corpus: str, part: Subgraph, limit: int, most: int
) -> Subgraph:
    """Add the documents of the chunks; what they leave no room for are its last entities."""
    chunks = [node.id for node in part.nodes if node.kind == "chunk"]
    found = store.read("documents_of_chunks", corpus=corpus, chunk_ids=chunks)
    rows = found[:most] if len(part.nodes) > 1 + len(chunks) else found[: limit - len(part.nodes)]
    kept = part.nodes[: limit - len(rows)]
    documents = [
        SubgraphNode(
            row["id"],
            "document",
            row["title"],
            row["media_type"],
            len(row["chunk_ids"]),
            "",
            row["id"],
        )
        for row in rows
    ]
    shown = {node.id for node in kept}
    edges = [edge for edge in part.edges if edge.source in shown and edge.target in shown]
    edges += [
        SubgraphEdge(chunk_id, row["id"], "PART_OF", 1.0)
        for row in rows
        for chunk_id in row["chunk_ids"]
        if chunk_id in shown
    ]
    truncated = part.truncated or len(kept) < len(part.nodes) or len(rows) < len(found)
    return Subgraph((*kept, *documents), tuple(edges), truncated)


def _triples(store: GraphStore, corpus: str, part: Subgraph) -> tuple[SubgraphEdge, ...]:
    ids = [node.id for node in part.nodes if node.kind == "entity"]
    return tuple(
        SubgraphEdge(
            row["source"],
            row["target"],
            "RELATION",
            float(row["triples"]),
            ", ".join(caption for caption in row["captions"] if caption),
        )
        for row in store.read("relations_among", corpus=corpus, ids=ids)
    )


def _entity(row: Row) -> SubgraphNode:
    return SubgraphNode(row["id"], "entity", row["name"], row["type"], row["chunk_count"], "", None)


def _chunk(row: Row) -> SubgraphNode:
    return SubgraphNode(
        row["id"], "chunk", row["title"], "Chunk", 1, row["text"], row["document_id"]
    )
