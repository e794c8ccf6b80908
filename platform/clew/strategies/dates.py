"""Dates of a question as documents may write them: minutes of Oct 2, 2024 are called 2024-10-02."""

import re
from collections.abc import Iterator
from datetime import date, datetime

_MONTHS = [date(2000, month, 1) for month in range(1, 13)]
_NAMES = "|".join(f"{one:%B}|{one:%b}" for one in _MONTHS) + "|Sept"
_MONTH = rf"(?P<month>{_NAMES})\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>[12]\d{3})"
_WRITTEN = tuple(
    re.compile(rf"(?<![\w-]){one}(?![\w-])", re.IGNORECASE)
    for one in (
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:\s*,\s*|\s+){_YEAR}",
        rf"{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}",
        r"(?P<year>[12]\d{3})-(?P<number>\d{1,2})-(?P<day>\d{1,2})",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        r"(?P<year>[12]\d{3})-(?P<number>\d{2})",
    )
)


def with_dates(question: str) -> str:
    """Return a question with what else documents call its days and months behind it; itself where
    it names none of a year.
    """
    more: list[str] = []
    for one in dates_in(question):
        year, month, *day = one.split("-")
        more += [one, f"{date(int(year), int(month), 1):%B}", *(str(int(part)) for part in day)]
    return " ".join([question, *dict.fromkeys(more)])


def dates_in(text: str) -> list[str]:
    """Return the days (2024-10-02) and the months (2024-10) that a text names, each once; of a day
    not its month, too.
    """
    return list(dict.fromkeys(_found(text)))


def _found(text: str) -> Iterator[str]:
    for pattern in _WRITTEN:
        for found in pattern.finditer(text):
            named = found.groupdict()
            day = named.get("day")
            try:
                one = date(int(named["year"]), _month(named), int(day or 1))
            except ValueError:
                continue  # the 31st of June
            yield f"{one:%Y-%m-%d}" if day else f"{one:%Y-%m}"
        text = pattern.sub(" ", text)


def _month(named: dict[str, str]) -> int:
    if "number" in named:
        return int(named["number"])
    return datetime.strptime(named["month"][:3], "%b").month
