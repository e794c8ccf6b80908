"""POST /query, /query/stream and /search, GET /strategies."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from flask import Response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel

from clew.jobs.questions import Question
from clew.results.evidence import Answer, Evidence, Turn
from clew.strategies.catalogue import STRATEGIES, in_steps
from clew_web.api.models import Query, Search
from clew_web.api.responses import BEAT, EVENTS, SECURITY, Events, reply, stream
from clew_web.backend import Backend, backend
from clew_web.errors import event_error, is_for_page
from clew_web.policy import Corpora, allows
from clew_web.wording import on_page

api = APIBlueprint(
    "questions",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Questions", description="Ask, and see why.")],
    abp_security=SECURITY,
)


class StrategyInfo(BaseModel):
    """A way of finding evidence; ``in_steps``: its name in steps that a language model leads;
    ``ablations``: the parts that the bench can ask it without."""

    name: str
    in_steps: str
    summary: str
    default: bool
    ablations: list[str]


class StrategyList(BaseModel):
    """Every strategy, in the order of the platform's tuple; ``default``: the one that is asked
    where none is named."""

    strategies: list[StrategyInfo]
    default: str


@api.get("/strategies", summary="The ways of finding evidence", responses={"200": StrategyList})
@allows("reader", Corpora.NONE)
def list_strategies() -> Response:
    """Names and one-line summary of every strategy, and which one is the default."""
    default = backend().settings.strategy
    return reply(
        StrategyList(
            strategies=[
                StrategyInfo(
                    name=spec.name,
                    in_steps=in_steps(spec.name),
                    summary=spec.summary,
                    default=spec.name == default,
                    ablations=[ablation.name for ablation in spec.ablations],
                )
                for spec in STRATEGIES
            ],
            default=default,
        )
    )


@api.post("/search", summary="Find evidence", responses={"200": Evidence})
@allows("reader", Corpora.CHECKED)
def search(body: Search) -> Response:
    """Evidence for a question, best first, with the trace, without an answer."""
    service = backend()
    question = service.question(body.question, body.corpus, body.strategy, body.k, body.documents)
    with service.slot():
        return reply(service.questions.search(service.settings, question))


@api.post("/query", summary="Ask a question", responses={"200": Answer})
@allows("reader", Corpora.CHECKED)
def query(body: Query) -> Response:
    """The answer with its citations, evidence, confidence and trace."""
    service = backend()
    question = _asked(service, body)
    with service.slot():
        return reply(service.questions.ask(service.settings, question))


@api.post(
    "/query/stream",
    summary="Ask a question, and watch it being answered",
    responses={
        "200": {
            "description": "Server-sent events: progress, trace, card and round as they happen, "
            "which the evidence then replaces; evidence, piece*, then answer or error.",
            "content": EVENTS,
        }
    },
)
@allows("reader", Corpora.CHECKED)
def query_stream(body: Query) -> Response:
    """The same as server-sent events: what happens while evidence is looked for, the evidence, the
    answer as it is written. What is refused at once has its status, and is no stream; what fails
    later is an `error` event, the last. Closing the connection stops the work."""
    return stream(_asked(backend(), body), partial(_lines, for_page=is_for_page()))


def _asked(service: Backend, body: Query) -> Question:
    history = [Turn(question=one.question, answer=one.answer) for one in body.history]
    return service.question(
        body.question, body.corpus, body.strategy, body.k, body.documents, history
    )


def _lines(events: Events, for_page: bool) -> Iterator[str]:
    yield ": the events of one question\n\n"
    try:
        for event in events:
            yield BEAT if event is None else _line(event.event, event.data, for_page)
    except Exception as error:
        yield _line("error", event_error(error), for_page)
    finally:
        events.close()


def _line(event: str, data: dict[str, Any], for_page: bool) -> str:
    if event == "error" and for_page:
        data = data | {"remedy": on_page(data["code"], data.get("remedy", ""))}
    return f"event: {event}\ndata: {json.dumps(data)}\n\n"
