"""Keeps one service alive: start, wait until well, watch, start again."""

import logging
import re
import threading
import time
from collections.abc import Callable, Mapping

from clew.errors import CLEW_ERRORS, ServiceFailed
from clew.resources.runtime_state import ServiceRow, ServiceState
from clew.runtime.services import Service
from clew_cypher.embedded import OwnedProcess

log = logging.getLogger("clew.runtime")

POLL_S = 0.2
CHECK_S = 5.0
READY_POLL_S = 0.25
FIRST_BACK_OFF_S = 0.2
LONGEST_BACK_OFF_S = 30.0
FAILED_CHECKS = 12
"""Checks in a row that fail before a process that still runs is taken for stuck."""
FIRST_ATTEMPTS = 3
"""Starts that may fail before the runtime gives up on a service that was never well."""
MOVED = "what it uses has moved"
_EXCEPTION = re.compile(r"[\w.]+(Error|Exception|Unavailable|NotRunning|Setting|Failed): ")


class Watcher(threading.Thread):
    """The thread of one service. ``changed`` is called whenever ``row`` has."""

    def __init__(
        self,
        service: Service,
        healthy: Mapping[str, threading.Event],
        changed: Callable[[], None],
        moved: Callable[[str], None],
    ) -> None:
        super().__init__(name=f"watch-{service.name}", daemon=True)
        self.service = service
        self.row = ServiceRow(
            service.name,
            service.title,
            ServiceState.WAITING,
            service.address,
            since=time.time(),
            log=str(service.log),
        )
        self.was_healthy = False
        self._healthy = healthy
        self._changed = changed
        self._moved = moved
        self._over = threading.Event()
        self._last_life = threading.Event()
        self._restart = threading.Event()
        self._process: OwnedProcess | None = None
        self._guard = threading.Lock()

    def run(self) -> None:
        """Keep the service up until ``stop``."""
        failures = 0
        while not self._over.is_set():
            if not self._wait_for_dependencies():
                break
            well = False
            why = ""
            try:
                well, why = self._one_life()
            except (*CLEW_ERRORS, OSError) as error:
                why = str(error)
            except Exception as error:
                log.exception("%s: unexpected", self.service.name)
                why = f"{type(error).__name__}: {error}"
            finally:
                self._healthy[self.service.name].clear()
                self._end_process()
            if self._over.is_set() or self._last_life.is_set():
                break
            failures = 0 if well else failures + 1
            log.warning("%s is down: %s", self.service.name, why)
            if not self.was_healthy and failures >= FIRST_ATTEMPTS:
                self._set(ServiceState.FAILED, pid=None, detail=why)
                return
            self._set(ServiceState.RESTARTING, pid=None, detail=why, restarts=self.row.restarts + 1)
            self._over.wait(min(FIRST_BACK_OFF_S * 2 ** min(failures, 10), LONGEST_BACK_OFF_S))
        self._set(ServiceState.STOPPED, pid=None)

    def let_end(self) -> None:
        """Start the service no more once it ends: a service manager may have ended it already."""
        self._last_life.set()

    def ask_to_stop(self) -> None:
        """Begin to stop the service; ``join`` waits until it has ended."""
        self._over.set()
        with self._guard:
            if self._process is not None:
                self._process.ask_to_stop()

    def ask_to_restart(self) -> None:
        """Start the service anew, because what it uses has moved."""
        self._restart.set()

    def _one_life(self) -> tuple[bool, str]:
        """Start and watch until the process ends; return whether it was ever well, and why."""
        self._set(ServiceState.STARTING, detail="")
        self._restart.clear()
        address = self.service.address
        with self._guard:
            if self._over.is_set():
                return False, "it was stopped"
            process = self._process = self.service.start()
        started = time.monotonic()
        log.info("%s starts", self.service.name)
        self._set(ServiceState.STARTING, pid=process.child_pid, address=self.service.address)
        if self.service.address != address:
            self._moved(self.service.name)
        if not self._wait_until_well(process):
            if self._restart.is_set():
                return True, MOVED
            if process.alive and not self._over.is_set():
                return False, f"it did not answer within {self.service.ready_s:.0f} s"
            return False, self._end_of(process)
        log.info("%s is healthy after %.1f s", self.service.name, time.monotonic() - started)
        self.was_healthy = True
        self._healthy[self.service.name].set()
        self._set(ServiceState.HEALTHY, pid=process.child_pid, detail="")
        return True, self._watch(process)

    def _wait_until_well(self, process: OwnedProcess) -> bool:
        deadline = time.monotonic() + self.service.ready_s
        while process.alive and time.monotonic() < deadline:
            if self.row.pid is None and process.child_pid is not None:
                self._set(ServiceState.STARTING, pid=process.child_pid)
            if self.service.check():
                self.service.upgrade(self._upgrading)
                return True
            if not self._used_are_healthy():
                deadline = time.monotonic() + self.service.ready_s
            if self._over.wait(READY_POLL_S) or self._restart.is_set():
                return False
        return False

    def _used_are_healthy(self) -> bool:
        used = (self._healthy.get(name) for name in self.service.uses)
        return all(event.is_set() for event in used if event is not None)

    def _upgrading(self, what: str) -> None:
        """Show how far the service's upgrade is. Raises ServiceFailed where it is to stop."""
        if self._over.is_set():
            raise ServiceFailed("it was stopped")
        self._set(ServiceState.UPGRADING, detail=what)

    def _watch(self, process: OwnedProcess) -> str:
        failed = 0
        next_check = time.monotonic() + CHECK_S
        while not self._over.wait(POLL_S):
            if not process.alive:
                return self._end_of(process)
            if self._restart.is_set():
                return MOVED
            if time.monotonic() < next_check:
                continue
            failed = 0 if self.service.check() else failed + 1
            next_check = time.monotonic() + CHECK_S
            if not process.alive:
                continue
            if failed >= FAILED_CHECKS:
                return f"it did not answer {failed} checks in a row"
            if failed == 2:
                self._set(ServiceState.UNHEALTHY, detail="it does not answer")
            elif failed == 0 and self.row.state is ServiceState.UNHEALTHY:
                self._set(ServiceState.HEALTHY, detail="")
        return "it was stopped"

    def _end_process(self) -> None:
        with self._guard:
            process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _wait_for_dependencies(self) -> bool:
        for name in self.service.after:
            while name in self._healthy and not self._healthy[name].wait(POLL_S):
                if self._over.is_set():
                    return False
        return True

    def _end_of(self, process: OwnedProcess) -> str:
        status = process.exit_status
        how = f"signal {status - 128}" if status and status > 128 else f"status {status}"
        words = last_words(self.service)
        return f"it ended with {how}" + (f": {words}" if words else "")

    def _set(self, state: ServiceState, **values: object) -> None:
        changes: dict[str, object] = {"state": state, "since": time.time(), **values}
        self.row = ServiceRow(**{**self.row.__dict__, **changes})
        self._changed()


def last_words(service: Service, length: int = 300) -> str:
    """Return the last line of the service's log that looks like a reason."""
    try:
        with service.log.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 8192))
            lines = file.read().decode(errors="replace").strip().splitlines()
    except OSError:
        return ""
    lines = [line for line in lines if not line.startswith(("\tat ", "\t... "))]  # Java's stack
    reasons = [line for line in lines if _EXCEPTION.match(line)]
    marked = [line for line in lines if "ERROR" in line or "rror:" in line]
    return (reasons or marked or lines or [""])[-1].strip()[:length].rstrip(".")
