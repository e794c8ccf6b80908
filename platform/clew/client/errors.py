"""What a client raises: a kind of error a status, and one for answers that come too late."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx


class ApiError(Exception):
    """The server refused a request. ``status``: of HTTP; ``code``: for programs, such as
    ``unknown_corpus``; ``message`` and ``remedy``: for people."""

    def __init__(self, status: int, code: str, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.status, self.code, self.message, self.remedy = status, code, message, remedy


class NotAllowed(ApiError):
    """The key is missing, wrong or ended (401), or may not do this (403)."""


class NotFound(ApiError):
    """There is no such corpus, document, job or schedule for this caller (404)."""


class Conflict(ApiError):
    """It cannot be done as things are now (409)."""


class BadRequest(ApiError):
    """The request has values that cannot be used, or is too large (400, 413, 415, 422)."""


class NotReady(ApiError):
    """Too many requests (429), or something is missing (503), after all tries."""


class ServerFault(ApiError):
    """The server failed (500, 502), or what answers is no Clew."""


class TookTooLong(ApiError):
    """No answer came in time: within the ``timeout_s`` of this client (``status`` is 0), or within
    the limit of the server, or of a proxy before it (504)."""


KINDS: dict[int, type[ApiError]] = {
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    429: NotReady,
    503: NotReady,
    504: TookTooLong,
}


@contextmanager
def in_time(request: httpx.Request) -> Iterator[None]:
    """Say what to do where the server is silent for longer than the client waits."""
    try:
        yield
    except (httpx.ReadTimeout, httpx.WriteTimeout) as error:
        limit_s = request.extensions["timeout"]["read"]
        raise TookTooLong(
            0,
            "client_timeout",
            f"{request.url} did not answer within {limit_s:g} s.",
            "Make the client with a longer timeout_s, or ask by ask_events, which hears from the "
            "server all the while. What was begun there may go on.",
        ) from error


def error_of(response: httpx.Response) -> ApiError:
    """Return the error of a refusal, of the kind of its status."""
    status = response.status_code
    try:
        said = response.json()["error"]
        code, message, remedy = said["code"], said["message"], said["remedy"]
    except (ValueError, KeyError, TypeError):
        return no_clew(response)
    kind = KINDS.get(status, BadRequest if status < 500 else ServerFault)
    return kind(status, code, message, remedy)


def no_clew(response: httpx.Response) -> ApiError:
    """Return the error of an answer that is not in the form in which Clew answers."""
    if response.status_code == 504:
        message = f"What stands before {response.url} did not wait for the answer (504)."
        remedy = "Raise its limit over the server's query_timeout_s, or ask by ask_events."
        return TookTooLong(504, "proxy_timeout", message, remedy)
    message = f"{response.url} answers {response.status_code}, and not as Clew does."
    return ServerFault(response.status_code, "no_clew", message, "Check the address.")
