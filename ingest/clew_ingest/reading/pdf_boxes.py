"""Boxes of text on a PDF's page, as pdfminer lays them out, and the tables among them.

A ruled table is found by its lines. Cells that no line parts are found by standing beside each
other: rows of the same number of short texts, one right under the other, whose columns are aligned.
Columns of prose fill their width and are no table.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median
from typing import Any

from clew_ingest.reading.parted_words import joined_words
from clew_ingest.reading.pdf_fields import join_fields
from clew_ingest.reading.right_to_left import as_read, is_right_to_left
from clew_ingest.reading.table_headers import (
    has_numbers_below,
    has_periods,
    has_words,
    is_header,
)
from clew_ingest.reading.text_decoding import raised

_ALIGNED_PT = 3.0
"""Points by which the edges of what is aligned may differ."""
_FILLED = 0.7
"""Share of its column that a cell fills on average, at most; lines of prose fill more."""
_RAISED = 0.85
"""How large letters above the line are, at most, measured on those of the line."""
_GAP = 0.1
"""Room between two words, measured on a letter, at least; pdfminer's."""
_LEAST_LINES, _LEAST_PROSE = 4, 25
"""Lines of prose, and characters of such a line, at least."""
_JUSTIFIED = 0.6
"""Share of the lines of justified prose that go from edge to edge, at least."""
_LEAST_RULES = 3
"""Horizontal and vertical lines of a table, at least."""


@dataclass(frozen=True)
class Box:
    """A text and where it stands, in points: ``top`` and ``foot`` are measured from the page's top.

    ``size``: of its letters; ``bold``: whether all of them are; ``end``: where its last line ends.
    ``cells``: it is the row of a table, whose columns have ``names``, or none that are known.
    """

    text: str
    left: float
    right: float
    top: float
    foot: float
    size: float
    bold: bool = False
    end: float = 0.0
    cells: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def boxes_of(page: Any, ruled: Sequence[Box]) -> list[Box]:
    """Return the boxes of pdfminer's page in reading order, rows of tables as boxes.

    ``ruled``: the rows of its tables that lines part.
    """
    from pdfminer.layout import LTTextBox

    join_fields([line for line in _lines(page) if not _is_in_any(_frame(line, page.y1), ruled)])
    elements = [
        [(line, _box([line], page.y1)) for line in element if line.get_text().strip()]
        for element in page
        if isinstance(element, LTTextBox)
    ]
    lines = [[box for _, box in element] for element in elements]
    cells = [box for element in lines if not _is_justified(element) for box in element]
    rows = [*ruled, *_aligned_rows(cells)]
    found: list[Box] = []
    placed: set[int] = set()
    for element in elements:
        kept: list[Any] = []
        for line, box in element:
            within = [place for place, row in enumerate(rows) if _is_in(box, row)]
            if kept and (within or not _same_letters(_box(kept, page.y1), box)):
                found.append(_box(kept, page.y1))
                kept = []
            if not within:
                kept.append(line)
                continue
            # a table stands, in order, where the first of its texts does
            table = _table_of(rows, within[0])
            found += [rows[place] for place in table if place not in placed]
            placed.update(table)
        if kept:
            found.append(_box(kept, page.y1))
    return found


def _box(lines: Sequence[Any], page_top: float) -> Box:
    from pdfminer.layout import LTChar

    letters = [letter for line in lines for letter in line if isinstance(letter, LTChar)]
    return Box(
        text="".join(map(_text, lines)).strip(),
        left=min(line.x0 for line in lines),
        right=max(line.x1 for line in lines),
        top=page_top - max(line.y1 for line in lines),
        foot=page_top - min(line.y0 for line in lines),
        size=median([letter.size for letter in letters]) if letters else 0.0,
        bold=bool(letters) and all("bold" in letter.fontname.lower() for letter in letters),
        end=lines[-1].x1,
    )


def _text(line: Any) -> str:
    """Return a line's text, with numbers above it as such: "10⁶", and "2019¹" for the mark of a
    note.
    """
    from pdfminer.layout import LTChar

    letters = [letter for letter in line if isinstance(letter, LTChar)]
    if is_right_to_left(line.get_text()):
        return f"{as_read(_shown(letters))}\n"
    sizes = sorted(letter.size for letter in letters)
    if not sizes or sizes[0] > _RAISED * sizes[-1]:
        return str(line.get_text())
    size = median(sizes)
    base = min((letter.y0 for letter in letters if letter.size > _RAISED * size), default=0.0)

    def written(letter: Any) -> str:
        text = str(letter.get_text())
        if not isinstance(letter, LTChar) or letter.size > _RAISED * size:
            return text
        return raised(text) if letter.y0 > base + 0.2 * size else text

    return "".join(map(written, line))


