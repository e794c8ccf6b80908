"""The tables on a sheet, and what they say.

Empty rows part a sheet into blocks, and empty columns may part a block. Each is a table with names
of columns of its own, goes on with the table above it, or stands for itself, as a caption does.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from clew_ingest.reading.markdown_text import row_text
from clew_ingest.reading.table_headers import has_numbers_below, has_periods, is_header

PEEKED = 20
"""Rows by which a caption is told from the columns' names, and these from data."""
_MOST_HEADS = 4
"""Rows that name columns together, at most."""
_SURE = 3
"""Rows of a table of two columns, at least, whose first is surely no data."""


class Row(NamedTuple):
    """A row of a sheet; "" is an empty cell. ``spans``: first and last column of what spans some,
    which stands in the first; ``bold``: whether all that is written in it is.
    """

    cells: list[str]
    spans: tuple[tuple[int, int], ...] = ()
    bold: bool = False


_Rows = list[tuple[list[str], Row]]
"""Rows, each with the names of the columns that it stands below."""


class _Above(NamedTuple):
    """The table above a block: names of its columns, and those in which it has numbers."""

    names: list[str]
    numbers: list[int]


class _Head(NamedTuple):
    """``first``: the row with which a table begins; ``end``: the first below its names."""

    first: int
    end: int
    names: list[str]


def texts_of(rows: Iterable[Row]) -> Iterator[str]:
    """Yield what a sheet says, row by row, each cell with the name of its column."""
    above: _Above | None = None
    blocks = _blocks(rows)
    block = next(blocks, None)
    while block is not None:
        after = next(blocks, None)
        parts = _beside(block)
        for part in parts:
            below, table = _read(part, above if len(parts) == 1 else None, after or [])
            yield from (row_text(names, row.cells) for names, row in below)
            above = table or above
        above = above if len(parts) == 1 else None
        block = after


def named_rows(rows: Iterable[Row]) -> tuple[list[str], list[Row]]:
    """Return the names of the columns of the table that a sheet begins with, and the rows below
    them; no names where it has none.
    """
    filled = [row for row in rows if any(row.cells)]
    head = _head(filled, max(map(_width, filled), default=0))
    if head is None or not _is_named(head, filled):
        return [], filled
    return head.names, filled[head.end :]


def _blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    block: list[Row] = []
    for row in rows:
        if any(row.cells):
            block.append(row)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _read(block: list[Row], above: _Above | None, after: list[Row]) -> tuple[_Rows, _Above | None]:
    """Return the rows of a block below a table, if any, and above the block ``after``, with the
    names that they stand below; and the table that it is, where it has such names.

    A caption is a row of one cell, or of half as many, at most, as the widest of the rows that
    follow ("Training matrix", and on the right "as of 31 March").
    """
    begun = block[:PEEKED]
    followed = begun if above else [*begun, *after][:PEEKED]
    head = _head(begun, max(map(_width, followed)))
    if head is None and len(block) > _SURE:  # what follows is another table, and wider
        head = _head(begun, max(map(_width, begun)))
        head = head if head and has_numbers_below(_cells(head, begun)) else None
    if head and _is_named(head, begun) and (above is None or _is_new(head, begun, above)):
        rows = block[head.end :]
        named: _Rows = [([], row) for row in block[: head.first]]
        named += [(head.names, row) for row in rows]
        return named, _Above(head.names, _numbers(rows))
    goes_on = above.names if above and _fits(begun, above) else []
    return [(goes_on if _width(row) > 1 else [], row) for row in block], None


def _head(rows: Sequence[Row], widest: int) -> _Head | None:
    """Return where a table begins among rows of which the widest has so many cells, and what its
    columns would be called.
    """
    first = next((at for at, row in enumerate(rows) if 1 < _width(row) > widest / 2), None)
    if first is None:
        return None
    end = first + 1
    rows = [*rows[:first], _with_groups(rows[first], rows[end:]), *rows[end:]]
    while end < len(rows) and end - first < _MOST_HEADS and _names_too(rows[end - 1], rows[end]):
        end += 1
    columns = zip_longest(*map(_spread, rows[first : end - 1]), rows[end - 1].cells, fillvalue="")
    return _Head(first, end, [" ".join(dict.fromkeys(filter(None, names))) for names in columns])


def _names_too(above: Row, row: Row) -> bool:
    """Whether a row says what stands below names that span columns, and nothing else."""
    spanned = {column for first, last in above.spans for column in range(first, last + 1)}
    below = [column for column, cell in enumerate(row.cells) if cell]
    others = [column for column in below if column not in spanned]
    return len(others) < len(below) and all(
        above.cells[column : column + 1] == [row.cells[column]] for column in others
    )


