"""The Schedules page: what is done again and again, when next, how it went; and a form for more."""

import os
from typing import Any
from zoneinfo import available_timezones

from flask import Response, make_response, redirect, render_template, request, url_for
from pydantic import ValidationError
from werkzeug.wrappers import Response as BaseResponse

from clew.errors import CLEW_ERRORS, InvalidRequest
from clew.results.schedule import Schedule
from clew.strategies.catalogue import STRATEGIES, trainable
from clew_web.api.schedules import ScheduleBody, start
from clew_web.backend import backend
from clew_web.errors import explain_validation
from clew_web.policy import protected
from clew_web.ui.blueprint import ui
from clew_web.ui.corpora import preferred_corpus

LIVE_S = 10
RUNS_SHOWN = 10
UNITS = {"minutes": 60, "hours": 3600, "days": 86_400}
LABELS = {
    "name": "Name",
    "corpus": "Corpus",
    "cron": "Minute, hour, day, month, weekday",
    "zone": "Time zone",
    "every_s": "Every",
    "reindex.sources": "Pages to read again",
    "train.method": "Method",
    "bench.strategies": "Strategies",
}
"""What the form calls the fields of a body."""
ACTIONS = ("pause", "resume", "run")


@ui.get("/schedules")
@protected
def schedules() -> Response:
    """The schedules with their history, and a form to add one."""
    return _page()


@ui.post("/schedules")
@protected
def add_schedule() -> BaseResponse:
    """Add what the form asks for; show the form again, with the reason, where it is refused."""
    try:
        start(ScheduleBody.model_validate(_asked()))
    except ValidationError as error:
        return _page(InvalidRequest(explain_validation(error, LABELS)))
    except CLEW_ERRORS as error:
        return _page(error)
    return redirect(url_for("ui.schedules"), 303)


@ui.post("/schedules/<schedule_id>/<action>")
@protected
def change_schedule(schedule_id: str, action: str) -> BaseResponse:
    """Pause or resume a schedule, or run it now; it is deleted over REST."""
    try:
        if action not in ACTIONS:
            raise InvalidRequest(f"A schedule cannot {action!r}.")
        getattr(backend().clew, f"{action}_schedule")(schedule_id)
    except CLEW_ERRORS as error:
        return _page(error)
    return redirect(url_for("ui.schedules"), 303)


@ui.app_template_filter("when")
def when(schedule: Schedule) -> str:
    """Say when a schedule ticks: cron 0 3 * * *, Europe/Berlin; every 6 hours."""
    if schedule.cron is not None:
        return f"cron {schedule.cron}, {schedule.zone}"
    seconds = schedule.every_s or 0
    unit, size = next(
        ((unit, size) for unit, size in reversed(UNITS.items()) if seconds % size == 0),
        ("seconds", 1),
    )
    return f"every {seconds // size} {unit}"


@ui.app_template_filter("zone")
def zone(schedule: Schedule) -> str | None:
    """Return the time zone in which a schedule ticks; None for an interval, which has none."""
    return schedule.zone if schedule.cron is not None else None


@ui.app_template_filter("does")
def does(schedule: Schedule) -> str:
    """Say what a schedule does."""
    params = schedule.params
    if schedule.kind == "reindex":
        return "Re-index " + ", ".join(params["sources"])
    if schedule.kind == "train":
        return f"Train {params['method']}"
    return "Measure " + ", ".join(params["strategies"] or ["all strategies"])


def _asked() -> dict[str, Any]:
    """Return the form as the body that REST takes."""
    form = request.form
    asked: dict[str, Any] = {"name": form.get("name", ""), "corpus": form.get("corpus") or None}
    if form.get("timing") == "interval":
        count, unit = form.get("every", ""), form.get("unit", "")
        if not count.isascii() or not count.isdigit() or unit not in UNITS:
            raise InvalidRequest("The interval is no whole number.", remedy="Such as 6 hours.")
        asked["every_s"] = int(count[:9]) * UNITS[unit]
    else:
        asked |= {"cron": form.get("cron", ""), "zone": form.get("zone") or "UTC"}
    kind = form.get("kind")
    if kind == "train":
        asked["train"] = {"method": form.get("method", "")}
    elif kind == "bench":
        asked["bench"] = {"strategies": form.getlist("strategies") or None}
    else:
        sources = [line.strip() for line in form.get("sources", "").splitlines() if line.strip()]
        asked["reindex"] = {"sources": sources, "gone": form.get("gone", "keep")}
    return asked


def _page(problem: Any = None) -> Response:
    service = backend()
    status = 200 if problem is None else problem.http_status
    refused = problem is not None
    shown: list[tuple[Schedule, list[Any]]] = []
    corpora: list[Any] = []
    try:
        shown = [
            (schedule, service.clew.schedule_runs(schedule.id, RUNS_SHOWN))
            for schedule in service.clew.schedules()
        ]
        corpora = service.clew.corpora()
    except CLEW_ERRORS as error:
        problem = problem or error
    folders = [folder for folder in service.settings.schedule_folders.split(os.pathsep) if folder]
    page = render_template(
        "schedules.html",
        schedules=shown,
        corpora=corpora,
        corpus=preferred_corpus(corpora, filled=False),
        folders=folders,
        buckets=[one.strip() for one in service.settings.s3_buckets.split(",") if one.strip()],
        methods=[spec.name for spec in trainable()],
        strategies=[spec.name for spec in STRATEGIES],
        zones=sorted(available_timezones()),
        units=UNITS,
        problem=problem,
        chosen=request.form if refused else {},
        chosen_strategies=request.form.getlist("strategies"),
        live_s=LIVE_S,
    )
    return make_response(page, status)
