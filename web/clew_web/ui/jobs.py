"""The Jobs page, and the page of one job: progress, error, log, cancel, do again."""

from typing import Any, get_args

from flask import Response, make_response, render_template, request
from pydantic import ValidationError

from clew.errors import CLEW_ERRORS
from clew.results.job import Job, JobState
from clew_web.api.jobs import job_page
from clew_web.api.models import JobFilter, JobPath
from clew_web.backend import backend
from clew_web.errors import validation_response
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui
from clew_web.ui.home import BUSY_S, LIVE_S

PAGE = 25
STATES = get_args(JobState)
LIVE_STATES: tuple[JobState, ...] = ("queued", "running")
ENDED_LOOKED_AT = 100
OF_DOCUMENTS = ("ingest", "reindex")
COUNT_WORDS = {"entities": "entities and concepts"}
"""A job counts the arguments of triples too that name nothing; a corpus does not."""


@ui.get("/jobs")
@allows("reader", Corpora.FILTERED)
def jobs() -> Response:
    """The jobs, newest first, by state and corpus; the list follows them."""
    clew = backend().clew
    corpora: list[Any] = []
    problem = page = None
    choice = JobFilter(limit=PAGE)
    try:
        given = {name: value for name, value in request.args.items() if value}
        choice = JobFilter.model_validate({"limit": PAGE, **given})
        corpora = list(clew.corpora())
        page = job_page(choice)
    except ValidationError as error:
        return validation_response(error)
    except CLEW_ERRORS as error:
        problem = error
    busy = page is not None and any(job.state in LIVE_STATES for job in page.jobs)
    return make_response(
        render_template(
            "jobs.html",
            corpora=corpora,
            choice=choice,
            page=page,
            states=STATES,
            problem=problem,
            live_s=BUSY_S if busy else LIVE_S,
        )
    )


@ui.get("/jobs/<job_id>")
@allows("reader", Corpora.CHECKED)
def job(job_id: str) -> Response:
    """One job: what it has done, what failed, what happened to it."""
    try:
        path = JobPath(job_id=job_id)
    except ValidationError as error:
        return validation_response(error)
    found = backend().clew.job(path.job_id)
    return make_response(
        render_template(
            "job.html",
            job=found,
            events=backend().clew.job_log(path.job_id),
            counts=_counts(found),
            live_s=BUSY_S if found.state in LIVE_STATES else LIVE_S,
        )
    )


def jobs_of(kind: str) -> tuple[list[Job], Job | None]:
    """Return all jobs of a kind that are not over, newest first, and the last one that is, if it is
    among the last `ENDED_LOOKED_AT` of any kind.
    """
    clew = backend().clew
    count = clew.count_jobs(None, states=LIVE_STATES)
    going_on = clew.jobs(None, limit=count, states=LIVE_STATES) if count else []
    over = [state for state in STATES if state not in LIVE_STATES]
    ended = clew.jobs(None, limit=ENDED_LOOKED_AT, states=over)
    return (
        [job for job in going_on if job.kind == kind],
        next((job for job in ended if job.kind == kind), None),
    )


@ui.app_template_filter("can_be_done_again")
def can_be_done_again(job: Job) -> bool:
    """Whether the job is over and left something that a new one could do."""
    if job.state in LIVE_STATES:
        return False
    return job.state != "done" or (job.kind in OF_DOCUMENTS and bool(job.progress.get("failed")))


def _counts(job: Job) -> list[tuple[str, int]]:
    """Return what the job counted, by name, in the order in which it tells it."""
    return [
        (COUNT_WORDS.get(name, name.replace("_", " ")), value)
        for name, value in job.progress.items()
        if isinstance(value, int) and not isinstance(value, bool) and value
    ]
