"""How long something lasted, and how old somebody was when something happened, by its beginning and
its end where the evidence does not say it: "How long was the tower shut?"."""

import re
from datetime import date, timedelta
from itertools import pairwise

from clew.answering.comparison.moments import SURE, moment_in, moment_of, moments_of, when
from clew.answering.comparison.outcome import Compared, told_of_two
from clew.answering.comparison.sides import side_of
from clew.answering.comparison.values import Value, value_of
from clew.comprehension.amounts import amount_in
from clew.comprehension.dates import moments_in
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.question_form import QuestionForm, understand
from clew.comprehension.read_evidence import ReadEvidence

_LASTED = re.compile(
    r"^(?:and\s+)?(?:for\s+)?how (?:long|many (?P<unit>year|month|week|day)s?)\s+"
    r"(?P<aux>did|was|were|had|has|have)\s+(?!it\s)(?P<rest>.+?)[?\s]*$",
    re.IGNORECASE,
)
_NOT_TIME = re.compile(r"\b(?:ago|away|in advance|before|after(?= (?:the|that)? ?\w+ed\b))\b", re.I)
_OLD = re.compile(
    r"^(?:how old (?:was|were)|(?:at|by) what age (?:did|was|were))\s+(?P<who>.+?)\s+"
    r"(?:when|at the time of|as)\s+(?P<event>.+?)[?\s]*$",
    re.IGNORECASE,
)
_PRONOUNS = re.compile(r"^(?:he|she|they|it)\b", re.IGNORECASE)
_LASTS = re.compile(
    r"\b(?P<verb>last|run|ran|take|took|stay|go|went|live|keep|kept|reign|rule|serve|stand|stood|hold"
    r"|held|remain|work|operate|survive|exist)(?:s|ed|d)?\b.*\b(?:long|short)er\b",
    re.IGNORECASE,
)
_PRESENT = {
    "ran": "run",
    "took": "take",
    "went": "go",
    "kept": "keep",
    "stood": "stand",
    "held": "hold",
}
_BETWEEN = re.compile(
    r"^[\s,]*(?:\([^)]*\)[\s,]*)?(?:–|—|-|to|until|till|through|and|up to)\s*"
    r"(?:the|its?\s\w+|on|early|late)?\s*$",
    re.IGNORECASE,
)
"""What stands between the two dates of a span."""
_DAYS = {"week": 7.0, "day": 1.0}
FEW_DAYS, FEW_MONTHS = 92, 24
"""Up to so many days a span is told in days, and up to so many months in months."""
MONTH, DAY = 2, 3
LEAP = 2000
"""Stands for a year that is not told."""
LIKELY = 3
"""Dates that may be the beginning, or the end, of what lasted."""
OLDEST = 120
"""Years that nobody becomes."""
HELD = 0.6
"""The share of what is asked, by weight, that the sentence of a span, and what that stands under,
hold at least; set, not measured."""


