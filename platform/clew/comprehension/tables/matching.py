"""Which rows of a table a question means: each of its words is a column's name, a value, or said by
what the table stands under; where one is nothing of this it may mean anything, and nothing is told.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew.comprehension.amounts import figure
from clew.comprehension.tables.asked import TableQuestion, Word
from clew.comprehension.tables.bounds import (
    OF_MONEY,
    Bound,
    bounded_by_number,
    bounds_of,
    called_by,
    compares_with,
    is_about_money,
    is_called_so,
)
from clew.comprehension.tables.cells import Day, Number, number_in
from clew.comprehension.tables.meant import Meant
from clew.comprehension.tables.table import Column, Table

LONGEST = 6
"""Words of the question that may be one value, the most."""
_HAD = frozenset({"with", "have", "has", "had", "having"})
_NOT = frozenset({"not", "without", "no", "never", "nt", "non"})
_WRITTEN_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ALL_BUT = re.compile(
    r"\b(?:except|excluding|exclusive of|other than|rather than|apart from|aside from|all but"
    r"|besides|outside|neither|nor)\b",
    re.IGNORECASE,
)
"""Words that deny what stands behind them in ways that are not read."""


def rows_meant(
    question: TableQuestion, table: Table, explained: Iterable[int], used: Iterable[str]
) -> Meant | None:
    """Return the rows that a question means, where what it asks for, or measures, is explained
    already, by the columns ``used``; None where a word is left that the table does not know.
    """
    if _ALL_BUT.search(question.text):
        return None
    meant = Meant(question, table, set(explained), set(used), rows=list(range(len(table.rows))))
    words = question.words
    spans = [
        range(start, start + length)
        for length in range(min(LONGEST, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    bounds = list(bounds_of(question.text))
    known = (
        all(_within(meant, bound) for bound in bounds)
        and all(_of_value(meant, span) for span in spans)
        and all(_as_called(meant, column) for column in table.columns)
        and not meant.denies_more
        and meant.choose(bounds)
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


def _within(meant: Meant, bound: Bound) -> bool:
    """Keep the rows within a bound; False: it cannot be told which are."""
    words = meant.question.within(bound.start, bound.end)
    values: Sequence[Day | Number | None]
    if isinstance(bound.limits[0][1], Number):
        columns = bounded_by_number(bound, meant.question, meant.table.columns)
        if len(columns) != 1 or not compares_with(bound, columns[0]):
            return False
        if is_about_money(meant.question):
            words += [i for i, word in enumerate(meant.question.words) if word.stems & OF_MONEY]
        values = columns[0].numbers
    else:
        columns = list(meant.table.columns)
        if is_called_so(bound, meant.context.union(*(one.stems for one in columns))):
            meant.explained.update(words)
            return True  # "the list from January 2025" is called so
        dated = [one for one in columns if one.is_of_days or one.has_some_days]
        columns = called_by(dated, meant.question.words) if dated else []
        if len(columns) != 1:
            return bound.limits[0][0] == "="  # a value, or part of the title
        values = columns[0].days_told
        if _lacks_year(bound) and len({day[0] for day in columns[0].days_told if day}) > 1:
            return False
    (column,) = columns
    denial = meant.denial(bound.start, column)
    if denial and None in values:
        return False
    rows = [row for row, value in enumerate(values) if bound.holds(value)]
    return meant.keep(rows, bound.said, column, words, denial)


def _lacks_year(bound: Bound) -> bool:
    """Say whether a bound is from or to a day of a year that it does not tell: "since October"."""
    return any(sign != "=" and isinstance(day, tuple) and not day[0] for sign, day in bound.limits)


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
    holding = [_Holding.of(meant, column, span) for column in meant.table.columns]
    whole = [one for one in holding if one.whole]
    if not whole and _is_called(meant, span):
        return True
    found = whole or [one for one in holding if one.part and one.is_sure(words)]
    if len(found) > 1:
        found = _one_of(found, meant.question)
    if len(found) != 1:
        return not found
    (one,) = found
    if meant.by_value.setdefault(one.column.key, not one.denial) == bool(one.denial):
        return False  # "not in Cork or Sligo"
    said = f"“{meant.question.spelt(span)}”"
    return meant.keep(one.rows, said, one.column, span, one.denial)


@dataclass(frozen=True)
class _Holding:
    """The rows whose value of a column words are, or one thing that it lists; or a part of.

    ``rows``: those that are meant; ``denial``: the places of the word that denies it.
    """

    column: Column
    whole: list[int]
    part: list[int]
    rows: list[int]
    denial: list[int]

    @classmethod
    def of(cls, meant: Meant, column: Column, span: range) -> "_Holding":
        whole, part = [], []
        words = meant.question.words[span.start : span.stop]
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
        start = meant.question.starts[span.start]
        denial = meant.denial(start, column) if whole or part else []
        rows = whole if whole and len(words) == 1 and not denial else part
        return cls(column, whole, part, rows, denial)

    def is_sure(self, words: Sequence[Word]) -> bool:
        """Say whether words that are a part of the value say what it is: one common noun does
        where the column has kinds of things."""
        return len(words) > 1 or words[0].proper or self.column.repeats


def _rows_that_have(column: Column, words: Sequence[Word]) -> list[int]:
    """Return the rows whose value of a column may hold words: it has their last one."""
    return sorted({row for one in words[-1].stems for row in column.rows_of.get(one, ())})


def _denies(value: Sequence[frozenset[str]]) -> bool:
    return any(word & _NOT for word in value)


def _one_of(found: list[_Holding], question: TableQuestion) -> list[_Holding]:
    """Return the one of several columns that the question calls, or whose values repeat; any where
    all mean the same rows."""
    if len({tuple(one.rows) for one in found}) == 1:
        return found[:1]
    words = [word for word in question.words if word.says]
    named = [one for one in found if any(word.stems & one.column.stems for word in words)]
    named = named or [one for one in found if one.column.repeats]
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
    """Keep the rows of a number that stands beside its column's name: "freezer 6", "Python 3.8"."""
    words, text = meant.question.words, meant.question.text
    written = _WRITTEN_NUMBER.match(text, meant.question.starts[place])
    places = meant.question.within(*written.span()) if written else [place]
    number = written.group() if written else words[place].text
    beside = [i for i in (places[0] - 1, places[-1] + 1) if 0 <= i < len(words)]
    for column in meant.table.columns:
        if any(words[i].stems & column.stems for i in beside):
            rows = [row for row, value in enumerate(column.values) if number in value.split()]
            rows = rows or [row for row, one in enumerate(column.values) if _is_number(one, number)]
            if rows:
                denial = meant.denial(meant.question.starts[place], column)
                meant.by_value[column.key] = not denial
                return meant.keep(rows, number, column, [*places, *beside], denial)
    return True


def _is_number(value: str, number: str) -> bool:
    told = number_in(value)
    return told is not None and told.value == figure(number)


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
    denied = meant.denial(meant.question.starts[places[0]], column)
    if column.is_numeric and not denied and not _is_had(meant.question, places[0]):
        return meant.question.operation not in {"count", "list"}  # "out of stock"
    is_so = column.denies if denied else column.tells
    rows = [row for row in range(len(meant.table.rows)) if is_so(row)]
    if len(rows) == len(meant.table.rows):
        meant.taken.update(denied)
        meant.explained.update(places)
        return meant.question.operation not in {"count", "list"}
    state = "yes" if column.is_yes_or_no else "given"
    if denied:
        state = "no" if column.says_no else f"not {state}"
    return meant.taken.isdisjoint(denied) and meant.keep(rows, state, column, [*places, *denied])


def _is_had(question: TableQuestion, place: int) -> bool:
    """Say whether what a column is called is something to have: "with a deposit"."""
    return any(word.text in _HAD for word in question.words[max(place - 3, 0) : place])
