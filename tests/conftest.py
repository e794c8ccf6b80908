"""Fixtures of the integration tests: one real Neo4j for the run, a corpus of its own for each test.

Variables: ``CLEW_TEST_NEO4J_URI`` and ``CLEW_TEST_NEO4J_PASSWORD`` (user neo4j) name a server that
runs already; otherwise one is started in a temporary directory with the jars in
``CLEW_TEST_CACHE_DIR`` (default: ``.clew/cache`` in the repository).
"""

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from clew_cypher.store import GraphStore, Neo4jConfig

REPOSITORY = Path(__file__).resolve().parent.parent
DIMENSION = 384


@pytest.fixture(scope="session")
def cache_dir() -> Path:
    """The directory of the jars, shared with the runs before."""
    return Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))


@pytest.fixture(scope="session")
def neo4j_server(
    cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator["Neo4jConfig"]:
    """A real Neo4j with GDS for the whole run."""
    from clew_cypher.embedded import EmbeddedNeo4j
    from clew_cypher.store import Neo4jConfig

    uri = os.environ.get("CLEW_TEST_NEO4J_URI")
    if uri:
        yield Neo4jConfig(uri, "neo4j", os.environ["CLEW_TEST_NEO4J_PASSWORD"], "neo4j")
        return
    with EmbeddedNeo4j(tmp_path_factory.mktemp("neo4j"), cache_dir, 1024, 256) as server:
        yield server.config


@pytest.fixture(scope="session")
def store(neo4j_server: "Neo4jConfig") -> Iterator["GraphStore"]:
    """A GraphStore on that server, its schema in place for vectors of 384 numbers."""
    from clew_cypher.schema import ensure_schema
    from clew_cypher.store import GraphStore

    with GraphStore(neo4j_server) as store:
        ensure_schema(store, DIMENSION)
        yield store


@pytest.fixture
def corpus(store: "GraphStore") -> Iterator[str]:
    """The name of a corpus that no other test uses; deleted afterwards."""
    from clew_cypher.corpora import delete_corpus
    from clew_cypher.errors import UnknownCorpus

    name = f"test-{uuid.uuid4().hex[:12]}"
    yield name
    with contextlib.suppress(UnknownCorpus):
        delete_corpus(store, name)
