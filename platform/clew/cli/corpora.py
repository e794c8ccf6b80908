"""`clew corpora`: lists the corpora; `create` makes one, `set` gives one another extractor."""

from typing import Annotated

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.groups import is_listing
from clew.cli.logged import logged
from clew.cli.output import console, errors, print_json, table
from clew.results.corpus import CorpusInfo
from clew.settings import Settings

app = typer.Typer(invoke_without_command=True, rich_markup_mode="markdown")

Name = Annotated[str, typer.Argument(help="Name of the corpus.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
EXTRACTORS = "Who makes the triples: rules, llm, model, none or file:PATH."
ANEW = "Ingest its files again: `clew ingest PATH --corpus {}` makes their triples anew."


@app.command("list", hidden=True)
@app.callback()
def corpora(context: typer.Context, as_json: AsJson = False) -> None:
    """List the corpora and how full each is; or make one, or choose its extractor."""
    if not is_listing(context):
        return
    with Clew(Settings.load()) as clew:
        found = clew.corpora()
    if as_json:
        print_json(found)
        return
    if not found:
        console.print("There is no corpus yet. Make one: `clew ingest PATH --corpus NAME`.")
        return
    # the bench's come last, and say so
    found = sorted(found, key=lambda c: (c.of_bench, c.name))
    rows = [
        (
            *(f"{c.name} (bench)" if c.of_bench else c.name, c.documents, c.failed, c.chunks),
            *(c.entities, c.triples, c.extractor),
        )
        for c in found
    ]
    # the rest is in --json: more columns do not fit a terminal of 80
    columns = ("corpus", "documents", "failed", "chunks", "entities", "triples", "extractor")
    console.print(table("Corpora", columns, rows))
    for one in found:
        if one.failed_chunks:
            said = f"{one.name}: the extractor failed on {one.failed_chunks} of its chunks"
            errors.print(Text(f"{said}; ingesting their files again tries them again.", "yellow"))


@app.command()
def create(
    name: Name,
    extractor: Annotated[
        str | None, typer.Option(help=f"{EXTRACTORS} [default: settings]", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make an empty corpus.

    Example: `clew corpora create papers --extractor llm`
    """
    with Clew(Settings.load()) as clew, logged(clew, "corpora create", f"corpus={name}"):
        info = clew.create_corpus(name, extractor)
    _tell(info, as_json, f"Fill it: `clew ingest PATH --corpus {name}`.")


@app.command("set")
def set_extractor(
    name: Name,
    extractor: Annotated[str, typer.Option(help=EXTRACTORS, show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Choose who makes the triples of what is ingested from now on.

    Documents that are there keep their triples until their files are ingested again.
    """
    target = f"corpus={name}, extractor={extractor}"
    with Clew(Settings.load()) as clew, logged(clew, "corpora set", target):
        info = clew.set_extractor(name, extractor)
    _tell(info, as_json, ANEW.format(name) if info.documents else "It is empty.")


def _tell(info: CorpusInfo, as_json: bool, then: str) -> None:
    if as_json:
        print_json(info)
        return
    console.print(
        f"The corpus {info.name} has the extractor {info.extractor}. {then}",
        highlight=False,
        markup=False,
    )
