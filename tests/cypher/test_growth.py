"""What a statement reads grows no faster than what it is about: counted in the database's hits."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from neo4j import GraphDatabase, Session

from clew_cypher.export.entity_chains import HUB_CHUNKS
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.searching.projection_catalog import MENTIONS, name_before_revision
from clew_cypher.statements import statement
from clew_cypher.store import GraphStore, Neo4jConfig

FILL = """
CYPHER 25
MERGE (hub:Entity {id: $corpus})
ON CREATE SET hub.corpus = $corpus, hub.key = 'hub', hub.name = 'Hub', hub.type = 'PERSON',
  hub.named = true
MERGE (merged:MergedEntity {id: $corpus + ' merged'})
ON CREATE SET merged.corpus = $corpus, merged.key = 'the hub'
MERGE (merged)-[:MERGED_INTO]->(hub)
WITH hub
UNWIND range(1, $chunks) AS n
CREATE (c:Chunk {id: randomUUID(), corpus: $corpus, document_id: 'd', title: 'Hub', text: 'Hub.',
  position: n, unlinked: true})
CREATE (s:Sentence {id: randomUUID(), corpus: $corpus, position: 0, text: 'Hub.'})-[:IN_CHUNK]->(c)
CREATE (hub)-[:HEAD_OF {type: 'PERSON'}]->(s)
CREATE (hub)-[:MENTIONED_IN {count: 1, surface: 'Hub', type: 'PERSON', is_title: false}]->(c)
"""
CHUNKS = 100

Hits = Callable[..., int]
Growth = Callable[..., float]


@pytest.fixture(scope="module")
def session(neo4j_server: Neo4jConfig) -> Iterator[Session]:
    with (
        GraphDatabase.driver(
            neo4j_server.uri,
            auth=(neo4j_server.username, neo4j_server.password),
            notifications_min_severity="OFF",
        ) as driver,
        driver.session(database=neo4j_server.database) as session,
    ):
        yield session


@pytest.fixture
def hits(session: Session) -> Hits:
    """How often a statement asks the store for something."""

    def count(plan: Any) -> int:
        return plan["args"].get("DbHits", 0) + sum(map(count, plan.get("children", ())))

    def run(name: str, **parameters: Any) -> int:
        return count(session.run(f"PROFILE {statement(name).text}", parameters).consume().profile)

    return run


@pytest.fixture
def growth(store: GraphStore, corpus: str, hits: Hits) -> Growth:
    """How much more a statement asks for where an entity that another one was merged into is in
    twice as many chunks."""

    def run(name: str, **parameters: Any) -> float:
        found = []
        for place in range(2):
            store.run_declared(FILL, {"corpus": corpus, "chunks": CHUNKS})
            if name == "project_mentions":
                parameters["graph"] = f"{name_before_revision(corpus, MENTIONS)}{place}"
            found.append(hits(name, corpus=corpus, **parameters))
        return found[1] / found[0]

    return run


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_chunks_of_an_entity_are_counted_once_for_a_projection(growth: Growth) -> None:
    assert growth("project_mentions", value_types=list(VALUE_TYPES)) < 2.2


def test_the_chunks_of_a_hub_are_not_all_counted_in_each_sentence(
    corpus: str, growth: Growth
) -> None:
    assert growth("sentences_of_entities", ids=[corpus], hub_chunks=HUB_CHUNKS) < 2.2


def test_chunks_that_wait_to_be_linked_longer_are_not_read(growth: Growth) -> None:
    assert growth("unlinked_chunks", limit=10) == 1
