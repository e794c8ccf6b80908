"""Tables as text: CSV and TSV, and what any sheet of rows says.

A table with a title column and a text column is a collection: each row is a Document of its own.
Any other sheet is one document whose rows are sentences, "column: value; column: value.".
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from clew_ingest.errors import SourceTooLarge, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.media_types import TSV
from clew_ingest.reading.read_document import Place, ReadDocument, ReadResult, placed_text
from clew_ingest.reading.records import TEXT_FIELDS, TITLE_FIELDS, collection
from clew_ingest.reading.sheet_tables import PEEKED, Row, named_rows, texts_of

_SAMPLE = 65_536
_ROWS_TRIED = 50
_DELIMITERS = "\t;|,"
"""What may part columns; of those that fit alike the first, as a comma is also in numbers."""
_SEPARATOR = re.compile(r'"?sep=(.)"?\n')
"""What spreadsheets write above a table to say how its columns are parted."""
_CELLS_IN_QUOTES = re.compile(
    r'(?:^|\t) *(?:"(?:[^"\n]|"")*"|"(?:[^"\t]|"")*" *(?=\t|$)|(?P<open>"))', re.MULTILINE
)
"""Cells of TSV that begin with a quote; ``open``: it ends neither on its line nor with its cell."""


def read_csv(text: str, media_type: str, name: str, limits: IngestLimits) -> ReadResult:
    """Read comma-, semicolon-, bar- or tab-separated values."""
    csv.field_size_limit(limits.text_bytes)
    said = _SEPARATOR.match(text)
    text = text[said.end() :] if said else text
    delimiter = said[1] if said else "\t" if media_type == TSV else delimiter_of(text)
    broken = delimiter == "\t" and any(found["open"] for found in _CELLS_IN_QUOTES.finditer(text))
    rows = csv.reader(
        io.StringIO(text),
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if broken else csv.QUOTE_MINIMAL,
        skipinitialspace=True,
    )
    try:
        sheet = (Row([" ".join(cell.split()) for cell in row]) for row in rows)
        return read_sheets([("", sheet)], media_type, name, limits)
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


def read_sheets(
    sheets: Sequence[tuple[str, Iterable[Row]]], media_type: str, name: str, limits: IngestLimits
) -> ReadResult:
    """Return what sheets say, each with its title, as one document, or a collection's records.

    Raises SourceTooLarge beyond the limits.
    """
    parts: list[tuple[str, Place]] = []
    length = 0
    for title, sheet in sheets:
        rows = iter(sheet)
        begun = list(islice(rows, PEEKED))
        if len(sheets) == 1:
            names, records = named_rows(begun)
            names = [name.lower() for name in names]
            if {*names} & {*TITLE_FIELDS} and {*names} & {*TEXT_FIELDS}:
                filled = (row.cells for row in chain(records, rows) if any(row.cells))
                found = (dict(zip(names, cells, strict=False)) for cells in filled)
                return collection(media_type, enumerate(found, 2), "row", limits)
        texts = []
        for text in texts_of(_within(chain(begun, rows), limits)):
            texts.append(text)
            length += len(text)
            if length > limits.text_bytes:
                raise _too_long(limits)
        if texts and len(sheets) > 1:
            parts.append(("\n\n".join(filter(None, (title, *texts))), Place(heading=title)))
        elif texts:
            parts.append(("\n\n".join(texts), Place()))
    text, places = placed_text(parts)
    return ReadResult(media_type, [ReadDocument(name, text, places=places)])


def _within(rows: Iterable[Row], limits: IngestLimits) -> Iterator[Row]:
    """Yield rows until their cells are longer than a text may be: tables are held whole."""
    length = 0
    for row in rows:
        length += sum(map(len, row.cells))
        if length > limits.text_bytes:
            raise _too_long(limits)
        yield row


def _too_long(limits: IngestLimits) -> SourceTooLarge:
    return SourceTooLarge(
        f"The table's text is longer than {limits.text_limit_mib} MiB.",
        remedy="Split it into several files, or raise CLEW_TEXT_LIMIT_MIB.",
    )
