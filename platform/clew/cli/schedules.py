"""`clew schedules`: lists what is done again and again; `add`, `run`, `pause` and more below it."""

import re
import signal
import threading
from types import FrameType
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.groups import is_listing
from clew.cli.ingest import Gone
from clew.cli.logged import logged
from clew.cli.options import checked
from clew.cli.output import console, print_json, table
from clew.errors import InvalidRequest
from clew.indexing.corpora import chosen_name
from clew.results.schedule import NewSchedule, Schedule, ScheduleRun
from clew.settings import Settings

app = typer.Typer(invoke_without_command=True, rich_markup_mode="markdown")

Id = Annotated[str, typer.Argument(help="Id of the schedule.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
Corpus = Annotated[str | None, typer.Option("--corpus", "-c", help="Corpus. [default: settings]")]
Name = Annotated[
    str | None, typer.Option("--name", help="What to call it. [default: what it does]")
]
Cron = Annotated[
    str | None,
    typer.Option(help="Minute, hour, day, month, weekday: '30 2 * * 1-5' is 2:30 on weekdays."),
]
Every = Annotated[str | None, typer.Option(help="In place of cron: 15m, 6h, 1d.")]
Zone = Annotated[str, typer.Option(help="Time zone of cron, such as Europe/Berlin.")]

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@app.command("list", hidden=True)
@app.callback()
def schedules(
    context: typer.Context,
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Only those of this corpus.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what the workers do again and again, and when next; or add, run, pause, delete."""
    if not is_listing(context):
        return
    with Clew(Settings.load()) as clew:
        found = clew.schedules(corpus)
    if as_json:
        print_json(found)
        return
    if not found:
        console.print(
            "Nothing is scheduled. `clew schedules reindex FOLDER --cron '0 3 * * *'` reads a "
            "folder again every night."
        )
        return
    rows = [
        (
            item.id,
            item.name,
            f"{item.kind} {item.corpus}",
            when(item),
            "paused" if item.paused else item.next_runs[0][:16].replace("T", " "),
            _ended(item.last_run),
        )
        for item in found
    ]
    console.print(table("Schedules", ("id", "name", "does", "when", "next", "last"), rows))


@app.command()
def reindex(
    sources: Annotated[
        list[str], typer.Argument(help="Folders, files, web pages, s3://BUCKET/PREFIX.")
    ],
    corpus: Corpus = None,
    cron: Cron = None,
    every: Every = None,
    zone: Zone = "UTC",
    gone: Gone = "keep",
    name: Name = None,
    as_json: AsJson = False,
) -> None:
    """Read folders, web pages and buckets again and again; only what is new or changed is indexed.

    Example: `clew schedules reindex ~/papers --cron '0 3 * * *' --zone Europe/Berlin --gone delete`
    """
    plan = {"sources": tuple(sources), "gone": gone}
    said = name or f"Re-index {', '.join(sources)}"[:200]
    _add(said, corpus, cron, every, zone, as_json, "reindex", plan)


@app.command()
def train(
    method: Annotated[str, typer.Argument(help="The method that learns.")],
    corpus: Corpus = None,
    cron: Cron = None,
    every: Every = None,
    zone: Zone = "UTC",
    name: Name = None,
    as_json: AsJson = False,
) -> None:
    """Train a method on a corpus again and again; a version that is no worse then serves.

    Example: `clew schedules train METHOD --cron '0 1 * * 0'`
    """
    _add(name or f"Train {method}", corpus, cron, every, zone, as_json, "train", {"method": method})


@app.command()
def bench(
    corpus: Corpus = None,
    strategies: Annotated[
        list[str] | None, typer.Option("--strategy", "-s", help="Repeatable. [default: all]")
    ] = None,
    reader: Annotated[
        str | None, typer.Option(help="Who answers; 'none': evidence only. [default: settings]")
    ] = None,
    cron: Cron = None,
    every: Every = None,
    zone: Zone = "UTC",
    name: Name = None,
    as_json: AsJson = False,
) -> None:
    """Measure strategies on a corpus again and again; the runs are kept.

    Example: `clew schedules bench --corpus papers --strategy hybrid --every 1d`
    """
    plan = {"strategies": tuple(strategies) if strategies else None, "reader": reader}
    _add(name or "Bench", corpus, cron, every, zone, as_json, "bench", plan)


@app.command()
def history(
    schedule: Id,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what became of a schedule's ticks, newest first."""
    with Clew(Settings.load()) as clew:
        runs = clew.schedule_runs(schedule, limit)
    if as_json:
        print_json(runs)
        return
    if not runs:
        console.print("It has not run yet.")
        return
    rows = [
        (
            run.tick[:16].replace("T", " "),
            "by hand" if run.by_hand else run.state,
            Text(run.job_state or "", "red" if run.job_error else ""),
            str(run.missed or ""),
            run.job_id or "",
            run.job_error or "",
        )
        for run in runs
    ]
    console.print(table("Runs", ("tick (UTC)", "run", "job", "missed", "id", "error"), rows))


@app.command()
def run(schedule: Id, as_json: AsJson = False) -> None:
    """Start a schedule's job now; its ticks stay as they are."""
    with Clew(Settings.load()) as clew, logged(clew, "schedules run", f"schedule={schedule}"):
        job = clew.run_schedule(schedule)
    if as_json:
        print_json(job)
        return
    console.print(f"The job {job.id} was started. `clew jobs` shows it.", highlight=False)


@app.command()
def pause(schedule: Id, as_json: AsJson = False) -> None:
    """Let a schedule rest until `resume`."""
    with Clew(Settings.load()) as clew, logged(clew, "schedules pause", f"schedule={schedule}"):
        paused = clew.pause_schedule(schedule)
    _tell(paused, as_json)


@app.command()
def resume(schedule: Id, as_json: AsJson = False) -> None:
    """Let a schedule tick again, from now on: what it missed is not made up for."""
    with Clew(Settings.load()) as clew, logged(clew, "schedules resume", f"schedule={schedule}"):
        resumed = clew.resume_schedule(schedule)
    _tell(resumed, as_json)


@app.command()
def delete(schedule: Id) -> None:
    """Delete a schedule with its history; a job that it started goes on."""
    with Clew(Settings.load()) as clew, logged(clew, "schedules delete", f"schedule={schedule}"):
        clew.delete_schedule(schedule)
    console.print("The schedule is deleted.")


@app.command()
def tick() -> None:
    """Look for schedules that are due until stopped: a ticker as a process of its own.

    Workers that run jobs do so already; however many look, there is one run a tick.
    """
    from clew.jobs.submit import wake
    from clew.jobs.ticker import Ticker

    settings = Settings.load()
    over = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        over.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with Clew(settings) as clew:
        clew.resources.store.verify()
        ticker = Ticker(clew.resources.store, settings, lambda *job: wake(settings, *job))
        ticker.start()
        console.print(f"Looking every {settings.schedule_look_s:g} s for schedules that are due.")
        over.wait()
        ticker.stop()


def when(schedule: Schedule) -> str:
    """Return in words when a schedule ticks."""
    if schedule.cron is not None:
        return f"{schedule.cron} {schedule.zone}"
    left = schedule.every_s or 0
    for unit, size in reversed(UNITS.items()):
        if left % size == 0:
            return f"every {left // size} {unit}"
    raise AssertionError  # one second divides everything


def seconds_of(text: str) -> int:
    """Return the seconds of 15m, 6h, 1d. Raises InvalidRequest."""
    found = re.fullmatch(r"(\d{1,6})([smhd])", text.strip())
    if found is None:
        raise InvalidRequest(f"{text!r} is no interval.", remedy="Write 15m, 6h or 1d.")
    return int(found[1]) * UNITS[found[2]]


def _add(
    name: str,
    corpus: str | None,
    cron: str | None,
    every: str | None,
    zone: str,
    as_json: bool,
    kind: Literal["reindex", "train", "bench"],
    plan: dict[str, Any],
) -> None:
    values = {
        "name": name,
        "corpus": corpus,
        "cron": cron,
        "every_s": None if every is None else seconds_of(every),
        "zone": zone,
        kind: plan,
    }
    asked = checked(
        NewSchedule,
        values,
        "It cannot be scheduled like that",
        "--every takes 1m to 366d; --help says more of the options.",
    )
    settings = Settings.load()
    target = f"corpus={chosen_name(settings, corpus)}"
    with Clew(settings) as clew, logged(clew, f"schedules {kind}", target):
        made = clew.add_schedule(asked)
    _tell(made, as_json)


def _tell(schedule: Schedule, as_json: bool) -> None:
    if as_json:
        print_json(schedule)
        return
    after = "It is paused." if schedule.paused else f"It runs next at {schedule.next_runs[0]}."
    console.print(f"{schedule.id}: {schedule.name}. {after}", highlight=False, markup=False)


def _ended(last: ScheduleRun | None) -> str:
    if last is None:
        return ""
    return last.state if last.state == "skipped" else last.job_state or "started"
