"""Which rows of a table a question means: each of its words is a column's name, a value, or said by
what the table stands under; where one is nothing of this it may mean anything, and nothing is told.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from clew.comprehension.tables.asked import TableQuestion, Word
from clew.comprehension.tables.bounds import (
    OF_MONEY,
    Bound,
    bounded_by_number,
    called_by,
    day_bounds,
    is_about_money,
    is_called_so,
    number_bounds,
    signs_of,
)
from clew.comprehension.tables.cells import number_in
from clew.comprehension.tables.table import Column, Table
from clew.results.words import listed

LONGEST = 6
"""Words of the question that may be one value, the most."""
_HAD = frozenset({"with", "have", "has", "had", "having"})
_NOT = frozenset({"not", "without", "no", "never", "nt", "non"})


@dataclass
class Meant:
    """The rows of ``table`` that ``question`` means, by their places, as conditions are found.

    ``explained``: places of the question's words that the table knows; ``used``: keys of the
    columns that say what they are to be, or what is asked for, ``by_value`` those that are to have
    a value; ``said``: the conditions, for people.
    """

    question: TableQuestion
    table: Table
    explained: set[int]
    used: set[str]
    by_value: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)
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
    def conditions(self) -> str:
        """What the rows are chosen by, for people."""
        return f", where {listed(tuple(self.said))}" if self.said else ""

    def keep(self, rows: Iterable[int], said: str, column: Column, words: Iterable[int]) -> None:
        """Keep ``rows`` alone, for what ``words`` say of a column; words that call it are known."""
        kept = set(rows)
        self.rows = [row for row in self.rows if row in kept]
        self.said.append(said)
        self.used.add(column.key)
        self.explained.update(words)
        self.explained.update(self.naming(column))

    def naming(self, column: Column) -> list[int]:
        """Return the places of the words that a column is called by."""
        return [i for i, word in enumerate(self.question.words) if word.stems & column.stems]

    def all_but(self, rows: Iterable[int]) -> list[int]:
        """Return the other rows of the table."""
        not_these = set(rows)
        return [row for row in range(len(self.table.rows)) if row not in not_these]


def rows_meant(
    question: TableQuestion, table: Table, explained: Iterable[int], used: Iterable[str]
) -> Meant | None:
    """Return the rows that a question means, where what it asks for, or measures, is explained
    already, by the columns ``used``; None where a word is left that the table does not know.
    """
    meant = Meant(question, table, set(explained), set(used), rows=list(range(len(table.rows))))
    words = question.words
    spans = [
        range(start, start + length)
        for length in range(min(LONGEST, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    known = (
        all(_within_days(meant, bound) for bound in day_bounds(question.text))
        and all(_within_numbers(meant, bound) for bound in number_bounds(question.text))
        and all(_of_value(meant, span) for span in spans)
        and all(_as_called(meant, column) for column in table.columns)
    )
    left = [word for place, word in enumerate(words) if _is_unknown(meant, place, word)]
    chosen = bool(meant.said) or question.operation not in {"count", "list"}
    return meant if known and all(word.weak and chosen for word in left) else None


def _is_unknown(meant: Meant, place: int, word: Word) -> bool:
    """Say whether the table does not know a word; the 25 of "2024/25" says nothing of a number."""
    if not word.says or place in meant.explained:
        return False
    if word.text.isdecimal():
        return word.text not in meant.table.title_numbers
    return not word.stems & meant.context


def _within_days(meant: Meant, bound: Bound) -> bool:
    columns = meant.table.columns
    if is_called_so(bound, meant.context.union(*(one.stems for one in columns))):
        return True  # "the list from January 2025" is called so
    dated = [one for one in columns if one.is_of_days or one.has_some_days]
    dated = called_by(dated, meant.question.words) if dated else []
    if len(dated) != 1:
        return bound.limits[0][0] == "="  # a value, or part of the title
    (column,) = dated
    rows = [row for row, day in enumerate(column.days_told) if bound.holds(day)]
    words = meant.question.within(bound.start, bound.end)
    meant.keep(rows, f"{column.name} is {bound.said}", column, words)
    return True


def _within_numbers(meant: Meant, bound: Bound) -> bool:
    words = meant.question.within(bound.start, bound.end)
    digits = {place for place in words if meant.question.words[place].text[0].isdecimal()}
    if digits and digits <= meant.explained:
        return True  # a day
    columns = bounded_by_number(bound, meant.question, meant.table.columns)
    if len(columns) != 1:
        return False
    (column,) = columns
    rows = [row for row, number in enumerate(column.numbers) if bound.holds(number)]
    signs = signs_of(bound)
    words += [i for i, word in enumerate(meant.question.words) if word.text in signs]
    if is_about_money(meant.question):
        words += [i for i, word in enumerate(meant.question.words) if word.stems & OF_MONEY]
    meant.keep(rows, f"{column.name} is {bound.said}", column, words)
    return True


def _of_value(meant: Meant, span: range) -> bool:
    """Keep the rows that have a value which words of the question are; False: they cannot be told,
    as it is one of several columns.
    """
    words = meant.question.words[span.start : span.stop]
    if not (words[0].says and words[-1].says) or meant.explained & set(span):
        return True
    if len(span) == 1 and _goes_with_title(meant, span.start):
        meant.explained.add(span.start)
        return True
    if len(span) == 1 and words[0].text.isdecimal():
        return _of_number(meant, span.start)
    denied = _is_denied(meant.question, span.start)
    holding = [_Holding.of(column, words) for column in meant.table.columns]
    whole = [one for one in holding if one.whole]
    if not whole and _is_called(meant, span):
        return True
    found = [
        (one.column, one.whole if one.whole and len(span) == 1 and not denied else one.part)
        for one in whole or [one for one in holding if one.part and one.is_sure(words)]
    ]
    if len(found) > 1:
        found = _one_of(found, meant.question)
    if len(found) != 1:
        return not found
    ((column, rows),) = found
    said = meant.question.spelt(span)
    rows = meant.all_but(rows) if denied else rows
    meant.keep(rows, f"{column.name} is {'not ' if denied else ''}“{said}”", column, span)
    meant.by_value.add(column.key)
    return True


@dataclass(frozen=True)
class _Holding:
    """The rows whose value of a column words are, or one thing that it lists; or a part of."""

    column: Column
    whole: list[int]
    part: list[int]

    @classmethod
    def of(cls, column: Column, words: Sequence[Word]) -> "_Holding":
        whole, part = [], []
        denied = _denies([word.stems for word in words])
        for row in () if column.is_numeric else _rows_that_have(column, words):
            value, items = column.words[row], column.items[row]
            if _begin(value, words) is None or (_denies(value) and not denied):
                continue  # "not on display" is not on display
            is_head = any(one and one[-1] & words[0].stems for one in items)
            if len(words) > 1 or words[0].proper or is_head:
                part.append(row)  # an "office manager" is no office
            if any(len(one) == len(words) and _begin(one, words) == 0 for one in items):
                whole.append(row)
        return cls(column, whole, part)

    def is_sure(self, words: Sequence[Word]) -> bool:
        """Say whether words that are a part of the value say what it is: one common noun does
        where the column has kinds of things."""
        return len(words) > 1 or words[0].proper or self.column.repeats


def _rows_that_have(column: Column, words: Sequence[Word]) -> list[int]:
    """Return the rows whose value of a column may hold words: it has their last one."""
    return sorted({row for one in words[-1].stems for row in column.rows_of.get(one, ())})


def _denies(value: Sequence[frozenset[str]]) -> bool:
    return any(word & _NOT for word in value)


def _one_of(
    found: list[tuple[Column, list[int]]], question: TableQuestion
) -> list[tuple[Column, list[int]]]:
    """Return the one of several columns that the question calls, or whose values repeat; any where
    all mean the same rows."""
    if len({tuple(rows) for _, rows in found}) == 1:
        return found[:1]
    named = [one for one in found if any(w.says and w.stems & one[0].stems for w in question.words)]
    named = named or [one for one in found if one[0].repeats]
    return named if len(named) == 1 else found


def _begin(value: Sequence[frozenset[str]], words: Sequence[Word]) -> int | None:
    """Return where words begin in a value, None where they do not; a first name may be a letter."""
    for at in range(len(value) - len(words) + 1):
        if all(
            value[at + i] & word.stems or (i + 1 < len(words) and word.text[0] in value[at + i])
            for i, word in enumerate(words)
        ):
            return at
    return None


def _of_number(meant: Meant, place: int) -> bool:
    """Keep the rows of a number that stands beside its column's name: "freezer 6"."""
    words = meant.question.words
    number = words[place].text
    beside = [i for i in (place - 1, place + 1) if 0 <= i < len(words)]
    for column in meant.table.columns:
        if any(words[i].stems & column.stems for i in beside):
            rows = [row for row, value in enumerate(column.values) if _is_number(value, number)]
            if rows:
                meant.keep(rows, f"{column.name} is {number}", column, [place, *beside])
                meant.by_value.add(column.key)
                return True
    return True


