"""What the local runtime writes down about itself, and the lock that says it is alive.

``$CLEW_HOME/run/runtime.json`` (mode 0600: it holds the passwords) says where everything is;
it counts only while the supervisor holds ``supervisor.lock``, which the kernel lets go of when
the process dies, however it dies. Whoever takes the lock removes what was written before.
"""

import contextlib
import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from clew_cypher.embedded.configuration import write_private

OWNER_VARIABLE = "_CLEW_OWNER"
"""Environment variable of every child: the home directory whose runtime it belongs to."""
HOME_FOLDERS = {"neo4j", "valkey", "derived", "logs", "models", "run"}
"""What lies in a home, and tells it from another directory."""


class ServiceState(StrEnum):
    """How a service is."""

    WAITING = "waiting"
    STARTING = "starting"
    UPGRADING = "upgrading"
    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"
    RESTARTING = "restarting"
    FAILED = "failed"
    STOPPED = "stopped"
    EXTERNAL = "external"


UNREADY = (
    ServiceState.WAITING,
    ServiceState.STARTING,
    ServiceState.UPGRADING,
    ServiceState.RESTARTING,
)


@dataclass(frozen=True)
class ServiceRow:
    """One service, as ``clew status`` shows it; ``since`` is a Unix time."""

    name: str
    title: str
    state: ServiceState
    address: str = ""
    pid: int | None = None
    restarts: int = 0
    since: float = 0.0
    detail: str = ""
    log: str = ""


@dataclass
class RuntimeState:
    """Everything another process may want to know of a running runtime."""

    pid: int
    ready: bool = False
    stopping: bool = False
    failure: str = ""
    neo4j_uri: str = ""
    neo4j_username: str = ""
    neo4j_password: str = field(default="", repr=False)
    neo4j_database: str = ""
    browser_url: str = ""
    broker_url: str = field(default="", repr=False)
    web_url: str = ""
    started: float = field(default_factory=time.time)
    services: list[ServiceRow] = field(default_factory=list)


def make_private(home: Path) -> None:
    """Make the home, or mend one of before, so that only its owner can look into it.

    A directory that holds something else is left as it is: it may be everybody's. Raises OSError.
    """
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = home.stat()
    ours = status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX
    if ours and status.st_mode & 0o077:
        entries = {entry.name for entry in home.iterdir()}
        if not entries or entries & HOME_FOLDERS:
            home.chmod(0o700)


def run_directory(home: Path) -> Path:
    """Return where the state, the lock and generated configuration lie."""
    return home / "run"


def log_directory(home: Path) -> Path:
    """Return where the logs lie."""
    return home / "logs"


def write_state(home: Path, state: RuntimeState) -> None:
    """Write the state, all of it or nothing, readable by its owner only."""
    write_private(run_directory(home) / "runtime.json", json.dumps(asdict(state), indent=1))


def read_state(home: Path) -> RuntimeState | None:
    """Return what was written last, by a runtime that may be gone; None where nothing was."""
    try:
        values: dict[str, Any] = json.loads((run_directory(home) / "runtime.json").read_text())
        rows = [
            ServiceRow(**{**row, "state": ServiceState(row["state"])})
            for row in values.pop("services")
        ]
        return RuntimeState(**values, services=rows)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def live_state(home: Path) -> RuntimeState | None:
    """Return the state of the runtime that runs now; None where none does.

    The lock may be held without one: by `graph_alone`, or a supervisor that just begins.
    """
    return read_state(home) if is_supervised(home) else None


def graph_is_starting(home: Path) -> bool:
    """Whether a runtime of this home has a Neo4j of its own that is not ready, or upgraded, yet."""
    return any(row.name == "neo4j" for row in _unready(home))


def is_starting(home: Path) -> bool:
    """Whether a runtime of this home has a service that is not ready yet."""
    return bool(_unready(home))


def _unready(home: Path) -> list[ServiceRow]:
    state = live_state(home)
    return [row for row in ([] if state is None else state.services) if row.state in UNREADY]


def is_supervised(home: Path) -> bool:
    """Whether the lock of this home is held: by a supervisor, or for its database alone."""
    try:
        with (run_directory(home) / "supervisor.lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


@contextlib.contextmanager
def supervisor_lock(home: Path, patience_s: float = 2.0) -> Iterator[bool]:
    """Hold the lock of the home's one supervisor; yields False where another one has it.

    Until its holder writes a state there is none: what an earlier one wrote names its process.
    """
    folder = run_directory(home)
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + patience_s
    with os.fdopen(os.open(folder / "supervisor.lock", os.O_RDWR | os.O_CREAT, 0o600)) as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() < deadline:  # may be no more than a glance of is_supervised
                    time.sleep(0.05)
                    continue
                yield False
                return
            (folder / "runtime.json").unlink(missing_ok=True)
            yield True
            return
