"""The supervisor: its logs, its start-up cache, and a disk that is full."""

import errno
import os
import shutil
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clew.resources.runtime_state import RuntimeState, ServiceState, live_state
from clew.runtime.supervisor import Supervisor, rotate_logs
from clew.settings import Settings
from clew_cypher.embedded import OwnedProcess, StartupCacheTraining

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
