"""What goes into the audit log: every change that somebody made or tried, who was let in.

Names of what was changed, never what was sent: no text, no password, no key, no question.
"""

import inspect
import logging
from collections.abc import Iterator, Mapping
from typing import Any

from flask import Response, current_app, g, request

from clew.access.audit import DONE
from clew_web.backend import backend
from clew_web.callers import NOBODY
from clew_web.errors import code_of_status
from clew_web.policy import SAFE_METHODS, policy_of

log = logging.getLogger(__name__)

TOLD = (
    *("corpus", "name", "user", "role", "disabled", "corpora", "all_corpora", "scopes", "days"),
    *("extractor", "verdict", "method", "version", "data_set"),
)
"""Fields of a request whose values are told."""
NAMED = ("password",)
"""Fields of which it is told only that they were given."""
OF_TWO_FORMS = ("documents.add_documents", "bench.start_bench")
"""Endpoints whose views read a JSON body themselves: it may as well be a form."""


def note_change(response: Response) -> None:
    """Log the current request, if it is one that only editors or administrators may make."""
    caller = g.get("caller", NOBODY)
    if request.endpoint is None or request.method in SAFE_METHODS or caller is NOBODY:
        return
    policy = policy_of(current_app, request.endpoint)
    if policy is None or policy.changing in (None, "reader"):
        return
    told: dict[str, None] = {}
    try:
        for part in _told(request.endpoint):
            told[part] = None
    except Exception:  # what was done is logged, whatever was sent with it
        told["the rest cannot be read"] = None
    outcome = DONE if response.status_code < 400 else code_of_status(response.status_code)
    keep(caller.name, request.endpoint, ", ".join(told), outcome)


def keep(who: str, action: str, target: str = "", outcome: str = DONE) -> None:
    """Add a line to the log. That it cannot be kept does not undo what was done."""
    target = target.encode("utf-8", "replace").decode()
    try:
        backend().facade.record(who, action, target, outcome, request.remote_addr or "")
    except Exception:
        log.exception("not in the audit log: %s, %s, %s, %s", who, action, target, outcome)


def _told(endpoint: str) -> Iterator[str]:
    for name, value in (request.view_args or {}).items():
        yield f"{name}={value}"
    for sent in _taken(endpoint):
        for name in TOLD:
            value = sent.get(name)
            if value not in (None, "", []):
                yield f"{name}={' '.join(map(str, value)) if isinstance(value, list) else value}"
        yield from (f"{name} given" for name in NAMED if sent.get(name))


def _taken(endpoint: str) -> Iterator[Mapping[str, Any]]:
    """Yield the fields of the query and of the body, as far as the view takes them: what it does
    not look at says nothing of what it did."""
    parameters = inspect.signature(current_app.view_functions[endpoint]).parameters
    if "query" in parameters:
        yield request.args
    if "form" in vars(request):  # the view has read it
        yield request.form
    elif request.is_json and ("body" in parameters or endpoint in OF_TWO_FORMS):
        body = request.get_json(silent=True)
        yield body if isinstance(body, dict) else {}
