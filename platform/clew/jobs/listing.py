"""Jobs of the ledger as users see them: listed, looked up with their log, cancelled."""

from collections.abc import Sequence
from datetime import datetime

from clew.errors import UnknownJob
from clew.results.job import Job, JobCount, JobEvent
from clew_cypher.jobs import ledger
from clew_cypher.store import GraphStore


def list_jobs(
    store: GraphStore,
    corpus: str | None = None,
    limit: int = 20,
    offset: int = 0,
    states: Sequence[ledger.JobState] | None = None,
    *,
    of_deleted: bool = True,
) -> list[Job]:
    """Return jobs, newest first, of one corpus and some states or of all.

    ``of_deleted``: also those whose corpus was deleted since.
    """
    found = ledger.list_jobs(
        store, corpus, states, limit=limit, offset=offset, of_deleted=of_deleted
    )
    return [as_job(job) for job in found]


def get_job(store: GraphStore, job_id: str) -> Job:
    """Return a job. Raises UnknownJob."""
    return as_job(_found(ledger.get_job(store, job_id), job_id))


def count_jobs(
    store: GraphStore,
    corpus: str | None = None,
    states: Sequence[ledger.JobState] | None = None,
    *,
    of_deleted: bool = True,
) -> int:
    """Return how many jobs there are, as of `list_jobs`."""
    return ledger.count_jobs(store, corpus, states, of_deleted=of_deleted)


def jobs_with(store: GraphStore, corpus: str, document_ids: Sequence[str]) -> dict[str, int]:
    """Return the jobs that have still to index some documents, with how many of them."""
    return ledger.jobs_with_documents(store, corpus, document_ids)


def job_log(store: GraphStore, job_id: str) -> list[JobEvent]:
    """Return what happened to a job, oldest first. Raises UnknownJob."""
    lines = (line.partition("\t") for line in _found(ledger.get_job(store, job_id), job_id).log)
    return [JobEvent(at=at, text=text) for at, _, text in lines]


def cancel_job(store: GraphStore, job_id: str) -> Job:
    """Ask a job to stop and return it. Raises UnknownJob.

    A waiting job is cancelled at once, a running one within seconds; what it has finished stays,
    and what it has not is a failed document that says so. A job that has ended stays as it is.
    """
    return as_job(_found(ledger.cancel_job(store, job_id), job_id))


def job_counts(store: GraphStore) -> list[JobCount]:
    """Return how many jobs there are, by kind and state. Raises GraphUnavailable, at once."""
    store.verify()  # a statement is tried for half a minute where nothing answers
    return [JobCount(**row) for row in ledger.job_counts(store)]


def as_job(job: ledger.Job) -> Job:
    """Return the ledger's job as users see it."""
    return Job(
        id=job.id,
        kind=job.kind,
        corpus=job.corpus,
        state=job.state,
        attempt=job.attempt,
        progress=job.progress,
        error=job.error,
        created_at=job.created_at.isoformat(),
        started_at=_text(job.started_at),
        finished_at=_text(job.finished_at),
        corpus_deleted=job.corpus_deleted,
    )


def unknown_job(job_id: str) -> UnknownJob:
    """Return the error for a job that does not exist."""
    return UnknownJob(
        f"There is no job {job_id!r}.", remedy="`clew jobs` lists the jobs there are."
    )


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _found(job: ledger.Job | None, job_id: str) -> ledger.Job:
    if job is None:
        raise unknown_job(job_id)
    return job
