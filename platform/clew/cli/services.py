"""`clew up`, `down`, `status`, `doctor`: the services on this machine."""

import dataclasses
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn
from rich.text import Text

from clew import runtime
from clew.cli.output import Lines, ago, console, errors, print_json, table
from clew.errors import RuntimeNotRunning, ServiceFailed
from clew.resources.runtime_state import live_state
from clew.results.health import ServiceHealth
from clew.runtime import Addresses, OnStep, Step
from clew.runtime.doctor import Outcome
from clew.settings import Settings

MARKS = {
    Outcome.OK: ("✓", "green"),
    Outcome.WARNING: ("!", "yellow"),
    Outcome.FAILED: ("✗", "red"),
}
STYLES = {"healthy": "green", "external": "green", "failed": "red", "unhealthy": "red"}


def up(
    foreground: Annotated[
        bool,
        typer.Option(
            "--foreground", help="Stay until ended (Ctrl-C, SIGTERM), instead of detaching."
        ),
    ] = False,
    port: Annotated[int | None, typer.Option(help="Wanted port of the web server.")] = None,
) -> None:
    """Start Neo4j, the broker, the workers and the web server; joins what runs already.

    Nothing listens beyond this machine unless a setting says so. Data: CLEW_HOME (~/.clew).
    """
    settings = Settings.load(web_port=port)
    if foreground:
        with _ended_in_order():
            runtime.up(settings, _in_lines(), foreground=True, ready=show_addresses)
        return
    show_addresses(start(settings))


class _Ended(KeyboardInterrupt):
    """A service manager ended this process, or the terminal was closed."""


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP stop everything as Ctrl-C does, and be no failure."""
    asked = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]

    def end(number: int, frame: FrameType | None) -> None:
        for one in asked:
            signal.signal(one, signal.SIG_IGN)  # a second one must not cut the end short
        raise _Ended

    for number in asked:
        signal.signal(number, end)
    try:
        yield
    except _Ended:
        return


def start(settings: Settings) -> Addresses:
    """Start everything, with a line a service that says how far it is; off a terminal, one whenever
    that changes.
    """
    if not errors.is_terminal:
        return runtime.up(settings, _in_lines())
    waiting = Progress(
        SpinnerColumn(finished_text="[green]✓[/]"),
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[state]}", markup=False, style="dim"),
        console=errors,
    )
    tasks: dict[str, TaskID] = {}

    def report(step: Step) -> None:
        done = step.state in ("healthy", "external", "fetched")
        state = _megabytes(step) if step.total else f"{step.state}  {step.detail}".rstrip()
        if step.name not in tasks:
            tasks[step.name] = waiting.add_task(step.title, total=1, state=state)
        waiting.update(tasks[step.name], completed=int(done), state=state)

    with waiting:
        return runtime.up(settings, report)


def down() -> None:
    """Stop everything that `clew up` started. Documents and models stay."""
    settings = Settings.load()
    with errors.status("Stopping …"):
        ran = runtime.down(settings)
    errors.print("Stopped." if ran else f"Nothing was running for {settings.home}.")


def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Say what runs, where, since when; with the address and password of Neo4j Browser."""
    settings = Settings.load()
    rows = runtime.status(settings)
    if not rows:
        raise RuntimeNotRunning(
            f"Clew is not running (home {settings.home}).", remedy="Start it with `clew up`."
        )
    state = live_state(settings.home)
    if as_json:
        print_json(
            {
                "services": [
                    {
                        "name": row.name,
                        "state": row.state.value,
                        "address": row.address,
                        "pid": row.pid,
                        "restarts": row.restarts,
                        "log": row.log,
                    }
                    for row in rows
                ],
                "models": {
                    queue: {
                        "memory_mib": held.memory_mib,
                        "loaded": [model.model_dump() for model in held.models],
                    }
                    for queue, held in _held_models(settings).items()
                },
                "schema_version": _schema_version(settings),
                "web": state.web_url if state else None,
                "neo4j_browser": state.browser_url if state else None,
            }
        )
        return
    now = time.time()
    cells = [
        (
            row.title,
            Text(row.state.value, STYLES.get(row.state.value, "yellow")),
            row.address,
            str(row.pid or ""),
            f"{(now - row.since) / 60:.0f} min" if row.since else "",
            row.restarts or "",
            row.detail,
        )
        for row in rows
    ]
    columns = ("service", "state", "address", "pid", "for", "restarts", "")
    console.print(table(f"Clew in {settings.home}", columns, cells))
    version = _schema_version(settings)
    if version is not None:
        console.print(f"Schema of the graph: version {version}.", highlight=False)
    _show_models(settings)
    if state is not None and state.browser_url:
        console.print(
            f"Neo4j Browser: {state.browser_url}, user {state.neo4j_username}, password in "
            f"{settings.home / 'neo4j' / 'password'}",
            highlight=False,
        )


