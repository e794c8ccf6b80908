"""Which of two things: "Which is longer, A or B?"."""

from collections.abc import Sequence

from clew.answering.comparison.all_values import values_of
from clew.answering.comparison.outcome import Compared, told_by
from clew.answering.comparison.sides import Side
from clew.comprehension.compared import Comparison
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.stems import family


def choice_of(
    asked: Comparison,
    form: QuestionForm,
    sides: Sequence[Side],
    read: ReadEvidence,
) -> Compared:
    """Return which of two things it is, by what of them is compared; else by likeness, unsurely."""
    if asked.compared:
        values = values_of(asked.compared, form, sides, read)
        if values is None:
            return _closest(form, sides, read)
        one, other = values
        if order := one.compared(other):
            at = int((order > 0) == asked.least)
            return told_by(sides[at].answer, sides, values)
    return _closest(form, sides, read)


def _closest(form: QuestionForm, sides: Sequence[Side], read: ReadEvidence) -> Compared:
    """The side whose sentences say most of what the question asks."""
    view = read.view
    vector = read.embedded([form.text])[0]
    scores, carriers = [], []
    for side in sides:
        own = set(side.key.split())
        rated = [
            (
                sum(
                    view.weight(w)
                    for w in form.words
                    if family(w) & view.lemmas[i] and w not in own
                )
                + float(view.sentences[i].vector @ vector),
                -i,
            )
            for i in side.sentences
        ]
        scores.append(max(rated)[0])
        carriers.append(-max(rated)[1])
    at = scores.index(max(scores))
    steps = tuple(
        {"asked": side.name, "found": round(score, 2)}
        for side, score in zip(sides, scores, strict=True)
    )
    return Compared(sides[at].answer, 0.3, tuple(carriers), steps)
