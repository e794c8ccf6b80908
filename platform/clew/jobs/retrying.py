"""Trying again what a job did not do: the job as a whole, or documents that failed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.errors import InvalidRequest, JobNotOver
from clew.jobs.listing import unknown_job
from clew.jobs.reindex import REINDEX
from clew.jobs.submit import submit, submit_ingest
from clew.results.ingest import SkippedSource
from clew.results.job import Job, Retried
from clew_cypher.corpora import get_corpus
from clew_cypher.ids import content_id
from clew_cypher.jobs import ledger
from clew_cypher.searching.documents import get_document, is_ready
from clew_cypher.writing.documents import reaccept_documents
from clew_ingest.reading.buckets import is_bucket
from clew_ingest.reading.sources import is_url

if TYPE_CHECKING:
    from clew.resources.resources import Resources

INDEXING = ("ingest", REINDEX)
"""Kinds of jobs that have documents of their own."""


def retry_job(resources: "Resources", job_id: str) -> Job:
    """Enter a new job for what a job that is over did not do; return the new one.

    Of an ingest these are its failed documents and the pages that it did not fetch; any other job
    that did not end well is entered anew as it was asked for. Raises UnknownJob, JobNotOver,
    InvalidRequest where nothing can be done again.
    """
    store, settings = resources.store, resources.settings
    job = ledger.get_job(store, job_id)
    if job is None:
        raise unknown_job(job_id)
    if job.live:
        raise JobNotOver("The job is not over yet.", remedy="Wait for its end, or cancel it.")
    get_corpus(store, job.corpus)
    ended_well = job.state == "done"
    if job.kind == "ingest" or (job.kind == REINDEX and ended_well):
        pages = [] if ended_well else _pages_left(resources, job)
        retried = retry_documents(
            resources, job.corpus, ledger.failed_documents(store, job), pages=pages
        )
        if retried.job is None:
            raise InvalidRequest(
                f"Nothing is left to be done again: {len(retried.left)} of its documents failed "
                "and their files are not kept."
                if retried.left
                else "Nothing is left to be done again: none of its documents failed.",
                remedy="Upload them again, or `clew ingest PATH`." if retried.left else "",
            )
        return retried.job
    if ended_well:
        raise InvalidRequest("The job ended well.", remedy="Ask for a new one.")
    return submit(store, settings, job.kind, job.corpus, job.params)


def retry_documents(
    resources: "Resources",
    corpus: str,
    document_ids: Sequence[str],
    *,
    pages: Sequence[str] = (),
) -> Retried:
    """Have a worker index failed documents again: those whose bytes are kept, and web pages
    and objects of buckets, which are fetched again, with ``pages`` that have no document yet.

    Documents that did not fail are left alone. Raises UnknownCorpus, UnknownDocument.
    """
    store = resources.store
    get_corpus(store, corpus)
    failed = [
        row
        for row in (get_document(store, corpus, one) for one in document_ids)
        if row["status"] == "failed"
    ]
    waiting = reaccept_documents(store, corpus, [row["id"] for row in failed])
    rest = [row for row in failed if row["id"] not in set(waiting)]
    addresses = sorted({*(row["uri"] for row in rest if _is_fetched(row["uri"])), *pages})
    left = tuple(
        SkippedSource(uri=row["uri"], reason="Its file is not kept: add it again.")
        for row in rest
        if not _is_fetched(row["uri"])
    )
    if not waiting and not addresses:
        return Retried(job=None, documents=0, left=left)
    job = submit_ingest(store, resources.settings, corpus, waiting, addresses)
    return Retried(job=job, documents=len(waiting) + len(addresses), left=left)


def _is_fetched(uri: str) -> bool:
    return is_url(uri) or is_bucket(uri)


def _pages_left(resources: "Resources", job: ledger.Job) -> list[str]:
    """Return the addresses that a job was to fetch and of which there is no ready document."""
    return [
        url
        for url in job.params.get("urls", [])
        if not is_ready(resources.store, job.corpus, content_id("d", job.corpus, url))
    ]