def _shown(letters: Sequence[Any]) -> str:
    """Return the letters of a line from the left, whatever order they were set in."""
    shown = ""
    end = None
    for letter in sorted(letters, key=lambda one: one.x0):
        if end is not None and letter.x0 > end + _GAP * max(letter.width, letter.height):
            shown += " "
        shown, end = shown + letter.get_text(), letter.x1
    return " ".join(shown.split())


def _cell_text(text: str) -> str:
    if is_right_to_left(text):
        text = "\n".join(map(as_read, text.split("\n")))
    return " ".join(joined_words(text, typeset=True).split())


def _same_letters(above: Box, box: Box) -> bool:
    return above.bold == box.bold and abs(above.size - box.size) < 0.1 * above.size


def _is_in(box: Box, row: Box) -> bool:
    across, down = (box.left + box.right) / 2, (box.top + box.foot) / 2
    return row.left <= across <= row.right and row.top <= down <= row.foot


def _is_in_any(box: Box, rows: Sequence[Box]) -> bool:
    return any(_is_in(box, row) for row in rows)


def _table_of(rows: Sequence[Box], place: int) -> range:
    """Return the places of the rows of the table that the row at ``place`` belongs to."""
    first = last = place
    while first and len(rows[first - 1].cells) == len(rows[place].cells) and _under(rows, first):
        first -= 1
    while (
        last + 1 < len(rows)
        and len(rows[last + 1].cells) == len(rows[place].cells)
        and _under(rows, last + 1)
    ):
        last += 1
    return range(first, last + 1)


def _under(rows: Sequence[Box], place: int) -> bool:
    above, row = rows[place - 1], rows[place]
    return row.top >= above.top and row.top - above.foot < 2 * max(row.size, 8.0)


def _has_grid(page: Any) -> bool:
    from pdfminer.layout import LTCurve

    rules = [element for element in page if isinstance(element, LTCurve)]
    across = sum(rule.width > 5 * rule.height for rule in rules)
    down = sum(rule.height > 5 * rule.width for rule in rules)
    boxed = len(rules) - across - down
    return min(across, down) >= _LEAST_RULES or boxed >= 2 * _LEAST_RULES


class RuledTables:
    """The tables of a PDF that lines part, by pdfplumber, which opens it where a page has any."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._document: Any = None

    def __enter__(self) -> "RuledTables":
        return self

    def __exit__(self, *error: object) -> None:
        if self._document is not None:
            self._document.close()

    def on(self, number: int, page: Any) -> list[Box]:
        """Return the rows of tables on a page, which pdfminer has laid out; numbers begin at 1."""
        import pdfplumber

        if not _has_grid(page):
            return []
        if self._document is None:
            self._document = pdfplumber.open(io.BytesIO(self._data))
        seen = self._document.pages[number - 1]
        # pdfplumber measures from the corner of its sheet, not from what is seen of it
        across, down = seen.mediabox[0], seen.mediabox[1] + seen.height - page.y1
        filled = _filled_in(page)
        rows: list[Box] = []
        for table in seen.find_tables():
            texts = table.extract()
            if len(texts) < 2 or max(map(len, texts)) < 2:
                continue  # a frame around prose
            found = []
            for row, cells in zip(table.rows, texts, strict=True):
                frame, *places = (
                    box
                    and Box("", box[0] - across, box[2] - across, box[1] - down, box[3] - down, 0)
                    for box in (row.bbox, *row.cells)
                )
                for column, place in enumerate(places):
                    if place and any(_is_in(_frame(letter, page.y1), place) for letter in filled):
                        cells[column] = _text_within(page, place)
                words = tuple(_cell_text(cell or "") for cell in cells)
                found.append(replace(frame, text=" ".join(words), cells=words))
            rows += _named(found) if is_header([row.cells for row in found]) else found
        seen.close()  # else it keeps every letter
        return rows


def _lines(page: Any) -> list[Any]:
    from pdfminer.layout import LTTextBox

    return [line for element in page if isinstance(element, LTTextBox) for line in element]


def _frame(part: Any, page_top: float) -> Box:
    return Box("", part.x0, part.x1, page_top - part.y1, page_top - part.y0, 0)


def _filled_in(page: Any) -> list[Any]:
    """Return the letters that people set on a page, which pdfplumber does not see."""
    return [letter for line in _lines(page) for letter in line if hasattr(letter, "field")]


def _text_within(page: Any, place: Box) -> str:
    """Return what stands in a cell, whose lines pdfminer may have joined with those beside it."""
    from pdfminer.layout import LTChar

    texts = []
    for line in _lines(page):
        text, within = "", False
        for part in line:
            if isinstance(part, LTChar):
                within = _is_in(_frame(part, page.y1), place)
            text += part.get_text() if within else ""
        texts.append(text)
    return "\n".join(filter(None, map(str.strip, texts)))


def _named(rows: Sequence[Box]) -> list[Box]:
    """Return a table's rows with the names of the columns, which the first row has."""
    named = [replace(row, names=rows[0].cells) for row in rows]
    return [replace(named[0], cells=("",) * len(rows[0].cells)), *named[1:]]