def _with_groups(row: Row, below: Sequence[Row]) -> Row:
    """Return a row of names with what they span, where a file cannot say so: below several of them
    stand the same names, and values below these.
    """
    if row.spans or len(below) < 2:
        return row
    names = below[0].cells
    starts = [column for column, cell in enumerate(row.cells) if cell]
    ends = [*(start - 1 for start in starts[1:]), len(names) - 1]
    groups = [(start, end) for start, end in zip(starts, ends, strict=True) if end > start]
    inner = [tuple(names[start : end + 1]) for start, end in groups]
    values = [
        cell
        for other in below[1:]
        for start, end in groups
        for cell in other.cells[start : end + 1]
        if cell
    ]
    if len({*inner}) == len(inner) or not all(map(all, inner)) or not values:
        return row
    return Row(row.cells, tuple(groups), row.bold) if all(map(_has_digit, values)) else row


def _spread(row: Row) -> list[str]:
    cells = [*row.cells]
    for first, last in row.spans:
        cells += [""] * (last + 1 - len(cells))
        cells[first : last + 1] = [cells[first]] * (last + 1 - first)
    return cells


def _cells(head: _Head, rows: Sequence[Row]) -> list[list[str]]:
    return [head.names, *(row.cells for row in rows[head.end : head.end + PEEKED])]


def _is_named(head: _Head, rows: Sequence[Row]) -> bool:
    return head.end < len(rows) and is_header(_cells(head, rows))


def _numbers(rows: Sequence[Row]) -> list[int]:
    """Return the columns in which each cell that is filled has a digit."""
    columns = enumerate(zip_longest(*(row.cells for row in rows[:PEEKED]), fillvalue=""))
    return [at for at, cells in columns if any(cells) and all(map(_has_digit, filter(None, cells)))]


def _fits(rows: Sequence[Row], above: _Above) -> bool:
    """Whether rows may go on with a table: they have no other columns, and numbers where it has."""
    if max(map(_end, rows)) > len(above.names):
        return False
    for column in above.numbers:
        cells = [row.cells[column] for row in rows if any(row.cells[column : column + 1])]
        if cells and sum(map(_has_digit, cells)) <= len(cells) / 2:
            return False
    return True


def _has_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _is_new(head: _Head, rows: Sequence[Row], above: _Above) -> bool:
    """Whether what may be names of columns is no row of the table above: a caption stands over it,
    its letters or the values below show that it names them, or it has other columns.
    """
    cells = _cells(head, rows)
    bold = rows[head.first].bold and not rows[head.end].bold
    if head.first or bold or has_periods(cells):
        return True
    columns = [at for at, name in enumerate(head.names) if name]
    if len(columns) < 3 and len(cells) <= _SURE:  # they may be names and values
        return False
    others = [at for at, name in enumerate(above.names) if name]
    return columns != others or has_numbers_below(cells) or not _fits(rows, above)


def _beside(block: list[Row]) -> list[list[Row]]:
    """Return the tables that stand side by side, between empty columns: each has names of its own,
    and a caption, or some names are those of another, or one begins or ends elsewhere.
    """
    groups = _column_groups(block)
    if len(groups) < 2 or any(last == first for first, last in groups):
        return [block]
    tables = []
    rows_of = []
    captions = []
    names: list[str] = []
    for first, last in groups:
        rows = [_part(row, first, last) for row in block]
        filled = [at for at, row in enumerate(rows) if any(row.cells)]
        table = [rows[at] for at in filled]
        head = _head(table[:PEEKED], max(map(_width, table[:PEEKED])))
        if head is None or not _is_named(head, table[:PEEKED]):
            return [block]
        tables.append(table)
        captions.append(head.first)
        rows_of.append((filled[0], filled[-1]))
        names += set(filter(None, head.names))
    starts, ends = zip(*rows_of, strict=True)
    if (
        all(captions)
        or len(set(names)) < len(names)
        or len(set(starts)) > 1
        or max(ends) - min(ends) > 1
    ):
        return tables
    return [block]  # a column that only makes room


def _column_groups(block: Sequence[Row]) -> list[tuple[int, int]]:
    """Return first and last of the columns that stand together, between columns that are empty."""
    used = sorted({at for row in block for at, cell in enumerate(row.cells) if cell})
    groups: list[tuple[int, int]] = []
    for column in used:
        if groups and column == groups[-1][1] + 1:
            groups[-1] = groups[-1][0], column
        else:
            groups.append((column, column))
    return groups


def _part(row: Row, first: int, last: int) -> Row:
    spans = ((left - first, right - first) for left, right in row.spans if first <= left <= last)
    return Row(row.cells[first : last + 1], tuple(spans), row.bold)


def _width(row: Row) -> int:
    return sum(map(bool, row.cells))


def _end(row: Row) -> int:
    return max(at for at, cell in enumerate(row.cells, 1) if cell)
