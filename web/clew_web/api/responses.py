"""How results become responses and pages."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, TypeVar

from flask import Response, make_response
from pydantic import BaseModel

from clew.jobs.questions import Question, error_of
from clew.results.evidence import AskEvent
from clew_web.api.models import Page
from clew_web.api.results import ResultPage
from clew_web.backend import backend

SomePage = TypeVar("SomePage", bound=ResultPage)
Events = Generator[AskEvent | None, None, None]

SECURITY: list[dict[str, list[Any]]] = [{"token": []}, {"session": []}, {}]

EVENTS: Any = {
    "text/event-stream": {
        "schema": {
            "type": "object",
            "description": "An event of the stream.",
            "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
        }
    }
}
"""Content that comes as server-sent events, each described by the schema."""
BEAT = ": nothing new\n\n"
"""A comment in a stream in which nothing happens: who left is noticed when it is written."""


def reply(result: BaseModel, status: int = 200) -> Response:
    """Return a result as JSON."""
    response = make_response(result.model_dump_json(), status)
    response.mimetype = "application/json"
    return response


def stream(question: Question, lines: Callable[[Events], Iterator[str]]) -> Response:
    """Return the events of a question as server-sent events, written by ``lines``.

    Their first is waited for: what is refused at once is raised, and is no stream. Leaving the
    stream stops the work.
    """
    service = backend()
    give_back = service.take_slot()
    try:
        events: Any = service.questions.ask_events(service.settings, question)
        first: AskEvent | None = next(events, None)
        if first is not None and first.event == "error":
            events.close()
            raise error_of(first.data)
    except Exception:
        give_back()
        raise
    response = Response(lines(_behind(first, events)), mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    # not in the generator's finally: one that was never started never gets there
    response.call_on_close(give_back)
    return response


def _behind(first: AskEvent | None, events: Any) -> Events:
    with closing(events):
        yield first
        yield from events


def page_of(
    kind: type[SomePage],
    field: str,
    asked: Page,
    fetch: Callable[..., Sequence[BaseModel]],
    count: Callable[[], int] | None = None,
) -> SomePage:
    """Return the page that was asked for, its items in ``field``, from ``fetch(limit=, offset=)``.

    One item more than asked for tells whether there is a next page. ``count`` is asked how many
    there are in all only where the page itself does not tell.
    """
    found = fetch(limit=asked.limit + 1, offset=asked.offset)
    items: dict[str, Any] = {field: list(found[: asked.limit])}
    more = len(found) > asked.limit
    total = None
    if not more and (found or not asked.offset):
        total = asked.offset + len(found)
    elif count is not None:
        total = count()
    return kind(**items, limit=asked.limit, offset=asked.offset, more=more, total=total)
