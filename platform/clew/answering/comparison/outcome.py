"""What a comparison tells, and the two values that it is told by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clew.answering.comparison.amounts import amounts_of
from clew.answering.comparison.sides import Side
from clew.answering.comparison.values import Value, value_of
from clew.comprehension.compared import Property
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence


@dataclass(frozen=True)
class Compared:
    """The outcome: the answer, how clear it is in [0, 1], the sentences and the steps.

    ``told``: how much the evidence is about the side that it is least about, see :class:`Side`;
    ``span``: what the span model says of the less likely of two values, see `Value`.
    """

    short: str
    score: float
    carriers: tuple[int, ...]
    steps: tuple[dict[str, Any], ...]
    told: float = 0.0
    span: float | None = None


def values_of(
    of: Property, form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> tuple[Value, ...] | None:
    """Return what is compared of all sides; None where the evidence lacks it of one."""
    if of == "number":
        return amounts_of(form, sides, read)
    values = [value_of(of, form, side, read) for side in sides]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(sides) else None


def least_span(values: Sequence[Value]) -> float | None:
    """Return what the span model says of the less likely value; None of what it was not asked."""
    spans = [value.span for value in values if value.span is not None]
    return min(spans, default=None)


def steps_of(sides: Sequence[Side], values: Sequence[Value]) -> tuple[dict[str, Any], ...]:
    """Return the values as steps of an answer's trace."""
    return tuple(
        {"asked": side.name, "found": value.text} for side, value in zip(sides, values, strict=True)
    )
