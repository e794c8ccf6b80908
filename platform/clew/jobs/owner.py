"""Who a worker is, in words that tell another process on the same machine whether it lives.

A lease ends by itself, but after a minute. A worker that starts again on the same machine can
tell at once that the process before it is dead, and take over without waiting.
"""

import os
import socket
from functools import lru_cache
from pathlib import Path

import psutil


def owner_name() -> str:
    """Return ``host/machine/process/start``: this process, and no other, ever."""
    pid = os.getpid()
    started = _state(pid)[1] if _machine() else psutil.Process(pid).create_time()
    return f"{socket.gethostname()}/{_machine()}/{pid}/{started}"


def is_dead(owner: str) -> bool:
    """Whether that owner was a process of this machine and is gone; False where unknown."""
    return is_alive(owner) is False


def is_alive(owner: str) -> bool | None:
    """Whether that owner, a process of this machine, is there; None for one elsewhere."""
    try:
        host, machine, pid, start = owner.rsplit("/", 3)
        process_id, wanted = int(pid), int(start)
    except ValueError:
        return None
    if not _machine() or (host, machine) != (socket.gethostname(), _machine()):
        return None
    try:
        state, started = _state(process_id)
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:
        return None
    return started == wanted and state != b"Z"


def _state(process_id: int) -> tuple[bytes, int]:
    """Return the state of a process, and when it started, in ticks since the machine did.

    A time of day would not do: the kernel computes it from a clock that is set now and then.
    """
    line = Path(f"/proc/{process_id}/stat").read_bytes()
    fields = line.rpartition(b")")[2].split()  # its name, in brackets, may hold anything
    return fields[0], int(fields[19])


@lru_cache(maxsize=1)
def _machine() -> str:
    """Return what no two machines or containers share: boot id and process namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot[:13]}-{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""
