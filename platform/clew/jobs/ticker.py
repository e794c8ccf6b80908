"""Looks for schedules whose tick has come, and starts their jobs. Any number may do so at once.

Each worker that runs jobs has one, and `clew schedules tick` is one by itself: what decides is the
claim in Neo4j (`clew_cypher.jobs.schedules`), never who looked.

- Ticks that were missed, since nothing looked, give one run, which says how many they were.
- A tick whose job of the tick before still waits or runs is skipped, and recorded.
- A clock that was set forward is as ticks that were missed. One that was set back by up to an hour
  repeats nothing; by more, the schedule goes on from the time that it is now, and its ticks that
  come again run again.
"""

import logging
import threading
import time
from collections.abc import Callable

from clew.jobs.timing import Timing
from clew.settings import Settings
from clew_cypher.errors import GraphError
from clew_cypher.jobs.schedules import (
    SET_BACK_S,
    Schedule,
    claim_tick,
    delete_old_runs,
    due_schedules,
    move_schedule,
)
from clew_cypher.store import GraphStore

log = logging.getLogger(__name__)

KEEP_RUNS_DAYS = 90
CLEAN_EVERY_S = 3600.0


def timing_of(schedule: Schedule) -> Timing:
    """Return when a schedule ticks."""
    return Timing(schedule.cron, schedule.every_s, schedule.zone, schedule.start_s)


class Ticker:
    """Claims the ticks that have come, every ``schedule_look_s`` seconds."""

    def __init__(
        self, store: GraphStore, settings: Settings, wake: Callable[[str, str], object]
    ) -> None:
        """``wake(job id, kind)`` publishes a message for a job; it may fail."""
        self._store = store
        self._settings = settings
        self._wake = wake
        self._cleaned = -CLEAN_EVERY_S
        self._over = threading.Event()
        self._thread = threading.Thread(target=self.run, name="ticker", daemon=True)

    def start(self) -> None:
        """Begin in a thread, with a first look at once."""
        self._thread.start()

    def stop(self) -> None:
        """End after the look that is being taken."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def run(self) -> None:
        """Look until ``stop`` is called."""
        while True:
            try:
                self.look()
                if time.monotonic() - self._cleaned > CLEAN_EVERY_S:
                    self._cleaned = time.monotonic()
                    delete_old_runs(self._store, days=KEEP_RUNS_DAYS)
            except GraphError as error:
                log.warning("Schedules cannot be read now: %s", error)
            except Exception:
                log.exception("The ticker failed; it looks again.")
            if self._over.wait(self._settings.schedule_look_s):
                return

    def look(self, now_s: float | None = None) -> list[str]:
        """Look once; return the ids of the jobs that were started. ``now_s``: a test's clock."""
        due, clock = due_schedules(self._store, now_s)
        started = []
        for schedule in due:
            timing = timing_of(schedule)
            following = timing.next(clock)
            if schedule.ticked_s > clock + SET_BACK_S:
                if move_schedule(self._store, schedule, next_s=following, now_s=clock):
                    log.warning("The clock was set back: %s goes on from now.", schedule.name)
                continue
            missed = timing.missed(schedule.next_s, clock)
            claimed = claim_tick(
                self._store, schedule, next_s=following, missed=missed, now_s=now_s
            )
            if claimed is None:
                continue
            state, job_id = claimed
            if state == "skipped":
                log.warning("%s: the run before is not over; this tick is skipped.", schedule.name)
                continue
            log.info("%s: job %s (%d ticks were missed).", schedule.name, job_id, missed)
            self._wake(job_id, schedule.kind)
            started.append(job_id)
        return started
