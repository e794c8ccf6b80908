"""Questions that compare two things they name: "which of A or B", "are both …", "the same …"."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clew.answering.comparison.choice import choice_of
from clew.answering.comparison.outcome import Compared
from clew.answering.comparison.phrases import described_sides
from clew.answering.comparison.sides import Side, named_sides, options, side_of
from clew.answering.comparison.yes_no import yes_or_no
from clew.comprehension.chains import named, parsed_question, resolve_inner
from clew.comprehension.compared import Comparison, comparison_in
from clew.comprehension.decomposition import InnerPhrase
from clew.comprehension.question_form import QuestionForm, understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.scorer import Scored


def compare(question: str, form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return the answer to a choice or yes/no question; None where no two things are found.

    The things are two titles that the question names, or who is meant by a noun with each of them;
    else what it names once its descriptions are resolved.
    """
    asked = comparison_in(parsed_question(question, read))
    if asked is not None:
        found = _of_titles(asked, form, read)
        if found is not None:
            return found
        if any(option.relation for option in asked.options):
            return None
    plain = resolve_inner(question, read)
    form = replace(understand(parsed_question(plain.question, read)), kind=form.kind)
    names = options(form.text) if form.kind == "choice" else ()
    sides = [side for name in names if (side := side_of(name, read.view))]
    if len(sides) < 2:
        sides = named_sides(form, read.view)
    if len(sides) < 2:
        sides = described_sides(form, read.parsed([form.text])[0][0], read.view)
    if len(sides) < 2:
        return None
    asked = Comparison.of_names(form.text, [side.name for side in sides[:2]])
    return _compared(asked, form, sides[:2], read)


def _of_titles(asked: Comparison, form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return the answer for titles that the question names; None where one is not found, or who is
    meant by it.
    """
    sides = [side_of(option.written, read.view) for option in asked.options]
    if sides[0] is None or sides[1] is None:
        return None
    if not any(option.relation for option in asked.options):
        return _compared(asked, form, [sides[0], sides[1]], read)
    steps: list[dict[str, Any]] = []
    met: list[tuple[str, str, tuple[int, ...]]] = []
    for one, option in zip((sides[0], sides[1]), asked.options, strict=True):
        if not option.relation:
            met.append((one.name, one.answer, ()))
            continue
        found = _related(option.relation, one, read)
        if found is None:
            return None
        name = found.candidate.text
        met.append((name, one.answer if asked.whole else name, (found.candidate.sentence,)))
        steps.append({"asked": f"{option.relation} of {one.name}", "found": name})
        read.look_for(asked.question(name), name)
    people = [
        replace(side, answer=answer, carriers=carriers)
        for name, answer, carriers in met
        if (side := side_of(name, read.view)) is not None
    ]
    if len(people) < 2:
        return None
    result = _compared(asked, form, people, read)
    return None if result is None else replace(result, steps=(*steps, *result.steps))


def _compared(
    asked: Comparison, form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> Compared | None:
    choice = form.kind == "choice"
    found = (choice_of if choice else yes_or_no)(asked, form, sides, read)
    if found is None:
        return None
    led = [index for side in sides for index in side.carriers]
    carriers = tuple(dict.fromkeys([*found.carriers, *led]))
    return replace(found, told=min(side.told for side in sides), carriers=carriers)


def _related(relation: str, side: Side, read: ReadEvidence) -> Scored | None:
    """Return who is meant by "the director of Spione", by the sentences about it."""
    phrase = InnerPhrase(f"the {relation} of {side.name}", relation, before="", after="")
    return named(phrase, read, (side.key,), read.view.restricted(side.sentences))
