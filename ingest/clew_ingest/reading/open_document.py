"""OpenDocument of LibreOffice: texts (ODT) and slides (ODP) as HTML, sheets (ODS) as rows.

What was deleted but kept as a change, remarks, tables of contents, what asks to fill in a field and
what runs along slides is left out, as in files of Microsoft Office.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from clew_ingest.errors import protected
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.media_types import ODS
from clew_ingest.reading.read_document import ReadResult
from clew_ingest.reading.sheet_tables import Row
from clew_ingest.reading.tables import read_sheets
from clew_ingest.reading.text_decoding import clean_line, raised

_NAME = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_OFFICE, _TABLE, _TEXT = _NAME % "office", _NAME % "table", _NAME % "text"
_DRAW, _STYLE, _SHOW = _NAME % "drawing", _NAME % "style", _NAME % "presentation"
_FO, _SVG = _NAME % "xsl-fo-compatible", _NAME % "svg-compatible"
_HREF = "{http://www.w3.org/1999/xlink}href"
_LEFT_OUT = {
    *(f"{_TEXT}{name}" for name in ("tracked-changes", "table-of-content", "sequence-decls")),
    *(f"{_TEXT}{name}" for name in ("alphabetical-index", "ruby-text", "note-citation")),
    *(f"{_OFFICE}{name}" for name in ("annotation", "forms")),
}
_RUNNING = ("footer", "header", "date-time", "page-number")
"""What stands on every slide."""
_MOST_EMPTY = 100
"""Empty cells beside each other that are counted in a table."""
_MOST_REPEATED = 1 << 20
"""Rows, or columns, of a sheet."""
_DEEPEST = 20
"""How many styles may be made of each other."""


class OpenDocument:
    """What a file of OpenDocument holds. Raises UnreadableSource for one with a password."""

    def __init__(self, data: bytes) -> None:
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        names = self._archive.namelist()
        manifest = "META-INF/manifest.xml"
        if "encrypted-package" in names or (
            manifest in names and b"encryption-data" in self._archive.read(manifest)
        ):
            raise protected()
        self._content = self._parsed("content.xml")
        styles = [self._content, *(self._parsed(one) for one in names if one == "styles.xml")]
        self._styles = {
            style.get(f"{_STYLE}name", ""): style
            for root in reversed(styles)
            for style in root.iter(f"{_STYLE}style")
        }
        self._notes: list[str] = []

    def title(self) -> str:
        """Return the title in the file's properties, "" for none."""
        if "meta.xml" not in self._archive.namelist():
            return ""
        return clean_line(self._parsed("meta.xml").findtext(".//{*}title") or "")

    def html_of_text(self) -> str:
        """Return a text as HTML, its notes behind it."""
        body = self._content.find(f"{_OFFICE}body/{_OFFICE}text")
        found = "".join(self._blocks(() if body is None else body))
        return found + "".join(self._notes)

    def html_of_slides(self) -> Iterator[str]:
        """Yield what each slide says, from the top down, its title first and its notes last."""
        for page in self._content.iter(f"{_DRAW}page"):
            kinds = [(shape.get(f"{_SHOW}class"), shape) for shape in page]
            titles = [shape for kind, shape in kinds if kind == "title"]
            shapes = [shape for kind, shape in kinds if kind not in ("title", *_RUNNING)]
            names = (" ".join(self._plain(title).split()) for title in titles)
            parts = [f"<h1>{escape(name)}</h1>" for name in names if name]
            parts += self._blocks(sorted(shapes, key=_position))
            notes = page.iterfind(f"{_SHOW}notes/{_DRAW}frame[@{_SHOW}class='notes']")
            if said := "".join(part for one in notes for part in self._blocks(one)):
                parts += ["<h3>Notes:</h3>", said]
            yield "".join(parts)

    def sheets(self) -> list[tuple[str, Iterator[Row]]]:
        """Return the sheets with their titles, and their rows as people see them."""
        tables = self._content.iterfind(f"{_OFFICE}body/{_OFFICE}spreadsheet/{_TABLE}table")
        return [(table.get(f"{_TABLE}name", ""), self._rows(table)) for table in tables]

    def _parsed(self, name: str) -> Any:
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
        return etree.fromstring(self._archive.read(name), parser)

    def _blocks(self, parts: Iterable[Any]) -> Iterator[str]:
        for part in parts:
            if not isinstance(part.tag, str) or part.tag in _LEFT_OUT:
                continue
            if part.tag in (f"{_TEXT}p", f"{_TEXT}h"):
                yield from self._paragraph(part)
            elif part.tag == f"{_TEXT}list":
                items = ("".join(self._blocks(item)) for item in part)
                yield f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
            elif part.tag == f"{_TABLE}table":
                yield self._table(part)
            elif part.tag == f"{_DRAW}object":
                yield from self._chart(part.get(_HREF, ""))
            elif part.tag == f"{_SVG}desc":
                yield f"<p>{escape(part.text or '')}</p>"
            elif part.tag not in (f"{_SHOW}notes", f"{_SVG}title"):
                yield from self._blocks(part)

    def _paragraph(self, paragraph: Any) -> Iterator[str]:
        level = paragraph.get(f"{_TEXT}outline-level")
        if paragraph.tag == f"{_TEXT}h":
            name = f"h{min(int(level), 6) if level and level.isdecimal() else 1}"
        else:
            name = "h1" if "Title" in self._styles_of(paragraph) else "p"
        shown = (
            "<br>" if part == "\n" else f"<sup>{escape(part)}</sup>" if above else escape(part)
            for part, above in self._pieces(paragraph)
        )
        yield f"<{name}>{''.join(shown)}</{name}>"
        yield from self._blocks(_frames(paragraph))

    def _pieces(self, part: Any, above: bool = False) -> Iterator[tuple[str, bool]]:
        """Yield the texts within a paragraph, "\\n" for the end of a line, each with whether it
        stands above the line. What its notes say is kept for later.
        """
        if part.text:
            yield " ".join(part.text.split("\n")), above
        for child in part:
            if not isinstance(child.tag, str) or child.tag in _LEFT_OUT:
                pass
            elif child.tag == f"{_TEXT}s":
                yield " ", above
            elif child.tag == f"{_TEXT}tab":
                yield "\t", above
            elif child.tag == f"{_TEXT}line-break":
                yield "\n", above
            elif child.tag == f"{_TEXT}note":
                place = len(self._notes)
                self._notes.append("")
                mark = f"[{place + 1}]"
                yield mark, False
                said = "".join(self._blocks(child.iterfind(f"{_TEXT}note-body")))
                self._notes[place] = said.replace("<p>", f"<p>{mark} ", 1)
            elif not child.tag.startswith(_DRAW) and not _is_placeholder(child):
                yield from self._pieces(child, above or self._is_raised(child))
            if child.tail:
                yield " ".join(child.tail.split("\n")), above

    def _plain(self, part: Any) -> str:
        return "".join(
            raised(text) if above else text
            for paragraph in part.iter(f"{_TEXT}p", f"{_TEXT}h")
            if not any(one.tag in _LEFT_OUT for one in paragraph.iterancestors())
            for text, above in (*self._pieces(paragraph), ("\n", False))
        ).strip()

    def _styles_of(self, part: Any) -> list[str]:
        """Return the names of a part's style and of those that it is made of."""
        names: list[str] = []
        name = part.get(f"{_TEXT}style-name") or part.get(f"{_TABLE}style-name")
        while name and len(names) < _DEEPEST:
            names.append(name)
            style = self._styles.get(name)
            name = style.get(f"{_STYLE}parent-style-name") if style is not None else None
        return names

    def _is_raised(self, part: Any) -> bool:
        place = self._property(part, f"{_STYLE}text-position")
        return place.startswith("super") or (place[:1].isdigit() and not place.startswith("0%"))

    def _property(self, part: Any, name: str) -> str:
        for style in self._styles_of(part):
            if style in self._styles:
                for properties in self._styles[style].iterfind(f"{_STYLE}text-properties"):
                    if name in properties.attrib:
                        return str(properties.get(name))
        return ""

    def _table(self, table: Any) -> str:
        rows: list[str] = []
        for row in _rows_of(table):
            is_head = row.getparent().tag == f"{_TABLE}table-header-rows"
            is_head = is_head or (not rows and table.get(f"{_TABLE}use-first-row-styles") == "true")
            name = "th" if is_head else "td"
            cells = []
            for cell in row.iterfind(f"{_TABLE}table-cell"):
                spans = f'colspan="{_span(cell, "columns")}" rowspan="{_span(cell, "rows")}"'
                said = "".join(self._blocks(cell))
                times = min(_number(cell, "number-columns-repeated"), _MOST_EMPTY)
                cells += [f"<{name} {spans}>{said}</{name}>"] * times
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table>{''.join(rows)}</table>"

    def _chart(self, address: str) -> Iterator[str]:
        """Yield the title of a chart, and its values by category."""
        name = f"{address.removeprefix('./')}/content.xml"
        root = self._parsed(name) if name in self._archive.namelist() else None
        chart = None if root is None else root.find(".//{*}chart")
        if chart is None:
            return
        title = "".join(text for one in chart.iterfind("{*}title") for text in one.itertext())
        yield f"<h3>{escape(title.strip()) or 'Chart'}</h3>"
        yield from (self._table(table) for table in chart.iterfind(f".//{_TABLE}table"))

    def _rows(self, sheet: Any) -> Iterator[Row]:
        """Yield a sheet's rows. A cell that spans rows stands in each of them."""
        kept: dict[int, tuple[str, int]] = {}
        number = 0
        for row in _rows_of(sheet):
            cells: list[str] = []
            spans: list[tuple[int, int]] = []
            bold: list[bool] = []
            column = 0
            for cell in row.iterfind(f"{_TABLE}*"):
                times = _number(cell, "number-columns-repeated")
                text = "" if cell.tag.endswith("covered-table-cell") else self._shown(cell)
                if text:
                    cells += [""] * (column - len(cells)) + [text] * times
                    bold.append(self._property(cell, f"{_FO}font-weight") == "bold")
                    if (wide := _span(cell, "columns")) > 1:
                        spans.append((column, column + wide - 1))
                    elif (high := _span(cell, "rows")) > 1:
                        kept[column] = text, number + high
                column += times
            if any(cells):
                for column, (text, foot) in kept.items():
                    cells += [""] * (column + 1 - len(cells))
                    if number < foot and not cells[column]:
                        cells[column] = text
            times = _number(row, "number-rows-repeated")
            number += times
            for _ in range(times if any(cells) else 1):
                yield Row(cells, tuple(spans), bool(bold) and all(bold))

    def _shown(self, cell: Any) -> str:
        """Return what people see in a cell; a day as it is written everywhere."""
        if day := cell.get(f"{_OFFICE}date-value"):
            return re.sub(r"T00:00:00(?:\.0+)?$", "", day).replace("T", " ")
        return " ".join(self._plain(cell).split())


