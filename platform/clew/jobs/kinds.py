"""Every kind of job: its name, the queue whose workers run it, and the work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.errors import JobStopped
from clew.indexing.ingesting import accept_report, finish, process
from clew.jobs.app import GPU, INGEST
from clew.jobs.bench import BENCH, run_bench
from clew.jobs.progress import FAILURES, ended_ingest, running_ingest
from clew.jobs.reindex import REINDEX, accept_again, delete_vanished
from clew.jobs.runner import JobRun
from clew.jobs.train import run_train
from clew.training.request import TRAIN
from clew_cypher.corpora import get_corpus
from clew_cypher.jobs.ledger import failed_documents, job_documents
from clew_cypher.searching.documents import get_document
from clew_ingest.pipeline.progress import AcceptReport

if TYPE_CHECKING:
    from clew.resources.resources import Resources


@dataclass(frozen=True)
class JobKind:
    """A kind of job; ``work`` returns what the ledger keeps as the job's last progress."""

    name: str
    queue: str
    work: Callable[["Resources", JobRun], Mapping[str, Any]]


def index_documents(resources: "Resources", run: JobRun) -> Mapping[str, Any]:
    """Fetch the job's addresses, and index its accepted documents.

    A try that died midway goes on where it stopped. Documents for which a later job was entered
    before this one began are left to it. Raises UnknownCorpus for one that is no more.
    """
    urls: list[str] = run.job.params.get("urls", [])
    fetched = AcceptReport((), ())
    begun = bool(run.last_progress)  # by an earlier try
    get_corpus(run.store, run.job.corpus)  # it may be deleted while the job waits
    if urls:
        run.progress({"stage": "fetch", "done": 0, "failed": 0, "total": len(urls)})
        fetched = accept_report(
            resources, urls, run.job.corpus, job_id=run.job.id, cancelled=run.cancelled
        )
    asked: int = run.job.params.get("documents", 0) + len(fetched.pending)
    if not urls and not job_documents(run.store, run.job):
        ended = _ended_before(resources, run, asked)
        return ended if begun else {**ended, "superseded": asked}
    left = 0 if begun else asked - len(job_documents(run.store, run.job))
    progress = _index(resources, run, asked, fetched)
    return {**progress, "superseded": progress["superseded"] + max(0, left)}


def reindex_sources(resources: "Resources", run: JobRun) -> Mapping[str, Any]:
    """Read the job's folders and URLs again, index what is new or changed, and delete what
    vanished, where that is asked for.

    In this order a file with another name keeps what a person said of its entities.
    """
    params, corpus = run.job.params, run.job.corpus
    sources: list[str] = params["sources"]
    run.progress({"stage": "read again", "done": 0, "failed": 0, "total": len(sources)})
    confined: bool = params.get("confined", False)
    found = accept_again(
        resources, corpus, sources, run.job.id, confined=confined, cancelled=run.cancelled
    )
    progress = _index(resources, run, len(found.pending), found)
    deleted = 0
    if params.get("gone") == "delete":
        vanished = delete_vanished(resources, corpus, sources, found.gone, run.cancelled)
        deleted = len(vanished.documents)
    return {**progress, "deleted": deleted}


def _ended_before(resources: "Resources", run: JobRun, asked: int) -> Mapping[str, Any]:
    """End a job whose earlier try looked at the last document, and could not note it any more."""
    finish(resources, run.job.corpus, run.cancelled, guard=run.guard)
    failed = [
        get_document(run.store, run.job.corpus, document_id)
        for document_id in failed_documents(run.store, run.job)
    ]
    total = max(asked, run.last_progress.get("total", 0))
    return {
        **run.last_progress,
        "stage": "done",
        "done": total,
        "failed": max(len(failed), run.last_progress.get("failed", 0)),
        "total": total,
        "failures": [
            {name: document[name] for name in ("id", "uri", "error")}
            for document in failed[:FAILURES]
        ],
    }


def _index(
    resources: "Resources", run: JobRun, asked: int, accepted: AcceptReport
) -> Mapping[str, Any]:
    """Index what the job has still to process of the ``asked`` documents; return the progress."""
    pending = job_documents(run.store, run.job)
    # what earlier tries of this job processed counts as done
    before = max(0, asked - len(pending))
    start = {"stage": "read", "done": before, "failed": 0, "total": before + len(pending)}
    run.progress(start)
    report = process(
        resources,
        run.job.corpus,
        pending,
        progress=lambda state: run.progress(running_ingest(state, before)),
        cancelled=run.cancelled,
        guard=run.guard,
    )
    if run.cancelled() and job_documents(run.store, run.job):
        raise JobStopped("The job was told to stop.")
    return ended_ingest(report.after(accepted), before)


KINDS: dict[str, JobKind] = {
    kind.name: kind
    for kind in (
        JobKind("ingest", INGEST, index_documents),
        JobKind(REINDEX, INGEST, reindex_sources),
        JobKind(BENCH, INGEST, run_bench),
        JobKind(TRAIN, GPU, run_train),
    )
}


def kinds_of(queues: set[str]) -> list[str]:
    """Return the kinds that workers of these queues run."""
    return sorted(kind.name for kind in KINDS.values() if kind.queue in queues)
