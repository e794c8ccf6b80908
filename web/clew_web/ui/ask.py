"""The Ask page. The answer itself comes over POST /api/v1/query/stream."""

from flask import render_template, request

from clew.errors import CLEW_ERRORS
from clew_web.backend import backend, strategies
from clew_web.policy import protected
from clew_web.ui.blueprint import ui
from clew_web.ui.home import preferred_corpus
from clew_web.ui.sample import SAMPLE_CORPUS, example_questions


@ui.get("/ask")
@protected
def ask() -> str:
    """A question box; ``?q=…&corpus=…&strategy=…`` asks at once, so that answers can be shared."""
    service = backend()
    problem = None
    corpora = []
    try:
        corpora = list(service.clew.corpora())
    except CLEW_ERRORS as error:
        problem = error
    names = [corpus.name for corpus in corpora]
    wanted = request.args.get("corpus", "")
    chosen = wanted if wanted in names else preferred_corpus(corpora)
    known = [name for name, _ in strategies()]
    strategy = request.args.get("strategy", "")
    return render_template(
        "ask.html",
        corpora=corpora,
        corpus=chosen,
        strategies=strategies(),
        strategy=strategy if strategy in known else service.settings.strategy,
        question=request.args.get("q", "")[: service.settings.question_limit_bytes],
        question_limit=service.settings.question_limit_bytes,
        has_documents=any(corpus.chunks for corpus in corpora),
        examples=example_questions() if SAMPLE_CORPUS in names else (),
        sample_corpus=SAMPLE_CORPUS,
        problem=problem,
    )
