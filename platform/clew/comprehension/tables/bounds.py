"""Conditions with a bound: "before 2023", "in March 2024", "more than £100"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from clew.comprehension.amounts import DIGITS, SCALES
from clew.comprehension.dates import MONTHS
from clew.comprehension.tables.asked import TableQuestion, Word
from clew.comprehension.tables.cells import Day, Number, are_comparable, day_in, number_in
from clew.comprehension.tables.row_columns import names_a_sum
from clew.comprehension.tables.table import YEARS, Column, stems_of, words_of
from clew.comprehension.values import CURRENCIES
from clew_ingest.parsing.entity_names import STOP_WORDS

OF_MONEY = stems_of("cost costing costs spend spent pay paid price money bill charge charged worth")
"""Words by which a number that is asked for is one of money."""
_OF_SIZE = {
    "more than": ">",
    "over": ">",
    "above": ">",
    "exceeding": ">",
    "greater than": ">",
    "higher than": ">",
    "longer than": ">",
    "larger than": ">",
    "bigger than": ">",
    "less than": "<",
    "under": "<",
    "below": "<",
    "fewer than": "<",
    "lower than": "<",
    "shorter than": "<",
    "cheaper than": "<",
    "smaller than": "<",
    "at least": ">=",
    "at most": "<=",
    "up to": "<=",
}
_OF_DAYS = {
    "after": ">",
    "later than": ">",
    "before": "<",
    "earlier than": "<",
    "prior to": "<",
    "since": ">=",
    "from": ">=",
    "starting": ">=",
    "until": "<=",
    "till": "<=",
    "through": "<=",
    "by": "<=",
    "by the end of": "<=",
    "in": "=",
    "during": "=",
    "on": "=",
    "of": "=",
    "for": "=",
    "dated": "=",
}
_SIGN = _OF_SIZE | _OF_DAYS
_TURNED = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "<>"}
"""What signs are behind "not"."""
_LATER = {**dict.fromkeys(("later", "after"), ">="), **dict.fromkeys(("earlier", "before"), "<=")}
_MORE = {
    **dict.fromkeys(("more", "above", "over", "longer"), ">="),
    **dict.fromkeys(("less", "fewer", "below", "under", "shorter"), "<="),
}
"""What signs are behind "or" that follow a day, "2023 or later", or a number."""
_SAME = "(?:on|in|at|equal to)"


def _pattern(signs: Iterable[str], what: str, behind: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of a day or number with its sign: "no later than", "on or before"."""
    named = "|".join(sorted(map(re.escape, signs), key=len, reverse=True))
    return re.compile(
        rf"(?<!\w)(?:(?P<no>(?:no|not) )?(?P<too>{_SAME} or )?(?P<sign>{named})"
        rf"(?P<also> or {_SAME})? )?{what}(?: (?:or|and) (?P<or>{'|'.join(behind)})\b)?",
        re.IGNORECASE,
    )


