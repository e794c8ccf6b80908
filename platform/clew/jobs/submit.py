"""Enters jobs into the ledger and wakes a worker; reads and cancels them. Loads no model."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from kombu.exceptions import OperationalError

from clew.catalogue import Job
from clew.errors import PlatformError, UnknownJob
from clew.jobs.app import RUN_JOB, publish
from clew.jobs.kinds import KINDS
from clew.settings import Settings
from clew_cypher import ledger
from clew_cypher.store import GraphStore

log = logging.getLogger(__name__)


def submit_ingest(
    store: GraphStore, settings: Settings, corpus: str, document_ids: Sequence[str]
) -> Job:
    """Enter a job that indexes accepted documents, wake a worker, and return the job.

    The ledger is the truth: if the broker cannot be reached, the job is entered all the same and
    a worker's reconciler finds it within seconds of being there.
    """
    params = {"documents": len(document_ids)}
    return submit(store, settings, "ingest", corpus, params, document_ids)


def submit(
    store: GraphStore,
    settings: Settings,
    kind: str,
    corpus: str,
    params: Mapping[str, Any],
    document_ids: Sequence[str] = (),
) -> Job:
    """Enter a job of a kind, wake a worker, and return the job."""
    job = ledger.create_job(store, kind, corpus, dict(params), document_ids=document_ids)
    wake(settings, job.id, job.kind)
    return as_job(job)


def wake(settings: Settings, job_id: str, kind: str) -> bool:
    """Tell the workers that a job waits; False (and a log line) if the broker is not there."""
    try:
        publish(settings, RUN_JOB, (job_id,), KINDS[kind].queue)
    except (OperationalError, PlatformError, OSError) as error:
        log.warning("No worker could be woken for job %s: %s", job_id, error)
        return False
    return True


def list_jobs(
    store: GraphStore,
    corpus: str | None = None,
    limit: int = 20,
    offset: int = 0,
    states: Sequence[ledger.JobState] | None = None,
) -> list[Job]:
    """Return jobs, newest first, of one corpus and some states or of all."""
    found = ledger.list_jobs(store, corpus, states, limit=limit, offset=offset)
    return [as_job(job) for job in found]


def get_job(store: GraphStore, job_id: str) -> Job:
    """Return a job. Raises UnknownJob."""
    return as_job(_found(ledger.get_job(store, job_id), job_id))


def cancel_job(store: GraphStore, job_id: str) -> Job:
    """Ask a job to stop and return it. Raises UnknownJob.

    A waiting job is cancelled at once, a running one within seconds; what it has finished stays,
    and what it has not is a failed document that says so. A job that has ended stays as it is.
    """
    return as_job(_found(ledger.cancel_job(store, job_id), job_id))


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
    )


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _found(job: ledger.Job | None, job_id: str) -> ledger.Job:
    if job is None:
        raise UnknownJob(
            f"There is no job {job_id!r}.", remedy="`clew jobs` lists the jobs there are."
        )
    return job
