"""How many jobs a worker runs at once, and that none waits while a lane is free."""

import threading
from collections.abc import Callable, Sequence

from clew.settings import Settings
from clew_cypher.jobs.ledger import Job, due_jobs
from clew_cypher.store import GraphStore


class Lanes:
    """Runs jobs, at most ``limit`` at once; a message that finds no free lane is let go.

    Whoever ends a job takes the next one that is due in the ledger, so a message that was let go
    is not missed, the broker never fills up, and a thread stays free for canaries.

    None is taken of a graph that no longer ``fits`` this Clew: they wait for newer workers.
    """

    def __init__(
        self,
        store: GraphStore,
        settings: Settings,
        kinds: Sequence[str],
        *,
        limit: int,
        run: Callable[[Job], None],
        fits: Callable[[], bool],
        stopping: Callable[[], bool],
    ) -> None:
        self._store = store
        self._settings = settings
        self._kinds = kinds
        self._limit = limit
        self._run = run
        self._fits = fits
        self._stopping = stopping
        self._lock = threading.Lock()
        self._busy = 0
        self._missed = False

    @property
    def busy(self) -> int:
        """How many jobs run now."""
        return self._busy

    def work(self) -> int:
        """Run what is due until nothing is; return how many jobs that were (0: no lane is free)."""
        with self._lock:
            if self._busy >= self._limit:
                self._missed = True
                return 0
            self._busy += 1
        done = 0
        try:
            while not self._stopping() and self._fits():
                due = due_jobs(
                    self._store, self._kinds, attempts=self._settings.job_attempts, limit=1
                )
                if due:
                    self._run(due[0])
                    done += 1
                    continue
                with self._lock:
                    if not self._missed:
                        self._busy -= 1
                        return done
                    self._missed = False
        except BaseException:
            with self._lock:
                self._busy -= 1
            raise
        with self._lock:
            self._busy -= 1
        return done
