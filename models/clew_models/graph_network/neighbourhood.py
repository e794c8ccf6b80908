"""The part of a graph that a question is about: bounded work at query time (QS-7).

    seeds: the nearest chunks, what the question names ─▶ their sentences ─▶ entities, the rarer and
    the nearer their sentence to the question the stronger ─▶ the chunks that hold these ─▶ again

Half of the chunks that are kept are the nearest ones, the others those that most leads to. Entities
are kept that the question names or that join two kept chunks, the strongest first: one that stands
in a single chunk brings nothing from elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.graph_network.arrays import Edges, NetworkArrays
from clew_models.graph_network.levels import INTER, INTRA, MARKS
from clew_models.graph_network.walk import walk_order
from clew_models.guided_pagerank.arrays import Floats

HUB = 300
"""An entity in more chunks leads everywhere: nothing is reached over it."""
SHARPNESS = 0.1
"""By how much cosines differ that count e times as much."""
DECAY = 5.0
"""The first in an order is 1, the second 0.86, the hundredth 0.08."""
FRONTIER = 60
"""Chunks that each hop begins at."""


@dataclass(frozen=True)
class Budget:
    """How much of the graph a question may take: hops, and nodes of a level; ``whole``: all nodes,
    whatever their number.
    """

    hops: int = 2
    chunks: int = 150
    entities: int = 500
    whole: bool = False


@dataclass(frozen=True)
class Neighbourhood:
    """A part of the graph with what the question says of its nodes.

    Shapes (N nodes of a level, M edges of a relation, D dimension):
        question [D]
        rows: by level [N], rows in the corpus' arrays, rising
        marks: by level [N, number]: of an entity: cosine with the question, its weight among
            what the question names, 1 / chunks that hold it; of a sentence: cosine, the largest
            such weight of what it holds; of a chunk: these two, how much leads there by
            ``Budget.hops`` hops (at most 1), and 1 − ln(place) / 5, its place in the order of the
            walk (`walk.py`) or in the one that was given
        edges: by relation [2, M], rows of this neighbourhood
    """

    arrays: NetworkArrays
    question: Floats
    rows: dict[str, NDArray[np.int64]]
    marks: dict[str, Floats]
    edges: dict[str, Edges]

    def x(self, level: str) -> Floats:
        """Return [N, D] the embeddings of a level's nodes."""
        return self.arrays.vectors(level)[self.rows[level]].astype(np.float32)

    @property
    def chunk_ids(self) -> NDArray[np.str_]:
        """[N of chunks] Their ids."""
        return self.arrays.chunk_ids[self.rows["chunk"]]


