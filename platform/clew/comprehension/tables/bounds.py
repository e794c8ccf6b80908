"""Conditions with a bound: "before 2023", "in March 2024", "more than £100"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.comprehension.dates import MONTHS
from clew.comprehension.tables.asked import TableQuestion, Word
from clew.comprehension.tables.cells import Day, Number, day_in, number_in
from clew.comprehension.tables.row_columns import names_a_sum
from clew.comprehension.tables.table import Column, stems_of, words_of
from clew.comprehension.values import CURRENCIES
from clew_ingest.parsing.entity_names import STOP_WORDS

OF_MONEY = stems_of("cost costing costs spend spent pay paid price money bill charge charged worth")
"""Words by which a number that is asked for is one of money."""
_SIGN = {
    "more than": ">",
    "over": ">",
    "above": ">",
    "exceeding": ">",
    "greater than": ">",
    "higher than": ">",
    "longer than": ">",
    "larger than": ">",
    "bigger than": ">",
    "after": ">",
    "later than": ">",
    "less than": "<",
    "under": "<",
    "below": "<",
    "fewer than": "<",
    "lower than": "<",
    "shorter than": "<",
    "cheaper than": "<",
    "smaller than": "<",
    "before": "<",
    "earlier than": "<",
    "prior to": "<",
    "at least": ">=",
    "since": ">=",
    "from": ">=",
    "starting": ">=",
    "at most": "<=",
    "up to": "<=",
    "no more than": "<=",
    "until": "<=",
    "by the end of": "<=",
    "in": "=",
    "during": "=",
    "on": "=",
    "of": "=",
    "for": "=",
    "dated": "=",
}
_SIGNS = "|".join(sorted(map(re.escape, _SIGN), key=len, reverse=True))
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_DAY = (
    rf"(?:(?:{_ORDINAL} )?(?:{'|'.join(MONTHS)})(?: {_ORDINAL}\b)?,?(?: [12]\d{{3}})?"
    r"|[12]\d{3}-\d\d(?:-\d\d)?|[12]\d{3})"
)
_BY_DAY = re.compile(rf"\b(?P<sign>{_SIGNS}) (?P<day>{_DAY})\b", re.IGNORECASE)
_BETWEEN = re.compile(rf"\bbetween (?P<one>{_DAY}) and (?P<other>{_DAY})\b", re.IGNORECASE)
_BY_NUMBER = re.compile(
    rf"\b(?P<sign>{_SIGNS}) (?P<number>[€£$¥₹]? ?\d[\d,]*(?:\.\d+)?%?)"
    r"(?: (?P<unit>(?:an?|per) [a-zA-Z]+|[a-zA-Z]+))?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Bound:
    """What a column's values are to be, ``said`` in the question's characters [start, end): all
    of the ``limits``, each a sign and a day or a number.
    """

    start: int
    end: int
    said: str
    limits: tuple[tuple[str, Day | Number], ...]

    def holds(self, value: Day | Number | None) -> bool:
        """Say whether a value is within it."""
        return value is not None and all(
            _compares(_days(value, limit), sign)
            if isinstance(value, tuple) and isinstance(limit, tuple)
            else isinstance(value, Number)
            and isinstance(limit, Number)
            and _compares(_sizes(value, limit), sign)
            for sign, limit in self.limits
        )


def day_bounds(text: str) -> Iterator[Bound]:
    """Yield the days, months and years that a question names behind "before", "in", "since"."""
    end = 0
    for found in _BETWEEN.finditer(text):
        one, other = _day(found["one"]), _day(found["other"])
        if one and other:
            end = found.end()
            yield Bound(*found.span(), found.group(), ((">=", one), ("<=", other)))
    for found in _BY_DAY.finditer(text, end):
        if day := _day(found["day"]):
            sign = _SIGN[found["sign"].casefold()]
            yield Bound(*found.span(), found.group(), ((sign, day),))


def number_bounds(text: str) -> Iterator[Bound]:
    """Yield the numbers that a question names behind "more than", "at least"."""
    for found in _BY_NUMBER.finditer(text):
        sign = _SIGN[found["sign"].casefold()]
        unit = found["unit"] or ""
        unit = "" if unit.casefold().split()[:1] and unit.split()[0] in STOP_WORDS else unit
        number = number_in(f"{found['number'].strip()} {unit}".strip())
        if sign != "=" and number is not None:
            yield Bound(*found.span(), found.group(), ((sign, number),))


def called_by(columns: Sequence[Column], words: Sequence[Word]) -> list[Column]:
    """Return those of the columns of which most words of a question are the name."""
    said = [sum(word.says and bool(word.stems & one.stems) for word in words) for one in columns]
    return [one for one, count in zip(columns, said, strict=True) if count == max(said)]


def bounded_by_number(
    bound: Bound, question: TableQuestion, columns: Sequence[Column]
) -> list[Column]:
    """Return the columns of numbers that a bound may be for: sums of money, or of its unit."""
    (_, limit), *_ = bound.limits
    assert isinstance(limit, Number)
    numeric = [one for one in columns if one.is_numeric]
    if limit.before in CURRENCIES - {""} or is_about_money(question):
        numeric = [one for one in numeric if is_called_a_sum(one)]
    elif limit.after:
        unit = stems_of(limit.after)
        numeric = [one for one in numeric if unit & one.stems or _is_in(one, unit)]
    return called_by(numeric, question.words)


def is_about_money(question: TableQuestion) -> bool:
    """Say whether what is asked for, or compared, is a sum of money, as its words tell."""
    return any(word.stems & OF_MONEY for word in question.words)


def is_called_a_sum(column: Column) -> bool:
    """Say whether a column holds sums of money, by its name or its values."""
    numbers = [one for one in column.numbers if one is not None]
    if not numbers or any(one.after == "%" for one in numbers):
        return False
    signed = any(CURRENCIES & {one.before, one.after} for one in numbers)
    return signed or names_a_sum(column.name)


def signs_of(bound: Bound) -> frozenset[str]:
    """Return the words of a bound that are no day and no number: "more", "than"."""
    return frozenset(
        word for sign in _SIGN for word in sign.split() if sign in bound.said.casefold()
    )


def is_called_so(bound: Bound, stems: frozenset[str]) -> bool:
    """Say whether all of a bound's words are among stems that something is called by."""
    words = [word for word in words_of(bound.said) if word not in _SIGN]
    return all(stems_of(word) & stems for word in words)


def _is_in(column: Column, unit: frozenset[str]) -> bool:
    return any(one is not None and unit & stems_of(one.after) for one in column.numbers)


def _day(text: str) -> Day | None:
    """Return a day as a question writes it; of "March" its month alone."""
    if (day := day_in(text, True)) is not None:
        return day
    month = next((i for i, one in enumerate(MONTHS, 1) if one.casefold() in text.casefold()), 0)
    number = re.search(r"\d{1,2}", text)
    return (0, month, int(number.group()) if number else 0) if month else None


def _days(day: Day, limit: Day) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two days as far as the second tells: "2024" is a year of any day."""
    told = [(own, other) for own, other in zip(day, limit, strict=True) if other]
    return tuple(own for own, _ in told), tuple(other for _, other in told)


def _sizes(number: Number, limit: Number) -> tuple[float, float]:
    same = not number.after or number.after.casefold() == limit.after.casefold()
    return (number.value, limit.value) if same else (number.size, limit.size)


def _compares(pair: tuple[object, object], sign: str) -> bool:
    own, other = pair
    compared = {
        "=": own == other,
        "<": own < other,  # type: ignore[operator]
        ">": own > other,  # type: ignore[operator]
    }
    return any(compared[one] for one in sign)
