"""What a table's cells say: numbers with their units, and days, months or years."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import floor, isclose, isfinite, log10

from clew.comprehension.amounts import DIGITS, figure, is_money, scaled, unit_of, with_marks_swapped
from clew.comprehension.dates import dates_in
from clew.comprehension.values import CURRENCIES

Day = tuple[int, int, int]
"""Year, month and day, 0 where they are not told: of "March 2024" the day."""

EMPTY = frozenset({"-", "–", "—", "n/a", "none", "?"})
"""What stands in a cell that says nothing."""
YEARS_AHEAD = 10
"""A year of two digits is of this century where it is at most so many years from now."""
_SIGNS = re.escape("".join(sorted(CURRENCIES)))
_NUMBER = re.compile(
    rf"(?P<minus>[-−]?)(?P<before>[{_SIGNS}]|[A-Z]{{3}}(?=[ \d])|)\s*"
    rf"(?P<sign>[-−]?)(?P<digits>{DIGITS})"
    rf"\s*(?P<after>[{_SIGNS}%]|(?:/ ?)?[^\W\d_][^\d;,:()]{{0,24}}|)\.?",
)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})(?!\d)")
_YEAR = re.compile(r"[12]\d{3}")


@dataclass(frozen=True)
class Number:
    """A number with what stands before it, "£", and behind it, "kg"; ``size``: to compare it by,
    in ``base``, that of its unit, where that is known.
    """

    value: float
    before: str
    after: str
    size: float
    base: str = ""

    @property
    def unit(self) -> tuple[str, str]:
        """What numbers are compared by: the sign of their currency, and what they are of, "gram",
        "carton".
        """
        if self.after in CURRENCIES:
            return self.after, ""
        return self.before, self.base or self.after.casefold().rstrip(".").removesuffix("s")

    def written(self, value: float) -> str:
        """Return another number as this one is written."""
        size = abs(value)
        if isclose(value, round(value), rel_tol=1e-15, abs_tol=1e-9):
            digits = f"{round(value):,}"
        elif size < 0.1:
            digits = f"{value:.{2 - floor(log10(size))}f}".rstrip("0")
        else:
            digits = f"{value:,.2f}"
        before = f"{self.before} " if self.before.isalpha() else self.before
        after = self.after if self.after in CURRENCIES or not self.after else f" {self.after}"
        return f"{before}{digits}{after}"


def number_in(cell: str, decimal_comma: bool = False) -> Number | None:
    """Return the number that a cell is, with its unit; None where it is none, or more than one."""
    found = _NUMBER.fullmatch(cell.strip())
    if found is None:
        return None
    digits = with_marks_swapped(found["digits"]) if decimal_comma else found["digits"]
    before, words = found["before"], found["after"].split(maxsplit=1)
    value, left = scaled(figure(digits), words, money=is_money(before))
    if not isfinite(value):
        return None
    value *= -1 if found["minus"] or found["sign"] else 1
    base, size = unit_of(left[0].rstrip(".") if left else "")
    return Number(value, before, " ".join(left), value * size, base)


def writes_decimal_comma(cells: Iterable[str]) -> bool:
    """Say whether "1.250" is more than a thousand in a column, and "1,250" little more than one:
    where no point can stand before decimals, and a comma does, or a whole number of three digits
    and the same unit is beside it.
    """
    found = [match for cell in cells if (match := _NUMBER.fullmatch(cell.strip()))]
    commas = [one["digits"] for one in found if "," in one["digits"]]
    pointed = [one for one in found if "." in one["digits"] and "," not in one["digits"]]
    points = [with_marks_swapped(one["digits"]) for one in pointed]
    if not all(map(_GROUPED.fullmatch, points)):
        return False
    if commas:
        return not all(map(_GROUPED.fullmatch, commas))
    units = {one.group("before", "after") for one in pointed}
    beside = [one["digits"] for one in found if one.group("before", "after") in units]
    whole = any(len(one) == 3 and one.isdecimal() for one in beside)
    return whole or any(one.count(",") > 1 for one in points)


def are_comparable(numbers: Iterable[Number]) -> bool:
    """Say whether numbers are of one unit, or of units of one kind."""
    return len({one.unit for one in numbers}) < 2


def writes_day_first(cells: Iterable[str]) -> bool:
    """Say whether "3/4/2024" is the third of April in a column: where no month could be so."""
    dates = [match for cell in cells for match in _SLASHED.finditer(cell)]
    return not any(int(match[2]) > 12 for match in dates)


def day_in(cell: str, day_first: bool) -> Day | None:
    """Return the day, month or year that a cell begins with or is; None where it is none."""
    text = cell.strip()
    if not text or len(text) > 40:
        return None
    if _YEAR.fullmatch(text):
        return int(text), 0, 0
    slashed = _SLASHED.search(text)
    if slashed is not None:
        one, other, year = map(int, slashed.groups())
        day, month = (one, other) if day_first else (other, one)
        if year < 100:
            year += 2000 if 2000 + year <= date.today().year + YEARS_AHEAD else 1900
        return (year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None
    for named in dates_in(text):
        year, month, *days = map(int, named.split("-"))
        return year, month, days[0] if days else 0
    return None
