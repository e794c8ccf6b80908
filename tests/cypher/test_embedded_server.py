"""The embedded Neo4j itself: closed to others, limited, and with the same data after a kill."""

import os
import shutil
import signal
import socket
import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import neo4j
import psutil
import pytest
from neo4j.exceptions import AuthError, Neo4jError

from clew_cypher.backup import GraphDigest, read_graph
from clew_cypher.embedded import EmbeddedNeo4j, StartupCacheTraining, answers, free_ports
from clew_cypher.embedded.plugin import lay_out_plugin, plugin_jars
from clew_cypher.errors import GraphUnavailable, StatementFailed
from clew_cypher.store import GraphStore, Neo4jConfig


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, cache_dir: Path) -> Iterator[EmbeddedNeo4j]:
    """A server of its own, since this module kills it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        home = tmp_path_factory.mktemp("embedded")
        with EmbeddedNeo4j(home, cache_dir, 512, 64, port, port) as server:
            assert str(port) not in server.config.uri + server.browser_url
            yield server


def rows(config: Neo4jConfig, query: str, **values: object) -> list[dict[str, object]]:
    with neo4j.GraphDatabase.driver(config.uri, auth=("neo4j", config.password)) as driver:
        return [record.data() for record in driver.execute_query(query, values).records]


def test_it_listens_on_loopback_only(server: EmbeddedNeo4j) -> None:
    assert server.process is not None
    assert server.process.child_pid is not None
    listening = [
        connection.laddr
        for connection in psutil.Process(server.process.child_pid).net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) >= 2
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}


def test_only_the_kept_password_opens_it(server: EmbeddedNeo4j) -> None:
    config = server.config
    assert len(config.password) >= 43
    assert stat.S_IMODE((server.home / "password").stat().st_mode) == 0o600
    assert stat.S_IMODE((server.home / "data" / "dbms" / "auth.ini").stat().st_mode) == 0o600
    assert config.password not in repr(config)
    assert config.password not in " ".join(server.command())
    with (
        neo4j.GraphDatabase.driver(config.uri, auth=("neo4j", "neo4j")) as driver,
        pytest.raises(AuthError),
    ):
        driver.verify_connectivity()
    with pytest.raises(GraphUnavailable, match="refuses the password"):
        answers(Neo4jConfig(config.uri, "neo4j", "wrong", "neo4j"))


def test_gds_and_the_browser_are_there(server: EmbeddedNeo4j) -> None:
    assert rows(server.config, "RETURN gds.version() AS version") == [{"version": "2.26.0"}]
    found = httpx.get(server.browser_url)
    assert found.status_code == 200
    assert "Neo4j Browser" in found.text


@pytest.mark.parametrize(
    "query",
    [
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "CALL apoc.help('load')",
        "CALL dbms.upgrade()",
    ],
)
def test_what_is_not_needed_is_refused(server: EmbeddedNeo4j, query: str) -> None:
    with pytest.raises(Neo4jError):
        rows(server.config, query)


def test_limits_are_in_force(server: EmbeddedNeo4j) -> None:
    names = [
        "db.transaction.timeout",
        "dbms.memory.transaction.total.max",
        "db.memory.transaction.max",
    ]
    found = rows(
        server.config,
        "SHOW SETTINGS YIELD name, value WHERE name IN $names RETURN name, value",
        names=names,
    )
    values = {str(row["name"]): str(row["value"]) for row in found}
    assert values["db.transaction.timeout"] == "10m"
    assert set(values) == set(names)
    assert all(value not in ("0s", "0B") for value in values.values())


def test_the_same_data_is_there_after_a_kill(server: EmbeddedNeo4j) -> None:
    rows(server.config, "CREATE (:Kept {value: $value})", value="before the kill")
    assert server.process is not None
    assert server.process.child_pid is not None
    os.kill(server.process.child_pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while server.alive:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    password = server.config.password
    server.start()
    server.wait_ready()
    assert server.config.password == password
    assert rows(server.config, "MATCH (kept:Kept) RETURN kept.value AS value") == [
        {"value": "before the kill"}
    ]


def test_a_server_that_cannot_start_says_why(tmp_path: Path, cache_dir: Path) -> None:
    class Broken(EmbeddedNeo4j):
        def prepare(self) -> None:
            super().prepare()
            with (self.home / "conf" / "neo4j.conf").open("a") as configuration:
                configuration.write("no.such.setting=1\n")

    broken = Broken(tmp_path, cache_dir, 512, 64)
    broken.start()
    try:
        with pytest.raises(GraphUnavailable, match=r"Neo4j ended while it started: .*no\.such"):
            broken.wait_ready()
    finally:
        broken.stop()


def test_a_home_may_have_any_name_in_any_locale(tmp_path: Path, cache_dir: Path) -> None:
    """Java knows by the locale alone how the names of files are written."""
    environment = {**os.environ, "LC_ALL": "C"}
    named = EmbeddedNeo4j(tmp_path / "Jürgen", cache_dir, 512, 64, environment=environment)
    with named as server:
        assert rows(server.config, "RETURN 1 AS one") == [{"one": 1}]


def test_free_ports_gives_the_wanted_ones_where_they_are_free() -> None:
    (port,) = free_ports(0)
    assert free_ports(port, port)[0] == port
    assert len(set(free_ports(port, port))) == 2
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert free_ports(port) != (port,)


def test_gds_is_a_whole_plugin_for_a_plain_server(tmp_path: Path, cache_dir: Path) -> None:
    """As in the official image: the server's own jars, then whatever lies in plugins/."""

    class Plain(EmbeddedNeo4j):
        def prepare(self) -> None:
            super().prepare()
            plugins = self.home / "plugins"
            shutil.rmtree(plugins)
            laid_out = lay_out_plugin(plugins, self.cache_dir)
            assert len(laid_out) == len(plugin_jars()) > 100
            arguments = self.home / "conf" / "java.arguments"
            class_path = arguments.read_text()
            for jar in plugin_jars():
                path = str(self.cache_dir / "jars" / jar.path)
                assert path in class_path
                class_path = class_path.replace(path, str(plugins / Path(path).name))
            arguments.write_text(class_path)

    broken = tmp_path / "broken.aot"  # Java must go on without a start-up cache that is broken
    broken.write_bytes(b"this is no cache" * 1000)
    options = (f"-XX:AOTCache={broken}",)
    with Plain(tmp_path / "home", cache_dir, 512, 64, 0, 0, java_options=options) as server:
        projected = (
            "CREATE (a)-[:TO]->(b)-[:TO]->(c) WITH a MATCH (a)-[:TO]->(b) RETURN count(*) AS n"
        )
        assert rows(server.config, projected) == [{"n": 1}]
        graph = (
            "MATCH (a)-[:TO]->(b) WITH gds.graph.project('g', a, b) AS g RETURN g.nodeCount AS n"
        )
        assert rows(server.config, graph) == [{"n": 3}]
        rank = "CALL gds.pageRank.stream('g') YIELD score RETURN count(score) AS n"
        assert rows(server.config, rank) == [{"n": 3}]


