"""Runs of schedules without a worker, and what they leave in the corpus."""

from pathlib import Path
from typing import Any

from clew import Clew
from clew.jobs.kinds import KINDS
from clew.jobs.runner import Runner
from clew.results.schedule import NewSchedule, Reindexing


def nightly(folder: Path, **more: Any) -> NewSchedule:
    """A schedule that reads a folder again."""
    return NewSchedule(
        name="Notes", cron="0 3 * * *", reindex=Reindexing(sources=(str(folder),), **more)
    )


def done(clew: Clew, schedule_id: str) -> Any:
    """Run a schedule's job here and return it as it ended."""
    job = clew.run_schedule(schedule_id)
    runner = Runner(clew.resources.store, clew.settings, "me")
    runner.run(job.id, lambda run: KINDS[job.kind].work(clew.resources, run))
    return clew.job(job.id)


def titles(clew: Clew) -> list[str]:
    return sorted(document.title for document in clew.documents())
