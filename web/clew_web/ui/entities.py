"""The pages of entities: search, one entity, the pairs that wait for a person, what was merged."""

from collections.abc import Callable
from typing import Any

from flask import Response, make_response, render_template, request
from pydantic import Field, ValidationError

from clew.errors import CLEW_ERRORS
from clew_web.api.entities import EntityPath, merge_page, review_page
from clew_web.api.models import CorpusChoice, Page, Plain
from clew_web.backend import backend
from clew_web.errors import Refused, validation_response
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui
from clew_web.ui.corpora import preferred_corpus, remember

PAGE = 25
FOUND = 50
LISTED = 25
LOOKED_AT = 50_000
"""Entities past which those of most chunks are not listed: all of them would be looked at."""


class EntityChoice(Page, CorpusChoice):
    """Which corpus, and which entities of it."""

    text: Plain = Field("", max_length=500)


@ui.get("/entities")
@allows("reader", Corpora.CHECKED)
def entities() -> Response:
    """Find entities by name, or begin at those of most chunks; merge two of them; what waits for a
    person and what was merged.
    """

    def found(choice: EntityChoice, corpus: str) -> dict[str, Any]:
        clew = backend().clew
        text, counts = choice.text.strip(), clew.stats(corpus)
        listed = not text and 0 < counts.entities <= LOOKED_AT
        most = FOUND if text else LISTED
        found = clew.find_entities(corpus, text, most + 1) if text or listed else []
        return {
            "found": found[:most],
            "listed": listed and bool(found),
            "more": len(found) > most,
            "waiting": clew.count_reviews(corpus),
            "merged": clew.count_merges(corpus),
            "counts": counts,
        }

    return _page("entities.html", found)


@ui.get("/entities/review")
@allows("reader", Corpora.CHECKED)
def reviews() -> Response:
    """The pairs that may be one, the likeliest first, decided by keyboard."""
    return _page("review.html", lambda choice, corpus: {"page": review_page(corpus, choice)})


@ui.get("/entities/merges")
@allows("reader", Corpora.CHECKED)
def merges() -> Response:
    """What was merged, by whom and why; each can be undone."""
    return _page("merges.html", lambda choice, corpus: {"page": merge_page(corpus, choice)})


@ui.get("/entities/<entity_id>")
@allows("reader", Corpora.CHECKED)
def entity(entity_id: str) -> Response:
    """One entity: its other names, where it is mentioned, what is said of it, its merges."""
    try:
        choice = CorpusChoice.model_validate(request.args.to_dict())
        corpus = backend().corpus(choice.corpus)
        path = EntityPath(corpus=corpus, entity_id=entity_id)
    except ValidationError as error:
        return validation_response(error)
    found = backend().clew.entity(corpus, path.entity_id)
    return make_response(
        render_template("entity.html", corpus=corpus, found=found, entity=found.entity)
    )


def _page(template: str, content: Callable[[EntityChoice, str], dict[str, Any]]) -> Response:
    """Return a page about one corpus, which can be chosen on it."""
    corpora: list[Any] = []
    shown: dict[str, Any] = {}
    problem = None
    given = {name: value for name, value in request.args.items() if value}
    try:
        choice = EntityChoice.model_validate({"limit": PAGE, **given})
    except ValidationError as error:
        return validation_response(error)
    corpus = choice.corpus or backend().default_corpus
    try:
        corpora = list(backend().clew.corpora())
        corpus = choice.corpus or preferred_corpus(corpora)
        shown = content(choice, corpus)
    except CLEW_ERRORS as error:
        problem = error
    page = make_response(
        render_template(
            template, corpora=corpora, corpus=corpus, choice=choice, problem=problem, **shown
        ),
        # who sees no corpus finds the page with nothing on it
        200 if problem is None or isinstance(problem, Refused) else problem.http_status,
    )
    return remember(page, corpus) if choice.corpus and problem is None else page
