"""Tables: CSV, TSV and XLSX.

A table with a title column and a text column is a collection: each row is a Document of its own.
Any other table is one document whose rows are sentences, "column: value; column: value.".
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, time
from itertools import chain, islice
from typing import Any

from clew_ingest.errors import SourceTooLarge, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.markdown_text import row_text
from clew_ingest.reading.media_types import TSV, XLSX
from clew_ingest.reading.read_document import ReadDocument, ReadResult
from clew_ingest.reading.records import TEXT_FIELDS, TITLE_FIELDS, collection
from clew_ingest.reading.table_headers import is_header

_SAMPLE = 65_536
_ROWS_TRIED = 50
_DELIMITERS = "\t;|,"
"""What may part columns; of those that fit alike the first, as a comma is also in numbers."""
_CELLS_IN_QUOTES = re.compile(
    r'(?:^|\t) *(?:"(?:[^"\n]|"")*"|"(?:[^"\t]|"")*" *(?=\t|$)|(?P<open>"))', re.MULTILINE
)
"""Cells of TSV that begin with a quote; ``open``: it ends neither on its line nor with its cell."""
_PEEKED = 20
"""Rows by which a caption is told from the columns' names."""


def read_csv(text: str, media_type: str, name: str, limits: IngestLimits) -> ReadResult:
    """Read comma-, semicolon-, bar- or tab-separated values."""
    csv.field_size_limit(limits.text_bytes)
    delimiter = "\t" if media_type == TSV else delimiter_of(text)
    broken = delimiter == "\t" and any(found["open"] for found in _CELLS_IN_QUOTES.finditer(text))
    rows = csv.reader(
        io.StringIO(text),
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if broken else csv.QUOTE_MINIMAL,
        skipinitialspace=True,
    )
    try:
        return _read_tables([("", rows)], media_type, name, limits)
    except csv.Error as error:
        raise UnreadableSource(
            f"The table is broken at line {rows.line_num}: {error}.",
            remedy="Save it as CSV in UTF-8, with text in double quotes.",
        ) from error


def delimiter_of(text: str, columns: int | None = None) -> str:
    """Return what parts most of a table's first rows into as many cells, more than one, or into
    ``columns``; "," where nothing does.
    """

    def alike(delimiter: str) -> int:
        lines = io.StringIO(text[:_SAMPLE])
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            widths = Counter(map(len, islice(rows, _ROWS_TRIED)))
        except csv.Error:
            return 0
        return max((widths[n] for n in widths if n > 1 and columns in (None, n)), default=0)

    best = max(_DELIMITERS, key=alike)
    return best if alike(best) else ","


def read_xlsx(data: bytes, name: str, limits: IngestLimits) -> ReadResult:
    """Read every sheet of a workbook; formulas count with the value that was saved."""
    from openpyxl import load_workbook

    workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    try:
        sheets = []
        for sheet in workbook.worksheets:
            sheet.reset_dimensions()  # what it declares may be a lie of a million empty rows
            sheets.append((sheet.title, sheet.iter_rows(values_only=True)))
        result = _read_tables(sheets, XLSX, name, limits)
    finally:
        workbook.close()
    return result


def _read_tables(
    tables: list[tuple[str, Iterable[Iterable[Any]]]],
    media_type: str,
    name: str,
    limits: IngestLimits,
) -> ReadResult:
    paragraphs: list[str] = []
    length = 0
    for title, table in tables:
        start = len(paragraphs)
        captions, header, rows = _beginning(_filled(table))
        paragraphs += captions
        length += sum(map(len, captions))
        names = [cell.lower() for cell in header]
        if len(tables) == 1 and {*names} & {*TITLE_FIELDS} and {*names} & {*TEXT_FIELDS}:
            records = (dict(zip(names, row, strict=False)) for row in rows)
            return collection(media_type, enumerate(records, 2), "row", limits)
        for row in rows:
            paragraphs.append(row_text(header, row))
            length += len(paragraphs[-1])
            if length > limits.text_bytes:
                raise SourceTooLarge(
                    f"The table's text is longer than {limits.text_limit_mib} MiB.",
                    remedy="Split it into several files, or raise CLEW_TEXT_LIMIT_MIB.",
                )
        if header and not length:
            paragraphs.append(row_text([], header))
        if title and len(tables) > 1 and len(paragraphs) > start:
            paragraphs.insert(start, title)
    return ReadResult(media_type, [ReadDocument(name, "\n\n".join(filter(None, paragraphs)))])


def _beginning(
    rows: Iterator[list[str]],
) -> tuple[list[str], list[str], Iterator[list[str]]]:
    """Return the captions above a table, the names of its columns, if any, and its other rows.

    A caption is a row of one cell, or of half as many, at most, as the widest of the rows that
    follow ("Training matrix", and on the right "as of 31 March").
    """
    begun = list(islice(rows, _PEEKED))
    widths = [sum(map(bool, row)) for row in begun]
    widest = max(widths, default=0)
    first = next((i for i, n in enumerate(widths) if n > 1 and 2 * n > widest), None)
    if first is None:
        return [row_text([], row) for row in chain(begun, rows)], [], iter(())
    captions = [row_text([], row) for row in begun[:first]]
    table = begun[first:]
    if is_header(table):
        return captions, table[0], chain(table[1:], rows)
    return captions, [], chain(table, rows)


def _filled(table: Iterable[Iterable[Any]]) -> Iterator[list[str]]:
    for row in table:
        cells = ["" if cell is None else " ".join(_text_of(cell).split()) for cell in row]
        if any(cells):
            yield cells


def _text_of(cell: Any) -> str:
    """Return a cell as people read it: a day without the midnight that a workbook keeps with it."""
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    return str(cell)
