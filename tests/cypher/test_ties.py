"""What ties nodes together is looked up in time that does not grow with what an entity is in."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clew_cypher.driver import neo4j
from clew_cypher.ids import content_id
from clew_cypher.statements import statement
from clew_cypher.store import GraphStore

CHUNKS = 300


def database_hits(store: GraphStore, name: str, **params: Any) -> int:
    """Run a statement and return how often it read from the database, all its steps together."""
    text = statement(name).text.replace("CYPHER 25", "CYPHER 25 PROFILE", 1)
    config = store.config
    with (
        neo4j.GraphDatabase.driver(config.uri, auth=(config.username, config.password)) as driver,
        driver.session(database=config.database) as session,
    ):
        profile = session.run(neo4j.Query(text), params).consume().profile

    def steps(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield step
        for child in step.get("children", ()):
            yield from steps(child)

    assert profile is not None
    return sum(int(step["args"].get("DbHits", 0)) for step in steps(profile))


@pytest.mark.parametrize("name", ["entity_ties", "relationships_between"])
def test_an_entity_in_every_chunk_costs_no_more(
    store: GraphStore, corpus: str, ingest: Callable, name: str
) -> None:
    ingest("Ada", ["Born in Holm."])
    ingest("Letters", [f"Letter {number} is about Ada." for number in range(CHUNKS)])
    rows = store.run_declared(
        "CYPHER 25 MATCH (c:Chunk {corpus: $corpus, title: 'Letters'}) RETURN c.id AS id LIMIT 5",
        {"corpus": corpus},
    )
    pairs = [[content_id("e", corpus, "ada"), row["id"]] for row in rows]
    params: dict[str, Any] = {"pairs": pairs}
    if name == "relationships_between":
        params = {"entity_pairs": pairs, "sentence_pairs": []}
    assert database_hits(store, name, corpus=corpus, **params) < CHUNKS
