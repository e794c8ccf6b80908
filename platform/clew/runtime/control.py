"""What ``clew up``, ``clew down`` and ``clew status`` do."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from clew.errors import InvalidSetting, ServiceFailed
from clew.resources.connecting import external_broker, external_events, secret
from clew.resources.runtime_state import (
    OWNER_VARIABLE,
    RuntimeState,
    ServiceRow,
    ServiceState,
    is_supervised,
    live_state,
    log_directory,
    make_private,
    read_state,
    supervisor_lock,
)
from clew.runtime.environment import service_environment
from clew.runtime.leftovers import end_leftovers
from clew.runtime.ports import check_addresses
from clew.settings import Settings
from clew.settings.loopback import is_loopback
from clew_cypher.embedded import OwnedProcess, ensure_jars

POLL_S = 0.1
START_LIMIT_S = 300.0
"""Longest time until all is healthy, from the start or the last batch of an upgrade."""
STOP_LIMIT_S = 75.0
NEW_DATABASE_BYTES = 200 << 20
"""What a home takes before anything is in it: 137 MiB, most of it Neo4j's transaction logs."""
BEGIN_LIMIT_S = 5.0
"""Longest time between a supervisor's lock and its first state."""
_DETACHED: list["subprocess.Popen[bytes]"] = []
"""Supervisors started by this process and meant to outlive it; kept so that they are reaped."""
AMQP = ("amqp", "pyamqp")


@dataclass(frozen=True)
class Step:
    """Something `up` or `down` has to report: a service's state, or a download in bytes."""

    name: str
    title: str
    state: str
    done: int = 0
    total: int = 0
    detail: str = ""


OnStep = Callable[[Step], None]


@dataclass(frozen=True)
class Addresses:
    """Where a running Clew is; ``joined`` says that it ran before. Empty: not started here."""

    web_url: str
    browser_url: str
    neo4j_uri: str
    joined: bool
    services: tuple[ServiceRow, ...]


def up(
    settings: Settings,
    progress: OnStep | None = None,
    *,
    foreground: bool = False,
    ready: Callable[[Addresses], None] | None = None,
) -> Addresses:
    """Start everything and return once all of it is healthy; join a runtime that runs already.

    By default the supervisor goes on in a process of its own. With ``foreground`` this call stays
    until the runtime ends, or ends it on KeyboardInterrupt; ``ready`` is called when all is
    healthy. Raises ServiceFailed with the reason where a service cannot be started,
    InvalidSetting where a setting makes no sense, DownloadFailed without the jars.
    """
    report = progress or (lambda step: None)
    check_settings(settings)
    _own(settings)
    _wait_while_stopping(settings)
    if is_supervised(settings.home):
        addresses = _wait_until_ready(settings, None, 0.0, report)
        if ready is not None:
            ready(addresses)
        return addresses
    check_addresses(settings)
    if settings.neo4j_uri is None:
        _check_room(settings)
        fetch_jars(settings, report)
    process = _spawn(settings, foreground)
    try:
        addresses = _wait_until_ready(settings, process, time.time() - 1, report)
        if ready is not None:
            ready(addresses)
        if isinstance(process, OwnedProcess):
            _stay(settings, process)
    except BaseException:
        _end(process)
        raise
    return addresses


def down(settings: Settings, progress: OnStep | None = None) -> bool:
    """Stop the runtime of this home; return whether one ran. What was accepted stays.

    Raises ServiceFailed where `clew backup` or `clew restore` uses the database alone.
    """
    report = progress or (lambda step: None)
    was_running = is_supervised(settings.home)
    asked: int | None = None
    seen: dict[str, ServiceRow] = {}
    began = time.monotonic()
    deadline = began + STOP_LIMIT_S
    while is_supervised(settings.home):
        state = live_state(settings.home)
        if asked is None and state is not None:
            asked = state.pid
            _signal(asked, signal.SIGTERM)
        elif asked is None:
            if time.monotonic() > began + BEGIN_LIMIT_S:
                raise _used_alone(settings)
        elif state is None or state.pid != asked:
            break  # it has ended, and who has the lock now began after that
        elif time.monotonic() > deadline:
            _signal(asked, signal.SIGKILL)
            deadline += 5.0
        _report_changes(state, seen, report)
        time.sleep(POLL_S)
    for process in _DETACHED:
        process.poll()
    with supervisor_lock(settings.home) as mine:
        if mine:
            ended = end_leftovers(settings.home)
            return was_running or ended > 0
    return was_running


