"""What a comparison tells, and the two values that it is told by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clew.answering.comparison.sides import Side
from clew.answering.comparison.values import Value
from clew.answering.found import GUESSED

MENTIONED = 0.5
"""How much the evidence is about what a clause tells, as of a title that holds a name; set."""


@dataclass(frozen=True)
class Compared:
    """The outcome: the answer, how clear it is in [0, 1], the sentences and the steps.

    ``told``: how much the evidence is about the side that it is least about, see :class:`Side`;
    ``span``: what the span model says of the less likely of two values, see `Value`; ``guessed``:
    it takes it for no answer to what was asked, so that this is told as possible.
    """

    short: str
    score: float
    carriers: tuple[int, ...]
    steps: tuple[dict[str, Any], ...]
    told: float = 0.0
    span: float | None = None
    guessed: bool = False


def told_of_two(short: str, steps: Sequence[tuple[str, Value]], least: float = GUESSED) -> Compared:
    """Return what two values tell, each with what was asked; ``least``: what the span model says of
    the less likely one, below which it is a guess."""
    spans = [value.span for _, value in steps if value.span is not None]
    span = min(spans, default=None)
    return Compared(
        short,
        1.0,
        tuple(dict.fromkeys(place for _, value in steps for place in value.sentences)),
        tuple({"asked": asked, "found": value.text} for asked, value in steps),
        MENTIONED,
        span,
        span is not None and span < least,
    )


def told_by(short: str, sides: Sequence[Side], values: Sequence[Value]) -> Compared:
    """Return what the values of things tell: they are its steps, and their sentences carry it."""
    spans = [value.span for value in values if value.span is not None]
    return Compared(
        short,
        1.0,
        tuple(place for value in values for place in value.sentences),
        tuple(
            {"asked": side.name, "found": value.text}
            for side, value in zip(sides, values, strict=True)
        ),
        min(side.told for side in sides),
        min(spans, default=None),
    )
