"""How old somebody became, by the days of birth and death that the evidence gives."""

import re

from clew.answering.comparison.outcome import Compared
from clew.answering.comparison.sides import side_of
from clew.answering.comparison.values import value_of
from clew.comprehension.chains import parsed_question, resolve_inner
from clew.comprehension.dates import dates_in
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import ReadEvidence

_ASKED = re.compile(
    r"\b(?:how old (?:was|were)|(?:at|by) what age did|what (?:was|is) the age)\b.*\b(?:die|died|"
    r"dies|death|passed away|killed)\b|\bhow (?:long|many years) did\b.*\blive\s*\?",
    re.IGNORECASE,
)

YEARS_ALONE = 0.7
"""How clear an age is of which the years alone are told: it may be one less."""


def age_at_death(question: str, read: ReadEvidence) -> Compared | None:
    """Return the years that who is asked about lived, whole ones; None where that is not asked or
    the evidence lacks one of the two dates.
    """
    if not _ASKED.search(question):
        return None
    plain = resolve_inner(question, read)
    form = understand(parsed_question(plain.question, read))
    named = [step.found.candidate.text for step in plain.steps[-1:]] or list(form.names)
    for name in named:
        side = side_of(name, read.view)
        life = None if side is None else value_of("life", form, side, read)
        if side is not None and life is not None and life.numbers[0] > 0:
            led = tuple(step.found.candidate.sentence for step in reversed(plain.steps))
            steps = [{"asked": s.asked, "found": s.found.candidate.text} for s in plain.steps]
            return Compared(
                str(int(life.numbers[0])),
                1.0 if len(dates_in(life.text)) == 2 else YEARS_ALONE,
                tuple(dict.fromkeys((*life.sentences, *led))),
                (*steps, {"asked": f"the life of {name}", "found": life.text}),
                side.told,
            )
    return None
