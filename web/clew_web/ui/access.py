"""The pages of administrators: users and their API keys, and the audit log."""

from typing import Any

from flask import Response, make_response, render_template, request
from pydantic import ValidationError

from clew.access.keys import DEFAULT_DAYS, MOST_DAYS
from clew.access.passwords import LONGEST, SHORTEST
from clew.errors import CLEW_ERRORS
from clew.results.access import ROLES, SCOPES
from clew_web.api.access import AuditFilter, AuditPage, audit_page
from clew_web.backend import backend
from clew_web.errors import validation_response
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui
from clew_web.ui.home import LIVE_S

PAGE = 50
MAY = {
    "reader": "asks and looks",
    "editor": "also adds, changes, measures and trains",
    "admin": "also users and whole corpora; sees every corpus",
}
"""What each role may do, in words."""
ALLOWS = {"query": "ask and look", "ingest": "add and change", "admin": "users, whole corpora"}
"""What each scope allows, in words."""


@ui.get("/users")
@allows("admin", Corpora.NONE)
def users() -> Response:
    """Make and change users, grant corpora, make and revoke keys; all of it over REST."""
    clew = backend().clew
    found: dict[str, Any] = {"users": [], "keys": [], "corpora": []}
    problem = None
    try:
        found = {"users": clew.users(), "keys": clew.api_keys(), "corpora": clew.corpora()}
    except CLEW_ERRORS as error:
        problem = error
    page = render_template(
        "users.html",
        **found,
        problem=problem,
        roles=[(role, MAY[role]) for role in ROLES],
        scopes=[(scope, ALLOWS[scope]) for scope in SCOPES],
        shortest=SHORTEST,
        longest=LONGEST,
        days=DEFAULT_DAYS,
        most_days=MOST_DAYS,
        live_s=LIVE_S,
    )
    return make_response(page)


@ui.get("/audit")
@allows("admin", Corpora.NONE)
def audit() -> Response:
    """Who changed what, newest first, by person and kind of change."""
    problem = None
    given = {name: value for name, value in request.args.items() if value}
    try:
        choice = AuditFilter.model_validate({"limit": PAGE, **given})
        page = audit_page(choice)
    except ValidationError as error:
        return validation_response(error)
    except CLEW_ERRORS as error:
        problem, page = error, AuditPage(entries=[], limit=PAGE, offset=0, more=False)
    return make_response(render_template("audit.html", choice=choice, page=page, problem=problem))
