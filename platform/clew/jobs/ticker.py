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
from collections.abc import Callable

from clew.jobs.periodic import Periodic
from clew.jobs.timing import Timing
from clew.settings import Settings
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


def timing_of(schedule: Schedule) -> Timing:
    """Return when a schedule ticks."""
    return Timing(schedule.cron, schedule.every_s, schedule.zone, schedule.start_s)


class Ticker(Periodic):
    """Claims the ticks that have come, every ``schedule_look_s`` seconds."""

    name = "ticker"

    def __init__(
        self, store: GraphStore, settings: Settings, wake: Callable[[str, str], object]
    ) -> None:
        """``wake(job id, kind)`` publishes a message for a job; it may fail."""
        super().__init__(settings.schedule_look_s)
        self._store = store
        self._wake = wake

    def clean(self) -> None:
        """Delete runs that are over for long."""
        delete_old_runs(self._store, days=KEEP_RUNS_DAYS)

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
