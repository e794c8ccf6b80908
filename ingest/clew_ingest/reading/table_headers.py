"""Whether the first row of a table that does not say so names its columns.

It does by words, or by periods and numbers in order, which are told from data by what is below.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from clew_ingest.reading.text_decoding import TICKED, UNTICKED, clean

_LONGEST = 60
"""Characters of a column's name."""
_PERIOD = re.compile(
    r"(?:\d{1,2}[/-]|(?:\d{1,2}\.){2})?(?:\d{1,2}[/-])?([12]\d{3})(?:[/–-]\d{1,4}){0,2}"
)
"""A year, alone or within a date, a month or a span: 2023, 2022/23, 31.12.2023, 2023-12."""
_NEAR = 100
"""Years between two that may be values of one kind."""

Rows = Sequence[Sequence[str]]


def is_header(rows: Rows) -> bool:
    """Whether a table's first row may name its columns: by words, of which some may be the same
    above numbers, or by periods above values.
    """
    if has_words(rows[0]) or has_periods(rows):
        return True
    return len(rows) > 1 and has_words(list(dict.fromkeys(rows[0]))) and has_numbers_below(rows)


def names_columns(rows: Rows) -> bool:
    """Whether a table's first row surely names its columns: by periods above values, or by words
    where there are three columns or more, or one that has numbers below a name without any. Two
    columns of words may be names and values.
    """
    first = rows[0]
    if len(rows) < 2:
        return False
    return has_periods(rows) or (has_words(first) and (len(first) > 2 or has_numbers_below(rows)))


def has_words(row: Sequence[str]) -> bool:
    """Whether each cell of a row that is filled is another short text with a letter."""
    filled = [cell for cell in row if cell]
    return _are_names(filled) and all(map(_has_letter, filled))


def has_periods(rows: Rows) -> bool:
    """Whether a table's first row holds periods in order, and the rows below begin with words.

    Its first cell is empty, and then it may as well hold numbers that go up by equal steps; or it
    is a word, and then the values below are not years too: the row would be one of data.
    """
    margin = min(map(_margin, rows))
    if margin >= len(rows[0]):
        return False
    (corner, *cells), *below = [row[margin:] for row in rows]
    names = [cell for cell in cells if cell]
    starts = [row[0] for row in below if row and row[0]]
    if not starts or not all(map(_has_letter, starts)) or not _are_names(names):
        return False
    if not corner and all(map(str.isdecimal, names)) and _has_equal_steps(list(map(int, names))):
        return True
    years = _years(names)
    others = [name for name in names if not _PERIOD.fullmatch(name)]
    if len(years) < 2 or sorted(years) not in (years, years[::-1]):
        return False
    if any(_has_digit(name) and not _has_letter(name) for name in others):
        return False
    return not corner or (_has_letter(corner) and not _are_years_too(below, years))


def has_numbers_below(rows: Rows) -> bool:
    """Whether a column of a table has a number, or a box to tick, in each row but the first, and
    none there.
    """
    return any(
        all(len(row) > place and _is_value(row[place]) for row in rows[1:])
        for place, name in enumerate(rows[0])
        if not _has_digit(name)
    )


def _is_value(cell: str) -> bool:
    return _has_digit(cell) or clean(cell) in (TICKED, UNTICKED)


def _margin(row: Sequence[str]) -> int:
    return next((place for place, cell in enumerate(row) if cell), len(row))


def _are_names(cells: Sequence[str]) -> bool:
    return len(set(cells)) == len(cells) > 1 and all(len(cell) <= _LONGEST for cell in cells)


def _has_letter(cell: str) -> bool:
    return any(map(str.isalpha, cell))


def _has_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _years(cells: Iterable[str]) -> list[int]:
    return [int(found[1]) for found in map(_PERIOD.fullmatch, cells) if found]


def _has_equal_steps(numbers: Sequence[int]) -> bool:
    steps = {after - before for before, after in pairwise(numbers)}
    return len(steps) == 1 and (len(numbers) > 2 or steps <= {1, -1}) and steps != {0}


def _are_years_too(below: Rows, years: Sequence[int]) -> bool:
    """Whether most values below years are years too: near those above, where these have equal
    steps and are hardly data.
    """
    values = [cell for row in below for cell in row[1:] if cell]
    found = _years(values)
    if _has_equal_steps(years):
        found = [year for year in found if min(years) - _NEAR < year < max(years) + _NEAR]
    return 2 * len(found) > len(values)
