"""`clew jobs`: what the workers do, did and could not do."""

from typing import Annotated, cast, get_args

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.logged import logged
from clew.cli.output import console, print_json, table
from clew.errors import InvalidRequest
from clew.results.job import JobState
from clew.settings import Settings

STYLES = {"done": "green", "running": "cyan", "failed": "red", "set_aside": "red"}


def jobs(
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Only the jobs of this corpus.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(help=f"Only the jobs in this state: {', '.join(get_args(JobState))}."),
    ] = None,
    cancel: Annotated[
        str | None, typer.Option(help="Id of a job to stop; what it finished stays.")
    ] = None,
    retry: Annotated[
        str | None, typer.Option(help="Id of a job that is over: do again what it did not do.")
    ] = None,
    log: Annotated[str | None, typer.Option(help="Id of a job: show what happened to it.")] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the jobs, newest first; or stop one, do one again, show one's log.

    Example: `clew jobs --cancel j0123456789`
    """
    if sum(one is not None for one in (cancel, retry, log)) > 1:
        raise InvalidRequest("--cancel, --retry and --log do one thing each.", remedy="Take one.")
    if state is not None and state not in get_args(JobState):
        raise InvalidRequest(
            f"There is no state {state!r}.", remedy=f"There are: {', '.join(get_args(JobState))}."
        )
    with Clew(Settings.load()) as clew:
        if log is not None:
            _show_log(clew, log, as_json)
            return
        if cancel is not None:
            with logged(clew, "jobs cancel", f"job={cancel}"):
                found = [clew.cancel_job(cancel)]
        elif retry is not None:
            with logged(clew, "jobs retry", f"job={retry}"):
                found = [clew.retry_job(retry)]
        else:
            states = None if state is None else (cast(JobState, state),)
            found = clew.jobs(corpus, limit, states=states)
    if as_json:
        print_json(found)
        return
    if not found:
        none = "No job has run yet. `clew ingest PATH` makes one."
        console.print("No job fits." if state or corpus else none)
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


def _show_log(clew: Clew, job_id: str, as_json: bool) -> None:
    events = clew.job_log(job_id)
    if as_json:
        print_json(events)
        return
    rows = [(event.at[:19].replace("T", " "), event.text) for event in events]
    console.print(table(f"Log of {job_id}", ("when", "what"), rows))
