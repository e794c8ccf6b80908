"""The process behind ``clew up``: owns every service, writes the state, ends with them."""

import logging
import logging.handlers
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from clew.errors import CLEW_ERRORS, ServiceFailed
from clew.resources.connecting import external_broker, external_neo4j
from clew.resources.runtime_state import (
    RuntimeState,
    ServiceRow,
    ServiceState,
    log_directory,
    supervisor_lock,
    write_state,
)
from clew.runtime.environment import bare_environment
from clew.runtime.leftovers import end_leftovers
from clew.runtime.services import Service, local_services
from clew.runtime.upgrading import upgrade_graph
from clew.runtime.watcher import Watcher
from clew.settings import Settings
from clew_cypher.embedded import StartupCacheTraining, startup_cache_path
from clew_cypher.errors import GraphError, GraphUnavailable

if TYPE_CHECKING:
    from clew_cypher.store import Neo4jConfig

LARGEST_BYTES = 10 * 1024 * 1024
KEPT = 3


def rotate_logs(
    paths: Iterable[Path], largest: int = LARGEST_BYTES, kept: int = KEPT
) -> list[Path]:
    """Rotate each file that has grown past ``largest`` bytes; return those.

    The files are written in append mode, so that what comes after the cut starts a new file. One
    that cannot be rotated, since the disk is full, stays as it is.
    """
    rotated = []
    for path in paths:
        try:
            if path.is_file() and path.stat().st_size > largest:
                _rotate(path, kept)
                rotated.append(path)
        except OSError as error:
            log.warning("%s could not be rotated: %s", path, error)
    return rotated


def _rotate(path: Path, kept: int) -> None:
    copy = path.with_name(f"{path.name}.copy")
    try:
        shutil.copyfile(path, copy)
    except OSError:
        copy.unlink(missing_ok=True)
        raise
    for number in range(kept, 1, -1):
        older = path.with_name(f"{path.name}.{number - 1}")
        if older.exists():
            older.replace(path.with_name(f"{path.name}.{number}"))
    copy.replace(path.with_name(f"{path.name}.1"))
    with path.open("r+b") as file:
        file.truncate(0)


log = logging.getLogger("clew.runtime")

ALREADY_RUNNING = 17
"""Exit status where another supervisor has the lock: the caller joins that one."""
ROTATE_S = 30.0
READY_CHECK_S = 1.0


