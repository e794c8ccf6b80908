"""Triples near a question, and paths of triples between entities, against brute force."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from clew_cypher.searching.triples import (
    Surroundings,
    TriplePath,
    every_path_between,
    new_triples,
    paths_between,
    triples_by_id,
    triples_stated_by,
)
from clew_cypher.store import GraphStore

DIMENSION = 384
MAKE = """CYPHER 25
UNWIND $ends AS id MERGE (:Entity {id: id, corpus: $corpus, key: id, name: id})
WITH count(*) AS _
UNWIND $rows AS row
MATCH (head:Entity {id: row[0]}), (tail:Entity {id: row[2]})
CREATE (head)-[r:RELATION {id: row[1], corpus: $corpus, head: row[0], predicate: 'knows',
  tail: row[2], ttr: row[0] + ' knows ' + row[2] + '.', chunk_id: 'c', extractor: 'rules'}]->(tail)
SET r.embedding = row[3]"""

Edge = tuple[str, str, str]
Made = tuple[list[Edge], dict[str, float]]


@pytest.fixture
def question() -> np.ndarray:
    return np.eye(1, DIMENSION, dtype=np.float32)[0]


@pytest.fixture
def make(store: GraphStore, corpus: str) -> Callable[[list[Edge], list[float]], Made]:
    """Write triples (head, id, tail) whose textual triplets have these cosines with the question;
    return them as they are named in the graph."""

    def written(edges: list[Edge], cosines: list[float]) -> Made:
        own = [
            (f"{corpus}-{head}", f"{corpus}-{id_}", f"{corpus}-{tail}") for head, id_, tail in edges
        ]
        rows = []
        for (head, id_, tail), cosine in zip(own, cosines, strict=True):
            vector = np.zeros(DIMENSION)
            vector[:2] = cosine, np.sqrt(1 - cosine**2)
            rows.append([head, id_, tail, vector.tolist()])
        ends = sorted({end for head, _, tail in own for end in (head, tail)})
        store.run_declared(MAKE, {"corpus": corpus, "ends": ends, "rows": rows})
        store.run_declared("CYPHER 25 CALL db.awaitIndexes(60)", {})
        return own, {id_: cosine for (_, id_, _), cosine in zip(own, cosines, strict=True)}

    return written


def brute_force(edges: list[Edge], cosines: dict[str, float], length: int) -> list[TriplePath]:
    """Enumerate every path between each two entities, by recursion."""
    entities = sorted({end for head, _, tail in edges for end in (head, tail)})

    def onward(
        triples: tuple[str, ...], visited: tuple[str, ...], end: str
    ) -> Iterator[TriplePath]:
        if triples and visited[-1] == end:
            mean = sum(cosines[one] for one in triples) / len(triples)
            yield TriplePath(triples, visited, mean)
            return
        if len(triples) == length:
            return
        for head, id_, tail in edges:
            for here, there in ((head, tail), (tail, head)):
                if here == visited[-1] and there not in visited:
                    yield from onward((*triples, id_), (*visited, there), end)

    found = [path for start, end in combinations(entities, 2) for path in onward((), (start,), end)]
    return sorted(found, key=lambda path: (-path.score, path.triples))


@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_what_brute_force_finds(
    store: GraphStore, corpus: str, make: Callable, question: np.ndarray, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    ends = chance.integers(0, 7, (14, 2))  # with edges side by side, and from a node to itself
    edges = [(f"e{a}", f"t{number:02}", f"e{b}") for number, (a, b) in enumerate(ends)]
    own, cosines = make(edges, chance.uniform(-0.9, 0.9, len(edges)).tolist())
    entities = sorted({end for head, _, tail in own for end in (head, tail)})
    found = paths_between(Surroundings(store, corpus, question), entities, 10_000, 3)
    wanted = brute_force(own, cosines, 3)
    assert len(wanted) > 20
    assert {path.triples for path in found} == {path.triples for path in wanted}
    assert [path.score for path in found] == pytest.approx(
        [path.score for path in wanted], abs=1e-5
    )
    for path in found:
        assert len(set(path.entities)) == len(path.entities) == len(path.triples) + 1
    around = Surroundings(store, corpus, question)
    every, whole = every_path_between(around, entities, 3, 10_000)
    assert whole
    assert set(every) == set(found)
    some, whole = every_path_between(around, entities, 3, 20)
    assert not whole
    assert 0 < len(some) < len(every)


def test_a_narrow_beam_keeps_the_best_of_each_level(
    store: GraphStore, corpus: str, make: Callable, question: np.ndarray
) -> None:
    edges = [("a", "1", "b"), ("b", "2", "z"), ("a", "3", "c"), ("c", "4", "z"), ("a", "5", "z")]
    own, _ = make(edges, [0.9, 0.2, 0.5, 0.9, 0.1])
    ends = [own[0][0], own[1][2]]
    around = Surroundings(store, corpus, question)

    def numbers(width: int, length: int = 3) -> list[str]:
        paths = paths_between(around, ends, width, length)
        return ["".join(id_[-1] for id_ in path.triples) for path in paths]

    assert numbers(1) == ["12"]  # 34 is better, and begins worse
    assert numbers(2) == ["34", "12"]
    assert numbers(3) == ["34", "12", "5"]
    assert numbers(3, length=1) == ["5"]
    assert numbers(3, length=0) == []
    best = paths_between(around, ends, 3, 3)
    assert [id_[-1] for id_ in new_triples(best, [own[0][1]], 3)] == ["3", "4", "2"]
    assert [id_[-1] for id_ in new_triples(best, [], 2)] == ["3", "4"]


def test_triples_around_all_ends_are_read_once_and_hubs_by_the_index(
    store: GraphStore, corpus: str, make: Callable, question: np.ndarray,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    spokes = [("hub", f"s{number:03}", f"n{number:03}") for number in range(30)]
    own, cosines = make([*spokes, ("hub", "self", "hub")], [number / 40 for number in range(31)])
    hub = own[0][0]
    asked: list[str] = []
    read = store.read

    def noted(name: str, **values: Any) -> list[dict[str, Any]]:
        asked.append(name)
        return read(name, **values)

    monkeypatch.setattr(store, "read", noted)
    few = Surroundings(store, corpus, question, fan=5, hub=10)
    plain = Surroundings(store, corpus, question, fan=5, hub=100)
    for around in (few, plain):
        around.read([hub, own[0][2]])
        around.read([hub, own[0][2]])
    assert asked == ["triples_around", "nearest_triples", "triples_around"]
    best = [own[number][1] for number in (29, 28, 27, 26, 25)]
    for around in (few, plain):
        assert [way.triple for way in around.ways(hub)] == best
        assert [way.score for way in around.ways(hub)] == pytest.approx(
            [cosines[id_] for id_ in best], abs=1e-5
        )
        assert [way.to for way in around.ways(own[0][2])] == [hub]


def test_triples_by_their_ids(store: GraphStore, corpus: str, make: Callable) -> None:
    own, _ = make([("a", "1", "b"), ("b", "2", "c")], [0.2, 0.9])
    known = triples_by_id(store, corpus, [own[1][1], "gone"])
    assert [row["head_entity"]["id"] for row in known.values()] == [own[1][0]]
    assert triples_by_id(store, "another corpus", [own[1][1]]) == {}
    assert triples_by_id(store, corpus, []) == {}


def test_triples_of_chunks_come_nearest_first_and_without_an_embedding_last(
    store: GraphStore, corpus: str, make: Callable, question: np.ndarray
) -> None:
    own, _ = make([("a", "1", "b"), ("b", "2", "c"), ("c", "3", "d"), ("d", "4", "a")],
                  [0.1, 0.8, -0.9, 0.3])  # fmt: skip
    ids = [edge[1] for edge in own]
    store.run_declared(
        "CYPHER 25 MATCH ()-[r:RELATION {corpus: $corpus}]->() SET r.chunk_id = "
        "CASE WHEN r.id = $other THEN $corpus + 'x' ELSE $corpus + 'c' END "
        "SET r.embedding = CASE WHEN r.id = $plain THEN null ELSE r.embedding END",
        {"corpus": corpus, "other": ids[3], "plain": ids[0]},
    )
    found = triples_stated_by(store, corpus, [f"{corpus}c"], question, 10)
    assert [row["id"] for row in found] == [ids[1], ids[2], ids[0]]
    assert [row["score"] for row in found] == pytest.approx([0.8, -0.9, -1], abs=1e-5)
    assert (found[0]["head_entity"]["id"], found[0]["tail_entity"]["id"]) == (own[1][0], own[1][2])
    assert len(triples_stated_by(store, corpus, [f"{corpus}c", f"{corpus}x"], question, 2)) == 2
    assert triples_stated_by(store, corpus, [], question, 10) == []
