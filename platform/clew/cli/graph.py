"""`clew graph`: what Neo4j's own tools show the graph by."""

import json
from pathlib import Path
from typing import Annotated

import typer

from clew.cli.output import console

app = typer.Typer(
    no_args_is_help=True, help="Files for Neo4j Bloom and Neo4j Browser; they need no database."
)

Out = Annotated[Path | None, typer.Option("--out", help="Write to this file; else print.")]


@app.command()
def perspective(out: Out = None) -> None:
    """A perspective for Neo4j Bloom: kinds, captions, colours, search phrases, scene actions.

    In Bloom: the drawer of perspectives, "Import", and choose the file.
    """
    from clew_cypher.bloom.perspective import perspective as made

    _give(json.dumps(made(), indent=2) + "\n", out)


@app.command()
def guide(out: Out = None) -> None:
    """The same saved queries as a guide for Neo4j Browser, whose command is `:play ADDRESS`."""
    from clew_cypher.bloom.browser import browser_guide

    _give(browser_guide(), out)


@app.command()
def style(out: Out = None) -> None:
    """Colours and captions for Neo4j Browser: drop the file onto the window (`:style`)."""
    from clew_cypher.bloom.browser import browser_style

    _give(browser_style(), out)


def _give(text: str, out: Path | None) -> None:
    if out is None:
        print(text, end="")
        return
    out.write_text(text)
    console.print(f"Written: {out}", highlight=False)