def _aligned_rows(lines: Sequence[Box]) -> list[Box]:
    """Return the rows of tables without rules among the lines of a page."""
    rows: list[list[Box]] = []
    for line in sorted(lines, key=lambda line: (line.top, line.left)):
        if rows and abs(rows[-1][0].foot - line.foot) <= _ALIGNED_PT:
            rows[-1].append(line)
        else:
            rows.append([line])
    found: list[Box] = []
    run: list[list[Box]] = []
    for row in [*rows, []]:
        row.sort(key=lambda box: box.left)
        if len(run) == 1 and _is_below_an_empty_corner(run[0], row):
            left = row[0].left
            run = [[replace(run[0][0], text="", left=left, right=left), *run[0]]]
        if len(run) == 1 and (head := _within_columns(run[0], row)):
            run = [head]
        elif run and (cells := _within_columns(row, run[-1])):
            row = cells
        if run and not _goes_on(run[-1], row):
            found += _as_rows(run)
            run = []
        if len(row) > 1:
            run.append(row)
    return found


def _is_justified(boxes: Sequence[Box]) -> bool:
    """Whether lines are prose that fills its column from edge to edge: they are no cells of what
    stands beside them, a table in another column of the page.
    """
    lines: dict[float, list[Box]] = {}
    for box in boxes:
        lines.setdefault(round(box.foot), []).append(box)
    if len(lines) < _LEAST_LINES or sum(len(box.text) for box in boxes) < _LEAST_PROSE * len(lines):
        return False
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    full = [
        min(box.left for box in line) - left < _ALIGNED_PT > right - max(box.right for box in line)
        for line in lines.values()
    ]
    return sum(full) >= _JUSTIFIED * len(full)


def _goes_on(above: Sequence[Box], row: Sequence[Box]) -> bool:
    if len(row) != len(above) or row[0].top - above[0].foot > 2 * max(row[0].size, 8.0):
        return False
    return all(map(_is_aligned, above, row))


def _within_columns(row: Sequence[Box], other: Sequence[Box]) -> list[Box]:
    """Return those of a row that stand in the columns of one with fewer, at least three; what is
    left stands beside the table, in another column of the page. Else nothing.
    """
    if len(row) <= len(other) or len(other) < 3:
        return []
    found = [next((box for box in row if _is_aligned(box, cell)), None) for cell in other]
    cells = [box for box in found if box is not None]
    beside = [box for box in row if box not in cells]
    apart = all(box.right < cells[0].left or box.left > cells[-1].right for box in beside)
    return cells if len(cells) == len(other) == len(set(cells)) and apart else []


def _is_below_an_empty_corner(above: Sequence[Box], row: Sequence[Box]) -> bool:
    """Whether a row of periods has values below, and a word beside these."""
    if not _goes_on(above, row[1:]) or row[0].right > above[0].left:
        return False
    names, values = ([box.text.strip() for box in boxes] for boxes in (above, row))
    return has_periods([["", *names], values])


def _is_aligned(a: Box, b: Box) -> bool:
    """Whether two cells share their left edges, their right edges or their middles."""
    left, right = abs(a.left - b.left), abs(a.right - b.right)
    middle = abs(a.left + a.right - b.left - b.right) / 2
    return min(left, right, middle) <= _ALIGNED_PT


def _as_rows(run: Sequence[Sequence[Box]]) -> list[Box]:
    columns = list(zip(*run, strict=True))
    if len(run) < 2 or (len(columns) < 3 and len(run) < 3):
        return []
    lefts = [min(cell.left for cell in column) for column in columns]
    filled = [
        mean(cell.right - cell.left for cell in column) / (next_left - left)
        for column, left, next_left in zip(columns, lefts, lefts[1:], strict=False)
        if next_left > left
    ]
    if not filled or mean(filled) > _FILLED or _is_list(columns[0]):
        return []
    rows = [
        Box(
            " ".join(cell.text for cell in row),
            row[0].left,
            row[-1].right,
            min(cell.top for cell in row),
            max(cell.foot for cell in row),
            row[0].size,
            bold=all(cell.bold for cell in row),
            cells=tuple(_cell_text(cell.text) for cell in row),
        )
        for row in run
    ]
    return _named(rows) if _has_names(rows) else rows


def _has_names(rows: Sequence[Box]) -> bool:
    """Whether the first row of a table without rules names the columns: it alone is bold, or has
    no number where all below it do, or has periods above values.
    """
    first, below = rows[0], rows[1:]
    cells = [row.cells for row in rows]
    alone = first.bold and not any(row.bold for row in below)
    return has_periods(cells) or (has_words(first.cells) and (alone or has_numbers_below(cells)))


def _is_list(column: Iterable[Box]) -> bool:
    """Whether a column holds nothing but the marks of a list: bullets, "1.", "(a)"."""
    return all(len(cell.text.strip("().[] \n")) <= 2 and not cell.text.isdigit() for cell in column)