def status(settings: Settings) -> list[ServiceRow]:
    """Return one row a service of the running runtime; empty where none runs."""
    state = live_state(settings.home)
    return [] if state is None else state.services


def check_settings(settings: Settings) -> None:
    """Refuse settings under which a runtime would be open to anyone, or could not work."""
    token = secret(settings.access_token, settings.access_token_file, "access_token_file")
    # where there is a database, the web server looks for an administrator in it
    filled = settings.neo4j_uri is not None or (settings.home / "neo4j" / "data").exists()
    if not is_loopback(settings.web_host) and not token and not filled:
        raise InvalidSetting(
            f"The web server would listen on {settings.web_host}, open to anyone who reaches it.",
            remedy="Set CLEW_ACCESS_TOKEN or CLEW_ACCESS_TOKEN_FILE; or keep web_host 127.0.0.1 "
            "at first, and make an administrator: `clew users create NAME --role admin`.",
        )
    broker = external_broker(settings)
    scheme = broker.get_secret_value().split("://")[0] if broker else ""
    if scheme in AMQP and external_events(settings) is None:
        raise InvalidSetting(
            "An AMQP broker cannot carry the events of a question.",
            remedy="Set CLEW_EVENTS_URL to a Redis or Valkey, such as redis://host:6379/0.",
        )


def fetch_jars(settings: Settings, report: OnStep) -> None:
    """Fetch what is missing of Neo4j and GDS. Raises DownloadFailed."""
    title = "Jars of Neo4j and GDS"

    def progress(done: int, total: int) -> None:
        state = "fetched" if done >= total else "fetching"
        report(Step("jars", title, state, done, total))

    ensure_jars(settings.cache, progress, settings.maven_repository)


def _spawn(settings: Settings, foreground: bool) -> "OwnedProcess | subprocess.Popen[bytes]":
    environment = service_environment(settings)
    del environment[OWNER_VARIABLE]
    command = [sys.executable, "-m", "clew.runtime.supervisor"]
    try:
        log = log_directory(settings.home) / "supervisor.out"
        log.parent.mkdir(exist_ok=True, mode=0o700)
        log.touch(mode=0o600)
        if foreground:
            return OwnedProcess(
                command,
                log=log,
                environment=environment,
                directory=settings.home,
                grace_s=STOP_LIMIT_S,
            )
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=settings.home,
                start_new_session=True,
            )
        _DETACHED.append(process)
        return process
    except OSError as error:
        raise _unusable(settings, error) from error


def _own(settings: Settings) -> None:
    try:
        make_private(settings.home)
    except OSError as error:
        raise _unusable(settings, error) from error


def _check_room(settings: Settings) -> None:
    """Refuse to make a database where there is no room: Neo4j would hang rather than say so."""
    if (settings.home / "neo4j" / "data").exists():
        return  # it has what it needs to start, and then documents can be deleted
    free = shutil.disk_usage(settings.home).free
    if free < NEW_DATABASE_BYTES:
        raise ServiceFailed(
            f"A new database needs {NEW_DATABASE_BYTES >> 20} MiB, and {settings.home} has "
            f"{free >> 20} MiB left.",
            remedy="Free some space, or set CLEW_HOME to a directory that has it.",
        )


def _unusable(settings: Settings, error: OSError) -> ServiceFailed:
    return ServiceFailed(
        f"The directory {settings.home} cannot be used: {error.strerror or error}.",
        remedy="Set CLEW_HOME to a directory that can be written.",
    )