def lasted(form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return how long something lasted, or how old somebody was; None where neither is asked, or
    the evidence lacks one of the two dates."""
    old = _OLD.search(form.text)
    if old is not None:
        return _age(old, form, read)
    asked = _LASTED.search(form.text)
    if asked is None or _NOT_TIME.search(form.text):
        return None
    return _in_one_sentence(asked, read) or _from_until(asked, read)


def lasting(question: str) -> str:
    """Return what is said of things of which one does it longer, "reign"; "" of others."""
    found = _LASTS.search(question)
    verb = found["verb"].casefold() if found else ""
    return _PRESENT.get(verb, verb)


def span_of(question: str, read: ReadEvidence) -> Value | None:
    """Return how long something lasted, by its beginning and its end, as an amount."""
    told = lasted(understand(read.parsed([question])[0][0]), read)
    amount = amount_in(told.short) if told else None
    if told is None or amount is None:
        return None
    return Value((amount[0],), told.short, told.carriers, amount[1], 0.0, told.span)


def _age(asked: re.Match[str], form: QuestionForm, read: ReadEvidence) -> Compared | None:
    who = asked["who"]
    event = _PRONOUNS.sub(lambda _: who, asked["event"])
    side = side_of(who, read.view)
    born = value_of("birth", form, side, read) if side else None
    then = moment_of(when(event, read)[0], read)
    if born is None or then is None:
        return None
    if not born.numbers[0] or not then.numbers[0] or born.compared(then) >= 0:
        return None
    years = _whole_months(born, then) // 12
    steps = ((f"When was {who} born?", born), (event, then))
    return told_of_two(str(years), steps, SURE) if years <= OLDEST else None


def _in_one_sentence(asked: re.Match[str], read: ReadEvidence) -> Compared | None:
    """Return how long it is from one date to the next of the sentence that says most of what is
    asked; of several spans in one nobody knows which is meant."""
    view = read.view
    words = understand(read.parsed([f"When {asked['aux']} {asked['rest']}?"])[0][0]).words
    spans = {
        place: span
        for place in range(len(view.sentences))
        if (span := _written_span(place, view)) and view.covered_by(words, place) >= HELD
    }
    if not spans:
        return None
    best = max(spans, key=lambda place: view.covered(words, [place]))
    return _span(asked, *spans[best])


def _written_span(place: int, view: EvidenceView) -> tuple[Value, Value] | None:
    """Return the beginning and the end of the one span of time that a sentence writes, with the
    year of the other, or of its passage, where one has none; None of no span, or of several."""
    text = view.sentences[place].parse.text
    spans = [
        (one, other)
        for one, other in pairwise(moments_in(text))
        if _BETWEEN.match(text[one[1] : other[0]])
    ]
    if len(spans) != 1:
        return None
    first, last = spans[0]
    year = last[2][0] or first[2][0] or moment_in(text, place, view)[0]
    start, end = (
        Value((numbers[0] or year, *numbers[1:]), text[begin:close], (place,))
        for begin, close, numbers in (first, last)
    )
    return start, end


def _from_until(asked: re.Match[str], read: ReadEvidence) -> Compared | None:
    """Return how long it is from when something began until it ended, each asked for in some ways;
    of these the pair is taken that the span model takes most for answers."""
    ends_of = _asked_of_ends(asked, read)
    if ends_of is None:
        return None
    thing, head, *asked_of = ends_of
    starts, ends = (
        [
            value
            for one in questions
            for value in moments_of(one, read, thing)[:LIKELY]
            if not head or read.view.covered_by([head], value.sentences[0])
        ]
        for questions in asked_of
    )
    found = [
        (min(start.span or 0.0, end.span or 0.0), start, end)
        for start in starts
        for end in ends
        if start.compared(end) < 0
    ]
    if not found:
        return None
    _, start, end = max(found, key=lambda pair: pair[0])
    return _span(asked, start, end)


def _asked_of_ends(
    asked: re.Match[str], read: ReadEvidence
) -> tuple[str, str, tuple[str, ...], tuple[str, ...]] | None:
    """Return what is said to have lasted, its noun, "" if unknown, and how is asked when that
    began, and when it ended; None of what may have a length, "was the ship"."""
    aux, rest = asked["aux"], asked["rest"]
    (sentence, *_) = read.parsed([f"{aux} {rest}"])[0]
    tokens = sentence.tokens
    subject = next(
        (i for i, token in enumerate(tokens) if i and token.dep in {"nsubj", "nsubjpass"}), None
    )
    if subject is None:
        return rest, "", (f"When did {rest} begin?",), (f"When did {rest} end?",)
    first, last = sentence.subtree(subject)
    thing, said = sentence.slice(first, last), sentence.slice(last, len(tokens))
    if not said and aux.casefold() in {"was", "were"}:
        return None
    return (
        thing,
        tokens[subject].lemma.split()[-1],
        (f"When did {thing} begin?", f"When {aux} {thing} first {said}?"),
        (f"When did {thing} end?", f"When {aux} {thing} last {said}?"),
    )


def _span(asked: re.Match[str], start: Value, end: Value) -> Compared | None:
    """Return the time from one date to another, in the unit that is asked for, else in one that
    fits; None where the dates tell too little for it."""
    known = min(len(start.numbers), len(end.numbers))
    if (start.numbers[0] == 0) != (end.numbers[0] == 0) or start.compared(end) >= 0:
        return None
    unit, months = (asked["unit"] or "").casefold(), _whole_months(start, end, with_last=True)
    if not unit:
        days = _days(start, end) if known == DAY else FEW_DAYS + 1
        unit = "day" if days <= FEW_DAYS else "month"
        unit = "year" if known == 1 or months >= FEW_MONTHS else unit
    if known < {"year": 1, "month": MONTH}.get(unit, DAY):
        return None
    numbers = {"year": months // 12, "month": months}
    number = numbers[unit] if unit in numbers else round(_days(start, end) / _DAYS[unit])
    if not number:
        return None
    short = f"{number} {unit}{'s' if number != 1 else ''}"
    return told_of_two(short, (("the beginning", start), ("the end", end)), SURE)


def _date(value: Value) -> date:
    """Return a day; one that its year lacks, 29 February, is the next one."""
    year, month, day = (int(part) for part in value.numbers)
    return date(year or LEAP, month, 1) + timedelta(day - 1)


def _days(start: Value, end: Value) -> int:
    return (_date(end) - _date(start)).days


def _whole_months(start: Value, end: Value, *, with_last: bool = False) -> int:
    """Return the whole months from one date to another, as far as both are told; ``with_last``: the
    last day counts, so that from 1 May until 30 April it is a year."""
    known = min(len(start.numbers), len(end.numbers))
    if known == DAY:
        first, last = _date(start), _date(end) + timedelta(with_last)
        return 12 * (last.year - first.year) + last.month - first.month - (last.day < first.day)
    months = int(end.numbers[1] - start.numbers[1]) if known == MONTH else 0
    return 12 * int(end.numbers[0] - start.numbers[0]) + months


def tells_length(text: str) -> bool:
    """Say whether a text is a span of time, "two weeks", or a length: what "how long" asks for."""
    amount = amount_in(text)
    return amount is not None and amount[1] in {"second", "metre"}
