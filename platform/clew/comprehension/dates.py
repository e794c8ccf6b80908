"""Dates as texts write them: of days, "Oct 2, 2024", and of lives, "(1815 – 1852)"."""

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


LIFESPAN = re.compile(r"\((?:born\s+)?([^()–-]*?\d{4})(?:\s*[–-]?\s*([^()]*\d{4}))?[^()]*\)")
"""The dates in brackets after a person's name; some texts have lost the dash between them."""
_DIED = re.compile(r"^(?:died|d\.)", re.IGNORECASE)


def life_dates(text: str) -> tuple[str, str]:
    """Return when who a sentence is about was born and died, as its first brackets with a year
    write it; "" where they do not.
    """
    found = LIFESPAN.search(text)
    if found is None:
        return "", ""
    first, last = (part.strip() for part in found.groups(default=""))
    return ("", first) if _DIED.match(first) else (first, last)


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
