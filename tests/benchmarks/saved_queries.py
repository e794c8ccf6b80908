"""Measures the saved queries of Bloom and the Browser, and the migration of an old graph before.

    python tests/benchmarks/saved_queries.py CORPUS [--names 20] [--as-it-is] [--write NAME]

Neo4j is the one that ``CLEW_TEST_NEO4J_URI`` and ``CLEW_TEST_NEO4J_PASSWORD`` name; a graph of an
earlier version in it is brought to today's first, which is timed, or only read (``--as-it-is``:
then no entity has a kind, and `phrase_most_mentioned` finds nothing). Each phrase is asked with the
most mentioned names of the corpus, which have the largest surroundings, and with its documents and
passages; each scene action with their nodes. Prints JSON: milliseconds (first: with Neo4j's plan;
median, worst of the others) and rows; ``--write`` keeps it as ``results/saved-queries-NAME.json``.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew_cypher.bloom.queries import PHRASES, SCENE_ACTIONS
from clew_cypher.migrations import graph_version, migrate
from clew_cypher.store import GraphStore, Neo4jConfig

RESULTS = Path(__file__).parent / "results"
COUNTS = """CYPHER 25
RETURN COUNT { MATCH (:Chunk) } AS chunks, COUNT { MATCH (:Entity) } AS entities,
       COUNT { MATCH (:Sentence) } AS sentences, COUNT { MATCH ()-[:RELATION]->() } AS triples"""
NAMES = """CYPHER 25
MATCH (e:Entity {corpus: $corpus, named: true})
WHERE e.type IN ['PERSON', 'ORG', 'GPE', 'WORK_OF_ART', 'EVENT']
RETURN e.name AS name, elementId(e) AS node
ORDER BY COUNT { (e)-[:MENTIONED_IN]->() } DESC, e.id
LIMIT $limit"""
OF_CORPUS = """CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WITH c ORDER BY c.id LIMIT $limit
RETURN c.id AS id, c.title AS title, elementId(c) AS node"""


def asked(
    statement: str, corpus: str, names: list[Any], chunks: list[Any]
) -> Iterator[dict[str, Any]]:
    """Yield the parameters that a saved query is asked with."""
    for at, entity in enumerate(names):
        other = names[(at + 1) % len(names)]
        chunk = chunks[at % len(chunks)]
        passages = ",".join(row["id"] for row in chunks[at : at + 10])
        nodes = [chunk["node"]] if statement == "scene_sentences" else [entity["node"]]
        if statement == "scene_shared":
            nodes.append(other["node"])
        yield {
            "phrase_path_between": {"a": entity["name"], "b": other["name"]},
            "phrase_what_supports": {"passages": passages},
            "phrase_sentences_of": {"title": chunk["title"]},
            "phrase_most_mentioned": {"corpus": corpus},
            "phrase_documents_about": {"name": entity["name"]},
            "phrase_what_is_said_of": {"name": entity["name"]},
        }.get(statement, {"nodes": nodes})


def measured(store: GraphStore, corpus: str, count: int) -> dict[str, Any]:
    """Return the times of each saved query."""
    names = store.run_declared(NAMES, {"corpus": corpus, "limit": count})
    chunks = store.run_declared(OF_CORPUS, {"corpus": corpus, "limit": count + 10})
    found = {}
    for item in (*PHRASES, *SCENE_ACTIONS):
        times, most = [], 0
        for parameters in asked(item.statement, corpus, names, chunks):
            began = time.perf_counter()
            most = max(most, len(store.read(item.statement, **parameters)))
            times.append(1000 * (time.perf_counter() - began))
        found[item.statement] = {
            "first_ms": round(times[0], 1),
            "median_ms": round(statistics.median(times[1:]), 1),
            "worst_ms": round(max(times[1:]), 1),
            "most_rows": most,
        }
    return found


def main() -> None:
    """Migrate, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--names", type=int, default=20)
    parser.add_argument("--as-it-is", action="store_true")
    parser.add_argument("--write", metavar="NAME")
    arguments = parser.parse_args()
    config = Neo4jConfig(
        os.environ["CLEW_TEST_NEO4J_URI"], "neo4j", os.environ["CLEW_TEST_NEO4J_PASSWORD"]
    )
    with GraphStore(config) as store:
        before, began = graph_version(store), time.perf_counter()
        if not arguments.as_it_is:
            migrate(store)
        result = {
            "graph": store.run_declared(COUNTS)[0],
            "corpus": arguments.corpus,
            "schema_version": graph_version(store),
            "migration": {"from": before, "seconds": round(time.perf_counter() - began, 1)},
            "load": round(os.getloadavg()[0], 1),
            "queries": measured(store, arguments.corpus, arguments.names),
        }
    text = json.dumps(result, indent=2) + "\n"
    print(text, end="")
    if arguments.write:
        (RESULTS / f"saved-queries-{arguments.write}.json").write_text(text)


if __name__ == "__main__":
    main()
