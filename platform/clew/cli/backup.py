"""`clew backup` and `clew restore`: everything in one file."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import TaskID

from clew.clew import Clew
from clew.cli.logged import logged
from clew.cli.output import console, errors, print_json, progress_bar
from clew.errors import HomeNotEmpty
from clew.resources.runtime_state import live_state
from clew.results.backup import BackupInfo
from clew.runtime.control import Step
from clew.runtime.graph_alone import graph_alone
from clew.settings import Settings

AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


def backup(
    file: Annotated[
        Path | None,
        typer.Argument(help="Where to. [default: clew-DATE.zip here]", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write everything into one file: graph, accepted documents, users, schedules, trained models.

    Clew may run or not; while it runs, nothing may be written, so let jobs end first. The file is
    for your eyes only. Settings, logs and what can be computed again are not in it.

    Example: `clew backup /backups/monday.zip`
    """
    path = file or Path(f"clew-{datetime.now():%Y%m%d-%H%M%S}.zip")
    with _graph() as (clew, bar), logged(clew, "backup", f"file={path.name}"):
        made = clew.backup(path, bar)
    _show(made, f"Kept in {path}", as_json)


def restore(
    file: Annotated[Path, typer.Argument(help="What `clew backup` made.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Write a backup into an empty CLEW_HOME, or an empty database that NEO4J_URI names.

    Clew must not run there. Checksums are compared before anything is written, and the graph's
    digest after; what fails leaves nothing behind.

    Example: `CLEW_HOME=/srv/clew clew restore /backups/monday.zip`
    """
    settings = Settings.load()
    if live_state(settings.home) is not None:
        raise HomeNotEmpty(
            f"Clew is running in {settings.home}.",
            remedy="Run `clew down` first; the home must be empty.",
        )
    with _graph() as (clew, bar):
        made = clew.restore(file, bar)
        # not before: a database with a line in its log is not empty
        with logged(clew, "restore", f"file={file.name}"):
            pass
    _show(made, f"Restored {file}", as_json)


class _Bar:
    """Shows each stage on a line of its own."""

    def __init__(self) -> None:
        self.progress = progress_bar()
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        if what not in self._tasks:
            self._tasks[what] = self.progress.add_task(what, total=None)
        self.progress.update(self._tasks[what], completed=done, total=total or None)


@contextmanager
def _graph() -> Iterator[tuple[Clew, _Bar]]:
    """Yield a facade whose database answers, started where it does not run."""
    seen: set[str] = set()

    def report(step: Step) -> None:
        if step.state not in seen:
            seen.add(step.state)
            errors.print(f"{step.title}: {step.state}", highlight=False)

    with graph_alone(Settings.load(), report) as settings, Clew(settings) as clew:
        bar = _Bar()
        with bar.progress:
            yield clew, bar


def _show(made: BackupInfo, what: str, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    console.print(
        f"{what}: {made.nodes} nodes, {made.relationships} relationships, {made.files} files of "
        f"trained models; {made.size_bytes / 1e6:.1f} MB.\nDigest of the graph: {made.digest}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