_MONTHS = "|".join(f"{name}|{name[:3]}" for name in MONTHS) + "|Sept"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_DAY = (
    rf"(?:(?:{_ORDINAL} )?(?:{_MONTHS})(?: {_ORDINAL}\b)?,?(?: [12]\d{{3}})?"
    r"|[12]\d{3}-\d\d(?:-\d\d)?|[12]\d{3})"
)
_BY_DAY = _pattern(_SIGN, rf"(?P<day>{_DAY})\b", _LATER)
_BETWEEN = re.compile(
    rf"\b(?:between (?P<one>{_ORDINAL}|{_DAY}) and"
    rf"|from (?P<first>{_ORDINAL}|{_DAY}) (?:to|until|till|through)) (?P<last>{_DAY})\b",
    re.IGNORECASE,
)
_PRICED = re.compile(
    r"\b(?:cost(?:s|ing)?|prices?|priced|worth|charge[sd]?|fees?) "
    r"(?:(?:is|are|of|at|lies?|anything) )*$",
    re.IGNORECASE,
)
"""What stands before numbers that are sums of money."""
_BY_NUMBER = _pattern(
    _OF_SIZE,
    rf"(?P<number>[€£$¥₹]? ?(?:{DIGITS})(?: ?%)?)"
    rf"(?: ?(?P<unit>(?:(?:{'|'.join(SCALES)})\b ?)?"
    r"(?:(?:an?|per) [a-z]+|(?!(?:or|and)\b)[a-z]+)?))(?!\w)",
    _MORE,
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


def bounds_of(text: str) -> Iterator[Bound]:
    """Yield the days, months and years that a question names behind "before", "in", "since", and
    the numbers that are none of these behind "more than", "at least".
    """
    for found in (_between_days, _by_days, _by_numbers):
        bounds = list(found(text))
        yield from bounds
        for one in bounds:
            text = text[: one.start] + "_" * len(one.said) + text[one.end :]


def _between_days(text: str) -> Iterator[Bound]:
    for found in _BETWEEN.finditer(text):
        last = _day(found["last"])
        first = last and _day_before(found["one"] or found["first"], last)
        if first and last and not _are_sums(found):
            last = (last[0] or first[0], *last[1:])
            yield Bound(*found.span(), found.group(), ((">=", first), ("<=", last)))


def _are_sums(found: re.Match[str]) -> bool:
    """Say whether what is taken for two years is two numbers: "cost between 1500 and 2000"."""
    told = [found["one"] or found["first"], found["last"]]
    if not all(map(str.isdecimal, told)) or len(told[0]) != len(told[1]):
        return False
    years = all(YEARS[0] <= int(one) <= YEARS[1] for one in told)
    return not years or _PRICED.search(found.string[: found.start()]) is not None


def _by_days(text: str) -> Iterator[Bound]:
    for found in _BY_DAY.finditer(text):
        sign, day = _sign(found), _day(found["day"])
        said = (found["sign"] or "").casefold()
        number = said in _OF_SIZE and found["day"].isdecimal()  # "more than 1500"
        name = said == "by" and found["day"].isalpha()  # "by June"
        if sign and day and not number and not name:
            yield Bound(*found.span(), found.group(), ((sign, day),))


def _by_numbers(text: str) -> Iterator[Bound]:
    for found in _BY_NUMBER.finditer(text):
        sign = _sign(found)
        unit = takewhile(lambda word: word.casefold() not in STOP_WORDS, found["unit"].split())
        number = number_in(" ".join((found["number"].strip(), *unit)))
        if sign and number is not None:
            yield Bound(*found.span(), found.group(), ((sign, number),))


def _sign(found: re.Match[str]) -> str:
    """Return the sign of a day or number; "" where it has none."""
    if found["or"]:
        return (_LATER | _MORE)[found["or"].casefold()]
    sign = _SIGN[found["sign"].casefold()] if found["sign"] else ""
    if found["too"] or found["also"]:
        sign = f"{sign[:1]}="
    return _TURNED[sign] if found["no"] else sign


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
    if limit.before in CURRENCIES or is_about_money(question):
        numeric = [one for one in numeric if is_called_a_sum(one)]
    elif limit.after:
        unit = stems_of(limit.after)
        numeric = [one for one in numeric if unit & one.stems or _is_in(one, limit)]
    return called_by(numeric, question.words)


def compares_with(bound: Bound, column: Column) -> bool:
    """Say whether the numbers of a column can be compared with that of a bound: each is in a unit
    of its kind, or where either has none, in one alone.
    """
    (_, limit), *_ = bound.limits
    numbers = [one for one in column.numbers if one is not None]
    assert isinstance(limit, Number)
    units = zip(limit.unit, numbers[0].unit, strict=True)
    return (
        are_comparable(numbers)
        and all(own == other or not (own and other) for own, other in units)
        and bool(limit.base or not numbers[0].base or len({one.after for one in numbers}) == 1)
    )


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


def is_called_so(bound: Bound, stems: frozenset[str]) -> bool:
    """Say whether a bound is a day by which something may be called, "from 2025", and all of its
    words are among stems that this is called by.
    """
    names = bound.limits[0][0] == "=" or bound.said.casefold().startswith("from ")
    words = [word for word in words_of(bound.said) if word not in STOP_WORDS and word not in _SIGN]
    return names and all(stems_of(word) & stems for word in words)


def _is_in(column: Column, limit: Number) -> bool:
    """Say whether numbers of a column are in the unit of another one, or of its kind."""
    unit = stems_of(limit.after)
    return any(
        one is not None and (one.base == limit.base if limit.base else unit & stems_of(one.after))
        for one in column.numbers
    )


def _day(text: str) -> Day | None:
    """Return a day as a question writes it; of "March" its month alone."""
    if (day := day_in(text, True)) is not None:
        return day
    named = (i for i, one in enumerate(MONTHS, 1) if one[:3].casefold() in text.casefold())
    month = next(named, 0)
    number = re.search(r"\d{1,2}", text)
    return (0, month, int(number.group()) if number else 0) if month else None


def _day_before(text: str, last: Day) -> Day | None:
    """Return the first of two days, which has the month and the year of the last one where it does
    not tell them.
    """
    year, month, day = last
    if re.fullmatch(_ORDINAL, text):
        return (year, month, int(re.sub(r"\D", "", text))) if day else None
    first = _day(text)
    if first is None or first[0] or not year:
        return first
    return (year - (first[1:] > last[1:]), *first[1:])


def _days(day: Day, limit: Day) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two days as far as the second tells: "2024" is a year of any day."""
    told = [(own, other) for own, other in zip(day, limit, strict=True) if other]
    return tuple(own for own, _ in told), tuple(other for _, other in told)


def _sizes(number: Number, limit: Number) -> tuple[float, float]:
    """Return two numbers as they are compared: in one unit where both have one."""
    both = number.base and limit.base
    return (number.size, limit.size) if both else (number.value, limit.value)


def _compares(pair: tuple[object, object], sign: str) -> bool:
    own, other = pair
    compared = {
        "=": own == other,
        "<": own < other,  # type: ignore[operator]
        ">": own > other,  # type: ignore[operator]
    }
    return any(compared[one] for one in sign)
