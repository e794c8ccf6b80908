"""Which corpus a page begins with: the last one that this browser used, never the bench's."""

from typing import Any
from urllib.parse import quote, unquote

from flask import Response, request

from clew_web.backend import backend

COOKIE = "clew_corpus"
"""Holds the name of the corpus used last, percent-encoded; `ask.js` sets it too."""
KEPT_S = 365 * 24 * 3600


def preferred_corpus(corpora: list[Any], *, filled: bool = True) -> str:
    """Return the corpus used last; else the default; else the fullest that is not the bench's.

    ``filled``: one without documents is none to ask.
    """
    known = {c.name: c.documents for c in corpora if c.documents or not filled}
    last = unquote(request.cookies.get(COOKIE, ""))
    if last in known:
        return last
    default: str = backend().default_corpus
    own = {c.name: c.documents for c in corpora if c.documents and not c.of_bench}
    if default in own or not own:
        return default
    return max(own, key=lambda name: own[name])


def remember(response: Response, corpus: str) -> Response:
    """Let this browser's pages begin with ``corpus`` from now on."""
    response.set_cookie(
        COOKIE, quote(corpus, safe=""), max_age=KEPT_S, samesite="Lax", secure=request.is_secure
    )
    return response
