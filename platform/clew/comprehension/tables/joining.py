"""Rows of two tables that tell of one thing: a cell of one says what a row of the other is called
by, as a foreign key does: "Hire category: D" of a costume, and the prices of "Category: D".
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lines import COPIED
from clew.comprehension.naming import initialled
from clew.comprehension.stems import stem
from clew.comprehension.tables.table import Column, Row, Table

MOST_ALIKE = 6
"""Rows, at most, that one value joins: what more have, as a version, identifies none."""
LEAST_NAMED = 0.6
"""The share of a column's values that another one has, the least, where it says what rows of the
other's table are called by."""
LONGEST_KEY = 5
"""Words of what a row is called by, the most."""
MOST_TEXTS = 500
"""Values of a column whose names are compared in other ways to write them, the most."""
DESCRIBED = 3
"""How often rows are looked for that say what others leave of a question."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True)
class _Place:
    """A row by its table and its number there."""

    table: int
    row: int


def joined_rows(
    words: Sequence[str], view: EvidenceView, tables: Sequence[Table]
) -> list[tuple[int, Row]]:
    """Return rows of other tables that tell of the same thing as the rows of the evidence that say
    most of ``words``: each with the sentence of the latter.
    """
    if len(tables) < 2:
        return []
    joins = _Joins(tables)
    most = _describing(words, view)
    said = frozenset(map(stem, words))
    numbers = frozenset(word for word in words if word.isdecimal())
    found: dict[tuple[int, str], tuple[int, Row]] = {}
    for place in most:
        sentence = view.sentences[place]
        for at in joins.places(sentence.parse.text, sentence.title):
            for other in joins.latest(joins.of(at, said), numbers):
                row = tables[other.table].rows[other.row]
                found.setdefault((place, row.text), (place, row))
    return list(found.values())


def _describing(words: Sequence[str], view: EvidenceView) -> list[int]:
    """Return the rows that say most of the words, and those that say most of what these leave; of
    many that say the same, as "van", none.
    """
    rows = [place for place, one in enumerate(view.sentences) if len(one.fields) > 1]
    found: list[int] = []
    left = list(words)
    for _ in range(DESCRIBED):
        said = {place: view.covered(left, [place]) for place in rows}
        best = max(said.values(), default=0.0)
        if not best:
            break
        most = [place for place in rows if said[place] > best - 1e-6]
        if len(most) <= MOST_ALIKE:
            found += (place for place in most if place not in found)
        left = [word for word in left if not view.covered([word], most[:1])]
    return found


class _Joins:
    """Which columns of some tables say what rows of others are called by."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = tables
        self._known: dict[tuple[int, str, int, str], dict[str, int]] = {}

    @cached_property
    def _keys(self) -> list[list[Column]]:
        return [[one for one in table.columns if _calls(one)] for table in self._tables]

    def places(self, text: str, title: str) -> Iterator[_Place]:
        """Yield the rows that a sentence stands in."""
        for number, table in enumerate(self._tables):
            if table.title == title:
                for at, row in enumerate(table.rows):
                    if text.rstrip(".") in row.text:
                        yield _Place(number, at)

    def of(self, at: _Place, said: frozenset[str]) -> Iterator[_Place]:
        """Yield the rows of other tables that a row names, and those that name it; of several that
        it names, those in columns that the stems ``said`` call: "Morning: Ives; Afternoon: Daly".
        """
        own = self._tables[at.table]
        for number, other in enumerate(self._tables):
            if number == at.table:
                continue
            found: list[tuple[Column, int]] = []
            for column in own.columns:
                for key in self._keys[number]:
                    row = self._rows(at.table, column, number, key).get(column.keys[at.row])
                    if row is not None:
                        found.append((column, row))
            for key in self._keys[at.table]:
                for column in other.columns:
                    rows = self._rows(number, column, at.table, key)
                    alike = [n for n, v in enumerate(column.keys) if rows.get(v) == at.row]
                    found += [(key, row) for row in alike if len(alike) <= MOST_ALIKE]
            called = [one for one in found if not one[0].stems.isdisjoint(said)]
            yield from (_Place(number, row) for _, row in called or found)

    def latest(self, found: Iterable[_Place], numbers: frozenset[str]) -> list[_Place]:
        """Leave out rows of tables of which there is a later one with the same columns, as of last
        year's price list, by the years in their titles; ``numbers``: those in the question, of
        which a year may be one.
        """
        places = list(dict.fromkeys(found))
        years: dict[frozenset[str], set[str]] = {}
        for one in places:
            years.setdefault(self._kind(one.table), set()).add(self._year(one.table))
        meant = {kind: max(told & numbers or told) for kind, told in years.items()}
        return [one for one in places if self._year(one.table) == meant[self._kind(one.table)]]

    def _kind(self, table: int) -> frozenset[str]:
        return frozenset(one.key for one in self._tables[table].columns)

    def _year(self, table: int) -> str:
        return max(_YEAR.findall(self._tables[table].title), default="")

    def _rows(self, of: int, column: Column, other: int, key: Column) -> dict[str, int]:
        """Return the row that each value of a column names; none where it does not name rows of
        that table.
        """
        which = of, column.key, other, key.key
        if which not in self._known:
            self._known[which] = _named_rows(column, key)
        return self._known[which]


def _calls(column: Column) -> bool:
    """Say whether a column may be what its table's rows are called by: each has another value."""
    if column.repeats or not all(column.filled):
        return False
    coded = all(COPIED.fullmatch(value) for value in column.values)
    short = all(len(value.split()) <= LONGEST_KEY for value in column.values)
    return short and (coded or not column.is_of_days)


def _named_rows(column: Column, key: Column) -> dict[str, int]:
    if key.measures and column.stems.isdisjoint(key.stems):
        return {}  # "8" of pieces is no number of a berth
    told = {v for v, full in zip(column.keys, column.filled, strict=True) if full and v}
    rows = {value: row for row, value in enumerate(key.keys) if value}
    found = {value: rows[value] for value in told & rows.keys()}
    few = len(told) <= MOST_TEXTS and len(rows) <= MOST_TEXTS
    if few and not column.measures and len(found) < len(told):
        for value in told - found.keys():
            alike = [row for one, row in rows.items() if _is_short_for(value, one)]
            if len(alike) == 1:
                found[value] = alike[0]
    return found if len(found) > 1 and len(found) >= LEAST_NAMED * len(told) else {}


def _is_short_for(name: str, whole: str) -> bool:
    """Say whether one is a person's name and the other the same in another form: "Fergal", "Daly",
    "F. Daly" and "Fergal Daly", or "F. Daly" and "Daly".
    """
    one, other = sorted((name, whole), key=lambda key: key.count(" "))
    if " " not in one:
        return one.isalpha() and one in (other.split()[0], other.split()[-1])
    return initialled(one, f" {other} ")
