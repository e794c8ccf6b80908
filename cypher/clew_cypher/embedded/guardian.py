"""Run one command that must not outlive the process that wanted it.

``python guardian.py GRACE_SECONDS COMMAND…`` stands between an owner and its child. The owner
keeps the write end of the pipe that is this process's standard input; when the owner is gone,
however it went, the pipe closes and the child is asked to stop, then killed. When this process
is killed, the kernel kills the child (PR_SET_PDEATHSIG, which follows the thread that forked:
here there is only one). What the child leaves behind is adopted (PR_SET_CHILD_SUBREAPER) and
killed too. It imports nothing but the standard library, so that it starts in milliseconds.
"""

import contextlib
import ctypes
import math
import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
FAILED_TO_START = 127
ORPHAN_GRACE_S = 5.0
"""Longest time a child may take to end when its owner is gone."""
_IS_LINUX = sys.platform == "linux"


def main() -> int:
    """Start the command, wait for its end or the owner's; return the command's exit status."""
    grace, command = float(sys.argv[1]), sys.argv[2:]
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    wakeup, alarm = os.pipe()
    os.set_blocking(alarm, False)
    signal.set_wakeup_fd(alarm)
    asked = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    for number in (*asked, signal.SIGCHLD):
        signal.signal(number, lambda number, frame: None)
    child = _start(command)
    deadline = math.inf
    watched = [0, wakeup]
    while True:
        wait = None if deadline == math.inf else max(0.0, deadline - time.monotonic())
        ready = select.select(watched, [], [], wait)[0]
        stop = False
        if 0 in ready and not os.read(0, 64):
            watched.remove(0)
            stop = True
            grace = min(grace, ORPHAN_GRACE_S)
        if wakeup in ready:
            stop = stop or any(number in asked for number in os.read(wakeup, 64))
        status = _reap(child)
        if status is not None:
            _kill_orphans()
            return status
        if stop:
            deadline = min(deadline, time.monotonic() + grace)
            _signal(child, signal.SIGTERM)
        elif time.monotonic() >= deadline:
            deadline = math.inf
            _signal(child, signal.SIGKILL)


def _start(command: list[str]) -> int:
    owner = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != owner:
            os._exit(FAILED_TO_START)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error}\n".encode())
    os._exit(FAILED_TO_START)


def _reap(child: int) -> int | None:
    """Collect what has ended; return the child's exit status once it is among it."""
    status = None
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, code = os.waitpid(-1, os.WNOHANG)
            if ended == 0:
                break
            if ended == child:
                code = os.waitstatus_to_exitcode(code)
                status = code if code >= 0 else 128 - code
    return status


def _kill_orphans() -> None:
    """Kill what the child left behind, generation by generation."""
    me = os.getpid()
    path = f"/proc/{me}/task/{me}/children"
    with contextlib.suppress(ChildProcessError, FileNotFoundError):
        while True:
            with open(path) as file:
                orphans = file.read().split()
            for orphan in orphans:
                _signal(int(orphan), signal.SIGKILL)
            os.waitpid(-1, 0)


def _signal(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def _prctl(option: int, value: int) -> None:
    if _IS_LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
