"""GET /jobs, GET /jobs/{job_id} and its log, POST /jobs/{job_id}/cancel and /retry."""

from functools import partial

from flask import Response
from flask_openapi3 import APIBlueprint, Tag

from clew.results.access import Scope
from clew.results.job import Job
from clew_web.api.models import JobFilter, JobPath
from clew_web.api.responses import SECURITY, page_of, reply
from clew_web.api.results import JobLog, JobPage
from clew_web.backend import backend
from clew_web.policy import Corpora, allows

STARTED: tuple[Scope, ...] = ("ingest",)
"""Whose key may start a job may see what became of it."""

api = APIBlueprint(
    "jobs",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Jobs", description="Work in the background.")],
    abp_security=SECURITY,
)


@api.get("/jobs", summary="The jobs of a corpus", responses={"200": JobPage})
@allows("reader", Corpora.FILTERED)
def list_jobs(query: JobFilter) -> Response:
    """A page of jobs, newest first, by corpus and state."""
    return reply(job_page(query))


@api.get("/jobs/<job_id>", summary="One job", responses={"200": Job})
@allows("reader", Corpora.CHECKED, also=STARTED)
def get_job(path: JobPath) -> Response:
    """A job's state and progress."""
    return reply(backend().clew.job(path.job_id))


@api.get("/jobs/<job_id>/log", summary="A job's log", responses={"200": JobLog})
@allows("reader", Corpora.CHECKED, also=STARTED)
def get_job_log(path: JobPath) -> Response:
    """What happened to a job: its tries, its stages, its errors, its end."""
    return reply(JobLog(events=backend().clew.job_log(path.job_id)))


@api.post("/jobs/<job_id>/retry", summary="Do it again", responses={"202": Job})
@allows("editor", Corpora.CHECKED)
def retry_job(path: JobPath) -> Response:
    """Have done again what a job that is over did not do; the answer is the new job.

    Of an ingest these are its failed documents, whose files are kept until they were looked at.
    """
    return reply(backend().clew.retry_job(path.job_id), 202)


@api.post("/jobs/<job_id>/cancel", summary="Cancel a job", responses={"202": Job})
@allows("editor", Corpora.CHECKED)
def cancel_job(path: JobPath) -> Response:
    """Ask a job to stop. What it wrote stays and is consistent."""
    return reply(backend().clew.cancel_job(path.job_id), 202)


def job_page(query: JobFilter) -> JobPage:
    """Return the page of jobs that REST and the Jobs page show."""
    states = None if query.state is None else (query.state,)
    clew = backend().clew
    return page_of(
        JobPage,
        "jobs",
        query,
        partial(clew.jobs, query.corpus, states=states),
        partial(clew.count_jobs, query.corpus, states=states),
    )
