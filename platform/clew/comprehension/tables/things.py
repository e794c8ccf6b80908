"""What is asked of a table: the things, what they are called, by which column they are measured,
and what is told of the rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.comprehension.amounts import unit_of
from clew.comprehension.eligibility import classes_called
from clew.comprehension.lexicon import classes_of, words
from clew.comprehension.tables.asked import BY_LENGTH, BY_PRICE, GENERIC, PEOPLE, TableQuestion
from clew.comprehension.tables.bounds import OF_MONEY, is_about_money, is_called_a_sum
from clew.comprehension.tables.meant import Meant
from clew.comprehension.tables.table import Column, Row, Table, stems_of, words_of

MOST_LISTED = 30
"""Things that are told one by one, the most; of more it is said how many they are."""
DISTINCT = 0.9
"""A column names rows where it has so many other values, as a share of the column that has most."""
SURE, TITLED, LOOSE = 3, 2, 1
"""How surely a table is of what is asked for: a column or what it stands under says so; its
document's title, or a column of people's names, does; a value does, or the question names the
document."""
_IDENTIFIES = words("no nr number id ref reference code name")
_NAMES = stems_of("name title description item product person employee")
_LONG, _LENGTH = stems_of("length duration"), stems_of(BY_LENGTH)
GENERIC_STEMS = stems_of(" ".join(GENERIC))


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
class Thing:
    """What is asked for, in a table: how surely it is of that (0: not at all), the column that
    names it, None where rows are it, and the places of the words that say so; ``guessed``: nothing
    but the document's name does.
    """

    rank: int
    column: Column | None
    explained: tuple[int, ...]
    guessed: bool = False


def thing_of(question: TableQuestion, table: Table) -> Thing:
    """Return what is asked for, as a table has it."""
    stems = question.thing_stems
    named = [one for one in table.columns if stems & _head(one) and not one.measures]
    if named:
        column = next((one for one in named if not _is_of_codes(one)), named[0])
        return Thing(SURE, column, question.thing)
    if stems & table.stems:
        return Thing(SURE, None, question.thing)
    if stems & table.title_stems:
        return Thing(TITLED, None, question.thing)
    anybody = question.people and all(question.words[i].text in PEOPLE for i in question.thing)
    anybody = anybody and not table.partial  # who wrote documents is none of the staff
    people = next(filter(_is_of_people, table.columns), None) if anybody else None
    if people is not None:
        return Thing(TITLED, people, question.thing)
    if _has_kind(table, stems):
        return Thing(LOOSE, None, ())  # the word chooses the rows
    said = frozenset[str]().union(*(word.stems for word in question.words))
    if stems & GENERIC_STEMS:
        return Thing(LOOSE, None, question.thing)
    called = table.is_called_by(said)
    return Thing(LOOSE if called else 0, None, question.thing, guessed=True)


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


def naming_of(table: Table) -> Column:
    """Return the column whose values people would call its rows by."""
    text = [one for one in table.columns if not one.measures]
    named = [one for one in text if one.stems & _NAMES]
    if named or not text:
        return (named or list(table.columns))[0]
    most = max(len(set(one.keys)) for one in text)
    distinct = [one for one in text if len(set(one.keys)) >= DISTINCT * most]
    return next((one for one in distinct if not _is_of_codes(one)), distinct[0])


def names_of_rows(naming: Column, meant: Meant) -> tuple[str, ...]:
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


def measured(question: TableQuestion, table: Table) -> tuple[Column | None, set[int]]:
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


def told_of(
    short: str, meant: Meant, rank: int, done: str, items: Sequence[str] = ()
) -> TableAnswer:
    """Return what is told: ``short`` of the rows that are meant, of which ``done`` is said."""
    table = meant.table
    rows = tuple(table.rows[row] for row in meant.rows)
    of = "documents" if table.partial else "rows"
    basis = f"{done} in “{table.title}”: {len(rows)} of {len(table.rows)} {of}{meant.conditions}."
    return TableAnswer(short, rows, basis, (rank, meant.called), tuple(items))
