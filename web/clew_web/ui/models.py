"""The Models page: train a method, watch it learn, see which version serves and choose another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from flask import Response, make_response, redirect, render_template, request, url_for
from pydantic import BaseModel
from werkzeug.wrappers import Response as BaseResponse

from clew.errors import CLEW_ERRORS
from clew.results.job import Job
from clew.results.training import ModelVersion, TrainingFigure
from clew.strategies.catalogue import trainable
from clew.strategies.learning.training import Training
from clew.training.request import STAGES, TRAIN, training_of
from clew_web.api.trained_models import start
from clew_web.backend import backend
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui
from clew_web.ui.home import BUSY_S, LIVE_S
from clew_web.ui.jobs import jobs_of

NUMBERS = {int: "1", float: "any"}
"""Types of options that are numbers, with the steps of their fields."""


@dataclass(frozen=True)
class OptionField:
    """An option of a method as a field of the form. ``kind``: number, choice, switch or text."""

    name: str
    label: str
    help: str
    kind: str
    value: Any
    step: str = "any"
    bounds: Mapping[str, Any] | None = None
    choices: Sequence[str] = ()


@dataclass(frozen=True)
class Learner:
    """A method that learns, as the page shows it; ``groups``: its versions by corpus, those of a
    deleted one apart from those of a later one of its name.
    """

    name: str
    training: Training
    fields: Sequence[OptionField]
    groups: Sequence[tuple[str | None, bool, Sequence[ModelVersion]]]


@ui.get("/models")
@allows("reader", Corpora.FILTERED)
def models() -> Response:
    """The versions of each method and corpus, and a form to train one."""
    return _page()


@ui.post("/models/<method>/train")
@allows("editor", Corpora.CHECKED)
def train_model(method: str) -> BaseResponse:
    """Start what the form asks for; show the form again, with the reason, where it is refused."""
    try:
        training = training_of(method)
        fields = {name: request.form.get(name, "") for name in training.options.model_fields}
        options = {
            field.name: fields[field.name] == "on" if field.kind == "switch" else value
            for field in option_fields(training.options)
            if (value := fields[field.name]) or field.kind == "switch"
        }
        start(method, request.form.get("corpus") or None, options, sample=False)
    except CLEW_ERRORS as error:
        return _page(error, method)
    return redirect(url_for("ui.models", _anchor="jobs"), 303)


@ui.post("/models/<method>/serve")
@allows("editor", Corpora.CHECKED)
def serve_model(method: str) -> BaseResponse:
    """Promote the version that is named, or roll back where none is."""
    version, corpus = request.form.get("version"), request.form.get("corpus") or None
    try:
        if version:
            backend().clew.promote(method, version, corpus)
        else:
            backend().clew.roll_back(method, corpus)
    except CLEW_ERRORS as error:
        return _page(error)
    return redirect(url_for("ui.models"), 303)


def option_fields(model: type[BaseModel]) -> list[OptionField]:
    """Return the fields of a form for a method's options, made from their declaration."""
    schema = model.model_json_schema()["properties"]
    found = []
    for name, field in model.model_fields.items():
        said = schema[name]
        bounds = {
            "min": said.get("minimum", said.get("exclusiveMinimum")),
            "max": said.get("maximum", said.get("exclusiveMaximum")),
        }
        kind = "text"
        if "enum" in said:
            kind = "choice"
        elif field.annotation is bool:
            kind = "switch"
        elif field.annotation in NUMBERS:
            kind = "number"
        found.append(
            OptionField(
                name=name,
                label=name.replace("_", " ").capitalize(),
                help=field.description or "",
                kind=kind,
                value=field.default,
                step=NUMBERS.get(cast(type, field.annotation), "any"),
                bounds={key: value for key, value in bounds.items() if value is not None},
                choices=said.get("enum", ()),
            )
        )
    return found


@ui.app_template_filter("training_stage")
def training_stage(stage: str) -> str:
    """Return the words for what a training is doing."""
    return STAGES.get(stage, stage)


@ui.app_template_filter("figure")
def figure(figures: Mapping[str, Any] | None, which: TrainingFigure) -> str:
    """Show a figure of a version: 48 %, 3.1; – where it was not measured."""
    value = (figures or {}).get(which.name)
    if value is None:
        return "–"
    return f"{value * 100:.0f} %" if which.share else f"{value:.3g}"


def _page(problem: Any = None, method: str = "") -> Response:
    service = backend()
    status = 200 if problem is None else problem.http_status
    refused = problem is not None
    corpora: list[Any] = []
    active: list[Job] = []
    ended: Job | None = None
    versions: list[ModelVersion] = []
    try:
        corpora = [corpus for corpus in service.clew.corpora() if corpus.chunks]
        active, ended = jobs_of(TRAIN)
        versions = service.clew.trained_models()
    except CLEW_ERRORS as error:
        problem = problem or error
    page = render_template(
        "models.html",
        learners=[_learner(spec.name, versions) for spec in trainable()],
        corpora=corpora,
        active=active,
        ended=ended,
        problem=problem,
        chosen=request.form if refused else {},
        chosen_method=method,
        live_s=BUSY_S if active else LIVE_S,
    )
    return make_response(page, status)


def _learner(name: str, versions: Sequence[ModelVersion]) -> Learner:
    training = training_of(name)
    own = [version for version in versions if version.kind == name]
    groups: dict[tuple[str | None, bool], list[ModelVersion]] = {}
    for version in own:
        deleted = version.corpus is not None and version.corpus_deleted
        groups.setdefault((version.corpus, deleted), []).append(version)
    return Learner(
        name=name,
        training=training,
        fields=option_fields(training.options),
        groups=[(*corpus, of_it) for corpus, of_it in groups.items()],
    )
