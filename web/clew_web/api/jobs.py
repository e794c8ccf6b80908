"""GET /jobs, GET /jobs/{job_id}, POST /jobs/{job_id}/cancel."""

from flask import Response
from flask_openapi3 import APIBlueprint, Tag

from clew.results.corpus import Job
from clew_web.api.models import JobFilter, JobPath
from clew_web.api.responses import ERRORS, SECURITY, reply
from clew_web.api.results import JobList
from clew_web.backend import backend
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "jobs",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Jobs", description="Work in the background.")],
    abp_responses=ERRORS,
    abp_security=SECURITY,
)


@api.get("/jobs", summary="The jobs of a corpus", responses={"200": JobList})
@allows("reader", Corpora.FILTERED)
def list_jobs(query: JobFilter) -> Response:
    """Jobs, newest first."""
    found = backend().clew.jobs(query.corpus, limit=query.limit)
    return reply(JobList(jobs=list(found)))


@api.get("/jobs/<job_id>", summary="One job", responses={"200": Job})
@allows("reader", Corpora.CHECKED)
def get_job(path: JobPath) -> Response:
    """A job's state and progress."""
    return reply(backend().clew.job(path.job_id))


@api.post("/jobs/<job_id>/cancel", summary="Cancel a job", responses={"202": Job})
@allows("editor", Corpora.CHECKED)
def cancel_job(path: JobPath) -> Response:
    """Ask a job to stop. What it wrote stays and is consistent."""
    return reply(backend().clew.cancel_job(path.job_id), 202)
