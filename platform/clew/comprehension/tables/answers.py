"""What a whole table answers: it is counted, compared or added up, with the rows that it takes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isclose

from clew.comprehension.amounts import unit_of
from clew.comprehension.eligibility import classes_called
from clew.comprehension.lexicon import DIMENSIONS, classes_of, words
from clew.comprehension.tables.asked import (
    BY_AGE,
    BY_DAY,
    BY_LENGTH,
    BY_PRICE,
    EXTREMES,
    GENERIC,
    OF_ALL,
    PEOPLE,
    TableQuestion,
)
from clew.comprehension.tables.bounds import OF_MONEY, is_about_money, is_called_a_sum
from clew.comprehension.tables.cells import are_comparable
from clew.comprehension.tables.matching import Meant, rows_meant
from clew.comprehension.tables.table import Column, Row, Table, stems_of, words_of
from clew.results.words import listed

MOST_LISTED = 30
"""Things that are told one by one, the most; of more it is said how many they are."""
DISTINCT = 0.9
"""A column names rows where it has so many other values, as a share of the column that has most."""
SURE, TITLED, LOOSE = 3, 2, 1
"""How surely a table is of what is asked for: a column or what it stands under says so; its
document's title, or a column of people's names, does; a value does, or the question names the
document."""

_EACH = re.compile(r"\beach\b", re.IGNORECASE)
_HOW = re.compile(r"how (\w+)", re.IGNORECASE)
_OF_HOW = {**DIMENSIONS, "long": BY_LENGTH, **dict.fromkeys(("tall", "high"), "height")}
"""What something is called that is so long, so tall."""
_IDENTIFIES = words("no nr number id ref reference code name")
_GENERIC = stems_of(" ".join(GENERIC))
_NAMES = stems_of("name title description item product person employee")
_BIRTH = stems_of("born birth dob")
_MADE = stems_of("built build commissioned bought purchased installed registered year date made")
_GENERAL = stems_of("date day year when")
_START = stems_of("since start started begin began join joined employed appointed opened from")
_LONG, _LENGTH = stems_of("length duration"), stems_of(BY_LENGTH)
_EXPIRY = stems_of("expire expiry end until due valid expires run")


@dataclass(frozen=True)
class TableAnswer:
    """``short``: the answer; ``rows``: those that carry it; ``basis``: what was done, for people;
    ``rank``: how surely the table is of what is asked for, and how many words it is called by;
    ``items``: several things.
    """

    short: str
    rows: tuple[Row, ...]
    basis: str
    rank: tuple[int, int]
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Thing:
    """What is asked for, in a table: how surely it is of that (0: not at all), the column that
    names it, None where rows are it, and the places of the words that say so; ``guessed``: nothing
    but the document's name does.
    """

    rank: int
    column: Column | None
    explained: tuple[int, ...]
    guessed: bool = False


def answer_of_tables(question: TableQuestion, tables: Iterable[Table]) -> TableAnswer | None:
    """Return what the one table tells that knows all words of the question; None where none does,
    or several tell different things.
    """
    tell = _of_extremes
    if question.operation in {"count", "list"}:
        tell = _of_things
    elif question.operation in {"total", "average"}:
        tell = _of_sums
    found = [one for table in tables if (one := tell(question, table)) is not None]
    best = max((one.rank for one in found), default=(0, 0))
    found = [one for one in found if one.rank == best]
    return found[0] if found and len({one.short for one in found}) == 1 else None


def _thing(question: TableQuestion, table: Table) -> _Thing:
    stems = question.thing_stems
    named = [one for one in table.columns if stems & _head(one) and not one.measures]
    if named:
        column = next((one for one in named if not _is_of_codes(one)), named[0])
        return _Thing(SURE, column, question.thing)
    if stems & table.stems:
        return _Thing(SURE, None, question.thing)
    if stems & table.title_stems:
        return _Thing(TITLED, None, question.thing)
    anybody = question.people and all(question.words[i].text in PEOPLE for i in question.thing)
    anybody = anybody and not table.partial  # who wrote documents is none of the staff
    people = next(filter(_is_of_people, table.columns), None) if anybody else None
    if people is not None:
        return _Thing(TITLED, people, question.thing)
    if _has_kind(table, stems):
        return _Thing(LOOSE, None, ())  # the word chooses the rows
    said = frozenset[str]().union(*(word.stems for word in question.words))
    if stems & _GENERIC:
        return _Thing(LOOSE, None, question.thing)
    called = table.is_called_by(said)
    return _Thing(LOOSE if called else 0, None, question.thing, guessed=True)


def _head(column: Column) -> frozenset[str]:
    """Return the stems of the noun that a column is called by: of "Trip no." the trip."""
    named = [word for word in words_of(column.name) if word not in _IDENTIFIES]
    return stems_of(named[-1]) if named else column.stems


def _is_of_people(column: Column) -> bool:
    named = "PERSON" in classes_called(column.name) or column.stems & stems_of("name")
    return bool(named) and not column.measures


def _has_kind(table: Table, stems: frozenset[str]) -> bool:
    """Say whether rows are of a kind that is called so."""
    kinds = [one for one in table.columns if one.repeats and not one.is_numeric]
    return any(stems & word for one in kinds for value in one.words for word in value)


# how they are called


def _naming(table: Table) -> Column:
    """Return the column whose values people would call its rows by."""
    text = [one for one in table.columns if not one.measures]
    named = [one for one in text if one.stems & _NAMES]
    if named or not text:
        return (named or list(table.columns))[0]
    most = max(len(set(one.keys)) for one in text)
    distinct = [one for one in text if len(set(one.keys)) >= DISTINCT * most]
    return next((one for one in distinct if not _is_of_codes(one)), distinct[0])


def _called(naming: Column, meant: Meant) -> tuple[str, ...]:
    """Return what the rows that are meant are called, each once, with the code that they have where
    they have one: "Iceland (T10)".
    """
    coded = (one for one in meant.table.columns if _is_of_codes(one) and not one.repeats)
    code = next(coded, naming)
    told = []
    for row in meant.rows:
        value = naming.values[row]
        if naming.filled[row]:
            beside = code is not naming and code.filled[row] and not naming.measures
            told.append(f"{value} ({code.values[row]})" if beside else value)
    return tuple(dict.fromkeys(told))


def _is_of_codes(column: Column) -> bool:
    """Say whether a column has single words with digits, as numbers of items are."""
    told = [value for value, full in zip(column.values, column.filled, strict=True) if full]
    codes = [one for one in told if " " not in one and any(map(str.isdigit, one))]
    return 2 * len(codes) > len(told) and not column.measures


# how many, and which


def _of_things(question: TableQuestion, table: Table) -> TableAnswer | None:
    thing = _thing(question, table)
    counts = question.operation == "count"
    numbers = [one for one in table.columns if question.thing_stems & one.stems and one.is_numeric]
    if counts and thing.column is None and len(numbers) == 1:
        return _of_counted(question, table, numbers[0])
    loose = not counts and thing.rank == LOOSE and not question.thing_stems & _GENERIC
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
    things = _called(thing.column or _naming(table), meant)
    if not counts:
        if not meant.said or len(things) <= (0 if question.several else 1):
            return None
        named, left = things[:MOST_LISTED], len(things) - MOST_LISTED
        short = listed((*named, f"{left} more") if left > 0 else named)
        return _told(short, meant, thing.rank, "Looked up", named)
    count = len(meant.rows)
    if thing.column is not None and not question.thing_stems & meant.context:
        count = len({thing.column.keys[row] for row in meant.rows})
    return _told(str(count), meant, thing.rank, "Counted")


def _of_counted(question: TableQuestion, table: Table, column: Column) -> TableAnswer | None:
    """Return the sum of the numbers of what is asked for, "how many tubes": None where it stands in
    one row, which is looked up; or the number of rows that the column numbers.
    """
    meant = rows_meant(question, table, question.thing, [column.key])
    if meant is None:
        return None
    first = table.columns[1 if table.partial else 0]  # behind the documents' titles
    if column is first and not column.repeats:
        return _told(str(len(meant.rows)), meant, SURE, "Counted") if meant.said else None
    return _sum(column, meant, average=False) if len(meant.rows) > 1 else None


# what they sum to


def _of_sums(question: TableQuestion, table: Table) -> TableAnswer | None:
    column, places = _measured(question, table)
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
    return _told(numbers[0].written(value), meant, SURE, said)


def _measured(question: TableQuestion, table: Table) -> tuple[Column | None, set[int]]:
    """Return the one column of numbers that is measured, and the words that say so."""
    numeric = [one for one in table.columns if one.is_numeric and not one.is_of_days]
    behind = {word.text for place in question.measure for word in question.words[place:][1:2]}
    if not behind & _IDENTIFIES:  # but "the highest invoice number" is one
        numeric = [one for one in numeric if not _identifies(one, table)]
    of_money = not question.by and is_about_money(question)
    much = "how much" in question.text.casefold()
    if question.by == BY_PRICE or of_money or much:
        sums = [one for one in numeric if is_called_a_sum(one)]
        numeric = sums or (numeric if much else [])
    elif question.by:
        own = stems_of(question.by)
        numeric = [one for one in numeric if own & one.stems and not is_called_a_sum(one)]
    stems = [question.words[place].stems for place in question.measure]
    stems = [one | (_LENGTH if one & _LONG else frozenset()) for one in stems]
    scores = [sum(bool(own & one.stems) for own in stems) for one in numeric]
    most = max(scores, default=0)
    best = [one for one, score in zip(numeric, scores, strict=True) if score == most]
    unsaid = set(question.measure) <= set(question.thing)
    if unsaid and not most and question.operation in {"total", "average"}:
        # but not where it is a column of no numbers
        unsaid = not any(own & one.stems for own in stems for one in table.columns)
    optional = question.by or of_money or much or unsaid
    if len(best) != 1 or not (most or optional):
        return None, set()
    money = OF_MONEY if is_called_a_sum(best[0]) else frozenset[str]()
    # but not the "paid" of another column, "Paid: yes"
    others = frozenset[str]().union(*(one.stems for one in table.columns if one is not best[0]))
    return best[0], {
        place
        for place, word in enumerate(question.words)
        if word.stems & best[0].stems or (word.stems & money and not word.stems & others)
    }


def _identifies(column: Column, table: Table) -> bool:
    """Say whether a column's numbers are what things are called by: not "number of seats"."""
    named = words_of(column.name)
    if is_called_a_sum(column) or "of" in named:
        return False
    if named[1:] and named[-1] in _IDENTIFIES:
        return True
    numbers = [one for one in column.numbers if one is not None]
    whole = all(one.value.is_integer() and one.unit == ("", "") for one in numbers)
    nouns = [word for word in named if word not in _IDENTIFIES]
    measures = any("NUMBER" in classes_of(word) or unit_of(word)[0] for word in nouns)
    measures = measures or any(word.endswith("s") for word in nouns[-1:])
    first = table.columns[1 if table.partial else 0]  # behind the documents' titles
    return column is first and whole and not (column.repeats or measures)


