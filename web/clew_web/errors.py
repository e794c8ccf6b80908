"""One shape for every error: {"error": {"code", "message", "remedy"}}, or a page for a browser."""

import logging
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, make_response, render_template, request
from pydantic import BaseModel, Field, ValidationError
from werkzeug.exceptions import HTTPException

from clew.errors import CLEW_ERRORS, PlatformError, field_words
from clew.errors import code_of as code_of_class
from clew.resources.runtime_state import graph_is_starting
from clew.settings import Settings
from clew_cypher.errors import GraphUnavailable
from clew_web.wording import MESSAGES, on_page

log = logging.getLogger(__name__)

RETRY_AFTER_S = 5
STARTING_S = 1
OF_PROGRAMS = ("/api", "/v1", "/mcp", "/health", "/metrics", "/openapi.json")
"""Addresses below which nothing is a page."""
PAGE_HEADER = "X-Clew-Page"
"""Sent with what the pages' own scripts ask of REST."""


class ErrorBody(BaseModel):
    """What went wrong: ``code`` for programs, ``message`` and ``remedy`` for people."""

    code: str
    message: str
    remedy: str = ""


class ErrorModel(BaseModel):
    """The one shape of every error."""

    error: ErrorBody = Field(description="What went wrong, and what to do next.")


class Refused(PlatformError):
    """A request that the web layer itself refuses, with the status to answer."""

    def __init__(
        self, status: int, message: str, *, remedy: str = "", retry_after_s: int | None = None
    ) -> None:
        super().__init__(message, remedy=remedy or MESSAGES.get(status, ("", ""))[1])
        self.http_status = status
        self.retry_after_s = retry_after_s


def code_of(error: BaseException) -> str:
    """Return an error's code: that of its class, or of its status where the class says nothing: of
    what was refused here, and of a bug in a worker."""
    if isinstance(error, Refused) or type(error) is PlatformError:
        return code_of_status(error.http_status)
    return code_of_class(error)


def code_of_status(status: int) -> str:
    """Return the code of an HTTP status, such as ``not_found``."""
    return {
        400: "bad_request",
        401: "access_denied",
        403: "forbidden",
        404: "not_found",
        405: "method_not_allowed",
        409: "conflict",
        413: "too_large",
        414: "address_too_long",
        415: "unsupported_media_type",
        421: "wrong_host",
        422: "invalid_request",
        429: "too_many_requests",
        431: "header_too_large",
        502: "bad_gateway",
        503: "not_ready",
        504: "too_late",
    }.get(status, "internal_error" if status >= 500 else f"http_{status}")


def error_body(code: str, message: str, remedy: str = "") -> str:
    """Return the JSON of an error."""
    error = ErrorBody(code=code, message=message, remedy=remedy)
    return ErrorModel(error=error).model_dump_json()


def error_json(status: int, code: str, message: str, remedy: str = "") -> Response:
    """Return the JSON response of an error."""
    response = make_response(error_body(code, message, remedy), status)
    response.mimetype = "application/json"
    return response


def is_below(path: str, folder: str) -> bool:
    """Return whether an address is ``folder`` or below it."""
    return f"{path}/".startswith(f"{folder}/")


def wants_page() -> bool:
    """Return whether the caller is a browser that opened one of the pages."""
    if any(is_below(request.path, path) for path in OF_PROGRAMS):
        return False
    accepted = request.accept_mimetypes
    return bool(accepted["text/html"] > accepted["application/json"])


def is_for_page() -> bool:
    """Return whether a page shows what this request is answered: as a page, or by its script."""
    return wants_page() or PAGE_HEADER in request.headers


def respond(status: int, code: str, message: str, remedy: str = "") -> Response:
    """Return the error as JSON, or as a page where a browser asked for a page."""
    remedy = on_page(code, remedy) if is_for_page() else remedy
    if not wants_page():
        return error_json(status, code, message, remedy)
    page = render_template("error.html", status=status, message=message, remedy=remedy)
    return make_response(page, status)


def explain_validation(error: ValidationError, labels: Mapping[str, str] | None = None) -> str:
    """Return what is wrong with which field, without repeating what was sent.

    ``labels``: what a form calls its fields.
    """
    parts = []
    for item in error.errors(include_url=False, include_input=False)[:5]:
        field = ".".join(str(part) for part in item["loc"])
        whole = "the body" if item["type"] == "model_type" else ""
        named = (labels or {}).get(field, field) or whole
        parts.append(f"{named}: {field_words(item)}" if named else field_words(item))
    more = error.error_count() - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "") + "."


def validation_response(error: ValidationError) -> Response:
    """Answer a body or parameter that does not fit its model."""
    message = explain_validation(error).encode("utf-8", "replace").decode()
    return respond(422, "invalid_request", message, MESSAGES[422][1])


def still_starting() -> Response:
    """Answer while the database beside this server is starting; a page loads itself again."""
    message = "Clew is still starting: its database is not ready yet."
    response = respond(503, "not_ready", message, "Wait a few seconds, then try again.")
    response.headers["Retry-After"] = str(STARTING_S)
    if wants_page():
        response.headers["Refresh"] = str(STARTING_S)
    return response


def install(app: Flask, settings: Settings) -> None:
    """Make every error of the app answer in the one shape, and say when to try again, and how."""

    @app.after_request
    def what_next(response: Response) -> Response:
        if response.status_code in (429, 503):
            response.headers.setdefault("Retry-After", str(RETRY_AFTER_S))
        if response.status_code == 401:
            response.headers.setdefault("WWW-Authenticate", 'Bearer realm="Clew"')
        return response

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Any:
        if error.response is not None and error.code is None:
            return error.response
        status = error.code or 500
        if status < 400:
            return error
        message, remedy = MESSAGES.get(status, (error.description or error.name, ""))
        response = respond(status, code_of_status(status), message, remedy)
        for name, value in error.get_headers():
            if name.lower() in ("allow", "retry-after"):
                response.headers[name] = value
        return response

    def clew_error(error: PlatformError) -> Response:
        if isinstance(error, GraphUnavailable) and graph_is_starting(settings.home):
            return still_starting()
        status = error.http_status
        if status >= 500:
            log.warning("%s %s: %s", request.method, request.path, error)
        response = respond(status, code_of(error), error.message, error.remedy)
        retry = getattr(error, "retry_after_s", None)
        if retry is not None:
            response.headers["Retry-After"] = str(retry)
        return response

    for kind in CLEW_ERRORS:
        app.register_error_handler(kind, clew_error)

    @app.errorhandler(ValidationError)
    def invalid(error: ValidationError) -> Response:
        # a model that the server filled itself: our fault, not the caller's
        log.exception("a result does not fit its model", exc_info=error)
        return respond(500, "internal_error", *MESSAGES[500])

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Response:
        log.exception("unexpected error at %s %s", request.method, request.path, exc_info=error)
        return respond(500, "internal_error", *MESSAGES[500])


def event_error(error: Exception) -> dict[str, Any]:
    """Return the data of an ``error`` event of a stream, as a worker writes it."""
    code, status, (message, remedy) = "internal_error", 500, MESSAGES[500]
    if isinstance(error, CLEW_ERRORS):
        code, status = code_of(error), error.http_status
        message, remedy = error.message, error.remedy
    else:
        log.exception("unexpected error in a stream", exc_info=error)
    return {"code": code, "message": message, "remedy": remedy, "http_status": status}
