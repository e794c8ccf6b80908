"""How evidence hangs together: walks over the entities that its chunks share."""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

from clew_cypher.schema import VALUE_TYPES
from clew_cypher.store import GraphStore, Row

HUB_CHUNKS = 200
"""An entity in more chunks joins nothing in particular, unless the question names it."""
MAX_EDGES = 6
"""Longest walk: four chunks in a row, or three between two entities."""

Walk = tuple[str, ...]
"""Entities and chunks in turn, by their ids."""


@dataclass(frozen=True)
class PathNodeRow:
    """A node of a walk; ``label``: the entity's name or the document's title."""

    id: str
    kind: Literal["entity", "chunk"]
    label: str


@dataclass(frozen=True)
class PathEdgeRow:
    """An edge of the graph; ``text``: the first sentence of the chunk that names the entity.

    "" where the entity is the document's title and no sentence names it.
    """

    source: str
    target: str
    kind: Literal["MENTIONED_IN"]
    text: str


@dataclass(frozen=True)
class PathRow:
    """A walk; edge i joins node i and node i + 1. Edges run from the entity to the chunk."""

    nodes: tuple[PathNodeRow, ...]
    edges: tuple[PathEdgeRow, ...]


class _Incidence:
    """The entities and chunks of the evidence; a step through an entity costs more the more
    chunks hold it.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.neighbours: dict[str, list[str]] = defaultdict(list)
        self.nodes: dict[str, PathNodeRow] = {}
        self.costs: dict[str, float] = {}
        self.edges: dict[frozenset[str], PathEdgeRow] = {}
        for row in rows:
            entity, chunk = row["entity_id"], row["chunk_id"]
            self.neighbours[entity].append(chunk)
            self.neighbours[chunk].append(entity)
            self.nodes[entity] = PathNodeRow(entity, "entity", row["name"])
            self.nodes[chunk] = PathNodeRow(chunk, "chunk", row["title"])
            self.costs[entity] = 1 + math.log(row["chunk_count"])
            self.edges[frozenset((entity, chunk))] = PathEdgeRow(
                entity, chunk, "MENTIONED_IN", next(iter(row["sentence"]), "")
            )

    def cheapest(self, start: str) -> dict[str, Walk]:
        """Return the cheapest walk of at most MAX_EDGES from ``start`` to each node (Dijkstra)."""
        found: dict[str, Walk] = {}
        waiting: list[tuple[float, Walk]] = [(0.0, (start,))]
        while waiting:
            cost, walk = heapq.heappop(waiting)
            if walk[-1] in found:
                continue
            found[walk[-1]] = walk
            if len(walk) > MAX_EDGES:
                continue
            for node in self.neighbours[walk[-1]]:
                if node not in found:
                    step = self.costs.get(walk[-1], 0.0) + 1
                    heapq.heappush(waiting, (cost + step, (*walk, node)))
        return found

    def path(self, walk: Sequence[str]) -> PathRow:
        """Return the walk with its nodes' labels and its edges' sentences."""
        pairs = pairwise(walk)
        return PathRow(
            tuple(self.nodes[key] for key in walk),
            tuple(self.edges[frozenset(pair)] for pair in pairs),
        )


def evidence_paths(
    store: GraphStore,
    corpus: str,
    entity_ids: Sequence[str],
    chunk_ids: Sequence[str],
    further_ids: Sequence[str] = (),
) -> list[PathRow]:
    """Return the walks that join evidence chunks and the question's entities.

    ``entity_ids``: the question's entities; ``chunk_ids``: the evidence, best first;
    ``further_ids``: entities that the search came upon. First come walks between two of the
    question's entities, then from one of them to each chunk, then to each chunk from one that the
    search came upon, then from chunk to chunk; a walk that is part of another one is left out.
    Each takes the entities that the fewest chunks hold. Every edge is in the graph.
    """
    (found,) = store.read(
        "evidence_incidence",
        corpus=corpus,
        chunk_ids=list(dict.fromkeys(chunk_ids)),
        entity_ids=sorted({*entity_ids, *further_ids}),
        value_types=list(VALUE_TYPES),
        hub_chunks=HUB_CHUNKS,
    )
    incidence = _Incidence(found["ties"])
    asked, further, chunks = (
        [key for key in dict.fromkeys(ids) if key in incidence.nodes]
        for ids in (entity_ids, further_ids, chunk_ids)
    )
    walks = _candidates(incidence, asked, further, chunks)
    return [incidence.path(walk) for walk in _whole(list(walks))]


def _candidates(
    incidence: _Incidence, entities: Sequence[str], further: Sequence[str], chunks: Sequence[str]
) -> Iterator[Walk]:
    walks = {key: incidence.cheapest(key) for key in (*entities, *further, *chunks)}
    for first, second in combinations(entities, 2):
        if second in walks[first]:
            yield walks[first][second]
    for starts in (entities, further):
        for chunk in chunks:
            to_chunk = [walks[start][chunk] for start in starts if chunk in walks[start]]
            if to_chunk:
                yield min(to_chunk, key=len)
    for first, second in combinations(chunks, 2):
        if second in walks[first]:
            yield walks[first][second]


def _whole(walks: Sequence[Walk]) -> list[Walk]:
    """Return the walks that are no stretch of another one in either direction, each once."""
    parts = {part for walk in walks for part in _stretches(walk)}
    kept: dict[Walk, Walk] = {}
    for walk in walks:
        if walk not in parts and walk[::-1] not in parts:
            kept.setdefault(min(walk, walk[::-1]), walk)
    return list(kept.values())


def _stretches(walk: Walk) -> Iterator[Walk]:
    """Yield the parts of a walk that are shorter than it is."""
    for size in range(2, len(walk)):
        for start in range(len(walk) - size + 1):
            yield walk[start : start + size]
