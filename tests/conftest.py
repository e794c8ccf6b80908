"""Fixtures of the integration tests: one real Neo4j a process, a corpus of its own for each test.

Variables: ``CLEW_TEST_NEO4J_URI`` and ``CLEW_TEST_NEO4J_PASSWORD`` (user neo4j) name a server that
runs already; otherwise one is started in a temporary directory with the jars in
``CLEW_TEST_CACHE_DIR`` (default: ``.clew/cache`` in the repository).

With ``pytest-xdist`` each worker has a Neo4j of its own, so that what one test does to the schema
or kills is never seen by a test beside it; ``tests/running_order.py`` says what stays together.
"""

import os
import shutil
import sys
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from .running_order import pytest_collection_modifyitems, pytest_xdist_make_scheduler
from .time_spent import pytest_terminal_summary

if TYPE_CHECKING:
    from clew.settings import Settings
    from clew_cypher.store import GraphStore, Neo4jConfig

    from .running_clew import OwnSettings

__all__ = [
    "pytest_collection_modifyitems",
    "pytest_terminal_summary",
    "pytest_xdist_make_scheduler",
]

# A run starts some forty Python processes: they read compiled modules even where the environment
# forbids to write them, which is 5 s of processor time each for those that load models.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# What two workers compute side by side would fight for the cores with two threads each.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Each Java lives for minutes: the second compiler would cost more than it gives back.
os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1"

# What a developer keeps in a `.env` is not what is tested.
os.environ["CLEW_ENV_FILE"] = ""

REPOSITORY = Path(__file__).resolve().parent.parent
DIMENSION = 384


@pytest.fixture(scope="session", autouse=True)
def _children_kept() -> Iterator[None]:
    """The child processes of ingest serve the whole run; see `children_ending`."""
    from .children_kept import children_kept

    with children_kept():
        yield


@pytest.fixture(scope="session")
def cache_dir() -> Path:
    """The directory of the jars, shared with the runs before."""
    return Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))


@pytest.fixture(scope="session")
def neo4j_server(
    cache_dir: Path,
    tmp_path_factory: pytest.TempPathFactory,
    corpus_names: deque[str],
    request: pytest.FixtureRequest,
) -> Iterator["Neo4jConfig"]:
    """A real Neo4j with GDS for the whole run.

    The schema is there, with a word index for each corpus that a module names: a string whose name
    ends with ``CORPUS``. To make one later changes the schema; see ``_word_indexes_kept``.
    """
    from clew_cypher.schema import ensure_schema
    from clew_cypher.searching.words import ensure_word_index
    from clew_cypher.store import GraphStore

    modules = {item.module for item in request.session.items if isinstance(item, pytest.Function)}
    named = {
        value
        for module in modules
        for name, value in vars(module).items()
        if name.endswith("CORPUS") and isinstance(value, str)
    }
    with _started(cache_dir, tmp_path_factory) as config:
        with GraphStore(config) as store:
            ensure_schema(store, DIMENSION)
            for name in [*corpus_names, *sorted(named)]:
                ensure_word_index(store, name)
        yield config


@contextmanager
def _started(cache_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator["Neo4jConfig"]:
    from clew_cypher.embedded import EmbeddedNeo4j, startup_cache_path
    from clew_cypher.embedded.server import free_ports
    from clew_cypher.store import Neo4jConfig

    class KeepsPlans(EmbeddedNeo4j):
        """Never plans a statement again because the graph has grown: each test starts empty.

        Nor for lists and texts of another length, for which Neo4j makes plans of their own.
        """

        def prepare(self) -> None:
            super().prepare()
            with (self.home / "conf" / "neo4j.conf").open("a") as configuration:
                configuration.write("dbms.cypher.min_replan_interval=1h\n")
                configuration.write("internal.cypher.use_parameter_size=false\n")

    uri = os.environ.get("CLEW_TEST_NEO4J_URI")
    if uri:
        yield Neo4jConfig(uri, "neo4j", os.environ["CLEW_TEST_NEO4J_PASSWORD"], "neo4j")
        return
    startup = startup_cache_path(cache_dir)  # of an earlier `clew up` in this directory
    options = (f"-XX:AOTCache={startup}",) if startup.exists() else ()
    home = tmp_path_factory.mktemp("neo4j")
    # workers that start at once would all find the usual ports free, and meet at them
    ports = free_ports(0, 0)
    with KeepsPlans(home, cache_dir, 1024, 256, *ports, java_options=options) as server:
        yield server.config


@pytest.fixture(scope="session")
def own_settings(neo4j_server: "Neo4jConfig", cache_dir: Path) -> "OwnSettings":
    """Makes settings of a Clew of a test's own in that Neo4j: ``own_settings(home, **more)``."""
    from .running_clew import settings_in

    return partial(settings_in, neo4j_server, cache_dir)


@pytest.fixture(scope="session")
def store(neo4j_server: "Neo4jConfig") -> Iterator["GraphStore"]:
    """A GraphStore on that server, its schema in place for vectors of 384 numbers."""
    from clew_cypher.store import GraphStore

    with GraphStore(neo4j_server) as store:
        yield store


@pytest.fixture(scope="session", autouse=True)
def _word_indexes_kept() -> Iterator[None]:
    """Keep the word index of a corpus that is deleted here, for the next corpus of that name.

    To make or drop one changes the schema, and Neo4j then plans every statement anew: 20 s of
    processor time for all of them. ``word_indexes_dropped`` is the way out.
    """
    with mock.patch("clew_cypher.corpora.drop_word_index"):
        yield


@pytest.fixture
def word_indexes_dropped() -> Iterator[None]:
    """What a corpus has goes with it, as in the product, its word index too."""
    from clew_cypher.searching.words import drop_word_index

    with mock.patch("clew_cypher.corpora.drop_word_index", drop_word_index):
        yield


@pytest.fixture(scope="session")
def corpus_names() -> deque[str]:
    """Names of corpora to take and to give back; their word indexes are there."""
    return deque(f"test-{uuid.uuid4().hex[:12]}" for _ in range(8))


@pytest.fixture
def corpus(store: "GraphStore", corpus_names: deque[str]) -> Iterator[str]:
    """The name of a corpus that does not exist and that no other test uses now."""
    from clew_cypher.searching.projection_catalog import drop_projections

    name = corpus_names.popleft()
    yield name
    for statement, limit in (("delete_corpus_triples", 10_000), ("delete_corpus_nodes", 2000)):
        while store.write(statement, corpus=name, limit=limit)[0]["deleted"]:
            pass
    store.write("delete_corpus", corpus=name)
    drop_projections(store, name)
    # jobs and runs too, which outlive a corpus
    store.run_declared("CYPHER 25 MATCH (n {corpus: $corpus}) DETACH DELETE n", {"corpus": name})
    corpus_names.append(name)


@pytest.fixture(scope="session")
def runtime(cache_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator["Settings"]:
    """The settings of what `clew up` started, for all tests that need it."""
    from .running_clew import running_clew, runtime_settings

    home = tmp_path_factory.mktemp("runtime") / "home"
    with running_clew(runtime_settings(home, cache_dir)) as settings:
        yield settings


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Real headless Chromium; the tests that need one are skipped where none is installed."""
    if CHROMIUM is None:
        pytest.skip("No Chromium was found; Debian's package is called `chromium`.")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)  # a machine that is busy takes its time

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield browser
        browser.close()