def test_a_startup_cache_training_that_is_cancelled_leaves_nothing(
    tmp_path: Path, cache_dir: Path
) -> None:
    (tmp_path / "jars").symlink_to(cache_dir / "jars")
    training = StartupCacheTraining(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(training.run)
        deadline = time.monotonic() + 60
        while training._server is None or not training._server.alive:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(0.5)
        training.cancel()
        assert result.result(60) is False
    assert list((tmp_path / "java").iterdir()) == []


def test_all_of_gds_is_there_where_it_is_asked_for(
    server: EmbeddedNeo4j, tmp_path: Path, cache_dir: Path
) -> None:
    count = "SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'gds.' RETURN count(*) AS n"
    (few,) = rows(server.config, count)
    with EmbeddedNeo4j(tmp_path, cache_dir, 512, 64, 0, 0, procedures=["gds.*"]) as other:
        (all_,) = rows(other.config, count)
        assert rows(other.config, "CALL gds.list() YIELD name RETURN count(*) > 100 AS many") == [
            {"many": True}
        ]
    assert 0 < int(str(few["n"])) < 10
    assert int(str(all_["n"])) > 100


def test_a_graph_may_take_longer_to_read_than_a_transaction_may_last(
    tmp_path: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew_cypher.backup.graph.ROWS", 1)  # fetched at once

    def read_slowly() -> None:
        for _ in store.stream("backup_nodes", 1, labels=["Corpus"], without=[]):
            time.sleep(1)

    made = "UNWIND range(1, 9) AS n MERGE (c:Corpus {name: 'c' + n}) RETURN count(c) AS n"
    short = EmbeddedNeo4j(tmp_path, cache_dir, 512, 64, 0, 0, transaction_timeout_s=4)
    with short as server, GraphStore(server.config) as store:
        for _ in range(5):
            with suppress(Neo4jError):  # the first takes long by itself
                rows(server.config, made)
        with pytest.raises(StatementFailed, match=r"[Tt]imed? ?out"):
            read_slowly()
        read = list(read_graph(store, GraphDigest(), lambda done: time.sleep(1)))
    assert len(read) == 9
