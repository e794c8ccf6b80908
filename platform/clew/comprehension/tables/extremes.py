"""Which thing of a table is the largest, the latest, the oldest, and what its value or day is."""

import re
from math import isclose

from clew.comprehension.lexicon import DIMENSIONS
from clew.comprehension.tables.asked import (
    BY_AGE,
    BY_DAY,
    BY_LENGTH,
    BY_PRICE,
    EXTREMES,
    OF_ALL,
    TableQuestion,
)
from clew.comprehension.tables.cells import are_comparable
from clew.comprehension.tables.matching import rows_meant
from clew.comprehension.tables.meant import Meant
from clew.comprehension.tables.table import Column, Table, stems_of, words_of
from clew.comprehension.tables.things import (
    LOOSE,
    MOST_LISTED,
    SURE,
    TableAnswer,
    Thing,
    measured,
    names_of_rows,
    naming_of,
    thing_of,
    told_of,
)
from clew.results.words import listed

_HOW = re.compile(r"how (\w+)", re.IGNORECASE)
_OF_HOW = {**DIMENSIONS, "long": BY_LENGTH, **dict.fromkeys(("tall", "high"), "height")}
"""What something is called that is so long, so tall."""
_BIRTH = stems_of("born birth dob")
_MADE = stems_of("built build commissioned bought purchased installed registered year date made")
_GENERAL = stems_of("date day year when")
_START = stems_of("since start started begin began join joined employed appointed opened from")
_EXPIRY = stems_of("expire expiry end until due valid expires run")


def of_extremes(question: TableQuestion, table: Table) -> TableAnswer | None:
    """Return which is the largest, the latest, the oldest; None where it is not told for sure."""
    asks = question.thing or question.people
    thing = thing_of(question, table) if asks else Thing(LOOSE, None, ())
    if question.by in {BY_DAY, BY_AGE}:
        column, places = _of_time(question, table)
    else:
        column, places = measured(question, table)
    if column is None and question.by == BY_LENGTH:
        column, places = _of_time(question, table)  # since when
    if column is None:
        return None
    # who is the oldest was born first, and who is there longest began first
    backwards = question.by in {BY_AGE, BY_LENGTH} and column.is_of_days
    greatest = (question.operation == "largest") != backwards
    itself = thing.column is column or bool(question.thing and question.thing_stems & column.stems)
    if not (thing.rank or itself):
        return None
    known = {*places, *(question.thing if itself else thing.explained)}
    if (how := _HOW.match(question.text)) and how[1].casefold() in _OF_HOW:
        known.add(1)
    meant = rows_meant(question, table, known, [column.key])
    if meant is None:
        return None
    if thing.column is not None and not itself and _takes_all(question, thing.column, meant):
        return _of_all(question, thing, column, meant)
    told = column.sizes_in(meant.rows)
    if len(told) < 2:
        return None
    best = max(told.values()) if greatest else min(told.values())
    meant.rows = [row for row, size in told.items() if size == best]
    if asks_for_value(question):
        things = _values(question, column, meant)
    else:
        things = names_of_rows(column if itself else thing.column or naming_of(table), meant)
    if not 0 < len(things) <= MOST_LISTED:
        return None
    said = f"The {'greatest' if greatest else 'least'} “{column.name}” of {len(told)}"
    rank = max(thing.rank, SURE) if itself else thing.rank
    return told_of(listed(things), meant, rank, said, things if len(things) > 1 else ())


def _takes_all(question: TableQuestion, thing: Column, meant: Meant) -> bool:
    """Say whether the rows of each thing are taken together: where it has several, and the question
    says so, or "the most" of nothing: "Which supplier did we spend the most on?".
    """
    keys = [thing.keys[row] for row in meant.rows if thing.filled[row]]
    following = (*question.words[1:], None)
    bare = not question.by and any(
        word.text in {"most", "least"} and not (after and after.says)
        for word, after in zip(question.words, following, strict=True)
    )
    said = any(word.text in OF_ALL for word in question.words)
    return len(set(keys)) < len(keys) and (bare or said)


