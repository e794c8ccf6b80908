"""What the facade tells of jobs."""

from typing import Any, Literal

from clew.results.ingest import SkippedSource
from clew.results.result import Result

JobState = Literal["queued", "running", "done", "failed", "cancelled", "set_aside"]


class Job(Result):
    """A job of the ledger. ``progress`` holds counts and stages; ``corpus_deleted``: its corpus was
    deleted since, and one of that name is another."""

    id: str
    kind: str
    corpus: str
    state: JobState
    attempt: int
    progress: dict[str, Any]
    error: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    corpus_deleted: bool = False


class JobCount(Result):
    """How many jobs of a kind are in a state."""

    kind: str
    state: str
    jobs: int


class JobEvent(Result):
    """A line of a job's log: what happened, and when."""

    at: str
    text: str


class Retried(Result):
    """What is done again by ``job`` (None where nothing could be): so many ``documents``.

    ``left``: those that cannot, and why.
    """

    job: Job | None
    documents: int
    left: tuple[SkippedSource, ...]
