"""The Ask page. The answer itself comes over POST /api/v1/query/stream."""

from flask import Response, make_response, render_template, request

from clew.errors import CLEW_ERRORS
from clew.results.evidence import LONGEST_ANSWER, LONGEST_QUESTION, MOST_TURNS
from clew.strategies.catalogue import STRATEGIES, in_steps
from clew.strategies.searching import unaskable
from clew_web.backend import backend
from clew_web.policy import Corpora, allows
from clew_web.strategies import chosen_strategy, steps_problem
from clew_web.ui.blueprint import ui
from clew_web.ui.corpora import preferred_corpus, remember
from clew_web.ui.sample import SAMPLE_CORPUS, example_questions

MOST_BESIDE = 3
ASKED = ("documents", "from", "until", "fields")
"""Parameters that say which documents are asked."""


@ui.get("/ask")
@allows("reader", Corpora.FILTERED)
def ask() -> Response:
    """A question box; ``?q=…&corpus=…&strategy=…`` asks at once, so that answers can be shared; so
    can the documents that are asked (`ASKED`), and the strategies beside that one (``&beside=…``).
    """
    service = backend()
    problem = None
    corpora = []
    try:
        corpora = list(service.clew.corpora())
    except CLEW_ERRORS as error:
        problem = error
    names = [corpus.name for corpus in corpora]
    wanted = request.args.get("corpus", "")
    known = wanted in names or (wanted and problem is not None)
    chosen = wanted if known else preferred_corpus(corpora)
    strategy = chosen_strategy(request.args.get("strategy", ""), service.settings)
    cannot = unaskable(service.settings)
    askable = [spec.name for spec in STRATEGIES if spec.name not in cannot]
    beside = [name for name in dict.fromkeys(request.args.getlist("beside")) if name in askable]
    page = render_template(
        "ask.html",
        corpora=corpora,
        corpus=chosen,
        unknown_corpus="" if wanted == chosen else wanted,
        strategies=STRATEGIES,
        strategy=strategy,
        default_strategy=service.settings.strategy,
        steps_prefix=in_steps(""),
        steps_problem=steps_problem(service.settings),
        unaskable=cannot,
        beside=beside[:MOST_BESIDE],
        asked={name: request.args.get(name, "")[:2000] for name in ASKED},
        question=request.args.get("q", "")[: service.settings.question_limit_bytes],
        question_limit=service.settings.question_limit_bytes,
        most_turns=MOST_TURNS,
        longest_question=LONGEST_QUESTION,
        longest_answer=LONGEST_ANSWER,
        has_documents=any(corpus.chunks or corpus.triples for corpus in corpora),
        examples=example_questions() if SAMPLE_CORPUS in names else (),
        sample_corpus=SAMPLE_CORPUS,
        problem=problem,
    )
    response = make_response(page)
    return remember(response, wanted) if wanted in names else response
