"""What a whole table answers: it is counted, compared or added up, with the rows that it takes."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from clew.comprehension.tables.asked import TableQuestion
from clew.comprehension.tables.extremes import asks_for_value, extreme_value, of_extremes
from clew.comprehension.tables.matching import rows_meant
from clew.comprehension.tables.meant import Meant
from clew.comprehension.tables.table import Column, Table
from clew.comprehension.tables.things import (
    GENERIC_STEMS,
    LOOSE,
    MOST_LISTED,
    SURE,
    TableAnswer,
    measured,
    names_of_rows,
    naming_of,
    thing_of,
    told_of,
)
from clew.results.words import listed

_EACH = re.compile(r"\beach\b", re.IGNORECASE)


def answer_of_tables(question: TableQuestion, tables: Iterable[Table]) -> TableAnswer | None:
    """Return what the one table tells that knows all words of the question; None where none does,
    or several tell different things.
    """
    tell = _of_superlatives
    if question.operation in {"count", "list"}:
        tell = _of_things
    elif question.operation in {"total", "average"}:
        tell = _of_sums
    found = [one for table in tables if (one := tell(question, table)) is not None]
    best = max((one.rank for one in found), default=(0, 0))
    found = [one for one in found if one.rank == best]
    return found[0] if found and len({one.short for one in found}) == 1 else None


# how many, and which


def _of_things(question: TableQuestion, table: Table) -> TableAnswer | None:
    thing = thing_of(question, table)
    counts = question.operation == "count"
    numbers = [one for one in table.columns if question.thing_stems & one.stems and one.is_numeric]
    if counts and thing.column is None and len(numbers) == 1:
        return _of_counted(question, table, numbers[0])
    loose = not counts and thing.rank == LOOSE and not question.thing_stems & GENERIC_STEMS
    if not thing.rank or loose or not (question.thing or thing.column):
        return None
    if counts and _asks_for_each(question, table, thing.column):
        return None
    used = [thing.column.key] if thing.column else []
    meant = rows_meant(question, table, thing.explained, used)
    if meant is None or (thing.guessed and not meant.said):
        return None
    if table.partial and thing.column is None and not meant.said:
        return None  # "how many documents": those without a row, too
    if thing.column and thing.column.key in meant.by_value and not thing.column.repeats:
        return None  # one that is named is not counted
    if thing.column is not None:
        meant.rows = [row for row in meant.rows if thing.column.filled[row]]
    if not meant.rows:
        return None  # nothing is so, or it is said in other words
    things = names_of_rows(thing.column or naming_of(table), meant)
    if not counts:
        if not meant.said or len(things) <= (0 if question.several else 1):
            return None
        named, left = things[:MOST_LISTED], len(things) - MOST_LISTED
        short = listed((*named, f"{left} more") if left > 0 else named)
        return told_of(short, meant, thing.rank, "Looked up", named)
    count = len(meant.rows)
    if thing.column is not None and not question.thing_stems & meant.context:
        count = len({thing.column.keys[row] for row in meant.rows})
    return told_of(str(count), meant, thing.rank, "Counted")


def _of_counted(question: TableQuestion, table: Table, column: Column) -> TableAnswer | None:
    """Return the sum of the numbers of what is asked for, "how many tubes": None where it stands in
    one row, which is looked up; or the number of rows that the column numbers.
    """
    meant = rows_meant(question, table, question.thing, [column.key])
    if meant is None:
        return None
    first = table.columns[1 if table.partial else 0]  # behind the documents' titles
    if column is first and not column.repeats:
        return told_of(str(len(meant.rows)), meant, SURE, "Counted") if meant.said else None
    return _sum(column, meant, average=False) if len(meant.rows) > 1 else None


# what they sum to


def _of_sums(question: TableQuestion, table: Table) -> TableAnswer | None:
    column, places = measured(question, table)
    if column is None or _asks_for_each(question, table, column):
        return None
    meant = rows_meant(question, table, places, [column.key])
    return None if meant is None else _sum(column, meant, average=question.operation == "average")


def _asks_for_each(question: TableQuestion, table: Table, column: Column | None) -> bool:
    """Say whether a sum, or number, is asked for of each of several things: "per department"."""
    if _EACH.search(question.text):
        return True
    others = [one for one in table.columns if one is not column and not one.is_numeric]
    own = column.stems if column is not None else frozenset[str]()
    stems = frozenset[str]().union(*(one.stems for one in others)) - own
    words = question.words
    return any(
        word.text in {"by", "per"}
        and after.says
        and bool(after.stems & stems)
        and not (place + 2 < len(words) and words[place + 2].proper)  # "by department Sales"
        for place, (word, after) in enumerate(pairwise(words))
    )


def _sum(column: Column, meant: Meant, *, average: bool) -> TableAnswer | None:
    told = column.numbers_in(meant.rows)
    meant.rows, numbers = list(told), list(told.values())
    if not numbers or len({(one.before, one.after) for one in numbers}) > 1:
        return None
    value = sum(one.value for one in numbers) / (len(numbers) if average else 1)
    said = f"{'Average' if average else 'Sum'} of “{column.name}”"
    return told_of(numbers[0].written(value), meant, SURE, said)


# what has a superlative


def _of_superlatives(question: TableQuestion, table: Table) -> TableAnswer | None:
    value = extreme_value(question, table)
    if value is None:
        return of_extremes(question, table)
    if asks_for_value(question):
        return None
    words = tuple(replace(one, says=one.says or one.text in value) for one in question.words)
    return _of_things(replace(question, operation="list", words=words), table)
