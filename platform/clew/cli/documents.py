"""`clew documents`: lists a corpus' documents; `show` tells all about one, `delete` deletes it."""

from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.groups import is_listing
from clew.cli.logged import logged
from clew.cli.output import console, print_json, table
from clew.errors import InvalidRequest
from clew.indexing.corpora import chosen_name
from clew.settings import Settings

Corpus = Annotated[
    str | None, typer.Option("--corpus", "-c", help="Which corpus. [default: settings]")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
CALLED = "Id, title, address, path or file name of a document."
STATUS_STYLES = {"ready": "green", "failed": "red", "accepted": "yellow"}
SHOWN = 20
"""Triples and entities that `show` prints; with --json there are more."""

app = typer.Typer(invoke_without_command=True, rich_markup_mode="markdown")


@app.command("list", hidden=True)
@app.callback()
def documents(
    context: typer.Context,
    corpus: Corpus = None,
    status: Annotated[
        str | None, typer.Option(help="Only those that are ready, accepted or failed.")
    ] = None,
    search: Annotated[str | None, typer.Option(help="Part of the title or address.")] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 50,
    offset: Annotated[int, typer.Option(help="How many to skip.", min=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """List the documents of a corpus with their state, newest first; or `show` or `delete` one."""
    if not is_listing(context):
        return
    if status is not None and status not in STATUS_STYLES:
        raise InvalidRequest(
            f"There is no status {status!r}.", remedy=f"There are: {', '.join(STATUS_STYLES)}."
        )
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew:
        found = clew.documents(name, status=status, query=search, limit=limit, offset=offset)
    if as_json:
        print_json(found)
        return
    if not found:
        console.print(f"No such documents in the corpus {name}. Add some: `clew ingest PATH`.")
        return
    rows = [
        (
            document.id,
            Text(document.status, STATUS_STYLES[document.status]),
            Text.assemble(
                document.title,
                (f"\n{unquote(document.uri)}", "dim"),
                (f"\n{document.error}" if document.error else "", "red"),
                (f"\n{document.left_out}" if document.left_out else "", "yellow"),
                (_failed_chunks(document.failed_chunks, "\nextraction "), "yellow"),
            ),
            document.records or document.chunks,
            document.triples,
        )
        for document in found
    ]
    columns = ("id", "status", "document", "chunks", "triples")
    console.print(table(f"Documents of {name}", columns, rows))


@app.command()
def show(
    document: Annotated[str, typer.Argument(help=CALLED, show_default=False)],
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Tell all about one document: its state, what it cost, its entities and triples.

    Example: `clew documents show report.pdf --corpus papers`
    """
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew:
        found = clew.document(name, clew.resolve_document(name, document, Path.cwd()).id)
    if as_json:
        print_json(found)
        return
    about = found.document
    facts = [
        ("id", about.id),
        ("title", about.title),
        ("address", unquote(about.uri)),
        ("status", Text(about.status, STATUS_STYLES[about.status])),
        ("error", about.error),
        ("left out", about.left_out),
        ("records", about.records),
        ("chunks", about.chunks),
        ("triples", about.triples),
        ("extraction", _failed_chunks(about.failed_chunks)),
        ("seconds of work", f"{about.seconds:.2f}" if about.seconds else None),
        ("language-model calls", about.llm_calls),
        ("tokens", _tokens(about.prompt_tokens, about.completion_tokens)),
        ("entities", ", ".join(entity.name for entity in found.entities[:SHOWN])),
    ]
    console.print(table("Document", ("", ""), [fact for fact in facts if fact[1]]))
    if found.triples:
        rows = [(each.head, each.predicate, each.tail) for each in found.triples[:SHOWN]]
        console.print(table("Triples", ("head", "predicate", "tail"), rows))
        more = about.triples - len(rows)
        if more > 0:
            console.print(f"and {more} more", style="dim", highlight=False)


@app.command()
def delete(
    document: Annotated[str | None, typer.Argument(help=CALLED, show_default=False)] = None,
    corpus: Corpus = None,
    whole_corpus: Annotated[
        bool, typer.Option("--whole-corpus", help="Delete the corpus with all its documents.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a document and what only it supported, or a whole corpus.

    Example: `clew delete report.pdf --corpus papers`
    """
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew:
        if whole_corpus:
            if document is not None:
                raise InvalidRequest(
                    f"The document {document!r} or the whole corpus?",
                    remedy="Leave out the document, or --whole-corpus.",
                )
            if not yes:
                held = (
                    f"documents: {clew.stats(name).documents}, "
                    f"schedules: {len(clew.schedules(name))}, webhooks: {len(clew.webhooks(name))}"
                )
                typer.confirm(f"Delete the corpus {name} ({held})?", abort=True)
            with logged(clew, "corpora delete", f"corpus={name}"):
                deleted = clew.delete_corpus(name)
        else:
            if document is None:
                raise InvalidRequest(
                    "Which document?", remedy="Give its id, or --whole-corpus for all of them."
                )
            found = clew.resolve_document(name, document, Path.cwd())
            if not yes:
                typer.confirm(f"Delete {found.title} ({unquote(found.uri)})?", abort=True)
            with logged(clew, "documents delete", f"corpus={name}, document_id={found.id}"):
                deleted = clew.delete(name, found.id)
    console.print(
        f"Deleted {deleted.documents} documents, {deleted.chunks} chunks, "
        f"{deleted.sentences} sentences, {deleted.entities} entities.",
        highlight=False,
    )


def _failed_chunks(count: int, before: str = "") -> str:
    """Return on how many chunks the extractor failed, behind ``before``; "" for none."""
    chunks = "1 chunk" if count == 1 else f"{count} chunks"
    return f"{before}failed on {chunks}; ingest it again to try again" if count else ""


def _tokens(prompt: int, completion: int) -> str:
    return f"{prompt} in, {completion} out" if prompt or completion else ""
