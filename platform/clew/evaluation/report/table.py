"""A table of figures: the one model that the report, the terminal, Markdown and the web UI draw."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from clew.evaluation.figures import Figure
from clew.evaluation.report import words

Kind = Literal[
    "text",
    "strategy",
    "verdict",
    "share",
    "signed",
    "seconds",
    "signed_seconds",
    "ms",
    "count",
    "mib",
    "p",
]
Mark = Literal["", "best", "level", "better", "worse", "same", "failed"]
_WRITTEN: dict[str, Callable[[Any], str]] = {
    "share": words.share,
    "signed": words.signed,
    "seconds": words.duration,
    "signed_seconds": words.signed_duration,
    "ms": words.milliseconds,
    "count": words.count,
    "mib": words.mib,
    "p": words.p_value,
}


@dataclass(frozen=True)
class Column:
    """A column. ``number``: set to the right. ``note``: stands under the heading; ``about``: what
    its figures are the mean over."""

    heading: str
    number: bool = True
    note: str = ""
    about: str = ""


@dataclass(frozen=True)
class Cell:
    """A value with the bounds of its 95 % interval; None: there is none. ``about``: as a column's.

    ``mark``: 'best' of its metric, unless all are equal; 'level': the questions do not tell it
    from the best; the verdict of a comparison; or that questions 'failed'.
    """

    value: str | float | None
    kind: Kind = "text"
    low: float | None = None
    high: float | None = None
    mark: Mark = ""
    about: str = ""

    @property
    def text(self) -> str:
        """The value, as people read it."""
        return words.NONE if self.value is None else _WRITTEN.get(self.kind, str)(self.value)

    @property
    def sign(self) -> str:
        """What stands behind the value for its mark, where colours are not seen."""
        if self.kind == "verdict":
            return ""
        return {"level": " ≈", "better": " ▲", "worse": " ▼"}.get(self.mark, "")

    @property
    def interval(self) -> str:
        """The bounds in brackets; "" where there are none."""
        if self.value is None or self.low is None or self.high is None:
            return ""
        if self.kind == "share":
            return words.interval(self.low, self.high)
        write = _WRITTEN[self.kind]
        return f"[{write(self.low)}, {write(self.high)}]"

    def __str__(self) -> str:
        return f"{self.text} {self.interval}".strip()


@dataclass(frozen=True)
class Table:
    """Figures in rows; the first cell of a row names it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def without(self, *headings: str) -> "Table":
        """Return the table without some columns, for where there is little room."""
        kept = [place for place, c in enumerate(self.columns) if c.heading not in headings]
        return replace(
            self,
            columns=tuple(self.columns[place] for place in kept),
            rows=tuple(tuple(row[place] for place in kept) for row in self.rows),
        )

    def plus(self, column: Column, cells: Sequence[Cell]) -> "Table":
        """Return the table with one more column."""
        rows = tuple((*row, cell) for row, cell in zip(self.rows, cells, strict=True))
        return replace(self, columns=(*self.columns, column), rows=rows)


def cell_of(figure: Figure | None, mark: Mark = "") -> Cell:
    """Return a metric's cell."""
    if figure is None:
        return Cell(None, "share")
    return Cell(figure.value, "share", figure.low, figure.high, mark)