def neighbourhood(
    arrays: NetworkArrays,
    question: NDArray[np.floating],
    named: Mapping[int, float],
    near: NDArray[np.integer],
    budget: Budget,
    only: NDArray[np.integer] | None = None,
) -> Neighbourhood:
    """Return the neighbourhood of a question, or the whole graph with its marks.

    ``question`` [D], of unit length; ``named``: rows of entities that it names, with weights that
    sum to 1; ``near``: rows of the nearest chunks. ``only``: the rows of the chunks to look at,
    whatever the budget of chunks, the best first for who found them.
    """
    asked = np.asarray(question, dtype=np.float32)
    if asked.shape != (arrays.chunk_vectors.shape[1],):
        raise ValueError(
            f"Expected a question [{arrays.chunk_vectors.shape[1]}], got {list(asked.shape)}."
        )
    named_rows = np.fromiter(named, dtype=np.int64, count=len(named))
    reach = _Reach(arrays, asked, named_rows, np.fromiter(named.values(), np.float32, len(named)))
    reached, led = reach.hops(np.asarray(near, dtype=np.int64), budget.hops)
    if only is not None:
        limit = len(arrays.entity_ids) if budget.whole else budget.entities
        chunks = np.unique(np.asarray(only, dtype=np.int64))
        entities = _joining(arrays, chunks, named_rows, reach.strength, limit)
    elif budget.whole:
        chunks = np.arange(len(arrays.chunk_ids))
        entities = np.arange(len(arrays.entity_ids))
    else:
        best_near = np.asarray(near, dtype=np.int64)[: budget.chunks // 2]
        others = reached[~np.isin(reached, best_near)]
        fill = np.concatenate([best_near, others, np.asarray(near)[len(best_near) :]])
        _, first = np.unique(fill, return_index=True)
        chunks = np.sort(fill[np.sort(first)][: budget.chunks])
        entities = _joining(arrays, chunks, named_rows, reach.strength, budget.entities)
    _, sentences = arrays.beside("E_cd", 1, chunks)
    rows = {
        "entity": entities.astype(np.int64),
        "sentence": np.sort(sentences).astype(np.int64),
        "chunk": chunks.astype(np.int64),
    }
    edges = _edges(arrays, rows)
    marks = _marks(arrays, rows, asked, named, led, edges)
    if only is None:
        order = walk_order(marks, edges)
    else:
        order = np.searchsorted(chunks, np.asarray(list(dict.fromkeys(only)), dtype=np.int64))
    marks["chunk"][order, 3] = 1 - np.log1p(np.arange(len(order))) / DECAY
    return Neighbourhood(arrays, asked, rows, marks, edges)


class _Reach:
    """How strongly what the question says leads to entities and chunks."""

    def __init__(
        self,
        arrays: NetworkArrays,
        question: Floats,
        named: NDArray[np.int64],
        weights: Floats,
    ) -> None:
        self._arrays = arrays
        self._question = question
        self.strength = {
            int(row): float(weight) for row, weight in zip(named, weights, strict=True)
        }
        self._named = dict(self.strength)

    def hops(
        self, near: NDArray[np.int64], count: int
    ) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], Floats]]:
        """Return the chunks that are led to, strongest first; and each with how much leads there,
        at most 1.
        """
        arrays = self._arrays
        frontier = near[:FRONTIER]
        chunks: NDArray[np.int64] = np.zeros(0, np.int64)
        weights: Floats = np.zeros(0, np.float32)
        for _ in range(max(count, 1)):
            entities, strength = self._entities(frontier)
            held = arrays.chunks_holding[entities]
            usable = (held <= HUB) & (held > 0)
            entities = entities[usable]
            strength = (strength[usable] / np.sqrt(held[usable])).astype(np.float32)
            owner, found = arrays.beside("E_od", 0, entities)
            if not len(found):
                break
            chunks, place = np.unique(found, return_inverse=True)
            weights = np.bincount(place, strength[owner], len(chunks)).astype(np.float32)
            order = np.lexsort((chunks, -weights))
            chunks, weights = chunks[order].astype(np.int64), weights[order]
            frontier = np.unique(np.concatenate([near[: FRONTIER // 2], chunks[: FRONTIER // 2]]))
        top = max(float(weights.max(initial=0.0)), 1e-9)
        order = np.argsort(chunks, kind="stable")
        return chunks, (chunks[order], weights[order] / np.float32(top))

    def _entities(self, chunks: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """Return the entities of chunks with the strength of the sentence nearest to the question
        that holds each; what is named keeps at least what it began with.
        """
        arrays = self._arrays
        _, sentences = arrays.beside("E_cd", 1, chunks)
        cosines = _cosines(arrays.sentence_vectors[sentences], self._question)
        likeness = np.exp((cosines - cosines.max(initial=-1.0)) / SHARPNESS)
        owner, entities = arrays.beside("E_oc", 1, sentences)
        found, place = np.unique(entities, return_inverse=True)
        strength = np.zeros(len(found), dtype=np.float32)
        np.maximum.at(strength, place, likeness[owner].astype(np.float32))
        both = dict(zip(found.tolist(), strength.tolist(), strict=True))
        for row, weight in self._named.items():
            both[row] = max(both.get(row, 0.0), weight)
        for row, weight in both.items():
            self.strength[row] = max(self.strength.get(row, 0.0), weight)
        rows = np.fromiter(both, dtype=np.int64, count=len(both))
        return rows, np.fromiter(both.values(), dtype=np.float32, count=len(both))


def _joining(
    arrays: NetworkArrays,
    chunks: NDArray[np.int64],
    named: NDArray[np.int64],
    strength: Mapping[int, float],
    limit: int,
) -> NDArray[np.int64]:
    """Return the entities that are kept: named ones, then those that join chunks, rising."""
    _, held = arrays.beside("E_od", 1, chunks)
    entities, counts = np.unique(held, return_counts=True)
    shared = entities[counts > 1].astype(np.int64)
    weights = np.fromiter((strength.get(int(row), 0.0) for row in shared), float, len(shared))
    weights /= np.sqrt(np.maximum(arrays.chunks_holding[shared], 1))
    order = np.lexsort((shared, -weights))
    first = np.concatenate([named, shared[order]])
    _, places = np.unique(first, return_index=True)
    return np.sort(first[np.sort(places)][:limit])


def _edges(arrays: NetworkArrays, rows: Mapping[str, NDArray[np.int64]]) -> dict[str, Edges]:
    """Return the edges between the nodes; those within a level in both directions."""
    found = {}
    levels = {name: (level, level) for level, name in INTRA.items()} | INTER
    for name, (first, second) in levels.items():
        # from the end with fewer edges a node: a sentence or chunk, or a triple's head
        end = 0 if first == second or name == "names" else 1
        mine, other = (first, second) if end == 0 else (second, first)
        owner, neighbours = arrays.beside(name, end, rows[mine])
        place = np.searchsorted(rows[other], neighbours)
        place[place == len(rows[other])] = 0
        there = rows[other][place] == neighbours if len(rows[other]) else np.zeros(len(place), bool)
        pair = np.stack([owner[there], place[there].astype(np.int32)])
        pair = pair if end == 0 else pair[::-1]
        if first == second:
            both = np.concatenate([pair, pair[::-1]], axis=1)
            pair = np.unique(both[:, both[0] != both[1]], axis=1)
        found[name] = np.ascontiguousarray(pair, dtype=np.int32)
    return found


def _marks(
    arrays: NetworkArrays,
    rows: Mapping[str, NDArray[np.int64]],
    question: Floats,
    named: Mapping[int, float],
    led: tuple[NDArray[np.int64], Floats],
    edges: Mapping[str, Edges],
) -> dict[str, Floats]:
    marks = {level: np.zeros((len(rows[level]), MARKS[level]), dtype=np.float32) for level in MARKS}
    for level in marks:
        marks[level][:, 0] = _cosines(arrays.vectors(level)[rows[level]], question)
    known = rows["entity"]
    for row, weight in named.items():
        marks["entity"][known == row, 1] = weight
    marks["entity"][:, 2] = 1 / np.maximum(arrays.chunks_holding[known], 1)
    for relation, level in (("E_oc", "sentence"), ("E_od", "chunk"), ("titles", "chunk")):
        entity, holder = edges[relation]
        np.maximum.at(marks[level][:, 1], holder, marks["entity"][entity, 1])
    chunks, weights = led
    if len(chunks):
        place = np.minimum(np.searchsorted(chunks, rows["chunk"]), len(chunks) - 1)
        marks["chunk"][:, 2] = np.where(chunks[place] == rows["chunk"], weights[place], 0)
    return marks


def _cosines(vectors: NDArray[np.float16], question: Floats) -> Floats:
    # not np.dot: its threads wait for one another on a busy machine
    found: Floats = np.einsum("nd,d->n", vectors.astype(np.float32), question)
    return found
