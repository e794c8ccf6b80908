"""`clew mcp`: Clew as tools of a language model's program, over standard input and output."""

from typing import Annotated

import typer

from clew.clew import Clew
from clew.settings import Settings


def mcp(
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", "-c", help="Corpus where none is named. [default: settings]"),
    ] = None,
) -> None:
    """Serve search, ask, graph and documents as tools (Model Context Protocol, stdio).

    For a program that starts its tools itself: the command is `clew`, its argument `mcp`. One that
    connects to an address finds the same at http://localhost:8750/mcp while `clew up` runs.
    """
    from clew.mcp_server import make_server

    settings = Settings.load(corpus=corpus) if corpus else Settings.load()
    with Clew(settings) as clew:
        make_server(clew, lambda: clew.settings.corpus, clew.search, clew.ask).run("stdio")
