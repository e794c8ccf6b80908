"""Tables, as their rows stand in the passages of a document: "column: value; column: value."."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from clew.comprehension.dates import MONTHS, with_dates
from clew.comprehension.lines import named_fields
from clew.comprehension.stems import stem
from clew.comprehension.tables.cells import (
    EMPTY,
    Day,
    Number,
    are_comparable,
    day_in,
    number_in,
    writes_day_first,
    writes_decimal_comma,
)
from clew.results.evidence import ScoredChunk
from clew_ingest.parsing.entity_names import STOP_WORDS, normalise_name

_MONTHS = {month[:3].casefold(): month.casefold() for month in MONTHS}
_SHORT = {
    **_MONTHS,
    **dict.fromkeys(("min", "mins"), "minutes"),
    **dict.fromkeys(("h", "hr", "hrs", "hourly"), "hours"),
    **dict.fromkeys(("yr", "yrs", "annual", "yearly"), "years"),
    "qty": "quantity",
    "dept": "department",
    "tel": "telephone",
}
"""Short forms in columns' names, and adverbs, by what they stand for."""
_ITEMS = re.compile(r"[,/;+(]|\band\b")
LEAST_NUMBERS, LEAST_DAYS = 0.8, 0.6
"""The least share of a column's filled cells that are numbers, or days (or yes and no), where it is
one of such."""
YEARS = 1700, 2100
"""The first and the last year that a number alone may be, beside nothing but such."""
_WORD = re.compile(r"[^\W_]+")
_EMPTY = EMPTY | {"", "na"}
_YES = frozenset({"yes", "y", "true", "x", "✓", "✔"})
_NO = frozenset({"no", "n", "false", "✗", "✘"})


@dataclass(frozen=True)
class Row:
    """A line of ``chunk`` that is a row; ``cells``: its values by the keys of their columns."""

    text: str
    chunk: ScoredChunk
    cells: dict[str, str]


@dataclass(frozen=True)
class Column:
    """What a column is called, and its value in each row; "" where that is empty."""

    key: str
    name: str
    values: tuple[str, ...]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words that it is called by."""
        return stems_of(self.name)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Its values, normalised."""
        return tuple(map(normalise_name, self.values))

    @cached_property
    def words(self) -> tuple[tuple[frozenset[str], ...], ...]:
        """Of each value its words, each as the stems that it may have."""
        return tuple(tuple(map(_stems_of_word, words_of(value))) for value in self.values)

    @cached_property
    def rows_of(self) -> dict[str, list[int]]:
        """The rows of each stem of a word in its values, in their order."""
        found: dict[str, list[int]] = {}
        for row, value in enumerate(self.words):
            for one in frozenset[str]().union(*value):
                found.setdefault(one, []).append(row)
        return found

    @cached_property
    def items(self) -> tuple[tuple[tuple[frozenset[str], ...], ...], ...]:
        """Of each value the things that it lists, "gluten, milk", by their words."""
        return tuple(
            tuple(tuple(map(_stems_of_word, words_of(one))) for one in _ITEMS.split(value))
            for value in self.values
        )

    @cached_property
    def repeats(self) -> bool:
        """Whether it has values that several rows have."""
        told = [key for key in self.keys if key]
        return len(set(told)) < len(told)

    @cached_property
    def filled(self) -> tuple[bool, ...]:
        """Whether each value says anything."""
        return tuple(value.casefold().strip() not in _EMPTY for value in self.values)

    @cached_property
    def numbers(self) -> tuple[Number | None, ...]:
        """Its values as numbers; all None where it is no column of numbers."""
        found = self._numbers_told
        return found if self._mostly(found, LEAST_NUMBERS) else (None,) * len(found)

    @cached_property
    def _numbers_told(self) -> tuple[Number | None, ...]:
        decimal_comma = writes_decimal_comma(self.values)
        return tuple(number_in(value, decimal_comma) for value in self.values)

    @cached_property
    def days(self) -> tuple[Day | None, ...]:
        """Its values as days, months or years; all None where it is no column of such."""
        found = self.days_told
        return found if self._mostly(found, LEAST_DAYS) else (None,) * len(found)

    @cached_property
    def days_told(self) -> tuple[Day | None, ...]:
        """Its values as days, however few are; a number is no year where another one cannot be, as
        1995 of sums.
        """
        numbers = [one.value for one in self._numbers_told if one is not None]
        sums = any(not YEARS[0] <= one <= YEARS[1] for one in numbers)
        day_first = writes_day_first(self.values)
        return tuple(
            None if sums and value.strip().isdecimal() else day_in(value, day_first)
            for value in self.values
        )

    @cached_property
    def is_numeric(self) -> bool:
        """Whether it holds numbers."""
        return any(one is not None for one in self.numbers)

    @cached_property
    def is_of_days(self) -> bool:
        """Whether it holds days, months or years."""
        return any(one is not None for one in self.days)

    @property
    def measures(self) -> bool:
        """Whether it holds numbers or days, and names nothing."""
        return self.is_numeric or self.is_of_days

    @cached_property
    def has_some_days(self) -> bool:
        """Whether a few of its values are days, as of "open" beside "2024-03-14"."""
        return sum(one is not None for one in self.days_told) > 1

    @cached_property
    def is_yes_or_no(self) -> bool:
        """Whether most that it says is yes or no."""
        said = [
            _answer(value) for value, full in zip(self.values, self.filled, strict=True) if full
        ]
        told = sum(one is not None for one in said)
        return told > 1 and told >= LEAST_DAYS * len(said)

    @cached_property
    def says_no(self) -> bool:
        """Whether it holds yes and no, and not yes alone."""
        return self.is_yes_or_no and any(_answer(value) is False for value in self.values)

    def sizes_in(self, places: Iterable[int]) -> dict[int, tuple[float, ...]]:
        """Return what rows are compared by: days, or numbers; none where these cannot be."""
        if self.is_of_days:
            return {place: day for place in places if (day := self.days[place]) is not None}
        numbers = self.numbers_in(places)
        comparable = are_comparable(numbers.values())
        return {place: (one.size,) for place, one in numbers.items()} if comparable else {}

    def numbers_in(self, places: Iterable[int]) -> dict[int, Number]:
        """Return the numbers of rows; none where one has a number that cannot be read."""
        written = (place for place in places if any(map(str.isdigit, self.values[place])))
        told = {place: self.numbers[place] for place in written}
        found = {place: one for place, one in told.items() if one is not None}
        return found if len(found) == len(told) else {}

    def tells(self, place: int) -> bool:
        """Whether the row at ``place`` is so as the column is called: it says yes, or when, or
        anything but no.
        """
        value = self.values[place]
        if self.is_yes_or_no:
            return _answer(value) is True
        if self.has_some_days:
            return self.days_told[place] is not None
        return self.filled[place] and _answer(value) is not False and value != "0"

    def denies(self, place: int) -> bool:
        """Whether the row at ``place`` is not so: it says no, or nothing, or no day; where others
        say no, one that says nothing is not known.
        """
        if self.says_no:
            return _answer(self.values[place]) is False
        return not self.tells(place)

    def _mostly(self, found: Sequence[object], least: float) -> bool:
        told = sum(one is not None for one in found)
        return told > 1 and told >= least * sum(self.filled)


