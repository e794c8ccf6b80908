"""A child process must never outlive its owner, whichever of them is killed, and how."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from clew_cypher.embedded import OwnedProcess

SLEEPER = "import time; time.sleep(600)"
FAMILY = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
loner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                         start_new_session=True)
pathlib.Path(sys.argv[1]).write_text(f"{child.pid} {loner.pid}")
time.sleep(600)
"""
OWNER = """
import pathlib, sys, time
from clew_cypher.embedded import OwnedProcess
process = OwnedProcess([sys.executable, "-c", sys.argv[2], sys.argv[1]],
                       log=pathlib.Path(sys.argv[1] + ".log"), grace_s=60)
time.sleep(600)
"""
STUBBORN = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).write_text("ready")
time.sleep(600)
"""


def wait_for(condition: Callable[[], object], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def start(code: str, folder: Path, grace_s: float = 5.0) -> OwnedProcess:
    command = [sys.executable, "-c", code, str(folder / "told")]
    return OwnedProcess(command, log=folder / "child.log", grace_s=grace_s)


def test_it_tells_how_the_command_ended(tmp_path: Path) -> None:
    process = start("import sys; print('a word'); sys.exit(7)", tmp_path)
    wait_for(lambda: not process.alive)
    assert process.exit_status == 7
    assert process.stop() == 7
    assert (tmp_path / "child.log").read_text() == "a word\n"

    process = start("import os; os.kill(os.getpid(), 9)", tmp_path)
    wait_for(lambda: not process.alive)
    assert process.stop() == 128 + signal.SIGKILL


def test_a_command_that_is_not_there_ends_with_a_reason(tmp_path: Path) -> None:
    process = OwnedProcess(["/nowhere/at/all"], log=tmp_path / "child.log")
    wait_for(lambda: not process.alive)
    assert process.stop() == 127
    assert "/nowhere/at/all cannot be started" in (tmp_path / "child.log").read_text()


def test_stop_asks_first_and_kills_what_will_not_listen(tmp_path: Path) -> None:
    polite = start("import signal, sys, time\nsignal.signal(15, lambda *_: sys.exit(3))\n"
                   "open(sys.argv[1], 'w').close()\ntime.sleep(600)", tmp_path)  # fmt: skip
    wait_for((tmp_path / "told").exists)
    assert polite.stop() == 3

    (tmp_path / "told").unlink()
    stubborn = start(STUBBORN, tmp_path, grace_s=0.3)
    wait_for((tmp_path / "told").exists)
    started = time.monotonic()
    assert stubborn.stop() == 128 + signal.SIGKILL
    assert 0.3 <= time.monotonic() - started < 5


def test_what_the_command_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    process = start(FAMILY, tmp_path)
    wait_for(lambda: (tmp_path / "told").exists() and (tmp_path / "told").read_text())
    family = [int(pid) for pid in (tmp_path / "told").read_text().split()]
    child = process.child_pid
    assert child is not None
    os.kill(child, signal.SIGKILL)
    wait_for(lambda: not process.alive)
    assert process.stop() == 128 + signal.SIGKILL
    wait_for(lambda: all(is_gone(pid) for pid in family))


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_the_command_dies_with_a_guardian_that_is_killed(tmp_path: Path) -> None:
    process = start(SLEEPER, tmp_path)
    wait_for(lambda: process.child_pid)
    child = process.child_pid
    assert child is not None
    os.kill(process.pid, signal.SIGKILL)
    wait_for(lambda: is_gone(child))
    process.stop()


@pytest.mark.parametrize("code", [FAMILY, STUBBORN], ids=["family", "stubborn"])
def test_everything_dies_with_an_owner_that_is_killed(tmp_path: Path, code: str) -> None:
    told = tmp_path / "told"
    with subprocess.Popen([sys.executable, "-c", OWNER, str(told), code]) as owner:
        wait_for(lambda: told.exists() and told.read_text())
        descendants = psutil.Process(owner.pid).children(recursive=True)
        assert len(descendants) >= (4 if code is FAMILY else 2)
        owner.kill()
    wait_for(lambda: all(is_gone(process.pid) for process in descendants), 8.0)
