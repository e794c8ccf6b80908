"""The supervisor: its logs, its start-up cache, and a disk that is full."""

import errno
import itertools
import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import psutil
import pytest

from clew.errors import ServiceFailed
from clew.resources.runtime_state import RuntimeState, ServiceState, live_state
from clew.runtime import Step, up
from clew.runtime.leftovers import leftovers
from clew.runtime.supervisor import Supervisor, rotate_logs
from clew.runtime.upgrading import upgrade_graph
from clew.runtime.watcher import last_words
from clew.settings import Settings
from clew_cypher.embedded import OwnedProcess, StartupCacheTraining
from clew_cypher.store import GraphStore

if TYPE_CHECKING:
    from .conftest import Eventually


def test_logs_are_rotated_under_a_process_that_holds_them_open(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    with path.open("ab", buffering=0) as writer:
        for line in (b"one\n" * 10, b"two\n" * 10, b"three\n" * 10):
            writer.write(line)
            assert rotate_logs([path], largest=30, kept=2) == [path]
        writer.write(b"four\n")
        assert rotate_logs([path, tmp_path / "none.log"], largest=30, kept=2) == []
    assert path.read_bytes() == b"four\n"
    assert (tmp_path / "a.log.1").read_bytes() == b"three\n" * 10
    assert (tmp_path / "a.log.2").read_bytes() == b"two\n" * 10
    assert not (tmp_path / "a.log.3").exists()


def test_a_log_that_cannot_be_rotated_stays_and_so_do_its_older_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, other = tmp_path / "full.log", tmp_path / "other.log"
    for path in (full, other, tmp_path / "full.log.1"):
        path.write_text(f"{path.name}\n" * 10)
    copy = shutil.copyfile

    def half_a_copy(source: Path, target: Path) -> None:
        copy(source, target)
        if source == full:
            os.truncate(target, 10)
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", half_a_copy)
    for _ in range(2):
        assert rotate_logs([full, other], largest=30, kept=2) in ([other], [])
    assert full.read_text() == "full.log\n" * 10
    assert (tmp_path / "full.log.1").read_text() == "full.log.1\n" * 10
    assert (tmp_path / "other.log.1").read_text() == "other.log\n" * 10
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("full")) == [
        "full.log",
        "full.log.1",
    ]


class Sleeper:
    """A service that does nothing."""

    name = title = "sleeper"
    after: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    ready_s = 10.0
    address = ""

    def __init__(self, home: Path) -> None:
        self.log = home / "logs" / "sleeper.log"
        self.processes: list[OwnedProcess] = []

    def start(self) -> OwnedProcess:
        self.processes.append(OwnedProcess(["sleep", "1000"], log=self.log))
        return self.processes[-1]

    def check(self) -> bool:
        return self.processes[-1].child_pid is not None

    def upgrade(self, tell: Callable[[str], None]) -> None:
        """It holds nothing."""

    def describe(self, state: RuntimeState) -> None:
        """It has no address."""


def test_services_are_kept_and_stopped_while_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eventually: "Eventually"
) -> None:
    service = Sleeper(tmp_path)
    monkeypatch.setattr("clew.runtime.supervisor.local_services", lambda settings: [service])
    monkeypatch.setattr("clew.runtime.supervisor.ROTATE_S", 0.1)
    monkeypatch.setattr(signal, "signal", lambda *args: None)  # only the main thread may
    supervisor = Supervisor(Settings.load(home=tmp_path, neo4j_startup_cache=False))
    thread = threading.Thread(target=supervisor.run)
    thread.start()

    def restarts() -> int | None:
        state = live_state(tmp_path)
        row = state.services[0] if state and state.services else None
        return row.restarts if row and row.state is ServiceState.HEALTHY else None

    try:
        eventually(lambda: restarts() == 0, what="the start")
        unwritable = tmp_path / "run" / ".runtime.json.new"
        unwritable.mkdir()
        assert service.processes[0].child_pid is not None
        os.kill(service.processes[0].child_pid, signal.SIGKILL)
        eventually(lambda: len(service.processes) == 2, what="the service started again")
        assert restarts() == 0
        unwritable.rmdir()
        eventually(lambda: restarts() == 1, what="the state written again")
        unwritable.mkdir()
    finally:
        supervisor.stop()
        thread.join(timeout=20)
    assert not thread.is_alive()
    assert not any(process.alive for process in service.processes)


def test_what_a_service_manager_ended_with_all_others_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eventually: "Eventually"
) -> None:
    """systemd sends SIGTERM to every process of a service, so that some end before their turn."""

    class Slow(Sleeper):
        name = "slow"
        uses = ("sleeper",)

        def start(self) -> OwnedProcess:
            command = ["sh", "-c", "trap 'sleep 2; exit 0' TERM; sleep 1000 & wait"]
            self.processes.append(OwnedProcess(command, log=self.log))
            return self.processes[-1]

    services = [Sleeper(tmp_path), Slow(tmp_path)]
    monkeypatch.setattr("clew.runtime.supervisor.local_services", lambda settings: services)
    monkeypatch.setattr(signal, "signal", lambda *args: None)  # only the main thread may
    monkeypatch.setattr("clew.runtime.supervisor.ROTATE_S", 0.1)
    supervisor = Supervisor(Settings.load(home=tmp_path, neo4j_startup_cache=False))
    thread = threading.Thread(target=supervisor.run)
    thread.start()
    eventually(lambda: supervisor.state.ready, what="the start")
    supervisor.stop()
    for service in services:
        os.kill(service.processes[0].pid, signal.SIGTERM)
    thread.join(timeout=20)
    assert [len(service.processes) for service in services] == [1, 1]