@dataclass(frozen=True)
class Table:
    """Rows of one document that follow each other; ``caption``: what it stands under. ``partial``:
    what has no row may be called as its rows are.
    """

    title: str
    caption: str
    rows: tuple[Row, ...]
    partial: bool = False

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """In the order in which rows name them first; of the first row those it has."""
        names: dict[str, str] = {}
        for row in self.rows:
            if not row.cells.keys() <= names.keys():
                for one in named_fields(row.text):
                    names.setdefault(one.key, one.name)
        return tuple(
            Column(key, name, tuple(row.cells.get(key, "") for row in self.rows))
            for key, name in names.items()
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its caption's words."""
        return stems_of(self.caption)

    @cached_property
    def title_stems(self) -> frozenset[str]:
        """The stems of the words of its document's title, a day in it in all ways to write it."""
        return stems_of(with_dates(self.title))

    @cached_property
    def title_numbers(self) -> frozenset[str]:
        """The numbers of its document's title that are of days, and what else has four digits."""
        added = words_of(with_dates(self.title).removeprefix(self.title))
        long = [word for word in words_of(self.title + self.caption) if len(word) > 3]
        return frozenset(word for word in (*added, *long) if word.isdecimal())

    def is_called_by(self, stems: frozenset[str]) -> bool:
        """Whether most words of its document's title are among stems."""
        words = [w for w in words_of(self.title) if w.isalpha() and w not in STOP_WORDS]
        said = sum(bool(_stems_of_word(word) & stems) for word in words)
        return bool(words) and 3 * said >= 2 * len(words)


def _answer(value: str) -> bool | None:
    """Return whether a cell says yes or no, "no, lost"; None where it says something else."""
    first = next(iter(re.split(r"[\s,;:(–-]", value.casefold().strip(), maxsplit=1)), "")
    return True if first in _YES else False if first in _NO else None


def words_of(text: str) -> list[str]:
    """Return a text's words in lower case: of "first_author" two."""
    return _WORD.findall(text.casefold())


def _stems_of_word(word: str) -> frozenset[str]:
    long = _SHORT.get(word, word)
    return frozenset({stem(word), stem(word.removesuffix("s")), word, long, stem(long)})


def stems_of(text: str) -> frozenset[str]:
    """Return the stems that the words of a text may have."""
    return frozenset[str]().union(*map(_stems_of_word, words_of(text)))
