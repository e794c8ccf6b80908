"""Rows of two tables that tell of one thing: a cell of one says what a row of the other is called
by, as a foreign key does: "Hire category: D" of a costume, and the prices of "Category: D".
"""

import re
from collections import defaultdict
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
MOST_NAMESAKES = 50
"""Names with one surname that are told apart by their initials, the most."""
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
                    if at.row not in rows.values():
                        continue
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
    if not column.measures and len(found) < len(told):
        people = _People(rows)
        for value in told - found.keys():
            if (whole := people.called(value)) is not None:
                found[value] = rows[whole]
    return found if len(found) > 1 and len(found) >= LEAST_NAMED * len(told) else {}


class _People:
    """Names by their words, so that each is found by another form of it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._ends: defaultdict[str, set[str]] = defaultdict(set)
        self._initialled: defaultdict[str, set[str]] = defaultdict(set)
        for name in self._names:
            words = name.split()
            self._ends[words[0]].add(name)
            self._ends[words[-1]].add(name)
            if _has_initial(words):
                self._initialled[words[-1]].add(name)

    def called(self, name: str) -> str | None:
        """Return the one name that another one is a form of, "Fergal", "Daly" or "F. Daly" of
        "Fergal Daly", "Daly" of "F. Daly", or the other way round; None where none or several are.
        """
        words = name.split()
        if len(words) == 1:
            found = self._ends.get(name, set()) if name.isalpha() else set()
        else:
            ends = self._ends if _has_initial(words) else self._initialled
            near = ends.get(words[-1], set())
            many = len(near) > MOST_NAMESAKES
            found = {one for one in near if not many and initialled(name, f" {one} ")}
            found |= {word for word in (words[0], words[-1]) if word in self._names}
        return next(iter(found)) if len(found) == 1 else None


def _has_initial(words: Sequence[str]) -> bool:
    return any(len(word.rstrip(".")) == 1 for word in words)
