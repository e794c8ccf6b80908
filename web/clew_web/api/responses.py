"""How results become responses and pages."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from flask import Response, make_response
from pydantic import BaseModel

from clew_web.api.models import Page
from clew_web.api.results import ResultPage

SomePage = TypeVar("SomePage", bound=ResultPage)

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
