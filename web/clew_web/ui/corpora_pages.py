"""The pages of corpora: how full each is, how it grew, its extractor, and its end."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from flask import Response, make_response, render_template
from pydantic import ValidationError

from clew.errors import CLEW_ERRORS
from clew.indexing.extractors import CHOOSABLE
from clew.results.corpus import GrowthDay
from clew_web.api.models import CorpusPath
from clew_web.backend import backend, current_caller
from clew_web.errors import validation_response
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui

WIDTH, HEIGHT = 720, 160
"""Of a chart, in its own units."""
COUNTED = ("documents", "chunks", "triples")


@dataclass(frozen=True)
class Chart:
    """A line that grows: ``points`` of an SVG polyline, the same closed below as ``area``."""

    name: str
    points: str
    area: str
    most: int


@ui.get("/corpora")
@allows("reader", Corpora.FILTERED)
def corpora() -> Response:
    """Every corpus with its counts, those of the bench apart, and a dialog to make one."""
    found: list[Any] = []
    problem = None
    try:
        found = list(backend().clew.corpora())
    except CLEW_ERRORS as error:
        problem = error
    page = render_template(
        "corpora.html",
        corpora=found,
        default=backend().default_corpus,
        problem=problem,
        extractors=CHOOSABLE,
        default_extractor=backend().settings.extractor,
    )
    return make_response(page)


@ui.get("/corpora/<path:corpus>")
@allows("reader", Corpora.CHECKED)
def corpus(corpus: str) -> Response:
    """One corpus: counts, settings, how it grew; for administrators what its end takes along."""
    try:
        path = CorpusPath(corpus=corpus)
    except ValidationError as error:
        return validation_response(error)
    name = backend().corpus(path.corpus)
    clew = backend().clew
    counts = clew.stats(name)
    days = clew.growth(name)
    page = render_template(
        "corpus.html",
        counts=counts,
        days=days,
        charts=[growth_chart(days, what) for what in COUNTED] if len(days) > 1 else [],
        box=(WIDTH, HEIGHT),
        extractors=CHOOSABLE,
        waiting=clew.count_reviews(name),
        ending=_ending(clew, name) if current_caller().may("admin") else None,
    )
    return make_response(page)


def growth_chart(days: list[GrowthDay], what: str) -> Chart:
    """Return the line of a count over two days or more, as far apart as the days are."""
    first = date.fromisoformat(days[0].day).toordinal()
    spread = date.fromisoformat(days[-1].day).toordinal() - first
    values = [(date.fromisoformat(day.day).toordinal() - first, getattr(day, what)) for day in days]
    most = max(value for _, value in values)
    places = [
        (at / spread * WIDTH, HEIGHT - (value / most if most else 0) * HEIGHT)
        for at, value in values
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return Chart(what, line, f"0,{HEIGHT} {line} {WIDTH},{HEIGHT}", most)


def _ending(clew: Any, name: str) -> dict[str, int]:
    """Return what a deletion touches beside the content: who may see it, what is bound to it."""
    return {
        "users": sum(name in user.corpora for user in clew.users()),
        "schedules": len(clew.schedules(name)),
        "webhooks": len(clew.webhooks(name)),
        "models": sum(one.corpus == name for one in clew.trained_models(corpus=name)),
    }
