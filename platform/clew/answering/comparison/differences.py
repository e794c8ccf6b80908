"""By how much two things differ: "How much higher is A than B?", "How many years after A did
B open?"."""

import re
from collections.abc import Sequence

from clew.answering.comparison.amounts import amounts_of
from clew.answering.comparison.outcome import Compared, told_by
from clew.answering.comparison.sides import Side, named_sides
from clew.answering.comparison.values import Value, date_for
from clew.comprehension.amounts import is_money, unit_of
from clew.comprehension.lexicon import LEAST_NUMBER, MOST_NUMBER
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence

_MORE = re.compile(
    r"\bhow (?:much|many)(?: [\w-]+)? (?P<word>more|less|fewer|\w+er)\b.*\bthan\b", re.IGNORECASE
)
_BY = re.compile(
    r"\bby how (?:much|many)\b.*?\b(?P<word>more|less|fewer|\w+er)\b.*\bthan\b", re.IGNORECASE
)
_YEARS = re.compile(
    r"^how many years (?P<order>after|before) (?P<one>.+) (?P<aux>did|was|were) (?P<other>.+?)\?*$",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\d\s*(?P<unit>(?:(?:square|cubic) )?[^\W\d_]+)")


def asks_difference(form: QuestionForm) -> bool:
    """Whether a question asks by how much two things differ."""
    more = _more(form)
    ordered = more is not None and more["word"].casefold() in LEAST_NUMBER | MOST_NUMBER
    return ordered or _YEARS.search(form.text) is not None


def _more(form: QuestionForm) -> re.Match[str] | None:
    return _MORE.search(form.text) or _BY.search(form.text)


def difference(form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return by how much two things differ; None where the evidence does not tell it of both, or
    the other way round than the question has it.
    """
    sides = named_sides(form, read.view)[:2]
    if len(sides) < 2:
        return None
    years = _YEARS.search(form.text)
    if years is not None:
        return _years_between(years, sides, read)
    values = amounts_of(form, sides, read)
    more = _more(form)
    if values is None or more is None:
        return None
    one, other = values
    right = one.compared(other) == (-1 if more["word"].casefold() in LEAST_NUMBER else 1)
    if not right or "/" in one.unit:  # a sum a month and one a year: in neither
        return None
    short = amount_written(abs(one.numbers[0] - other.numbers[0]), one)
    return told_by(short, sides, values)


def _years_between(
    asked: re.Match[str], sides: Sequence[Side], read: ReadEvidence
) -> Compared | None:
    """Return the whole years between two events; None of other orders, and without two dates."""
    questions = (f"When was {asked['one']}?", f"When {asked['aux']} {asked['other']}?")
    one, other = (date_for(q, side, read) for q, side in zip(questions, sides, strict=True))
    if one is None or other is None:
        return None
    early, late = (one, other) if asked["order"].casefold() == "after" else (other, one)
    known = min(len(early.numbers), len(late.numbers))
    years = int(late.numbers[0] - early.numbers[0])
    years -= late.numbers[1:known] < early.numbers[1:known]
    if years < 0:
        return None
    return told_by(f"{years} year{'s' if years != 1 else ''}", sides, (one, other))


def amount_written(number: float, like: Value) -> str:
    """Return a number of a value's unit as that is written: "213 metres", "£330"."""
    if is_money(like.unit) and len(like.unit) == 1:
        return f"{like.unit}{f'{number:,.2f}'.removesuffix('.00')}"
    unit = _UNIT.search(like.text)
    base, size = unit_of(unit["unit"]) if unit else ("", 1.0)
    if unit and base and base == like.unit:
        return f"{_figure(number / size)} {unit['unit']}"
    named = unit["unit"] if unit and unit["unit"].casefold().startswith(like.unit) else like.unit
    return f"{_figure(number)} {named if like.unit else ''}".rstrip()


def _figure(number: float) -> str:
    """Return a number with its thousands apart, and two decimals at most."""
    return f"{number:,.2f}".rstrip("0").rstrip(".")
