"""A child process that dies with its owner, whichever way the owner goes."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_GUARDIAN = Path(__file__).with_name("guardian.py")


class OwnedProcess:
    """Runs ``command`` under a guardian (see guardian.py).

    ``log`` receives what it prints (appended); ``grace_s`` is how long it may take to end after
    SIGTERM before it is killed, on ``stop`` as well as when the owner is gone. ``environment``
    is the whole environment, by default the owner's.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
        grace_s: float = 10.0,
    ) -> None:
        self.command = tuple(command)
        self.grace_s = grace_s
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            self._guardian = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_GUARDIAN), str(grace_s), *command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=None if environment is None else dict(environment),
                cwd=directory,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The guardian's process id; the command is its only child."""
        return self._guardian.pid

    @property
    def child_pid(self) -> int | None:
        """The command's process id, None once it has ended."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
            return int(children.split()[0])
        return None

    @property
    def exit_status(self) -> int | None:
        """The command's exit status, 128 + n when signal n ended it; None while it runs."""
        status = self._guardian.poll()
        return 128 - status if status is not None and status < 0 else status

    @property
    def alive(self) -> bool:
        """Whether the command still runs."""
        return self.exit_status is None

    def ask_to_stop(self) -> None:
        """Send SIGTERM and return at once; it is killed when its grace is over."""
        with contextlib.suppress(ProcessLookupError):
            self._guardian.terminate()

    def stop(self) -> int:
        """Ask it to end, kill it when its grace is over, and return its exit status."""
        self.ask_to_stop()
        try:
            status = self._guardian.wait(self.grace_s + 5)
        except subprocess.TimeoutExpired:
            self._guardian.kill()
            status = self._guardian.wait()
        self.close()
        return status if status >= 0 else 128 - status

    def kill(self) -> None:
        """Kill it at once, without grace."""
        child = self.child_pid
        for process in (child, self.pid):
            if process is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, 9)
        self._guardian.wait()
        self.close()

    def close(self) -> None:
        """Let go of the pipe of a process that has ended."""
        if self._guardian.stdin is not None:
            self._guardian.stdin.close()
