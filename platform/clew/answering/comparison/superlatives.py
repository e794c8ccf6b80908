"""Which of three things or more: "Which of the lakes A, B and C is the deepest?"."""

import re

from clew.answering.comparison.all_values import values_of
from clew.answering.comparison.outcome import Compared, told_by
from clew.answering.comparison.sides import in_a_row
from clew.comprehension.compared import Comparison
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence

_WHICH = re.compile(
    r"^(?:(?:of|from|among|between)\b.*)?\b(?:which|who|whose|what)\b", re.IGNORECASE
)

_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
"""What sets a bound: "Which of A, B and C are higher than 2,900 metres?"."""


def which_of_several(form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return which of three things or more, named in a row, has the greatest or smallest amount or
    date; None where nothing of this is asked for, or the evidence lacks it of one of them.
    """
    chosen = _WHICH.search(form.text) is not None and _THAN.search(form.text) is None
    sides = in_a_row(form, read.view) if chosen else []
    if not sides:
        return None
    asked = Comparison.of_names(form.text, [side.key for side in sides])
    values = values_of(asked.compared, form, sides, read) if asked.compared else None
    if values is None:
        return None
    best = values[0]
    for value in values[1:]:
        if value.compared(best) == (-1 if asked.least else 1):
            best = value
    if sum(value.compared(best) == 0 for value in values) > 1:
        return None
    return told_by(sides[values.index(best)].answer, sides, values)
