"""How the commands print: people get tables and colours, pipes and --json get data."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

console = Console()
errors = Console(stderr=True)


def print_json(value: BaseModel | Sequence[BaseModel] | dict[str, Any]) -> None:
    """Print one JSON document on standard output, without colours or line folding."""
    if isinstance(value, BaseModel):
        print(value.model_dump_json(indent=2))
    elif isinstance(value, dict):
        print(json.dumps(value, indent=2, ensure_ascii=False))
    else:
        rows = [item.model_dump(mode="json") for item in value]
        print(json.dumps(rows, indent=2, ensure_ascii=False))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return a table whose cells are shown as they are, never read as markup.

    A column that is empty in every row is left out: the others need its place.
    """
    made = Table(title=title, title_justify="left", title_style="bold")
    cells = [[cell if isinstance(cell, Text) else Text(str(cell)) for cell in row] for row in rows]
    shown = [n for n in range(len(columns)) if not cells or any(row[n].plain for row in cells)]
    for number in shown:
        column = columns[number]
        made.add_column(column, overflow="fold", no_wrap=column == "id")  # an id is copied
    for row in cells:
        made.add_row(*(row[number] for number in shown))
    return made


def ago(seconds: float) -> str:
    """Return how long ago something was, in words."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


def progress_bar() -> Progress:
    """Return the bar that long work reports on; on standard error, so that output stays clean."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
    )
