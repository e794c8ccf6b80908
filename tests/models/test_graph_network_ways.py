"""The ways of attention, against loops over every edge."""

import numpy as np
import pytest

from clew_models.graph_network import Neighbourhood, NetworkOptions, neighbourhood
from clew_models.graph_network.levels import INTER, INTRA
from clew_models.graph_network.network import rank
from clew_models.graph_network.ways import LEAST, Ways

from .test_graph_network import WHOLE, D, question, random_arrays, random_network

Attention = dict[tuple[int, str, str], np.ndarray]
Node = tuple[str, int]
LAYERS = 3


def edges_into(
    part: Neighbourhood, attention: Attention, layer: int, node: Node, within: bool
) -> list[tuple[float, Node]]:
    """(attention, source) of the edges that bring a node messages in a layer."""
    found = []
    for (number, relation, way), shares in attention.items():
        if number != layer or (relation in INTER) == within:
            continue
        if relation in INTER:
            first, second = INTER[relation]
        else:
            first = second = next(level for level, name in INTRA.items() if name == relation)
        for (a, b), share in zip(part.edges[relation].T.tolist(), shares, strict=True):
            source, target = ((first, a), (second, b))
            if way == "back":
                source, target = target, source
            if target == node:
                found.append((float(share), source))
    return found


class Loops:
    """w(i, l) of `ways.py`, by recursion."""

    def __init__(self, part: Neighbourhood, attention: Attention) -> None:
        self.part, self.attention = part, attention
        self.known: dict[tuple[str, Node, int], float] = {}

    def seed(self, node: Node) -> float:
        marks = self.part.marks[node[0]][node[1]]
        weight = max(float(marks[0]), LEAST)
        return 1.0 if node[0] == "entity" and marks[1] > 0 else weight

    def entering(self, node: Node, layer: int) -> float:
        key = ("entering", node, layer)
        if key not in self.known:
            if layer == 0:
                self.known[key] = self.seed(node)
            else:
                ways = edges_into(self.part, self.attention, layer - 1, node, False)
                best = max((a * self.leaving(j, layer - 1) for a, j in ways), default=0.0)
                self.known[key] = best or self.leaving(node, layer - 1)
        return self.known[key]

    def leaving(self, node: Node, layer: int) -> float:
        key = ("leaving", node, layer)
        if key not in self.known:
            ways = edges_into(self.part, self.attention, layer, node, True)
            best = max((a * self.entering(j, layer) for a, j in ways), default=0.0)
            self.known[key] = max(best, self.entering(node, layer))
        return self.known[key]


@pytest.mark.parametrize("seed", range(3))
def test_the_weights_of_ways_are_those_of_loops(seed: int) -> None:
    arrays = random_arrays(30 + seed)
    network = random_network(seed, NetworkOptions(input=D, dimension=8, layers=LAYERS))
    part = neighbourhood(arrays, question(seed), {1: 1.0}, np.arange(4), WHOLE)
    _, attention = rank(network, part)
    loops = Loops(part, attention)
    ways = Ways(part, attention)
    for chunk in range(len(part.rows["chunk"])):
        into = edges_into(part, attention, LAYERS - 1, ("chunk", chunk), False)
        expected = sorted((a * loops.leaving(j, LAYERS - 1) for a, j in into), reverse=True)
        found = ways.to_chunk(chunk, len(into))
        assert [way.weight for way in found] == pytest.approx(expected)
        for way in found:
            assert way.edges[0].target == part.chunk_ids[chunk]
            for later, earlier in zip(way.edges, way.edges[1:], strict=False):
                assert (earlier.target, earlier.target_level) == (later.source, later.source_level)
            nodes = [edge.source for edge in way.edges]
            assert len(set(nodes)) == len(nodes)


def test_where_nothing_reaches_chunks_a_way_goes_over_their_sentences() -> None:
    arrays = random_arrays(40)
    options = NetworkOptions(input=D, dimension=8, inter=False)
    part = neighbourhood(arrays, question(1), {1: 1.0}, np.arange(4), WHOLE)
    _, attention = rank(random_network(1, options), part)
    first, *_ = Ways(part, attention).to_chunk(0, 5)
    assert first.edges[0].relation == "E_cd"
    assert {edge.relation for edge in first.edges[1:]} <= {"E_cc"}


def test_without_messages_there_are_no_ways() -> None:
    part = neighbourhood(random_arrays(41), question(1), {}, np.arange(4), WHOLE)
    assert Ways(part, {}).to_chunk(0, 5) == []
