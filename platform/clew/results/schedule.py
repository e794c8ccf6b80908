"""Schedules as users see them, and what is asked for to make one."""

from typing import Any, Literal

from pydantic import Field

from clew.results.result import Result

Gone = Literal["keep", "delete"]


class Reindexing(Result):
    """Folders, URLs and buckets to read again.

    ``gone``: what becomes of documents whose source vanished.
    """

    sources: tuple[str, ...] = Field(
        min_length=1,
        max_length=1000,
        description="Folders, files, web pages and s3://BUCKET/PREFIX.",
    )
    gone: Gone = Field("keep", description="What becomes of documents whose source vanished.")


class PlannedTraining(Result):
    """A method to train on the corpus, as `clew train` does."""

    method: str = Field(max_length=200, description="The method that learns.")
    options: dict[str, Any] = Field(default_factory=dict, description="Of the method.")


class PlannedBench(Result):
    """A run of the bench on the corpus, or on the sample corpus if that is its name."""

    strategies: tuple[str, ...] | None = Field(
        None, max_length=50, description="Strategies to measure; unset: all."
    )
    reader: str | None = Field(None, max_length=200, description="Unset: the settings'.")
    synthetic: int = Field(50, ge=1, le=5000, description="Questions made from the graph.")


class NewSchedule(Result):
    """A schedule that is asked for: when (``cron`` or ``every_s``) and what (one of three)."""

    name: str = Field(min_length=1, max_length=200, description="What people call it.")
    corpus: str | None = Field(None, max_length=200, description="Unset: the default one.")
    cron: str | None = Field(
        None,
        max_length=200,
        description="Minute, hour, day, month, weekday: '30 2 * * 1-5' is 2:30 on weekdays.",
    )
    every_s: int | None = Field(
        None, ge=60, le=366 * 86_400, description="In place of cron: seconds between two ticks."
    )
    zone: str = Field("UTC", max_length=100, description="Time zone of cron: Europe/Berlin.")
    reindex: Reindexing | None = None
    train: PlannedTraining | None = None
    bench: PlannedBench | None = None


class ScheduleRun(Result):
    """A tick that came, or a run by hand.

    ``state``: 'skipped' where the job of the run before was not over (``job_id`` is that job);
    ``missed``: ticks after this one that went by while nothing looked, and are not made up for;
    ``late_s``: from the tick until a ticker had it. ``job_state``: None once the job is forgotten;
    ``job_failed``: documents that failed in it.
    """

    tick: str
    state: Literal["started", "skipped"]
    by_hand: bool
    missed: int
    late_s: float
    job_id: str | None
    job_state: str | None
    job_error: str | None
    job_failed: int = 0


class Schedule(Result):
    """A schedule, when it ticks next (none while it is paused), and its last run."""

    id: str
    name: str
    corpus: str
    kind: Literal["reindex", "train", "bench"]
    params: dict[str, Any]
    cron: str | None
    every_s: int | None
    zone: str
    paused: bool
    created_at: str
    next_runs: tuple[str, ...]
    last_run: ScheduleRun | None
