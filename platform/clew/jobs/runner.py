"""Runs one job: holds its lease, notes its progress, hears its cancellation, ends it rightly."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from clew.errors import CLEW_ERRORS, JobStopped, RunsElsewhere
from clew.settings import Settings
from clew.telemetry.request import within
from clew.telemetry.traces import span
from clew_cypher.errors import GraphError, GraphIsNewer
from clew_cypher.jobs.ledger import (
    Job,
    close_job,
    enter_and_take_job,
    holds_job,
    job_documents,
    renew_job,
    requeue_job,
    take_job,
)
from clew_cypher.store import GraphStore, Transaction
from clew_ingest.errors import IngestCancelled
from clew_models.errors import LanguageModelUnavailable

log = logging.getLogger(__name__)

TICK_S = 0.5
"""Shortest time between two writes of progress to the ledger."""
RENEW_S = 2.0
"""Longest time between two looks at the ledger: how soon a cancellation is heard."""
RETRY_WAIT_S = 5.0
"""A job that failed waits this long times its tries before it is due again."""
AWAY_WAIT_S = 30.0
"""A job with documents waits this long between two looks for a language model that is away, and one
whose work is under way in another process for its end."""


class JobRun:
    """A job that this process owns, as the code that does the work sees it."""

    def __init__(
        self, store: GraphStore, job: Job, *, lease_s: float, stopping: Callable[[], bool]
    ) -> None:
        self.store = store
        self.job = job
        self.lost = False
        self._lease_s = lease_s
        self._stopping = stopping
        self._progress: Mapping[str, Any] = job.progress
        self._dirty = False
        self._stages: set[str] = set()
        self._cancel_requested = job.cancel_requested
        self._over = threading.Event()
        self._owned_until = time.monotonic() + lease_s
        self._renewed = time.monotonic()

    def progress(self, values: Mapping[str, Any]) -> None:
        """Note what the job has done so far (JSON values); cheap, call it as often as you like."""
        self._progress = values
        self._dirty = True

    @property
    def last_progress(self) -> Mapping[str, Any]:
        """What was noted last."""
        return self._progress

    @property
    def cancel_requested(self) -> bool:
        """Whether a person asked to cancel the job."""
        return self._cancel_requested

    @property
    def interrupted(self) -> bool:
        """Whether the worker stops, or no longer owns the job: another one will go on."""
        return self.lost or self._stopping()

    def cancelled(self) -> bool:
        """Whether the work has to end now: cancelled, the worker stops, or the lease is lost."""
        return self._cancel_requested or self.interrupted

    def guard(self, transaction: Transaction) -> None:
        """Lock the job in a transaction that writes its data; raises JobStopped if it is lost."""
        if not holds_job(transaction, self.job):
            self.lost = True
            raise JobStopped("The job is no longer this worker's.")

    @contextmanager
    def held(self) -> Iterator["JobRun"]:
        """Keep the lease renewed while the block runs."""
        thread = threading.Thread(target=self._renew, name=f"lease-{self.job.id}", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            thread.join()

    def _renew(self) -> None:
        while not self._over.wait(TICK_S) and not self.lost:
            now = time.monotonic()
            if not self._dirty and now - self._renewed < min(RENEW_S, self._lease_s / 3):
                continue
            self._dirty = False
            stage = self._progress.get("stage")
            begun = [stage] if isinstance(stage, str) and stage not in self._stages else []
            try:
                renewed = renew_job(
                    self.store,
                    self.job,
                    lease_s=self._lease_s,
                    progress=self._progress,
                    notes=[f"Stage: {name}." for name in begun],
                )
            except Exception as error:  # whatever it is, the lease decides whether to go on
                self._dirty = True
                log.warning("The lease of job %s could not be renewed: %s", self.job.id, error)
                self.lost = time.monotonic() > self._owned_until
                continue
            self._renewed = now
            self._stages.update(begun)
            self._owned_until = now + self._lease_s
            if renewed is None:
                log.warning("Job %s is no longer ours; leaving it.", self.job.id)
                self.lost = True
            else:
                self._cancel_requested = renewed.cancel_requested


Work = Callable[[JobRun], Mapping[str, Any]]
"""Does a job and returns its last progress; raises JobStopped when told to stop midway."""


@dataclass(frozen=True)
class Runner:
    """Takes jobs from the ledger for one owner and runs them, one call a job."""

    store: GraphStore
    settings: Settings
    owner: str
    stopping: Callable[[], bool] = lambda: False

    def run(self, job_id: str, work: Work) -> Job | None:
        """Take the job and do it; None if it was not to be had, or was lost on the way."""
        job = take_job(
            self.store,
            job_id,
            self.owner,
            lease_s=self.settings.job_lease_s,
            attempts=self.settings.job_attempts,
        )
        if job is None:
            return None
        with within(job.request), span(f"job {job.kind}", job=job.id, attempt=job.attempt):
            log.info("Job %s (%s, try %d) begins.", job.id, job.kind, job.attempt)
            ended, failure = self._do(job, work)
            if failure is not None and not isinstance(failure, Exception):
                raise failure
            log.info("Job %s is %s.", job.id, ended.state if ended else "no longer ours")
        return ended

    def run_here(
        self, kind: str, corpus: str, document_ids: Sequence[str], work: Work
    ) -> Mapping[str, Any]:
        """Enter a job for work that this process does itself, and do it; return its progress.

        The lease tells the workers that the documents are cared for, and lets them finish the
        job should this process die. Raises what ``work`` raises; the job then ended with it.
        """
        job = enter_and_take_job(
            self.store,
            kind,
            corpus,
            self.owner,
            lease_s=self.settings.job_lease_s,
            document_ids=document_ids,
        )
        ended, failure = self._do(job, work, final=True)
        if failure is not None:
            raise failure
        if ended is None:
            raise JobStopped(
                "Another process has taken this work over, since this one stood still.",
                remedy=f"`clew jobs` shows how the job {job.id} goes on.",
            )
        return ended.progress

    def _do(
        self, job: Job, work: Work, final: bool = False
    ) -> tuple[Job | None, BaseException | None]:
        run = JobRun(self.store, job, lease_s=self.settings.job_lease_s, stopping=self.stopping)
        failure: BaseException | None = None
        with run.held():
            try:
                run.progress(work(run))
            except BaseException as error:
                failure = error
        return self._end(run, failure, final), failure

    def _end(self, run: JobRun, failure: BaseException | None, final: bool) -> Job | None:
        try:
            return self._settle(run, failure, final)
        except GraphError as error:
            # The lease runs out and the job is done again; everything it writes is idempotent.
            log.error("The end of job %s could not be noted: %s", run.job.id, error)
            return None

    def _settle(self, run: JobRun, failure: BaseException | None, final: bool) -> Job | None:
        job, progress = run.job, run.last_progress
        if run.lost:
            return None
        if failure is None:
            return close_job(self.store, job, "done", progress=progress)
        if isinstance(failure, (JobStopped, IngestCancelled)) or not isinstance(failure, Exception):
            if run.cancel_requested or final:
                return close_job(self.store, job, "cancelled", progress=progress)
            return requeue_job(self.store, job, counts=False)
        reason = failure_reason(failure)
        expected = isinstance(failure, CLEW_ERRORS)
        if not (final and expected):  # the caller of run_here gets the error itself
            trace = None if expected else failure
            log.warning("Job %s failed at try %d. %s", job.id, job.attempt, reason, exc_info=trace)
        if isinstance(failure, GraphIsNewer) and not final:
            # upgraded since the job was taken: a worker of the newer Clew does it
            return requeue_job(self.store, job, error=reason, counts=False)
        if isinstance(failure, RunsElsewhere) and not final:
            # perhaps a worker that lost this very job and has not heard of it yet, or is dying
            return requeue_job(self.store, job, error=reason, wait_s=AWAY_WAIT_S, counts=False)
        if final or (isinstance(failure, CLEW_ERRORS) and failure.http_status < 500):
            return close_job(self.store, job, "failed", error=reason, progress=progress)
        if isinstance(failure, LanguageModelUnavailable) and job_documents(self.store, job):
            # set aside, the documents would be gone with their bytes: nothing is wrong with them
            return requeue_job(self.store, job, error=reason, wait_s=AWAY_WAIT_S, counts=False)
        noted = renew_job(self.store, job, lease_s=self.settings.job_lease_s, progress=progress)
        if noted is None:
            return None
        if noted.attempt < self.settings.job_attempts:
            return requeue_job(self.store, job, error=reason, wait_s=RETRY_WAIT_S * noted.attempt)
        reason = f"Set aside after {noted.attempt} tries. {reason}"
        return close_job(self.store, job, "set_aside", error=reason, progress=progress)


def failure_reason(error: Exception) -> str:
    """Return what a person should read: our errors as they are, others with their type."""
    if isinstance(error, CLEW_ERRORS):
        return str(error)
    return f"An unexpected error ({type(error).__name__}): {error}"