def _wait_until_ready(
    settings: Settings,
    process: "OwnedProcess | subprocess.Popen[bytes] | None",
    since: float,
    report: OnStep,
) -> Addresses:
    deadline = time.monotonic() + START_LIMIT_S
    seen: dict[str, ServiceRow] = {}
    joined = process is None
    while time.monotonic() < deadline:
        state = live_state(settings.home)
        if state is not None and state.started >= since:
            changed = _report_changes(state, seen, report)
            if any(row.state is ServiceState.UPGRADING for row in changed):
                deadline = time.monotonic() + START_LIMIT_S
            if state.ready and not state.stopping:
                return Addresses(
                    state.web_url,
                    state.browser_url,
                    settings.neo4j_uri or state.neo4j_uri,
                    joined,
                    tuple(state.services),
                )
        if process is not None and not _is_alive(process):
            if is_supervised(settings.home):
                process, joined, since = None, True, 0.0  # another `clew up` was quicker
                continue
            raise _start_failed(settings, since)
        if process is None and not is_supervised(settings.home):
            raise _start_failed(settings, since)
        time.sleep(POLL_S)
    waiting = ", ".join(row.title for row in seen.values() if row.state != "healthy")
    free = shutil.disk_usage(settings.home).free
    raise ServiceFailed(
        f"Not everything was healthy within {START_LIMIT_S:.0f} s: {waiting}."
        + (f" {settings.home} has {free >> 20} MiB left." if free < NEW_DATABASE_BYTES else ""),
        remedy=f"The logs in {log_directory(settings.home)} say why; `clew doctor` may help.",
    )


def _start_failed(settings: Settings, since: float) -> ServiceFailed:
    state = read_state(settings.home)
    if state is not None and state.failure and state.started >= since:
        return ServiceFailed(state.failure, remedy="`clew doctor` checks what is needed.")
    output = log_directory(settings.home) / "supervisor.out"
    try:
        words = output.read_text(errors="replace").strip().splitlines()[-1]
    except (OSError, IndexError):
        words = "it said nothing"
    return ServiceFailed(
        f"The runtime ended before it was healthy: {words}.",
        remedy=f"The whole story is in {log_directory(settings.home) / 'supervisor.log'}.",
    )


def _report_changes(
    state: RuntimeState | None, seen: dict[str, ServiceRow], report: OnStep
) -> list[ServiceRow]:
    """Report the rows that are not as they were seen last, and return them."""
    changed = []
    for row in state.services if state is not None else ():
        before = seen.get(row.name)
        if before is None or (before.state, before.detail) != (row.state, row.detail):
            report(Step(row.name, row.title, row.state.value, detail=row.detail or row.address))
            changed.append(row)
        seen[row.name] = row
    return changed


def _wait_while_stopping(settings: Settings) -> None:
    """Wait for what has the home's lock and is no runtime to join."""
    deadline = time.monotonic() + STOP_LIMIT_S
    while is_supervised(settings.home):
        state = live_state(settings.home)
        if state is not None and not state.stopping:
            return
        if time.monotonic() > deadline:
            if state is None:
                raise _used_alone(settings)
            raise ServiceFailed(
                "The runtime that ran before does not end.", remedy="Run `clew down`, then again."
            )
        time.sleep(POLL_S)


def _used_alone(settings: Settings) -> ServiceFailed:
    return ServiceFailed(
        f"`clew backup` or `clew restore` uses the database of {settings.home}.",
        remedy="Wait until it has ended, then try again.",
    )


def _stay(settings: Settings, process: OwnedProcess) -> None:
    try:
        while process.alive:
            time.sleep(0.5)
    except KeyboardInterrupt:
        process.stop()
        return
    state = read_state(settings.home)
    process.close()
    if state is not None and state.failure:
        raise ServiceFailed(state.failure, remedy="`clew doctor` checks what is needed.")
    if process.exit_status:
        raise ServiceFailed(
            f"The runtime was ended from outside (status {process.exit_status}).",
            remedy="Start it again: `clew up`.",
        )


def _is_alive(process: "OwnedProcess | subprocess.Popen[bytes]") -> bool:
    return process.alive if isinstance(process, OwnedProcess) else process.poll() is None


def _end(process: "OwnedProcess | subprocess.Popen[bytes]") -> None:
    if isinstance(process, OwnedProcess):
        process.stop()
    else:
        process.terminate()


def _signal(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return
