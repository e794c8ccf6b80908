"""A Neo4j with GDS as a child process, on loopback, from the jars of the lock file."""

import contextlib
import errno
import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from clew_cypher.embedded.configuration import (
    DATABASE,
    HOST,
    USERNAME,
    ServerOptions,
    argument_file,
    first_password,
    java_arguments,
    neo4j_conf,
    write_private,
)
from clew_cypher.embedded.jars import Progress, ensure_jars
from clew_cypher.embedded.java import Java, java
from clew_cypher.embedded.lock import locked_jars
from clew_cypher.embedded.process import OwnedProcess
from clew_cypher.errors import GraphUnavailable

if TYPE_CHECKING:
    from clew_cypher.store import Neo4jConfig

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"
STOP_GRACE_S = 30.0
DEFAULT_BOLT_PORT = 7687
_POLL_S = 0.15


class EmbeddedNeo4j:
    """One local Neo4j Community server with GDS, its data under ``home``.

    ``cache_dir`` holds the jars (fetched where missing, from ``repository`` or Maven Central).
    ``heap_mib`` and ``page_cache_mib`` are its memory; the wanted ports are replaced by free ones
    where they are taken, see ``config`` and ``browser_url``. ``procedures``: what may be called
    beside what Clew calls. As a context manager it starts,
    waits until it answers, and stops.
    """

    def __init__(
        self,
        home: Path,
        cache_dir: Path,
        heap_mib: int = 1024,
        page_cache_mib: int = 512,
        bolt_port: int = 7687,
        browser_port: int = 7474,
        *,
        repository: str | None = None,
        progress: Progress | None = None,
        transaction_timeout_s: int = 600,
        environment: Mapping[str, str] | None = None,
        java_options: Sequence[str] = (),
        procedures: Sequence[str] = (),
        niceness: int = 0,
        stop_grace_s: float = STOP_GRACE_S,
    ) -> None:
        self.home = Path(home).absolute()
        self.cache_dir = Path(cache_dir).absolute()
        self.heap_mib = heap_mib
        self.page_cache_mib = page_cache_mib
        self.wanted_ports = (bolt_port, browser_port)
        self.repository = repository
        self.progress = progress
        self.transaction_timeout_s = transaction_timeout_s
        self.environment = environment
        self.java_options = tuple(java_options)
        self.procedures = tuple(procedures)
        self.niceness = niceness
        self.stop_grace_s = stop_grace_s
        self._options: ServerOptions | None = None
        self._password = ""
        self._process: OwnedProcess | None = None

    @property
    def config(self) -> "Neo4jConfig":
        """How to connect; known once ``prepare`` or ``start`` has chosen the ports."""
        from clew_cypher.store import Neo4jConfig

        options = self._prepared()
        uri = f"bolt://{HOST}:{options.bolt_port}"
        return Neo4jConfig(uri, USERNAME, self._password, DATABASE)

    @property
    def browser_url(self) -> str:
        """Address of Neo4j Browser."""
        return f"http://{HOST}:{self._prepared().browser_port}/browser/"

    @property
    def log(self) -> Path:
        """What the process printed; Neo4j's own logs lie beside it."""
        return self.home / "logs" / "console.log"

    @property
    def alive(self) -> bool:
        """Whether the process runs; it may not answer yet."""
        return self._process is not None and self._process.alive

    @property
    def process(self) -> OwnedProcess | None:
        """The running process, None before ``start``."""
        return self._process

    def prepare(self) -> None:
        """Fetch the jars, choose the ports, write configuration and password. Starts nothing."""
        jars = ensure_jars(self.cache_dir, self.progress, self.repository)
        for name in ("conf", "data", "logs", "plugins", "run", "import", "licenses"):
            (self.home / name).mkdir(parents=True, exist_ok=True)
        bolt_port, browser_port = free_ports(*self.wanted_ports)
        self.wanted_ports = (bolt_port, browser_port)  # a second start keeps its address
        options = ServerOptions(
            bolt_port,
            browser_port,
            self.heap_mib,
            self.page_cache_mib,
            self.transaction_timeout_s,
            self.procedures,
        )
        self._link_plugins()
        (self.home / "conf" / "neo4j.conf").write_text(neo4j_conf(options))
        arguments = [*self._java().options, *self.java_options, *java_arguments(options, jars)]
        write_private(self._argument_file, argument_file(arguments))
        self._password = first_password(self.home)
        self._options = options

    def command(self) -> list[str]:
        """Return the command that ``start`` runs; it shows no secret."""
        return [
            str(self._java().program),
            f"@{self._argument_file}",
            MAIN_CLASS,
            f"--home-dir={self.home}",
            f"--config-dir={self.home / 'conf'}",
        ]

    def _java(self) -> Java:
        return java(os.environ if self.environment is None else self.environment)

    def start(self) -> None:
        """Start the server and return at once; ``wait_ready`` waits until it answers."""
        if self.alive:
            return
        self.stop()
        self.prepare()
        polite = ["nice", "-n", str(self.niceness)] if self.niceness else []
        self._process = OwnedProcess(
            [*polite, *self.command()],
            log=self.log,
            environment=self._environment(),
            directory=self.home,
            grace_s=self.stop_grace_s,
        )

    def wait_ready(self, timeout: float = 120.0) -> None:
        """Return when the database takes transactions and Neo4j Browser is there.

        Raises GraphUnavailable when the server ends or does not answer in ``timeout`` seconds.
        """
        deadline = time.monotonic() + timeout
        config = self.config
        while True:
            if not self.alive:
                raise GraphUnavailable(
                    f"Neo4j ended while it started: {self._last_words()}",
                    remedy=f"The whole story is in {self.log}.",
                )
            if self.answers():
                return
            if time.monotonic() > deadline:
                raise GraphUnavailable(
                    f"Neo4j did not answer at {config.uri} within {timeout:.0f} s.",
                    remedy=f"Look into {self.log}; give it more memory or time.",
                )
            time.sleep(_POLL_S)

    def answers(self) -> bool:
        """Whether the database takes transactions now and Neo4j Browser is there."""
        return answers(self.config) and is_listening(HOST, self._prepared().browser_port)

    def stop(self) -> None:
        """Stop the server in order; what it had committed stays."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def __enter__(self) -> "EmbeddedNeo4j":
        self.start()
        try:
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _environment(self) -> Mapping[str, str] | None:
        """Return the environment, in a locale in which Java can name the home: it has no other way
        to know how names are written.
        """
        given = os.environ if self.environment is None else self.environment
        locale = given.get("LC_ALL") or given.get("LC_CTYPE") or given.get("LANG") or "C"
        if str(self.home).isascii() or "utf8" in locale.lower().replace("-", ""):
            return self.environment
        return {**given, "LC_ALL": "C.UTF-8"}

    @property
    def _argument_file(self) -> Path:
        return self.home / "conf" / "java.arguments"

    def _prepared(self) -> ServerOptions:
        if self._options is None:
            raise GraphUnavailable("The embedded Neo4j has not been started.")
        return self._options

    def _link_plugins(self) -> None:
        folder = self.home / "plugins"
        wanted = {Path(jar.path).name: jar.path for jar in locked_jars() if jar.is_gds}
        for found in folder.glob("*.jar"):
            if found.is_symlink() and found.name not in wanted:
                found.unlink()
        for name, path in wanted.items():
            target = self.cache_dir / "jars" / path
            link = folder / name
            if not (link.is_symlink() and link.readlink() == target):
                link.unlink(missing_ok=True)
                link.symlink_to(target)

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            lines = self.log.read_text(errors="replace").splitlines()[-400:]
            said = [line.strip() for line in lines if not line.lstrip().startswith(("at ", "..."))]
            for line in reversed(said):
                if "Exception" in line or "ERROR" in line or "Error" in line:
                    return line
            if said:
                return said[-1]
        return "it printed nothing."


def answers(config: "Neo4jConfig", timeout_s: float = 5.0) -> bool:
    """Whether the database takes a transaction now.

    Raises GraphUnavailable where it answers but refuses the credentials.
    """
    address = urlsplit(config.uri)
    if not is_listening(address.hostname or HOST, address.port or DEFAULT_BOLT_PORT):
        return False
    from clew_cypher.driver import neo4j  # here, since it takes 0.3 s

    driver = neo4j.GraphDatabase.driver(
        config.uri,
        auth=(config.username, config.password),
        connection_timeout=timeout_s,
        connection_acquisition_timeout=timeout_s,
    )
    try:
        with driver.session(database=config.database) as session:
            session.begin_transaction(timeout=timeout_s).rollback()
        return True
    except neo4j.exceptions.AuthError as error:
        raise GraphUnavailable(
            f"Neo4j at {config.uri} refuses the password kept for it.",
            remedy="The password file and the data directory beside it belong together.",
        ) from error
    except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError, OSError):
        return False
    finally:
        driver.close()


def is_listening(host: str, port: int) -> bool:
    """Whether something accepts connections there."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


PORTS_TRIED = 20


def free_ports(*wanted: int, host: str = HOST) -> tuple[int, ...]:
    """Return for each wanted port itself where it is free, else one of the next that is, so that an
    address stays the same from one start to the next; else any that is free.

    Raises OSError where a port must not be used, or the host is no address of this machine.
    """
    chosen: list[int] = []
    with contextlib.ExitStack() as held:
        for port in wanted:
            near = range(port + 1, min(port + PORTS_TRIED, 65536)) if port else ()
            for candidate in (port, *near, 0):
                listener = _listening(host, candidate)
                if listener is not None:
                    break
            else:
                raise OSError(errno.EADDRINUSE, "no port is free", host)
            held.enter_context(listener)
            chosen.append(listener.getsockname()[1])
    return tuple(chosen)


def _listening(host: str, port: int) -> socket.socket | None:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # else a second socket could bind the same port
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    return listener