class Supervisor:
    """Runs the services of one home until it is told to stop, or one cannot be started."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.state = RuntimeState(os.getpid())
        self._watchers: dict[str, Watcher] = {}
        self._external: list[ServiceRow] = _external_rows(settings)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._unwritten = False
        self._training = StartupCacheTraining(settings.cache, bare_environment(settings))

    def run(self) -> int:
        """Start everything and stay; return the exit status."""
        home = self.settings.home
        with supervisor_lock(home) as mine:
            if not mine:
                return ALREADY_RUNNING
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, self._on_signal)
            try:
                write_state(home, self.state)
                end_leftovers(home)
                external = external_neo4j(self.settings)
                if external is not None:
                    self._upgrade(external)
                services = local_services(self.settings)
                self._start(services)
                if self.settings.neo4j_uri is None and self.settings.neo4j_startup_cache:
                    threading.Thread(target=self._train, name="startup-cache", daemon=True).start()
                while not self._stop.wait(ROTATE_S):
                    rotate_logs(service.log for service in services)
                    if self._unwritten:
                        self._changed()
            except (*CLEW_ERRORS, OSError) as error:
                log.error("%s", error)
                if not self._stop.is_set():
                    self.state.failure = str(error)
            except Exception as error:
                self.state.failure = f"{type(error).__name__}: {error}"
                log.exception("the supervisor failed")
            self._shut_down()
        return 1 if self.state.failure else 0

    def stop(self) -> None:
        """Make ``run`` stop the services and return."""
        self._stop.set()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop.set()

    def _start(self, services: list[Service]) -> None:
        healthy = {service.name: threading.Event() for service in services}
        for service in services:
            service.describe(self.state)
        self._watchers = {
            service.name: Watcher(service, healthy, self._changed, self._moved)
            for service in services
        }
        self._changed()
        for watcher in self._watchers.values():
            watcher.start()

    def _upgrade(self, config: "Neo4jConfig") -> None:
        rows = list(self._external)

        def tell(what: str) -> None:
            if self._stop.is_set():
                raise ServiceFailed("Clew was stopped.")
            now = time.time()
            row = replace(rows[0], state=ServiceState.UPGRADING, since=now, detail=what)
            self._external = [row, *rows[1:]]
            self._changed()

        try:
            upgrade_graph(config, tell)
        except GraphUnavailable as error:
            # the workers say so, too, and upgrade it when it is there
            log.warning("the graph could not be looked at: %s", error)
        finally:
            self._external = rows

    def _train(self) -> None:
        """Make Neo4j's start-up cache as soon as everything runs, for the next start.

        It takes the processor only when nobody else wants it: a machine that is never idle would
        else never have one.
        """
        if os.access(startup_cache_path(self.settings.cache), os.R_OK):
            return
        while not self.state.ready:
            if self._stop.wait(READY_CHECK_S):
                return
        try:
            log.info("making the start-up cache of Neo4j: %s", self._training.run())
        except (GraphError, OSError) as error:
            log.warning("the start-up cache of Neo4j could not be made: %s", error)

    def _moved(self, name: str) -> None:
        """A service came back at another address: those that know the old one start anew."""
        log.warning("%s has moved to %s", name, self._watchers[name].service.address)
        for watcher in self._watchers.values():
            if name in watcher.service.uses:
                watcher.ask_to_restart()

    def _changed(self) -> None:
        with self._lock:
            rows = [watcher.row for watcher in self._watchers.values()]
            for watcher in self._watchers.values():
                watcher.service.describe(self.state)
            self.state.services = self._external + rows
            self.state.ready = bool(rows) and all(
                row.state in (ServiceState.HEALTHY, ServiceState.UNHEALTHY) for row in rows
            )
            for row in rows:
                if row.state is ServiceState.FAILED and not self.state.failure:
                    self.state.failure = (
                        f"{row.title} could not be started: {row.detail}. "
                        f"The whole story is in {row.log}."
                    )
                    self._stop.set()
            try:
                write_state(self.settings.home, self.state)
                self._unwritten = False
            except OSError as error:  # whoever has a service to watch goes on watching it
                if not self._unwritten:
                    log.warning("the state cannot be written, it is tried again: %s", error)
                self._unwritten = True

    def _shut_down(self) -> None:
        with self._lock:
            self.state.stopping = True
            self.state.ready = False
        self._training.cancel()
        self._changed()
        watchers = list(self._watchers.values())
        for watcher in watchers:
            watcher.let_end()
        used = {name for watcher in watchers for name in watcher.service.uses}
        for stage in (False, True):
            group = [w for w in watchers if (w.service.name in used) is stage]
            for watcher in group:
                watcher.ask_to_stop()
            for watcher in group:
                if watcher.ident is not None:
                    watcher.join()
        end_leftovers(self.settings.home)


def _external_rows(settings: Settings) -> list[ServiceRow]:
    rows = []
    if settings.neo4j_uri is not None:
        rows.append(ServiceRow("neo4j", "Neo4j", ServiceState.EXTERNAL, settings.neo4j_uri))
    broker = external_broker(settings)
    if broker is not None:
        url = urlsplit(broker.get_secret_value())
        shown = f"{url.scheme}://{url.netloc.rpartition('@')[2]}"
        rows.append(ServiceRow("broker", "Broker", ServiceState.EXTERNAL, shown))
    return rows


def main() -> int:
    """Run the supervisor with the settings of the environment; its log is rotated."""
    os.umask(0o077)  # the services' too: questions, documents and logs are the owner's
    settings = Settings.load()
    folder = log_directory(settings.home)
    folder.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(
        folder / "supervisor.log", maxBytes=5_000_000, backupCount=3
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
    return Supervisor(settings).run()


if __name__ == "__main__":
    sys.exit(main())
