"""Puts the command groups together and turns errors into one clear sentence."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from clew.cli import (
    access,
    backup,
    bench,
    check,
    corpora,
    demo,
    documents,
    entities,
    graph,
    ingest,
    jobs,
    mcp,
    questions,
    schedules,
    services,
    settings_list,
    strategies,
    training,
    webhooks,
)
from clew.cli.output import errors, show_error
from clew.errors import CLEW_ERRORS, PlatformError

INTERRUPTED = 130
"""The exit code that typer makes of an interrupt."""

app = typer.Typer(
    name="clew",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="""Answers questions whose evidence is spread over many documents.

First steps: `clew demo` shows everything on a sample corpus.
Then `clew up`, `clew ingest my-folder`, `clew ask "…"`; `clew down` stops.""",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(version("clew"))
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
) -> None:
    return


for name, command in (
    ("ask", questions.ask),
    ("search", questions.search),
    ("ingest", ingest.ingest),
    ("delete", documents.delete),
    ("jobs", jobs.jobs),
    ("mcp", mcp.mcp),
    ("up", services.up),
    ("down", services.down),
    ("status", services.status),
    ("doctor", services.doctor),
    ("check", check.check),
    ("backup", backup.backup),
    ("restore", backup.restore),
    ("audit", access.audit),
    ("bench", bench.bench),
    ("demo", demo.demo),
    ("strategies", strategies.strategies),
    ("settings", settings_list.settings),
):
    app.command(name, epilog=bench.EPILOG if name == "bench" else None)(command)
app.add_typer(documents.app, name="documents")
app.add_typer(entities.app, name="entities")
app.add_typer(corpora.app, name="corpora")
app.add_typer(access.users_app, name="users")
app.add_typer(access.keys_app, name="keys")
app.add_typer(training.app, name="train")
app.add_typer(schedules.app, name="schedules")
app.add_typer(webhooks.app, name="webhooks")
app.add_typer(graph.app, name="graph")


def main() -> None:
    """Run the command line. Errors meant for people end with their exit code, one sentence each."""
    try:
        app()
    except CLEW_ERRORS as error:
        show_error(error)
        sys.exit(error.exit_code)
    except OSError as error:  # a full disk, a file that may not be written
        if error.strerror is None:
            raise
        place = f"{error.filename}: " if error.filename else ""
        failed = PlatformError(f"{place}{error.strerror}.")
        show_error(failed)
        sys.exit(failed.exit_code)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:
            errors.print("Interrupted.")
        raise
