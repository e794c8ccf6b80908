"""How the commands print: people get tables and colours, pipes and --json get data."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from io import TextIOWrapper
from typing import Any, TextIO

from pydantic import BaseModel
from rich.console import Console, ConsoleOptions, RenderResult
from rich.panel import Panel
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from clew.errors import GraphError, IngestError, ModelError, PlatformError

UNBOUNDED = 1_000_000


def _terminal(stream: TextIO | None) -> bool:
    """Whether people read a stream; one that is none can write all that is printed, and may be
    closed.
    """
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")
    return stream is not None and stream.isatty()


class _StandardError(Console):
    """Standard error: that nobody reads it any more ends nothing of what is told there."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


_people = _terminal(sys.stdout)
# a pipe has no width: what goes into it is neither folded nor cut
console = Console(soft_wrap=not _people, width=None if _people else UNBOUNDED)
errors = _StandardError(stderr=True, soft_wrap=not _terminal(sys.stderr))


def print_json(value: BaseModel | Sequence[BaseModel] | dict[str, Any]) -> None:
    """Print one JSON document on standard output, without colours or line folding."""
    if isinstance(value, BaseModel):
        print(value.model_dump_json(indent=2))
    elif isinstance(value, dict):
        print(json.dumps(value, indent=2, ensure_ascii=False))
    else:
        rows = [item.model_dump(mode="json") for item in value]
        print(json.dumps(rows, indent=2, ensure_ascii=False))


def show_error(error: PlatformError | IngestError | ModelError | GraphError) -> None:
    """Print what went wrong and what to do about it, on standard error."""
    errors.print(Text.assemble(("Error:", "bold red"), f" {error.message}"))
    if error.remedy:
        errors.print(Text(error.remedy, "dim"))


def names_of(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas between them, each once, in their order."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


class Rows(Table):
    """A table for people; in a pipe its rows as TSV, each whole on its line, the columns named."""

    plain: tuple[Sequence[str], ...] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what the console can show."""
        if console.is_terminal:
            yield from super().__rich_console__(console, options)
            return
        for row in self.plain:
            yield Segment("\t".join(" ".join(cell.split()) for cell in row) + "\n")


class Boxed(Panel):
    """A text in a box for people; in a pipe its title, then the text, each line whole."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what the console can show."""
        if console.is_terminal:
            yield from super().__rich_console__(console, options)
            return
        yield self.title or ""
        yield self.renderable


COPIED = ("id", "address")
"""Columns whose cells are copied: short ones keep their lines, and other columns give way."""
MOST_WHOLE = 32


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return a table whose cells are shown as they are, never read as markup.

    A column that is empty in every row is left out: the others need its place. In a pipe all are
    there, so that a program finds each at its place.
    """
    made = Rows(title=title, title_justify="left", title_style="bold")
    cells = [[cell if isinstance(cell, Text) else Text(str(cell)) for cell in row] for row in rows]
    shown = [n for n in range(len(columns)) if not cells or any(row[n].plain for row in cells)]
    for number in shown:
        column = columns[number]
        short = all(len(row[number].plain) <= MOST_WHOLE for row in cells)
        made.add_column(column, overflow="fold", no_wrap=short and column in COPIED)
    for row in cells:
        made.add_row(*(row[number] for number in shown))
    made.plain = (tuple(columns), *(tuple(cell.plain for cell in row) for row in cells))
    return made


def ago(seconds: float) -> str:
    """Return how long ago something was, in words."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


class Lines:
    """Tells of long work off a terminal, where no bar can be drawn: at most a line in ``every_s``
    seconds, with what is done, what is left, how fast it goes and when it will end. The speed is
    that of the stage, from where it began: what an earlier run has done took this one no time.
    """

    def __init__(self, every_s: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s = every_s
        self._clock = clock
        self._started = self._told = clock()
        self._stage: str | None = None
        self._before = 0

    def tell(self, what: str, done: int, total: int | None, stage: str = "") -> None:
        """Print the line, if one is due; ``stage``: of which ``done`` and ``total`` are counts."""
        now = self._clock()
        if stage != self._stage:
            self._stage, self._started, self._before = stage, now, done
        if errors.is_terminal or now - self._told < self._every_s:
            return
        self._told = now
        spent = now - self._started
        line = " ".join(what.split())
        if done or total:
            line += f": {done}"
        if total:
            line += f" of {total} done, {total - done} left"
        made = done - self._before
        if made > 0 and spent > 0:
            line += f", {made / spent:.2f} a second"
            if total and total > done:
                left_s = (total - done) * spent / made
                ends = datetime.now() + timedelta(seconds=left_s)
                line += f", about {left_s:.0f} s to go, until {ends:%H:%M:%S}"
        errors.print(Text(line), soft_wrap=True)


def progress_bar() -> Progress:
    """Return the bar that long work reports on; on standard error, so that output stays clean."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
        disable=not errors.is_terminal,
    )