# which is the largest, the latest, the oldest


def _of_extremes(question: TableQuestion, table: Table) -> TableAnswer | None:
    if (value := _extreme_value(question, table)) is not None:
        if _asks_for_value(question):
            return None
        words = tuple(replace(one, says=one.says or one.text in value) for one in question.words)
        return _of_things(replace(question, operation="list", words=words), table)
    asks = question.thing or question.people
    thing = _thing(question, table) if asks else _Thing(LOOSE, None, ())
    if question.by in {BY_DAY, BY_AGE}:
        column, places = _of_time(question, table)
    else:
        column, places = _measured(question, table)
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
    if _asks_for_value(question):
        things = _values(question, column, meant)
    else:
        things = _called(column if itself else thing.column or _naming(table), meant)
    if not 0 < len(things) <= MOST_LISTED:
        return None
    said = f"The {'greatest' if greatest else 'least'} “{column.name}” of {len(told)}"
    rank = max(thing.rank, SURE) if itself else thing.rank
    return _told(listed(things), meant, rank, said, things if len(things) > 1 else ())


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
    question: TableQuestion, thing: _Thing, column: Column, meant: Meant
) -> TableAnswer | None:
    """Return the things whose numbers sum to most, or are most on average."""
    named = thing.column
    numbers = column.numbers_in(meant.rows)
    if named is None or column.is_of_days or not are_comparable(numbers.values()):
        return None
    if _asks_for_value(question):
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
    return _told(listed(tuple(things)), meant, thing.rank, done, items)


def _asks_for_value(question: TableQuestion) -> bool:
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


def _extreme_value(question: TableQuestion, table: Table) -> frozenset[str] | None:
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


def _told(short: str, meant: Meant, rank: int, done: str, items: Sequence[str] = ()) -> TableAnswer:
    table = meant.table
    rows = tuple(table.rows[row] for row in meant.rows)
    of = "documents" if table.partial else "rows"
    basis = f"{done} in “{table.title}”: {len(rows)} of {len(table.rows)} {of}{meant.conditions}."
    return TableAnswer(short, rows, basis, (rank, meant.called), tuple(items))
