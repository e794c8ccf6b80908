"""What a network attended to on the way to a chunk: the explanation of QS-7.

A way goes back from a chunk, an edge between levels each layer, with one within a level before it
where that is stronger. Its weight is the product of its edges' attention and of how much the
question says of the node where it begins: 1 for what it names, else the cosine.

    w(i, l) = max over j of a_ij(l) · max(w(j, l−1), max over k of a_jk(l) · w(k, l−1))
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.graph_network.levels import INTER, INTRA, LEVELS
from clew_models.graph_network.neighbourhood import Neighbourhood

Attention = Mapping[tuple[int, str, str], NDArray[np.floating]]
LEAST = 0.01
"""How much a node counts at least, whatever the question: ways may begin anywhere."""


@dataclass(frozen=True)
class WayEdge:
    """An edge by the ids of its nodes; the message went from ``source`` to ``target``."""

    relation: str
    source_level: str
    source: str
    target_level: str
    target: str


@dataclass(frozen=True)
class Way:
    """The edges that led to a chunk, the last one first, and the way's weight."""

    edges: tuple[WayEdge, ...]
    weight: float


@dataclass(frozen=True)
class _Best:
    """The best edge into each node of a level: ``weight`` [N], 0 where there is none."""

    weight: NDArray[np.float64]
    relation: NDArray[np.int64]
    source: NDArray[np.int64]


_RELATIONS = [(name, way) for name in INTER for way in ("forward", "back")]


class Ways:
    """The ways through one neighbourhood; ``attention``: of that alone."""

    def __init__(self, part: Neighbourhood, attention: Attention) -> None:
        self._part = part
        self._layers = 1 + max((layer for layer, _, _ in attention), default=-1)
        self._attention = attention
        self._sizes = {level: len(part.rows[level]) for level in LEVELS}
        self._within: list[dict[str, _Best]] = []
        self._between: list[dict[str, _Best]] = []
        self._entering: list[dict[str, NDArray[np.float64]]] = []
        """By layer: the weights of nodes when it begins."""
        self._leaving: list[dict[str, NDArray[np.float64]]] = []
        """By layer: their weights after what came from within their level."""
        weights = {
            level: np.maximum(part.marks[level][:, 0].astype(float), LEAST) for level in LEVELS
        }
        weights["entity"] = np.maximum(weights["entity"], part.marks["entity"][:, 1] > 0)
        for layer in range(self._layers):
            self._entering.append(dict(weights))
            within = {
                level: self._best(level, [(name, "forward")], layer, weights)
                for level, name in INTRA.items()
            }
            weights = weights | {
                level: np.maximum(weights[level], best.weight) for level, best in within.items()
            }
            self._leaving.append(weights)
            between = {level: self._best(level, _RELATIONS, layer, weights) for level in LEVELS}
            weights = {
                level: np.where(best.weight > 0, best.weight, weights[level])
                for level, best in between.items()
            }
            self._within.append(within)
            self._between.append(between)

    def to_chunk(self, chunk: int, count: int) -> list[Way]:
        """Return up to ``count`` ways to a chunk (its place in the neighbourhood), strongest
        first, each over another last edge.
        """
        found = []
        for weight, relation, way, source in self._last(chunk):
            first = self._edge(relation, way, source, chunk)
            edges = [first]
            seen = {first.source, first.target}
            for edge in self._back(first.source_level, source):
                if edge.source in seen:
                    break
                seen.add(edge.source)
                edges.append(edge)
            found.append(Way(tuple(edges), weight))
            if len(found) == count:
                break
        return found

    def _last(self, chunk: int) -> list[tuple[float, str, str, int]]:
        """Return (weight, relation, direction, source) of the edges into a chunk, strongest first;
        where no messages came to chunks, its sentences'.
        """
        if not self._layers:
            return []
        reached = any(
            name in INTER and _ends(name, way)[1] == "chunk" for _, name, way in self._attention
        )
        found = []
        for relation, way in _RELATIONS:
            source, target = _ends(relation, way)
            if target != "chunk":
                continue
            shares = self._attention.get((self._layers - 1, relation, way))
            first, second = self._part.edges[relation]
            places = np.flatnonzero(second == chunk)
            if shares is None and (reached or relation != "E_cd"):
                continue
            before = self._leaving[-1][source]
            for place in places:
                share = 1.0 if shares is None else float(shares[place])
                weight = share * float(before[first[place]])
                found.append((weight, relation, way, int(first[place])))
        return sorted(found, key=lambda one: (-one[0], one[1], one[3]))

    def _back(self, level: str, node: int) -> list[WayEdge]:
        """Return the edges that led to a node which the last messages between levels left."""
        edges = []
        for layer in reversed(range(self._layers)):
            if layer < self._layers - 1:
                best = self._between[layer][level]
                if best.weight[node] > 0:
                    relation, way = _RELATIONS[best.relation[node]]
                    edge = self._edge(relation, way, int(best.source[node]), node)
                    edges.append(edge)
                    level, node = edge.source_level, int(best.source[node])
            within = self._within[layer].get(level)
            if within is not None and within.weight[node] > self._entering[layer][level][node]:
                source = int(within.source[node])
                edges.append(self._edge(INTRA[level], "forward", source, node))
                node = source
        return edges

    def _best(
        self,
        level: str,
        relations: Sequence[tuple[str, str]],
        layer: int,
        weights: Mapping[str, NDArray[np.float64]],
    ) -> _Best:
        count = self._sizes[level]
        best, kind, origin = np.zeros(count), np.full(count, -1), np.full(count, -1)
        for number, (relation, way) in enumerate(relations):
            shares = self._attention.get((layer, relation, way))
            source, target = _ends(relation, way)
            if shares is None or target != level or not len(shares):
                continue
            first, second = self._part.edges[relation]
            if way == "back":
                first, second = second, first
            carried = shares.astype(float) * weights[source][first]
            order = np.argsort(carried, kind="stable")
            strongest = np.full(count, -1)
            strongest[second[order]] = order  # the last one written is the strongest
            there = np.flatnonzero(strongest >= 0)
            better = there[carried[strongest[there]] > best[there]]
            best[better] = carried[strongest[better]]
            kind[better] = number
            origin[better] = first[strongest[better]]
        return _Best(best, kind, origin)

    def _edge(self, relation: str, way: str, source: int, target: int) -> WayEdge:
        first, second = _ends(relation, way)
        part = self._part
        return WayEdge(
            relation,
            first,
            str(part.arrays.ids(first)[part.rows[first][source]]),
            second,
            str(part.arrays.ids(second)[part.rows[second][target]]),
        )


def _ends(relation: str, way: str) -> tuple[str, str]:
    """Return the levels that messages along a relation come from and go to."""
    if relation in INTER:
        first, second = INTER[relation]
        return (first, second) if way == "forward" else (second, first)
    level = next(level for level, name in INTRA.items() if name == relation)
    return level, level
