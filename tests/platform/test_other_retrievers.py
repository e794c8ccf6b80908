"""Retrievers of other libraries, pointed at Clew's graph: its labels and indexes are theirs too."""

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from clew.clew import Clew
from clew.indexing.uploads import record_source
from clew_cypher.store import Neo4jConfig

from ..running_clew import OwnSettings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the library's own imports warn
    from langchain_core.embeddings import Embeddings
    from langchain_neo4j import Neo4jVector
    from neo4j_graphrag.embeddings import Embedder
    from neo4j_graphrag.retrievers import VectorCypherRetriever, VectorRetriever

TEXTS = {
    "Seld Shipyard": "Seld Shipyard was founded by Mira Tolan. It stands in the harbour of Seld.",
    "Jon Berg": "Jon Berg taught botany at the school of Aurelia.",
    "Aurelia": "The Aurelia is a lake in the north. Its water is cold.",
}
QUESTION = "Who founded the shipyard?"
NEIGHBOURS = """
MATCH (node)-[:PART_OF]->(document:Document)
WHERE node.corpus = $corpus
RETURN document.title AS title, score,
       COLLECT { MATCH (entity:Entity)-[:MENTIONED_IN]->(node) RETURN entity.name } AS entities
"""

JOINED = """
WITH node, score WHERE node.corpus = $corpus
RETURN node.text AS text, score,
       {title: node.title,
        entities: COLLECT { MATCH (entity:Entity)-[:MENTIONED_IN]->(node) RETURN entity.name }}
       AS metadata
"""


@pytest.fixture
def clew(own_settings: OwnSettings, corpus: str, tmp_path: Path) -> Iterator[Clew]:
    settings = own_settings(
        tmp_path,
        corpus=corpus,
    )
    with Clew(settings) as made:
        made.ingest(*(record_source(*item) for item in TEXTS.items()), corpus=corpus)
        yield made


class SameEmbedder(Embedder):
    """Clew's embedder, as that library calls it."""

    def __init__(self, clew: Clew) -> None:
        self._clew = clew

    def embed_query(self, text: str) -> list[float]:
        found: list[float] = self._clew.resources.embedder.embed([text])[0].tolist()
        return found


@pytest.fixture
def driver(neo4j_server: Neo4jConfig) -> Iterator[neo4j.Driver]:
    auth = (neo4j_server.username, neo4j_server.password)
    with neo4j.GraphDatabase.driver(
        neo4j_server.uri, auth=auth, notifications_min_severity="OFF"
    ) as made:
        yield made


@pytest.mark.filterwarnings("ignore")
def test_neo4j_graphrag_finds_what_dense_finds(
    clew: Clew, corpus: str, driver: neo4j.Driver
) -> None:
    expected = [chunk.title for chunk in clew.search(QUESTION, corpus, "dense", k=3).chunks]
    assert expected[0] == "Seld Shipyard"
    options: dict[str, Any] = {"embedder": SameEmbedder(clew), "neo4j_database": "neo4j"}
    plain = VectorRetriever(
        driver, "chunk_embedding", return_properties=["title", "text"], **options
    )
    found = plain.search(query_text=QUESTION, top_k=3, filters={"corpus": corpus})
    assert [title_of(item.content) for item in found.items] == expected
    joined = VectorCypherRetriever(driver, "chunk_embedding", NEIGHBOURS, **options)
    # with a filter, version 1.22 of it fails inside; so more are asked for, and the query filters
    records = joined.get_search_results(
        query_text=QUESTION, top_k=100, query_params={"corpus": corpus}
    ).records
    assert [record["title"] for record in records] == expected
    assert "Mira Tolan" in records[0]["entities"]
    with pytest.raises(Exception, match="No index with name"):
        VectorRetriever(driver, "no_such_index", **options)


def title_of(content: str) -> str:
    """Return the title in a node that the library prints as a dictionary."""
    title: str = ast.literal_eval(content)["title"]
    return title


@pytest.mark.filterwarnings("ignore")
def test_langchain_finds_what_dense_finds(
    clew: Clew, corpus: str, neo4j_server: Neo4jConfig
) -> None:
    expected = [chunk.title for chunk in clew.search(QUESTION, corpus, "dense", k=3).chunks]

    class AsLangChain(Embeddings):
        """Clew's embedder, as that library calls it."""

        def embed_query(self, text: str) -> list[float]:
            return SameEmbedder(clew).embed_query(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

    server: dict[str, Any] = {
        "url": neo4j_server.uri,
        "username": neo4j_server.username,
        "password": neo4j_server.password,
    }
    plain = Neo4jVector.from_existing_index(AsLangChain(), "chunk_embedding", **server)
    found = plain.similarity_search_with_score(QUESTION, k=3, filter={"corpus": corpus})
    assert [document.metadata["title"] for document, _ in found] == expected
    assert found[0][0].page_content == TEXTS["Seld Shipyard"]
    joined = Neo4jVector.from_existing_index(
        AsLangChain(), "chunk_embedding", retrieval_query=JOINED, **server
    )
    documents = joined.similarity_search(QUESTION, k=100, params={"corpus": corpus})
    assert [document.metadata["title"] for document in documents] == expected
    assert "Mira Tolan" in documents[0].metadata["entities"]
    for store in (plain, joined):
        store._driver.close()