def _of_all(
    question: TableQuestion, thing: Thing, column: Column, meant: Meant
) -> TableAnswer | None:
    """Return the things whose numbers sum to most, or are most on average."""
    named = thing.column
    numbers = column.numbers_in(meant.rows)
    if named is None or column.is_of_days or not are_comparable(numbers.values()):
        return None
    if asks_for_value(question):
        return None
    found: dict[str, list[int]] = {}
    for row in numbers:
        if named.filled[row]:
            found.setdefault(named.keys[row], []).append(row)
    if len(found) < 2:
        return None
    average = any(word.text in {"average", "mean"} for word in question.words)
    sums = {
        key: sum(numbers[row].size for row in rows) / (len(rows) if average else 1)
        for key, rows in found.items()
    }
    best = (max if question.operation == "largest" else min)(sums.values())
    rows = [found[key] for key, one in sums.items() if isclose(one, best)]
    things = [named.values[one[0]] for one in rows]
    if len(things) > MOST_LISTED:
        return None
    meant.rows = sorted(row for one in rows for row in one)
    size = "greatest" if question.operation == "largest" else "least"
    done = f"The {size} {'average' if average else 'sum'} of “{column.name}” of {len(found)}"
    items = things if len(things) > 1 else ()
    return told_of(listed(tuple(things)), meant, thing.rank, done, items)


def asks_for_value(question: TableQuestion) -> bool:
    """Say whether a day, or a number, is asked for: "When was the last fire drill?"."""
    text = question.text.casefold()
    return text.startswith("when ") or _HOW.match(text) is not None


def _values(question: TableQuestion, column: Column, meant: Meant) -> tuple[str, ...]:
    """Return the one value that the rows have of what is asked for, which is compared, or their
    day; none where it is another one.
    """
    how = _HOW.match(question.text)
    if how is None:
        dated = [one for one in meant.table.columns if one.is_of_days]
        columns = [column] if column.is_of_days else dated
    else:
        asked = how[1].casefold()
        own = stems_of(_OF_HOW.get(asked, ""))
        is_so = not question.by or bool(own & stems_of(question.by)) or bool(own & column.stems)
        if asked == "much":
            is_so = question.by in {"", BY_PRICE}
        columns = [column] if is_so and not column.is_of_days else []
    if len(columns) != 1:
        return ()
    told = {columns[0].values[row]: columns[0].filled[row] for row in meant.rows}
    return tuple(told) if len(told) == 1 and all(told.values()) else ()


def extreme_value(question: TableQuestion, table: Table) -> frozenset[str] | None:
    """Return the words of a value that a superlative in the question is one of: "Last Call"."""
    asked = f" {' '.join(word.text for word in question.words)} "
    for column in table.columns:
        for value in map(words_of, set(column.values)):
            held = len(value) > 1 and EXTREMES.keys() & set(value)
            if held and f" {' '.join(value)} " in asked:
                return frozenset(value)
    return None


def _of_time(question: TableQuestion, table: Table) -> tuple[Column | None, set[int]]:
    """Return the one column of days, or of ages, by which rows are compared, and what says so."""
    dated = [one for one in table.columns if one.is_of_days]
    said = [question.words[i] for i in question.measure] or [w for w in question.words if w.says]
    named = [one for one in dated if any(word.stems & one.stems for word in said)]
    for alike in (_EXPIRY, _START):
        if not named and any(word.stems & alike for word in said):
            named = [one for one in dated if one.stems & alike]
    if question.by == BY_LENGTH:
        named = [one for one in dated if one.stems & _START]
    if not named and question.by == BY_DAY and question.people:
        named = [one for one in dated if one.stems & _START]
    if question.by == BY_AGE:
        made = _BIRTH if question.people else _BIRTH | _MADE
        named = [one for one in dated if one.stems & made]
        named = named or [c for c in table.columns if c.is_numeric and c.stems & stems_of("age")]
    columns = named or [one for one in dated if one.stems & _GENERAL]
    if len(columns) != 1:
        return None, set()
    (column,) = columns
    known = column.stems.union(*(alike for alike in (_EXPIRY, _START) if alike & column.stems))
    places = {i for i, word in enumerate(question.words) if word.stems & known}
    return column, places | set(() if named else question.measure)
