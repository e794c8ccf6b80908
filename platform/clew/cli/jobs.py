"""`clew jobs`: what the workers do, did and could not do."""

from typing import Annotated

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.output import console, print_json, table
from clew.settings import Settings

STYLES = {"done": "green", "running": "cyan", "failed": "red", "set_aside": "red"}


def jobs(
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Only the jobs of this corpus.")
    ] = None,
    cancel: Annotated[
        str | None, typer.Option(help="Id of a job to stop; what it finished stays.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the jobs, newest first, or stop one.

    Example: `clew jobs --cancel j0123456789`
    """
    with Clew(Settings.load()) as clew:
        found = clew.jobs(corpus, limit) if cancel is None else [clew.cancel_job(cancel)]
    if as_json:
        print_json(found)
        return
    if not found:
        console.print("No job has run yet. `clew ingest PATH` makes one.")
        return
    rows = [
        (
            job.id,
            job.kind,
            job.corpus,
            Text(job.state, STYLES.get(job.state, "yellow")),
            f"{job.progress.get('done', 0)} of {job.progress.get('total', '?')}",
            job.created_at[:16].replace("T", " "),
            job.error or "",
        )
        for job in found
    ]
    columns = ("id", "kind", "corpus", "state", "progress", "created", "error")
    console.print(table("Jobs", columns, rows))
