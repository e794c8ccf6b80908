"""How many of something there are, where a passage lists them and does not say their number."""

import re
from collections.abc import Callable

from clew.answering.found import Finding
from clew.answering.sureness import POSSIBLE
from clew.comprehension.amounts import amount_in
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.question_form import QuestionForm

COUNTED = 0.6
"""The confidence, at most, of a number that is counted in a list; set, not measured."""
TWO = 2
_GOES_ON = re.compile(r"\s*(?:,|;|and\b|or\b|as well\b)", re.IGNORECASE)
_HOW_MANY = re.compile(r"^\s*how many\b", re.IGNORECASE)
_BETWEEN = re.compile(r",\s+(?:and|or)\s+|,\s+|\s+and\s+|\s*;\s*")


def counted_list(
    question: str,
    form: QuestionForm,
    found: Finding | None,
    view: EvidenceView,
    ask: Callable[[str], Finding | None],
) -> Finding | None:
    """Return how many things a list has that answers "which …" in place of "how many …", where the
    number that was found, if any, is hardly told; else what was found. ``ask``: finds an answer.
    """
    unsure = found is None or found.confidence < POSSIBLE
    if not (unsure and form.asks_how_many and _HOW_MANY.search(question)):
        return found
    which = _HOW_MANY.sub("Which", question)
    listed = ask(which)
    if listed is None or listed.confidence < POSSIBLE:
        return found
    things = tuple(filter(None, _BETWEEN.split(listed.short)))
    told = [view.sentences[place].parse.text for place in listed.carriers]
    whole = any(_is_whole(listed.short, text) for text in told)
    if len(things) < TWO or any(map(_measures, things)) or not whole:
        return found
    return Finding(
        str(len(things)),
        listed.kind,
        listed.values,
        listed.carriers,
        (*listed.steps, {"asked": which, "found": listed.short}),
        sure=min(listed.confidence, COUNTED),
    )


def _is_whole(short: str, text: str) -> bool:
    """Whether a list stands in a sentence as it is told, and does not go on there."""
    _, there, after = text.partition(short)
    return bool(there) and _GOES_ON.match(after) is None


def _measures(thing: str) -> bool:
    """Whether what is listed is an amount with a unit, and no thing: "2 hours"."""
    amount = amount_in(thing)
    return amount is not None and bool(amount[1])
