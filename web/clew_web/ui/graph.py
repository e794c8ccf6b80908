"""The graph explorer, and what Neo4j Bloom and Neo4j Browser need to show the graph as well."""

import json
from typing import Any
from urllib.parse import urlsplit

from flask import Response, make_response, render_template, request, url_for

from clew.errors import CLEW_ERRORS
from clew.resources.connecting import connection
from clew.settings.loopback import is_loopback
from clew_cypher.bloom.browser import browser_guide, browser_style
from clew_cypher.bloom.perspective import FORMAT_VERSION, NAME, perspective
from clew_cypher.bloom.queries import PHRASES, SCENE_ACTIONS, query_text
from clew_cypher.kinds import KINDS
from clew_web.backend import backend
from clew_web.policy import Corpora, allows, public
from clew_web.ui.blueprint import ui
from clew_web.ui.corpora import preferred_corpus
from clew_web.ui.sample import SAMPLE_CORPUS


@ui.get("/graph")
@allows("reader", Corpora.FILTERED)
def graph() -> str:
    """The explorer: search, expand, filter, paths, export; what it draws comes from REST."""
    corpora: list[Any] = []
    problem = None
    try:
        corpora = list(backend().clew.corpora())
    except CLEW_ERRORS as error:
        problem = error
    asked = request.args.get("corpus", "")
    names = [corpus.name for corpus in corpora]
    return render_template(
        "graph.html",
        corpora=corpora,
        corpus=asked if asked in names else preferred_corpus(corpora),
        kinds=KINDS,
        sample_corpus=SAMPLE_CORPUS,
        problem=problem,
    )


@ui.get("/graph/tools")
@allows("reader", Corpora.NONE)
def graph_tools() -> str:
    """How to look at the graph with Neo4j Bloom and Neo4j Browser, with the files for that."""
    return render_template(
        "graph_tools.html",
        phrases=PHRASES,
        actions=SCENE_ACTIONS,
        query_text=query_text,
        version=FORMAT_VERSION,
        tools=_addresses(),
        guide=_guide_address(),
    )


@ui.get("/graph/perspective.json")
@allows("reader", Corpora.NONE)
def graph_perspective() -> Response:
    """The perspective for Bloom."""
    return _download(json.dumps(perspective(), indent=2), "clew-perspective.json")


@ui.get("/graph/style.grass")
@allows("reader", Corpora.NONE)
def graph_style() -> Response:
    """Colours and captions for Neo4j Browser."""
    return _download(browser_style(), "clew.grass")


@ui.route("/graph/guide.html", methods=["GET", "OPTIONS"])
@public
def graph_guide() -> Response:
    """The guide for Neo4j Browser, which fetches it from where it runs itself, as nobody.

    It holds the saved queries alone, nothing of any corpus. The Browser asks for it with headers of
    its own (uncached, traced), for which leave is asked first (OPTIONS).
    """
    response = make_response(browser_guide() if request.method == "GET" else "")
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Allow-Headers"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@ui.app_template_global("neo4j_tools")
def neo4j_tools() -> dict[str, Any]:
    """Return what links to Bloom and the Browser are made of: where they are, what they ask."""
    return {
        "tools": _addresses(),
        "queries": {
            "name": query_text("phrase_what_is_said_of"),
            "passages": query_text("phrase_what_supports"),
        },
        "help": url_for("ui.graph_tools"),
    }


def _download(text: str, name: str) -> Response:
    response = make_response(text)
    response.mimetype = "application/json" if name.endswith(".json") else "text/plain"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _guide_address() -> str:
    """Return where Neo4j Browser finds the guide: it takes those of localhost, not of 127.0.0.1."""
    address = urlsplit(url_for("ui.graph_guide", _external=True))
    if is_loopback(address.hostname or ""):
        port = f":{address.port}" if address.port else ""
        address = address._replace(netloc=f"localhost{port}")
    return address.geturl()


def _addresses() -> dict[str, str]:
    """Return where Bloom and the Browser are, "" where that is not known."""
    settings = backend().settings
    try:
        browser = connection(settings).browser or ""
    except CLEW_ERRORS:
        browser = ""
    return {"bloom": settings.bloom_url or "", "browser": browser, "perspective": NAME}