def _schema_version(settings: Settings) -> int | None:
    """Return the version that the graph has; None where it cannot be asked, as the table says."""
    # loaded here: `clew up` begins sooner without
    from clew.resources.connecting import connection
    from clew_cypher.errors import GraphError
    from clew_cypher.migrations import graph_version
    from clew_cypher.store import GraphStore

    try:
        with GraphStore(connection(settings).neo4j) as store:
            return graph_version(store)
    except GraphError:
        return None


def _held_models(settings: Settings) -> dict[str, ServiceHealth]:
    """Return what the workers of each queue hold."""
    from clew.jobs.health import held_models  # as above

    return held_models(settings)


def _show_models(settings: Settings) -> None:
    """Print which models the workers hold, and how big they are."""
    rows = [
        (queue, model.name, model.device, f"{model.mib:,.0f}", ago(model.idle_seconds))
        for queue, held in _held_models(settings).items()
        for model in held.models
    ]
    if rows:
        heads = ("queue", "model", "on", "MiB", "last used")
        console.print(table("Loaded models", heads, rows))


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Check everything Clew needs on this machine, each with what to do if it is missing."""
    checks = runtime.doctor(Settings.load())
    if as_json:
        print_json({"checks": [dataclasses.asdict(check) for check in checks]})
    else:
        for check in checks:
            console.print(
                Text.assemble(MARKS[check.outcome], " ", (check.name, "bold"), f"  {check.detail}")
            )
            if check.outcome is not Outcome.OK and check.remedy:
                console.print(Text(f"    {check.remedy}", "yellow"))
    if any(check.outcome is Outcome.FAILED for check in checks):
        raise ServiceFailed("Something is missing.", remedy="The list above says what to do.")


def show_addresses(addresses: Addresses) -> None:
    """Print where everything is."""
    word = "Clew was running already" if addresses.joined else "Clew is running"
    console.print(f"[bold green]{word}.[/]", highlight=False)
    if addresses.web_url:
        console.print(f"  Web UI         {addresses.web_url}", highlight=False)
        console.print(f"  REST           {addresses.web_url}/docs", highlight=False)
    if addresses.browser_url:
        console.print(
            f"  Neo4j Browser  {addresses.browser_url}  (password: `clew status`)",
            highlight=False,
        )


def _in_lines() -> OnStep:
    """Return what tells of each step in a line, and of one that takes long every ten seconds."""
    lines = Lines()

    def tell(step: Step) -> None:
        if step.total and step.done < step.total:
            lines.tell(f"{step.title}, MB", int(step.done / 1e6), int(step.total / 1e6), step.name)
            return
        said = f"{step.title}: {step.state} {step.detail}".rstrip()
        errors.print(said, highlight=False, markup=False, soft_wrap=True)

    return tell


def _megabytes(step: Step) -> str:
    return f"{step.done / 1e6:.0f} of {step.total / 1e6:.0f} MB"
