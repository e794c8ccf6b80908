"""POST /bench starts a run of the bench; /bench/runs lists, shows, compares and deletes them."""

from typing import Any

from flask import Response, make_response, request
from flask_openapi3 import APIBlueprint, Tag
from pydantic import ValidationError

from clew.evaluation.figures import RunComparison, RunFigures
from clew.evaluation.run import BenchRun
from clew.results.job import Job
from clew_web.api.bench_models import (
    Against,
    BenchRunFilter,
    BenchRunPath,
    ReportChoice,
)
from clew_web.api.bench_requests import from_form, from_json
from clew_web.api.responses import SECURITY, reply
from clew_web.api.results import BenchRunList
from clew_web.backend import backend
from clew_web.bench import compared, figures_of, kept_run, report_of, start
from clew_web.errors import Refused, validation_response
from clew_web.guard import REPORT_HEADERS
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "bench",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Bench", description="Measure the ways of finding evidence.")],
    abp_security=SECURITY,
)
HTML: Any = {
    "description": "A page that needs nothing from elsewhere.",
    "content": {"text/html": {"schema": {"type": "string"}}},
}


@api.post("/bench", summary="Start a run of the bench", responses={"202": Job})
@allows("editor", Corpora.CHECKED)
def start_bench() -> Response:
    """Ask every strategy the same questions over the same index, in a job.

    As JSON, or as multipart with the questions as a file of JSON Lines. The job's progress tells
    the stage and each strategy's figures so far; at the end its `run_id` names the kept run.
    """
    try:
        if request.mimetype == "multipart/form-data":
            choices, questions = from_form(request.form, request.files)
        elif request.is_json:
            choices, questions = from_json(request.get_json())
        else:
            raise Refused(
                415,
                "A run comes as multipart/form-data or application/json.",
                remedy='Send {"data_set": "sample"} as JSON.',
            )
    except ValidationError as error:
        return validation_response(error)
    return reply(start(choices, questions), 202)


@api.get("/bench/runs", summary="The kept runs", responses={"200": BenchRunList})
@allows("reader", Corpora.FILTERED)
def list_bench_runs(query: BenchRunFilter) -> Response:
    """Runs with their main figures, newest first."""
    return reply(BenchRunList(runs=list(backend().clew.bench_runs(limit=query.limit))))


@api.get("/bench/runs/<run_id>", summary="One run", responses={"200": BenchRun})
@allows("reader", Corpora.CHECKED)
def get_bench_run(path: BenchRunPath) -> Response:
    """The whole run: every question's ranking, answer and trace, settings, versions, machine."""
    return reply(kept_run(path.run_id))


@api.get("/bench/runs/<run_id>/figures", summary="A run's figures", responses={"200": RunFigures})
@allows("reader", Corpora.CHECKED)
def get_figures(path: BenchRunPath) -> Response:
    """Every metric of every strategy with its interval and denominator, costs, and differences."""
    return reply(figures_of(path.run_id))


@api.get("/bench/runs/<run_id>/report", summary="A run's report", responses={"200": HTML})
@allows("reader", Corpora.CHECKED)
def get_report(path: BenchRunPath, query: ReportChoice) -> Response:
    """The figures as a page with plots; `against` marks what got worse since an earlier run."""
    run = kept_run(path.run_id)
    against = None if query.against is None else kept_run(query.against)
    response = make_response(report_of(run, against))
    response.headers.update(REPORT_HEADERS)
    return response


@api.get(
    "/bench/runs/<run_id>/comparison",
    summary="A run against an earlier one",
    responses={"200": RunComparison},
)
@allows("reader", Corpora.CHECKED)
def get_comparison(path: BenchRunPath, query: Against) -> Response:
    """Each strategy's metrics in both runs, with p-values, on the questions both have."""
    return reply(compared(kept_run(path.run_id), kept_run(query.against)))


@api.delete("/bench/runs/<run_id>", summary="Delete a run", responses={"204": None})
@allows("editor", Corpora.CHECKED)
def delete_bench_run(path: BenchRunPath) -> Response:
    """Delete a kept run. The corpus it measured stays."""
    backend().clew.delete_bench_run(path.run_id)
    return make_response("", 204)
