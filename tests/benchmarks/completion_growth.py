"""Measures how long the completion of a question's subgraph takes (KG-CQR, KC-5 and KC-6).

    python tests/benchmarks/completion_growth.py CACHE_DIR [--triples 20000] [--write]

Writes triples with random textual triplets' vectors (384 dimensions) in a Neo4j of its own. Every
entity has a topic; three of four triples join entities of one topic, whose frequencies follow
Zipf's law, and a triple's vector lies near the centre of its head's topic. A question is a vector
near a centre: its 20 nearest triples give the ends, between all of which paths are looked for, by
beams of several widths W and lengths L, and breadth first. Prints medians; ``--write`` adds them to
``results/completion-growth.json``.
"""

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.strategies.contextual.subgraph import EVERY, MOST_PATHS
from clew_cypher.corpora import ensure_corpus
from clew_cypher.embedded import EmbeddedNeo4j
from clew_cypher.schema import ensure_schema
from clew_cypher.searching.triples import (
    Surroundings,
    every_path_between,
    nearest_triples,
    new_triples,
    paths_between,
    triples_by_id,
)
from clew_cypher.store import GraphStore

RESULT = Path(__file__).parent / "results" / "completion-growth.json"
CORPUS = "growth"
DIMENSION = 384
BATCH = 2000
TOPIC = 200
"""Entities of a topic."""
A_TRIPLE = 4
"""Triples an entity, in the mean."""
WITHIN = 0.75
SPREAD = 1.0
"""Length of the noise that is added to a topic's centre."""
NEAR, ADDED = 20, 20
QUESTIONS = 40
BEAMS = [(1, 3), (3, 1), (3, 2), (3, 3), (3, 4), (10, 3), (30, 3)]
BREADTHS = [2, 3]
ENTITIES = """CYPHER 25
UNWIND range($first, $last - 1) AS number
CREATE (:Entity {id: $corpus + toString(number), corpus: $corpus, key: toString(number),
  name: toString(number), type: 'CONCEPT', named: true})"""
TRIPLES = """CYPHER 25
UNWIND $rows AS row
MATCH (head:Entity {id: $corpus + toString(row[1])}), (tail:Entity {id: $corpus + toString(row[2])})
CREATE (head)-[:RELATION {id: row[0], corpus: $corpus, head: head.name, predicate: 'knows',
  tail: tail.name, ttr: head.name + ' knows ' + tail.name + '.', chunk_id: '', extractor: 'none',
  embedding: row[3]}]->(tail)"""
AWAIT = "CYPHER 25 CALL db.awaitIndexes(3600)"


class Graph:
    """Makes triples and questions: the same seed, the same graph."""

    def __init__(self, triples: int, seed: int = 0) -> None:
        self.chance = np.random.default_rng(seed)
        self.topics = max(triples // A_TRIPLE // TOPIC, 2)
        self.entities = self.topics * TOPIC
        self._centres = self._noise(self.topics)
        weights = 1.0 / np.arange(1, TOPIC + 1)
        self._weights = weights / weights.sum()

    def rows(self, first: int, count: int) -> list[list[Any]]:
        """Return triples [id, head, tail, vector]."""
        topic = self.chance.integers(0, self.topics, count)
        other = np.where(
            self.chance.random(count) < WITHIN, topic, self.chance.integers(0, self.topics, count)
        )
        head, tail = (
            of * TOPIC + self.chance.choice(TOPIC, count, p=self._weights) for of in (topic, other)
        )
        vectors = self.near(topic).tolist()
        numbers = range(first, first + count)
        return [
            [f"t{n}", int(h), int(t), v]
            for n, h, t, v in zip(numbers, head, tail, vectors, strict=True)
        ]

    def near(self, topics: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return [N, D] unit vectors near the centres of ``topics``."""
        made = self._centres[topics] + SPREAD * self._noise(len(topics))
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))

    def _noise(self, count: int) -> NDArray[np.float32]:
        made = self.chance.standard_normal((count, DIMENSION), dtype=np.float32)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))


def write(store: GraphStore, graph: Graph, triples: int) -> None:
    """Write the graph; tells how far it is."""
    for first in range(0, graph.entities, 10 * BATCH):
        last = min(first + 10 * BATCH, graph.entities)
        store.run_declared(ENTITIES, {"corpus": CORPUS, "first": first, "last": last})
    for first in range(0, triples, BATCH):
        rows = graph.rows(first, min(BATCH, triples - first))
        store.run_declared(TRIPLES, {"corpus": CORPUS, "rows": rows})
        if first % (25 * BATCH) == 0:
            print(f"{first:,} triples", flush=True)
    store.run_declared(AWAIT, {})


def measure(store: GraphStore, questions: NDArray[np.float32]) -> list[dict[str, Any]]:
    """Return the median milliseconds of each way of completion."""
    ways: list[tuple[str, int | None, int]] = [("beam", width, length) for width, length in BEAMS]
    ways += [("breadth-first", None, length) for length in BREADTHS]
    found = []
    for search, width, length in ways:
        taken, paths, cut = [], [], 0
        for vector in questions:
            near = nearest_triples(store, CORPUS, vector, NEAR)
            ends = [row[end]["id"] for row in near for end in ("head_entity", "tail_entity")]
            begun = time.perf_counter()
            if width is not None:
                some = paths_between(Surroundings(store, CORPUS, vector), ends, width, length)
            else:
                around = Surroundings(store, CORPUS, vector, fan=EVERY)
                some, whole = every_path_between(around, ends, length, MOST_PATHS)
                cut += not whole
            triples_by_id(store, CORPUS, new_triples(some, [row["id"] for row in near], ADDED))
            taken.append(time.perf_counter() - begun)
            paths.append(len(some))
        row = {
            "search": search,
            "width": width,
            "length": length,
            "median_ms": round(1000 * statistics.median(taken), 1),
            "p95_ms": round(1000 * float(np.quantile(taken, 0.95)), 1),
            "paths": statistics.median(paths),
            "cut_off": cut,
        }
        print(row, flush=True)
        found.append(row)
    return found


def main() -> None:
    """Write, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--triples", type=int, default=20_000)
    parser.add_argument("--heap", type=int, default=1500, help="MiB")
    parser.add_argument("--page-cache", type=int, default=2500, help="MiB")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as work,
        EmbeddedNeo4j(Path(work), asked.cache_dir, asked.heap, asked.page_cache) as server,
        GraphStore(server.config) as store,
    ):
        ensure_schema(store, DIMENSION)
        ensure_corpus(store, CORPUS, embedder="synthetic", dimension=DIMENSION)
        graph = Graph(asked.triples)
        begun = time.perf_counter()
        write(store, graph, asked.triples)
        seconds = round(time.perf_counter() - begun)
        print(f"written in {seconds} s", flush=True)
        questions = graph.near(graph.chance.integers(0, graph.topics, QUESTIONS + 5))
        for vector in questions[:5]:
            paths_between(
                Surroundings(store, CORPUS, vector),
                [row["head_entity"]["id"] for row in nearest_triples(store, CORPUS, vector, NEAR)],
                3,
                3,
            )
        rows = measure(store, questions[5:])
    if asked.write:
        known = json.loads(RESULT.read_text()) if RESULT.exists() else {}
        known[str(asked.triples)] = {"written_s": seconds, "questions": QUESTIONS, "ways": rows}
        RESULT.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
