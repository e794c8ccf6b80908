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
    me = psutil.Process()
    return f"{socket.gethostname()}/{_machine()}/{me.pid}/{me.create_time():.2f}"


def is_dead(owner: str) -> bool:
    """Whether that owner was a process of this machine and is gone; False where unknown."""
    return is_alive(owner) is False


def is_alive(owner: str) -> bool | None:
    """Whether that owner, a process of this machine, is there; None for one elsewhere."""
    try:
        host, machine, pid, started = owner.rsplit("/", 3)
        process_id, start = int(pid), float(started)
    except ValueError:
        return None
    if not _machine() or (host, machine) != (socket.gethostname(), _machine()):
        return None
    try:
        process = psutil.Process(process_id)
        return abs(process.create_time() - start) <= 1.0 and process.status() != "zombie"
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return None


@lru_cache(maxsize=1)
def _machine() -> str:
    """Return what no two machines or containers share: boot id and process namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot[:13]}-{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""
