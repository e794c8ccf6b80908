"""What a table's cells say: numbers with their units, and days, months or years."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from clew.comprehension.amounts import amount_in
from clew.comprehension.dates import dates_in
from clew.comprehension.values import CURRENCIES

Day = tuple[int, int, int]
"""Year, month and day, 0 where they are not told: of "March 2024" the day."""

EMPTY = frozenset({"-", "–", "—", "n/a", "none", "?"})
"""What stands in a cell that says nothing."""
_SIGNS = re.escape("".join(sorted(CURRENCIES)))
_NUMBER = re.compile(
    rf"(?P<before>[{_SIGNS}]|[A-Z]{{3}}(?=[ \d])|)\s*"
    r"(?P<sign>[-−]?)(?P<digits>\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    rf"\s*(?P<after>[{_SIGNS}%]|(?:/ ?)?[^\W\d_][^\d;,:()]{{0,24}}|)\.?",
)
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})(?!\d)")
_YEAR = re.compile(r"[12]\d{3}")


@dataclass(frozen=True)
class Number:
    """A number with what stands before it, "£", and behind it, "kg"; ``size``: to compare it by,
    in the base of its unit where that is known.
    """

    value: float
    before: str
    after: str
    size: float

    def written(self, value: float) -> str:
        """Return another number as this one is written."""
        whole = abs(value - round(value)) < 5e-5
        digits = f"{round(value):,}" if whole else f"{value:,.2f}"
        before = f"{self.before} " if self.before.isalpha() else self.before
        after = self.after if self.after in CURRENCIES or not self.after else f" {self.after}"
        return f"{before}{digits}{after}"


def number_in(cell: str) -> Number | None:
    """Return the number that a cell is, with its unit; None where it is none, or more than one."""
    found = _NUMBER.fullmatch(cell.strip())
    if found is None:
        return None
    digits = found["digits"].replace("'", "").replace(" ", "")
    if re.fullmatch(r"\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    value = float(digits.replace(",", "")) * (-1 if found["sign"] else 1)
    after = found["after"].strip()
    amount = amount_in(f"{abs(value):f} {after}")
    size = value if amount is None or not amount[1] else amount[0]
    return Number(value, found["before"], after, size)


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
        year += 2000 if year < 100 else 0
        return (year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None
    for date in dates_in(text):
        year, month, *days = map(int, date.split("-"))
        return year, month, days[0] if days else 0
    return None
