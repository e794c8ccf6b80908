"""The Bench page: start a run, watch it, list the kept ones. And the page of one run."""

from typing import Any

from flask import Response, make_response, redirect, render_template, request, url_for
from pydantic import ValidationError
from werkzeug.wrappers import Response as BaseResponse

from clew.answering.readers import READERS
from clew.errors import CLEW_ERRORS, InvalidRequest
from clew.evaluation.request import NO_READER, BenchRunInfo
from clew.results.job import Job
from clew.strategies.catalogue import STRATEGIES, in_steps
from clew.strategies.searching import unaskable
from clew_web.api.bench_models import BenchRunPath, ReportChoice
from clew_web.api.bench_requests import from_form
from clew_web.backend import backend
from clew_web.bench import compared, figures_of, kept_run, start
from clew_web.errors import Refused, explain_validation, validation_response
from clew_web.guard import FRAMING_HEADERS
from clew_web.policy import Corpora, allows
from clew_web.strategies import steps_problem
from clew_web.ui.blueprint import ui
from clew_web.ui.home import BUSY_S, LIVE_S
from clew_web.ui.jobs import jobs_of

LISTED = 100
COMPARED = 2


@ui.get("/bench")
@allows("reader", Corpora.FILTERED)
def bench() -> Response:
    """Start a run, follow it while it goes on, open and compare the kept ones."""
    return _bench_page()


@ui.post("/bench")
@allows("editor", Corpora.CHECKED)
def start_bench() -> BaseResponse:
    """Start what the form asks for; show the form again, with the reason, where that is refused."""
    fields, files = request.form.copy(), request.files.copy()
    try:
        source = fields.pop("source", "graph")
        if source != "file":
            files.clear()
        elif not any(file.filename for file in files.values()):
            raise InvalidRequest(
                "No file of questions is chosen.",
                remedy="Choose one, or have the questions made from the graph.",
            )
        if fields.get("ablations"):
            # the boxes of the strategies stay as they were when a study is chosen
            fields.poplist("strategies")
        elif "strategies" not in fields:
            raise InvalidRequest("No strategy is chosen.", remedy="Choose one or more.")
        start(*from_form(fields, files))
    except ValidationError as error:
        return _bench_page(Refused(422, explain_validation(error)))
    except CLEW_ERRORS as error:
        return _bench_page(error)
    return redirect(url_for("ui.bench", _anchor="jobs"), 303)


@ui.get("/bench/compare")
@allows("reader", Corpora.CHECKED)
def compare_bench_runs() -> BaseResponse:
    """Go to the newer one of two runs, compared with the older."""
    chosen = list(dict.fromkeys(request.args.getlist("run")))
    if len(chosen) != COMPARED:
        problem = InvalidRequest(
            f"{len(chosen)} run{' is' if len(chosen) == 1 else 's are'} chosen.",
            remedy="Choose two in the list to compare them.",
        )
        return _bench_page(problem)
    older, newer = sorted(chosen, key=lambda run_id: kept_run(run_id).created_at)
    return redirect(url_for("ui.bench_run", run_id=newer, against=older))


@ui.get("/bench/runs/<run_id>")
@allows("reader", Corpora.CHECKED)
def bench_run(run_id: str) -> Response:
    """A run's report in a frame, to be downloaded and to be compared with another run's."""
    from clew.evaluation.runs import info_of

    try:
        path = BenchRunPath(run_id=run_id)
        choice = ReportChoice.model_validate(
            {name: value for name, value in request.args.items() if value}
        )
    except ValidationError as error:
        return validation_response(error)
    runs = backend().clew.bench_runs(limit=LISTED)
    info = next((run for run in runs if run.id == path.run_id), None)
    if info is None:
        info = info_of(kept_run(path.run_id), figures_of(path.run_id))
    others = [other for other in runs if other is not info and _comparable(info, other)]
    problem, against = None, choice.against
    if against is not None:
        try:
            # before the frame asks for it: a reason is read here, not in the frame
            compared(kept_run(info.id), kept_run(against))
        except CLEW_ERRORS as error:
            problem, against = error, None
    page = render_template(
        "bench_run.html",
        info=info,
        alike=[other for other in others if other.fingerprint == info.fingerprint],
        unlike=[other for other in others if other.fingerprint != info.fingerprint],
        against=against,
        problem=problem,
    )
    response = make_response(page, 200 if problem is None else problem.http_status)
    response.headers.update(FRAMING_HEADERS)
    return response


def _comparable(info: BenchRunInfo, other: BenchRunInfo) -> bool:
    """Return whether runs may have questions in common, and have a strategy in common."""
    return info.data_set == other.data_set and bool(info.main.keys() & other.main.keys())


def _bench_page(problem: Any = None) -> Response:
    service = backend()
    status = 200 if problem is None else problem.http_status
    refused = problem
    corpora: list[Any] = []
    active: list[Job] = []
    ended: Job | None = None
    runs: list[Any] = []
    try:
        corpora = [corpus for corpus in service.clew.corpora() if corpus.chunks]
        active, ended = jobs_of("bench")
        runs = list(service.clew.bench_runs(limit=LISTED))
    except CLEW_ERRORS as error:
        problem = problem or error
    page = render_template(
        "bench.html",
        corpora=corpora,
        active=active,
        ended=ended,
        runs=runs,
        problem=problem,
        chosen=request.form if refused is not None else {},
        chosen_strategies=request.form.getlist("strategies")
        if refused is not None and not request.form.get("ablations")
        else None,
        strategies=STRATEGIES,
        in_steps=in_steps,
        steps_problem=steps_problem(service.settings),
        unaskable=unaskable(service.settings),
        readers=(NO_READER, *(spec.name for spec in READERS)),
        upload_limit_mib=service.settings.upload_limit_mib,
        live_s=BUSY_S if active else LIVE_S,
        live_address=None if refused is None else url_for("ui.bench"),
    )
    return make_response(page, status)
