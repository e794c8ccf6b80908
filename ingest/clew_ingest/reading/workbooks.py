"""Workbooks (XLSX): their sheets as rows of what people see in the cells."""

import io
import re
from collections.abc import Iterator
from typing import Any

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.media_types import XLSX
from clew_ingest.reading.number_formats import shown
from clew_ingest.reading.read_document import ReadResult
from clew_ingest.reading.sheet_tables import Row
from clew_ingest.reading.tables import read_sheets

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']([A-Z]+\d+:[A-Z]+\d+)[\"']")
_CHUNK = 1 << 20
_OVERLAP = 200
"""Bytes that the longest mention of a merged cell has, at most."""

_Area = tuple[int, int, int, int]
"""First column, first row, last column, last row; all from 1."""


def read_xlsx(data: bytes, name: str, limits: IngestLimits) -> ReadResult:
    """Read every sheet of a workbook; formulas count with the value that was saved."""
    from openpyxl import load_workbook

    workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    try:
        sheets = []
        for sheet in workbook.worksheets:
            sheet.reset_dimensions()  # what it declares may be a lie of a million empty rows
            sheets.append((sheet.title, _rows(sheet)))
        return read_sheets(sheets, XLSX, name, limits)
    finally:
        workbook.close()


def _rows(sheet: Any) -> Iterator[Row]:
    """Yield a sheet's rows. A cell that spans rows stands in each of them; the columns that cells
    span are told with the row.
    """
    areas = list(_merged(sheet))
    below = {(left - 1, top): foot for left, top, right, foot in areas if left == right}
    spans: dict[int, list[tuple[int, int]]] = {}
    for left, top, right, _ in areas:
        if left < right:
            spans.setdefault(top, []).append((left - 1, right - 1))
    kept: dict[int, tuple[str, int]] = {}
    for number, found in enumerate(sheet.iter_rows(), 1):
        cells = [" ".join(shown(one.value, one.number_format or "").split()) for one in found]
        if any(cells):
            for column, (text, foot) in kept.items():
                cells += [""] * (column + 1 - len(cells))
                if number <= foot and not cells[column]:
                    cells[column] = text
        for column, text in enumerate(cells if below else ()):
            if text and (column, number) in below:
                kept[column] = text, below[column, number]
        bold = all(one.font.b for one in found if one.value is not None)
        yield Row(cells, tuple(sorted(spans.get(number, ()))), bold)


def _merged(sheet: Any) -> Iterator[_Area]:
    """Yield the areas of a sheet that are one cell each. What reads rows one by one does not tell
    them, as they stand behind the rows.
    """
    from openpyxl.utils.cell import range_boundaries

    before = b""
    with sheet._get_source() as source:
        while chunk := source.read(_CHUNK):
            seen = before + chunk
            ended = 0
            for found in _MERGED.finditer(seen):
                ended = found.end()
                yield range_boundaries(found[1].decode())
            before = seen[max(ended, len(seen) - _OVERLAP) :]
