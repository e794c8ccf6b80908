"""Tables in passages: the rows of one document, and what documents tell before their texts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from clew.comprehension.lexicon import classes_of
from clew.comprehension.lines import fields, named_fields, without_addresses
from clew.comprehension.naming import calls_document
from clew.comprehension.tables.cells import number_in
from clew.comprehension.tables.table import Row, Table
from clew.results.evidence import ScoredChunk
from clew_ingest.parsing.entity_names import STOP_WORDS

LEAST_ROWS = 3
"""Rows of what is asked as a table: fewer are read as they are."""
TITLE = "title"
OF_HEADS, OF_HEADS_TITLE = "pages files", "the documents' fields"
"""What a table of documents is called, and what it stands under."""
CAPTION_WORDS = 14
"""Words of a line before a table that may say what it holds, the most."""
_TOTAL = re.compile(
    r"(?:sub[- ]?|(?:grand|overall|net|gross|running|in) )?(?:total|sum)s?\b|altogether\b",
    re.IGNORECASE,
)
_BALANCE = re.compile(r"(?:(?:opening|closing|net) )?balance\b|averages?\b|mean\b", re.IGNORECASE)
"""What rows of nothing but numbers are called that sum up others."""


@dataclass
class _Open:
    """A table that is being read."""

    caption: str
    rows: list[Row] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def continues(self, cells: dict[str, str]) -> bool:
        return bool(cells) and 2 * len(self.known & cells.keys()) > len(cells)

    def add(self, row: Row) -> None:
        self.rows.append(row)
        self.known.update(row.cells)

    def things(self) -> Iterator[Row]:
        """Yield the rows that are no total of others; what is called so may have all that the
        others have: "Total station".
        """
        most = max(len(row.cells) for row in self.rows)
        rows = self.rows[:-1] if self._ends_with_sums else self.rows
        for row in rows:
            first, *others = row.cells.values()
            found = _TOTAL.match(first) or (_are_numbers(others) and _BALANCE.match(first))
            if not found or (len(row.cells) == most and _is_a_name(first[found.end() :])):
                yield row

    @property
    def _ends_with_sums(self) -> bool:
        """Whether the last row has numbers alone, and not what all others begin with."""
        *others, last = self.rows
        first = next(iter(others[0].cells)) if others else ""
        named = bool(others) and all(first in row.cells for row in others)
        return named and first not in last.cells and _are_numbers(last.cells.values())


def tables_of(chunks: Sequence[ScoredChunk]) -> list[Table]:
    """Return the tables of one document, whose passages are given in their order."""
    found: list[_Open] = []
    current: _Open | None = None
    before = ""
    for chunk, number, line in _lines(chunks):
        cells = _cells(line)
        if current is not None and current.continues(cells):
            current.add(Row(line, chunk, cells))
        elif len(cells) > 1:
            current = _Open(f"{chunk.heading_of(number)} {before}".strip())
            current.add(Row(line, chunk, cells))
            found.append(current)
        else:
            current, before = None, line if len(line.split()) <= CAPTION_WORDS else ""
    title = chunks[0].title if chunks else ""
    told = [(one.caption, tuple(one.things())) for one in found]
    return [Table(title, caption, rows) for caption, rows in told if len(rows) >= LEAST_ROWS]


def tables_of_heads(chunks: Iterable[ScoredChunk]) -> list[Table]:
    """Return the tables of what documents tell before their texts, each in a row, given the
    passages that they begin with; those whose fields are called alike are of one table.

    A number by which a title calls its document ("PEP-8: Style Guide") is its title there.
    """
    found: list[_Open] = []
    for chunk in chunks:
        line = chunk.text.partition("\n")[0].strip()
        cells = _cells(line)
        if len(cells) < 2:
            continue
        title = chunk.title.replace("; ", ", ")
        told = {
            name: chunk.title
            if value.isdecimal() and calls_document(f"{name} {value}", chunk.title)
            else without_addresses(value) or value
            for name, value in cells.items()
        }
        row = Row(f"{TITLE}: {title}; {line}", chunk, {TITLE: title, **told})
        table = next((one for one in found if one.continues(row.cells)), None)
        if table is None:
            table = _Open(OF_HEADS)
            found.append(table)
        table.add(row)
    return [
        Table(OF_HEADS_TITLE, one.caption, tuple(one.rows), partial=True)
        for one in found
        if len(one.rows) >= LEAST_ROWS
    ]


def begins_with_row(chunk: ScoredChunk) -> bool:
    """Say whether a passage begins with a row, as that of a document with fields does."""
    return len(named_fields(chunk.text.partition("\n")[0])) > 1


def has_rows(chunk: ScoredChunk) -> bool:
    """Say whether a passage holds a table's row."""
    return any(len(named_fields(line)) > 1 for line in chunk.text.split("\n") if "; " in line)


def _lines(chunks: Sequence[ScoredChunk]) -> Iterator[tuple[ScoredChunk, int, str]]:
    for chunk in chunks:
        for number, line in enumerate(chunk.text.split("\n")):
            if line.strip():
                yield chunk, number, line.strip()


def _cells(line: str) -> dict[str, str]:
    """Return a row's values by their columns; what has no name goes on with what is before it."""
    cells: dict[str, str] = {}
    last = ""
    for one in fields(line):
        value = line[one.start : one.end].strip()
        if one.name:
            last = one.key
            cells.setdefault(last, value)
        elif last:
            cells[last] += f"; {value}"
    return cells


def _are_numbers(values: Iterable[str]) -> bool:
    return all(number_in(value) is not None for value in values)


def _is_a_name(following: str) -> bool:
    """Say whether words behind "total" say what it is called: not "of 2024", "cost" or "(EUR)"."""
    found = re.match(r"\s+([^\W\d_]+)", following)
    word = found.group(1).casefold() if found else ""
    return bool(word) and word not in STOP_WORDS and "NUMBER" not in classes_of(word)