def _is_number(value: str, number: str) -> bool:
    told = number_in(value)
    return number in value.split() if told is None else told.value == float(number)


def _is_called(meant: Meant, span: range) -> bool:
    """Say whether words are what the table, or one of its columns, is called."""
    called = meant.context.union(*(one.stems for one in meant.table.columns))
    words = meant.question.words[span.start : span.stop]
    return all(not word.says or word.stems & called for word in words)


def _goes_with_title(meant: Meant, place: int) -> bool:
    """Say whether a common noun stands behind a word that the document is called by: the "office"
    of "the Cork office", all of which is in the table.
    """
    word, before = meant.question.words[place], meant.question.words[max(place - 1, 0)]
    called = before.says and not before.weak and before.stems & meant.table.title_stems
    return bool(place and called and not word.proper and not before.text.endswith("s"))


def _as_called(meant: Meant, column: Column) -> bool:
    """Keep the rows that are so as a column is called that the question names: "open access";
    False: it does not say what that is to be.
    """
    words = meant.question.words
    places = [i for i in meant.naming(column) if words[i].says and i not in meant.explained]
    if (
        column.key in meant.used
        or not places
        or all(words[i].stems & meant.context for i in places)
    ):
        return True
    denied = _is_denied(meant.question, places[0])
    if column.is_numeric and not denied and not _is_had(meant.question, places[0]):
        return meant.question.operation not in {"count", "list"}  # "out of stock"
    is_so = column.denies if denied else column.tells
    rows = [row for row in range(len(meant.table.rows)) if is_so(row)]
    if len(rows) == len(meant.table.rows):
        meant.explained.update(places)
        return meant.question.operation not in {"count", "list"}
    state = "yes" if column.is_yes_or_no else "given"
    if denied:
        state = "no" if column.says_no else f"not {state}"
    meant.keep(rows, f"{column.name} is {state}", column, places)
    return True


def _is_had(question: TableQuestion, place: int) -> bool:
    """Say whether what a column is called is something to have: "with a deposit"."""
    return any(word.text in _HAD for word in question.words[max(place - 3, 0) : place])


def _is_denied(question: TableQuestion, place: int) -> bool:
    """Say whether one of the three words before a place denies it, or "n't" does."""
    words = [word.text for word in question.words[max(place - 3, 0) : place]]
    before = question.text[: question.starts[place]].casefold().rstrip()
    return any(word in _NOT for word in words) or before.endswith("n't")