def test_a_line_of_a_stack_is_no_reason(tmp_path: Path) -> None:
    service = Sleeper(tmp_path)
    service.log.parent.mkdir()
    stack = "\tat org.neo4j.Main.main(Main.java:30)\n\t... 11 more\n"
    service.log.write_text(f"The home cannot be read\n{stack}")
    assert last_words(service) == "The home cannot be read"


class Upgraded(Sleeper):
    """A service that gets on with an upgrade until it is told that this is over."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.over = threading.Event()

    def upgrade(self, tell: Callable[[str], None]) -> None:
        for number in itertools.count():
            tell(f"batch {number}")
            if self.over.wait(0.1):
                return


class User(Sleeper):
    """A service that is well once the other one is."""

    name = "user"
    uses = ("sleeper",)
    ready_s = 0.5

    def __init__(self, home: Path, used: Upgraded) -> None:
        super().__init__(home)
        self.used = used

    def check(self) -> bool:
        return self.used.over.is_set() and super().check()


@pytest.fixture
def upgrading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Upgraded]:
    """A supervisor in a thread, whose one service is upgraded and whose other one waits for it."""
    service = Upgraded(tmp_path)
    services = [service, User(tmp_path, service)]
    monkeypatch.setattr("clew.runtime.supervisor.local_services", lambda settings: services)
    monkeypatch.setattr("clew.runtime.supervisor.ROTATE_S", 0.1)
    monkeypatch.setattr(signal, "signal", lambda *args: None)  # only the main thread may
    supervisor = Supervisor(Settings.load(home=tmp_path, neo4j_startup_cache=False))
    thread = threading.Thread(target=supervisor.run)
    thread.start()
    yield service
    supervisor.stop()
    thread.join(timeout=20)
    assert not thread.is_alive()
    assert supervisor.state.failure == ""
    assert not any(process.alive for one in services for process in one.processes)


def test_up_waits_for_an_upgrade_as_long_as_it_gets_on(
    upgrading: Upgraded,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    eventually: "Eventually",
) -> None:
    monkeypatch.setattr("clew.runtime.control.START_LIMIT_S", 1.0)
    eventually(lambda: live_state(tmp_path) is not None, what="the state")
    threading.Timer(2.5, upgrading.over.set).start()
    steps: list[Step] = []
    addresses = up(Settings.load(home=tmp_path), steps.append)
    assert {row.name: row.restarts for row in addresses.services} == {"sleeper": 0, "user": 0}
    told = [step.detail for step in steps if step.state == "upgrading"]
    assert told[0].startswith("batch")
    assert len(told) > 10


def test_an_upgrade_is_stopped_between_two_batches(
    upgrading: Upgraded, tmp_path: Path, eventually: "Eventually"
) -> None:
    def shown() -> str:
        state = live_state(tmp_path)
        return state.services[0].detail if state and state.services else ""

    eventually(lambda: shown() > "batch 2", what="the upgrade")
    assert not upgrading.over.is_set()  # the fixture stops it


def test_the_start_up_cache_is_made_once_all_runs_on_a_machine_that_is_never_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = Supervisor(Settings.load(home=tmp_path, cache_dir=tmp_path / "cache"))
    made = threading.Event()
    monkeypatch.setattr(os, "getloadavg", lambda: (9.0, 9.0, 9.0))
    monkeypatch.setattr(StartupCacheTraining, "run", lambda training: made.set())
    waits = threading.Thread(target=supervisor._train)
    waits.start()
    try:
        assert not made.wait(0.2)  # what people wait for comes first
        supervisor.state.ready = True
        assert made.wait(10)
    finally:
        supervisor.stop()
        waits.join()


def test_what_makes_the_start_up_cache_is_ours_and_gets_no_secret(
    tmp_path: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch, eventually: "Eventually"
) -> None:
    monkeypatch.setenv("CLEW_LLM_API_KEY", "a secret")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "jars").symlink_to(cache_dir / "jars")
    supervisor = Supervisor(Settings.load(home=tmp_path, cache_dir=tmp_path / "cache"))
    supervisor.state.ready = True
    makes = threading.Thread(target=supervisor._train)
    makes.start()

    def java() -> list[psutil.Process]:
        return [one for one in leftovers(tmp_path) if one.name() == "java"]

    try:
        eventually(java, what="the server that is started for it")
        (process,) = java()
        assert [name for name in process.environ() if name.startswith(("CLEW_", "NEO4J_"))] == []
    finally:
        supervisor.stop()
        supervisor._training.cancel()
        makes.join()
    assert leftovers(tmp_path) == []


def test_an_upgrade_ends_with_new_indexes_full(store: GraphStore) -> None:
    store.run_declared("CYPHER 25 DROP INDEX verdict_corpus")
    told: list[str] = []
    upgrade_graph(store.config, told.append)
    states = {row["name"]: row["state"] for row in store.read("index_states")}
    assert states["verdict_corpus"] == "ONLINE"
    assert all(re.fullmatch(r"the graph's index \w+: \d+ % filled", words) for words in told)


def test_an_upgrade_is_stopped_while_an_index_is_filled(store: GraphStore) -> None:
    def stop(what: str) -> None:
        raise ServiceFailed("it was stopped")

    read = GraphStore.read

    def filling(self: GraphStore, name: str, **params: Any) -> list[dict[str, Any]]:
        rows = read(self, name, **params)
        return [{**row, "state": "POPULATING"} for row in rows] if name == "index_states" else rows

    with mock.patch.object(GraphStore, "read", filling), pytest.raises(ServiceFailed):
        upgrade_graph(store.config, stop)
