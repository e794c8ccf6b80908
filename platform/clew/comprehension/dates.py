"""Dates as texts write them: of days, "Oct 2, 2024", and of lives, "(1815 – 1852)"."""

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
"""Written out: Python's own names follow the locale of the process."""
DAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_NAMES = "|".join(f"{name}|{name[:3]}" for name in MONTHS) + "|Sept"
_MONTH = rf"(?P<month>{_NAMES})\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>[12]\d{3})"
_WRITTEN = tuple(
    re.compile(rf"(?<![\w-]){one}(?![\w-])", re.IGNORECASE)
    for one in (
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:\s*,\s*|\s+){_YEAR}",
        rf"{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}",
        rf"{_DAY}-{_MONTH}-{_YEAR}",
        r"(?P<year>[12]\d{3})-(?P<number>\d{1,2})-(?P<day>\d{1,2})",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        r"(?P<year>[12]\d{3})-(?P<number>\d{2})",
    )
)
_OF_NO_YEAR = (
    re.compile(rf"(?<![\w-]){_DAY}\s+(?:of\s+)?{_MONTH}(?![\w-])"),
    re.compile(rf"(?<![\w-]){_MONTH}\s+(?:the\s+)?{_DAY}(?![\w-])"),
    re.compile(
        r"\b(?:in|of|for|since|until|till|from|to|by|early|late|mid|between|and|or|than|during)\s+"
        rf"(?P<of>(?:the\s+)?{_MONTH})(?![\w-])",
        re.IGNORECASE,
    ),
)
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Days of the months, at most."""
_YEAR_ALONE = re.compile(r"(?<![\w.,£$€-])(?P<year>1[0-9]{3}|20[0-9]{2})(?![\w%]|[.,]\d)")

IN_NUMBERS = re.compile(
    r"(\d{1,2})(?:/(\d{1,2})(?:/(\d{4}|\d{2}))?|\. ?(\d{1,2})\.(?: ?(\d{4}|\d{2}))?)(?![\w/])"
)
"""A day in numbers, "3/4/2025", of which the month is not said, or "3.4."."""
_ORDINAL = re.compile(r"(?<=\d)(?:St|Nd|Rd|Th)\b")
_BRACKETS = re.compile(r"\(([^()]{4,200})\)")
_LIFE = re.compile(r"(?:born\s+)?([^–-]*?\d{4})(?:\s*[–-]?\s*(.*\d{4}))?")
"""The dates in brackets after a person's name; some texts have lost the dash between them."""
_DIED = re.compile(r"^(?:died|d\.)", re.IGNORECASE)


@lru_cache(maxsize=4_000)
def life_dates(text: str) -> tuple[str, str]:
    """Return when who a sentence is about was born and died, as its first brackets with a year
    write it; "" where they do not.
    """
    for brackets in _BRACKETS.finditer(text):
        if found := _LIFE.match(brackets.group(1)):
            first, last = (part.strip() for part in found.groups(default=""))
            return ("", first) if _DIED.match(first) else (first, last)
    return "", ""


def with_dates(question: str) -> str:
    """Return a question with what else documents call its days and months behind it; itself where
    it names none of a year.
    """
    more: list[str] = []
    for one in dates_in(question):
        _, month, *day = one.split("-")
        more += [one, MONTHS[int(month) - 1], *(str(int(part)) for part in day)]
    return " ".join([question, *dict.fromkeys(more)])


def dates_in(text: str) -> list[str]:
    """Return the days (2024-10-02) and the months (2024-10) that a text names, each once; of a day
    not its month, too.
    """
    return list(dict.fromkeys(one for _, _, one in _found(text)))


