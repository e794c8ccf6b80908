"""What goes into the audit log: every change that somebody made or tried, who was let in.

Names of what was changed, never what was sent: no text, no password, no key, no question.
"""

import logging
from collections.abc import Iterator
from typing import Any

from flask import Response, current_app, g, request

from clew.access.audit import DONE
from clew.errors import CLEW_ERRORS
from clew_web.backend import backend
from clew_web.callers import NOBODY
from clew_web.errors import code_of_status
from clew_web.policy import SAFE_METHODS, policy_of

log = logging.getLogger(__name__)

TOLD = (
    *("corpus", "name", "user", "role", "disabled", "all_corpora", "scopes", "days", "extractor"),
    *("verdict", "method", "version", "data_set"),
)
"""Fields of a request whose values are told."""
NAMED = ("password",)
"""Fields of which it is told only that they were given."""
UNREADABLE = (400, 413, 415)
"""Statuses of requests whose body was refused as such: it is not read again."""


def note_change(response: Response) -> None:
    """Log the current request, if it is one that only editors or administrators may make."""
    caller = g.get("caller", NOBODY)
    if request.endpoint is None or request.method in SAFE_METHODS or caller is NOBODY:
        return
    policy = policy_of(current_app, request.endpoint)
    if policy is None or policy.changing in (None, "reader"):
        return
    outcome = DONE if response.status_code < 400 else code_of_status(response.status_code)
    readable = response.status_code not in UNREADABLE
    keep(caller.name, request.endpoint, ", ".join(_told(readable)), outcome)


def keep(who: str, action: str, target: str = "", outcome: str = DONE) -> None:
    """Add a line to the log. That it cannot be kept does not undo what was done."""
    try:
        backend().facade.record(who, action, target, outcome, request.remote_addr or "")
    except CLEW_ERRORS:
        log.exception("not in the audit log: %s, %s, %s, %s", who, action, target, outcome)


def _told(readable: bool) -> Iterator[str]:
    for name, value in (request.view_args or {}).items():
        yield f"{name}={value}"
    sent: dict[str, Any] = request.args.to_dict()
    if readable:
        sent |= request.form.to_dict()
    if readable and request.is_json:
        body = request.get_json(silent=True)
        sent |= body if isinstance(body, dict) else {}
    for name in TOLD:
        value = sent.get(name)
        if value not in (None, "", []):
            yield f"{name}={' '.join(map(str, value)) if isinstance(value, list) else value}"
    yield from (f"{name} given" for name in NAMED if sent.get(name))
