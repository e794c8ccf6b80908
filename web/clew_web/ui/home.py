"""The home page: ask, see what is running and how full the graph is. And the sample corpus."""

from typing import Any

from flask import redirect, render_template, url_for
from werkzeug.wrappers import Response as BaseResponse

from clew.errors import CLEW_ERRORS
from clew.sample_corpus import ARTICLES
from clew_web.api.health import current_health
from clew_web.backend import backend
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui
from clew_web.ui.corpora import preferred_corpus
from clew_web.ui.sample import SAMPLE_CORPUS

LIVE_S = 5
BUSY_S = 2
SHOWN = 8
"""Corpora that the page shows; of more, those with the most documents."""


@ui.get("/")
@allows("reader", Corpora.FILTERED)
def home() -> str:
    """Where everything starts. Works, and says why, while the database is away."""
    service, health = backend(), current_health()
    corpora: list[Any] = []
    jobs: list[Any] = []
    problem = None
    try:
        corpora = list(service.clew.corpora())
        jobs = list(service.clew.jobs(None, limit=6))
    except CLEW_ERRORS as error:
        problem = error
    own = [corpus for corpus in corpora if not corpus.of_bench]
    if len(own) > SHOWN:
        own = sorted(own, key=lambda corpus: corpus.documents + corpus.pending, reverse=True)
    return render_template(
        "home.html",
        health=health,
        corpora=corpora,
        shown=own[:SHOWN],
        left=len(own[SHOWN:]),
        jobs=jobs,
        problem=problem,
        corpus=preferred_corpus(corpora),
        live_s=BUSY_S if any(job.state in ("queued", "running") for job in jobs) else LIVE_S,
        sample_corpus=SAMPLE_CORPUS,
    )


@ui.post("/sample")
@allows("editor", Corpora.CHECKED)
def load_sample() -> BaseResponse:
    """Take the sample articles in, into a corpus of their own, and index them in a job."""
    service = backend()
    accepted = service.clew.accept([ARTICLES], corpus=SAMPLE_CORPUS)
    if accepted.pending:
        service.clew.submit(SAMPLE_CORPUS, accepted.pending)
    return redirect(url_for("ui.documents", corpus=SAMPLE_CORPUS))
