"""What is compared of all things that a question compares."""

from collections.abc import Sequence

from clew.answering.comparison.amounts import amounts_of
from clew.answering.comparison.sides import Side
from clew.answering.comparison.values import Value, value_of
from clew.comprehension.compared import Property
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence


def values_of(
    of: Property, form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> tuple[Value, ...] | None:
    """Return what is compared of all sides; None where the evidence lacks it of one."""
    if of == "number":
        return amounts_of(form, sides, read)
    values = [value_of(of, form, side, read) for side in sides]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(sides) else None
