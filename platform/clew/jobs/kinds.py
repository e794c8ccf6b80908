"""Every kind of job: its name, the queue whose workers run it, and the work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.errors import JobStopped
from clew.jobs.app import INGEST
from clew.jobs.bench import BENCH, run_bench
from clew.jobs.progress import ended_ingest, running_ingest
from clew.jobs.runner import JobRun
from clew_cypher.ledger import job_documents

if TYPE_CHECKING:
    from clew.clew import Clew


@dataclass(frozen=True)
class JobKind:
    """A kind of job; ``work`` returns what the ledger keeps as the job's last progress."""

    name: str
    queue: str
    work: Callable[["Clew", JobRun], Mapping[str, Any]]


def index_documents(clew: "Clew", run: JobRun) -> Mapping[str, Any]:
    """Index the job's accepted documents. A try that died midway goes on where it stopped."""
    pending = job_documents(run.store, run.job)
    if not pending:
        return run.last_progress
    # what earlier tries of this job processed counts as done
    before = max(0, run.job.params.get("documents", 0) - len(pending))
    start = {"stage": "read", "done": before, "failed": 0, "total": before + len(pending)}
    run.progress(start)
    report = clew.process(
        run.job.corpus,
        pending,
        progress=lambda state: run.progress(running_ingest(state, before)),
        cancelled=run.cancelled,
        guard=run.guard,
    )
    if run.cancelled() and job_documents(run.store, run.job):
        raise JobStopped("The job was told to stop.")
    return ended_ingest(report, before)


KINDS: dict[str, JobKind] = {
    kind.name: kind
    for kind in (JobKind("ingest", INGEST, index_documents), JobKind(BENCH, INGEST, run_bench))
}


def kinds_of(queues: set[str]) -> list[str]:
    """Return the kinds that workers of these queues run."""
    return sorted(kind.name for kind in KINDS.values() if kind.queue in queues)