def _found(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a text names days and months, [start, end), and which."""
    for pattern in _WRITTEN:
        for found in pattern.finditer(text):
            named = found.groupdict()
            day = named.get("day")
            try:
                one = date(int(named["year"]), _month(named), int(day or 1))
            except ValueError:
                continue  # the 31st of June
            yield *found.span(), f"{one:%Y-%m-%d}" if day else f"{one:%Y-%m}"
        text = pattern.sub(lambda found: " " * len(found.group()), text)


def moments_in(text: str) -> list[tuple[int, int, tuple[float, ...]]]:
    """Return where a text names days, months and years, [start, end), in its order, each as year,
    month and day as far as it is told; the year is 0 where it is not.
    """
    found = [
        (start, end, tuple(float(part) for part in one.split("-")))
        for start, end, one in _found(text)
    ]
    for pattern in (*_OF_NO_YEAR, _YEAR_ALONE):
        taken = [(start, end) for start, end, _ in found]
        for one in pattern.finditer(text):
            named = one.groupdict()
            if any(start < one.end() and one.start() < end for start, end in taken):
                continue
            if "month" not in named:
                found.append((*one.span(), (float(named["year"]),)))
                continue
            month, day = _month(named), int(named.get("day") or 0)
            if day <= _LONGEST[month - 1]:
                known = (0.0, float(month), *([float(day)] if day else []))
                found.append((*one.span("of" if "of" in named else 0), known))
    return sorted(found)


def dates_of(name: str) -> list[tuple[int, int, int]]:
    """Return the year, the month and the day that a name is, 0 where it does not tell the first or
    the last: "sunday 18 february 2024", "june 2026", "may", "3/4/25", which may be two; none where
    it is more, or no date.
    """
    left_out = {*DAYS, "of", "the"}
    words = [one for one in name.split() if one.casefold().removesuffix("s") not in left_out]
    text = " ".join(words)
    if (numbers := IN_NUMBERS.fullmatch(text)) is not None:
        one, other = int(numbers[1]), int(numbers[2] or numbers[4])
        year = int(numbers[3] or numbers[5] or 0)
        year += 2000 * (0 < year < 100)
        ways = [(one, other)] if "." in text or one == other else [(one, other), (other, one)]
        return [(year, month, day) for day, month in ways if 0 < month < 13 and 0 < day < 32]
    titled = _ORDINAL.sub(lambda found: found.group().casefold(), text.title())
    moments = moments_in(f"in {titled}")
    if len(moments) != 1 or moments[0][1] - moments[0][0] < len(text):
        return []
    year, month, day, *_ = *map(int, moments[0][2]), 0, 0
    return [(year, month, day)] if month else []


def otherwise_written(name: str, text: str) -> list[str]:
    """Return how a normalised text has a date in other forms, "2024-02-18", "18/02/24" and "Feb 18"
    for "18 February", each once; none where the name is no date.
    """
    found = [one for date_told in dates_of(name) for one in re.findall(_pattern(*date_told), text)]
    return list(dict.fromkeys(found))


def _pattern(year: int, month: int, day: int) -> str:
    """Return the pattern of what a date is written as; year and day: 0 where they are not told."""
    named = rf"{MONTHS[month - 1][:3].casefold()}[a-z]*\.?"
    number, of_year = rf"0?{month}", str(year or "[12][0-9]{3}")
    short = rf"(?:{year}|{year % 100:02})" if year else "[0-9]{2,4}"
    if day:
        of_day = rf"0?{day}(?:st|nd|rd|th)?"
        forms = [
            rf"{of_year}-{month:02}-{day:02}",
            rf"{named} (?:the )?{of_day}(?:,? {of_year})?",
            rf"{of_day}\.? (?:of )?{named}(?:,? {of_year})?",
            rf"0?{day}\.? ?{number}\.(?: ?{short})?",
            rf"(?:0?{day}[./]{number}|{number}[./]0?{day})(?:[./]{short})?",
        ]
    else:
        forms = [
            rf"{of_year}-{month:02}(?:-[0-9]{{2}})?",
            rf"{named},? {of_year}",
            rf"(?:{number}[./]|[0-9]{{1,2}}[./]{number}[./]|{number}[./][0-9]{{1,2}}[./]){short}",
        ]
    return rf"(?<![\w./-])(?:{'|'.join(forms)})(?![\w/])"


def _month(named: dict[str, str]) -> int:
    if "number" in named:
        return int(named["number"])
    begins = named["month"][:3].casefold()
    return next(i for i, name in enumerate(MONTHS, 1) if name[:3].casefold() == begins)
