"""Compares the ledger with the world, every few seconds, and sets right what was lost.

It runs in every worker that runs jobs; all it does may be done by several at once.
"""

import logging
from collections.abc import Callable, Sequence

from clew.jobs.owner import is_dead
from clew.jobs.periodic import Periodic
from clew.settings import Settings
from clew_cypher.errors import GraphError, GraphUnavailable
from clew_cypher.jobs.ledger import (
    abandon_jobs,
    adopt_documents,
    close_lost_job,
    delete_old_jobs,
    due_jobs,
    job_owners,
    lost_jobs,
    rebase_leases,
)
from clew_cypher.store import GraphStore

log = logging.getLogger(__name__)

KEEP_JOBS_DAYS = 90


class Reconciler(Periodic):
    """Wakes waiting jobs, frees those of dead workers, ends hopeless ones, adopts documents, every
    ``job_reconcile_s`` seconds.
    """

    name = "reconciler"

    def __init__(
        self,
        store: GraphStore,
        settings: Settings,
        kinds: Sequence[str],
        wake: Callable[[str, str], object],
    ) -> None:
        """``wake(job id, kind)`` publishes a message for a job; it may fail."""
        super().__init__(settings.job_reconcile_s)
        self._store = store
        self._settings = settings
        self._kinds = kinds
        self._wake = wake

    def clean(self) -> None:
        """Delete jobs that are over for long."""
        delete_old_jobs(self._store, days=KEEP_JOBS_DAYS)

    def look(self) -> list[str]:
        """Look once; return the ids of the jobs that were woken."""
        dead = [owner for owner in job_owners(self._store) if is_dead(owner)]
        if dead:
            freed = abandon_jobs(self._store, dead)
            log.warning("%d jobs were freed: their worker is dead.", freed)
        if rebased := rebase_leases(self._store):
            log.warning("The clock was set back: %d leases run from now on.", rebased)
        for job_id in lost_jobs(self._store, attempts=self._settings.job_attempts):
            self._close(job_id)
        if "ingest" in self._kinds:
            for job in adopt_documents(
                self._store, "ingest", grace_s=self._settings.job_adopt_after_s
            ):
                log.warning("Job %s adopts documents that no job was going to process.", job.id)
        due = due_jobs(self._store, self._kinds, attempts=self._settings.job_attempts)
        for job in due:
            self._wake(job.id, job.kind)
        return [job.id for job in due]

    def _close(self, job_id: str) -> None:
        """End a lost job; one that cannot be ended must not keep the others waiting."""
        try:
            job = close_lost_job(self._store, job_id, attempts=self._settings.job_attempts)
        except GraphUnavailable:
            raise
        except GraphError as error:
            log.warning("Job %s lost its worker and cannot be ended: %s", job_id, error)
            return
        if job is not None:
            log.warning("Job %s is %s. %s", job.id, job.state, job.error or "")
