"""The rows of a table that a question means, as conditions on its columns are found."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from clew.comprehension.tables.asked import TableQuestion
from clew.comprehension.tables.bounds import Bound
from clew.comprehension.tables.table import Column, Table
from clew.results.words import listed

_DENIAL = re.compile(
    r"\b(?:no(?!\.|\W*\d)|not|cannot|without|never|non|(?:is|are|was|were|do|does|did|has|have|had"
    r"|ca|wo|would|could|should|must|need)n['’]?t)\b",
    re.IGNORECASE,
)
_BEFORE_DENIED = re.compile(r"(?:\W+\w+){0,2}\W*")
"""What stands between such a word and what it denies."""


@dataclass(frozen=True)
class _Condition:
    """The ``rows`` that a condition keeps, for what ``words`` (their places) say that ``column``
    is; ``said`` is for people.
    """

    column: Column
    rows: frozenset[int]
    words: frozenset[int]
    said: str
    denied: bool

    def __str__(self) -> str:
        return f"{self.column.name} is {'not ' if self.denied else ''}{self.said}"

    def united(self, other: "_Condition") -> "_Condition":
        """Return the condition that either holds."""
        said = f"{self.said} or {other.said}"
        rows, words = self.rows | other.rows, self.words | other.words
        return _Condition(self.column, rows, words, said, denied=False)


@dataclass
class Meant:
    """The rows of ``table`` that ``question`` means, by their places, as conditions are found.

    ``explained``: places of the question's words that the table knows; ``used``: keys of the
    columns that say what they are to be, or what is asked for, ``by_value`` those that are to have
    a value, or (False) are not to; ``taken``: places of the words that conditions are made of;
    ``kept``: the conditions.
    """

    question: TableQuestion
    table: Table
    explained: set[int]
    used: set[str]
    by_value: dict[str, bool] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)
    kept: list[_Condition] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    @cached_property
    def context(self) -> frozenset[str]:
        """The stems of what the table stands under."""
        return self.table.stems | self.table.title_stems

    @property
    def called(self) -> int:
        """How many of the question's words the table is called by."""
        return sum(word.says and bool(word.stems & self.context) for word in self.question.words)

    @property
    def said(self) -> list[str]:
        """The conditions, for people."""
        return list(map(str, self.kept))

    @property
    def conditions(self) -> str:
        """What the rows are chosen by, for people."""
        return f", where {listed(tuple(self.said))}" if self.said else ""

    def keep(
        self,
        rows: Iterable[int],
        said: str,
        column: Column,
        words: Iterable[int],
        denial: Sequence[int] = (),
    ) -> bool:
        """Keep ``rows`` alone, or all others where there is a ``denial``, for what ``words`` say
        that a column is; words that call it are known. False: the denial may be of something else.
        """
        if not self.taken.isdisjoint(denial):
            return False
        told = frozenset(rows)
        kept = frozenset(row for row in self.rows if (row in told) != bool(denial))
        taken = frozenset(words) | frozenset(denial)
        self.kept.append(_Condition(column, kept, taken, said, bool(denial)))
        self.used.add(column.key)
        self.taken.update(taken)
        self.explained.update(self.taken, self.naming(column))
        return True

    def naming(self, column: Column) -> list[int]:
        """Return the places of the words that a column is called by."""
        return [i for i, word in enumerate(self.question.words) if word.stems & column.stems]

    def denial(self, start: int, column: Column) -> list[int]:
        """Return the places of the word that denies what begins at a character, and is of a column;
        none where nothing does: in "no car in Cork" there is no car, and Cork.
        """
        found = list(_DENIAL.finditer(self.question.text, 0, start))[-1:]
        if not found or not _BEFORE_DENIED.fullmatch(self.question.text, found[0].end(), start):
            return []
        others = frozenset[str]().union(*(c.stems for c in self.table.columns if c is not column))
        between = [self.question.words[i] for i in self.question.within(found[0].end(), start)]
        if any(word.says and (not word.weak or word.stems & others) for word in between):
            return []
        return self.question.within(*found[0].span())

    def choose(self, bounds: Iterable[Bound]) -> bool:
        """Leave the rows that all conditions keep, of two beside an "or" either; False: it cannot
        be told which these are.
        """
        inside = {place for one in bounds for place in self.question.within(one.start, one.end)}
        inside.update(*(one.words for one in self.kept))
        words = self.question.words
        either = [i for i, word in enumerate(words) if word.text == "or" and i not in inside]
        if either and len(self.kept) > 1 and not (len(either) == 1 and self._unite(either[0])):
            return False
        self.rows = [row for row in self.rows if all(row in one.rows for one in self.kept)]
        return True

    def _unite(self, place: int) -> bool:
        """Unite the conditions beside an "or", which have to be the two of one column."""
        says = [i for i, word in enumerate(self.question.words) if word.says]
        before = max((i for i in says if i < place), default=place)
        after = min((i for i in says if i > place), default=place)
        beside = [one for one in self.kept if one.words & {before, after}]
        if len(beside) != 2 or any(one.denied for one in beside):
            return False
        column = beside[0].column
        if [one for one in self.kept if one.column is column] != beside:
            return False
        at = self.kept.index(beside[0])
        self.kept[at] = beside[0].united(beside[1])
        self.kept.remove(beside[1])
        return True

    @property
    def denies_more(self) -> bool:
        """Whether the question denies what no condition is made of."""
        denials = (
            self.question.within(*one.span()) for one in _DENIAL.finditer(self.question.text)
        )
        return any(self.taken.isdisjoint(places) for places in denials)
