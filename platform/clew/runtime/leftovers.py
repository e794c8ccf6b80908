"""Find and end processes of a runtime that is gone: those killed with no time to clean up."""

import logging
import os
from pathlib import Path

import psutil

from clew.resources.runtime_state import OWNER_VARIABLE

log = logging.getLogger("clew.runtime")


def leftovers(home: Path) -> list[psutil.Process]:
    """Return the processes that a supervisor of this home started and that still run."""
    found = []
    me = os.getpid()
    for process in psutil.process_iter():
        try:
            if process.pid != me and process.uids().real == os.getuid():
                owner = process.environ().get(OWNER_VARIABLE)
                if owner == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def end_leftovers(home: Path, patience_s: float = 10.0) -> int:
    """Kill them and wait until they are gone; return how many there were.

    Only the holder of the supervisor's lock may call this: then no living runtime owns them.
    """
    found = leftovers(home)
    for process in found:
        try:
            log.warning("ending what an earlier run left: %s (%s)", process.pid, process.name())
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(found, timeout=patience_s)
    return len(found)