def read_ods(data: bytes, name: str, limits: IngestLimits) -> ReadResult:
    """Read every sheet of a workbook."""
    return read_sheets(OpenDocument(data).sheets(), ODS, name, limits)


def _rows_of(table: Any) -> Iterator[Any]:
    """Yield the rows of a table, those in groups too, and not those of tables within it."""
    for part in table:
        if part.tag == f"{_TABLE}table-row":
            yield part
        elif part.tag in (
            f"{_TABLE}table-header-rows",
            f"{_TABLE}table-row-group",
            f"{_TABLE}table-rows",
        ):
            yield from _rows_of(part)


def _frames(paragraph: Any) -> Iterator[Any]:
    """Yield what is drawn in a paragraph: text boxes, pictures, charts."""
    for part in paragraph.iter():
        if isinstance(part.tag, str) and part.tag.startswith(_DRAW):
            above = [one for one in part.iterancestors() if one is paragraph or _is_drawn(one)]
            if above[0] is paragraph:
                yield part


def _is_placeholder(part: Any) -> bool:
    return any(name.endswith("}showing-place-holder") for name in part.attrib)


def _is_drawn(part: Any) -> bool:
    return str(part.tag).startswith(_DRAW)


def _position(shape: Any) -> tuple[float, float]:
    return _length(shape.get(f"{_SVG}y")), _length(shape.get(f"{_SVG}x"))


def _length(given: str | None) -> float:
    found = re.match(r"-?\d+(?:\.\d+)?", given or "")
    return float(found[0]) if found else 0.0


def _number(part: Any, name: str) -> int:
    given = part.get(f"{_TABLE}{name}", "1")
    return min(max(int(given), 1), _MOST_REPEATED) if given.isdecimal() else 1


def _span(cell: Any, what: str) -> int:
    return _number(cell, f"number-{what}-spanned")
