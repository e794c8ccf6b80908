"""Web pages: what they say, without what surrounds it, as Markdown."""

import copy
import html
import re
from dataclasses import dataclass
from typing import Any

from clew_ingest.reading.text_decoding import decode

_BOILERPLATE = [
    "head",
    "title",
    "script",
    "style",
    "noscript",
    "template",
    "nav",
    "footer",
    "aside",
]
_FIELDS = ["button", "input", "label", "select", "textarea"]
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_WITHIN_TEXT = {
    *("a", "abbr", "b", "cite", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark", "s"),
    *("samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"),
}
_SPAN = re.compile(r"</?span/?>")
_WIDEST = 100
_LONGEST_SPANS = {"rowspan": 65_534, "colspan": _WIDEST}
"""What HTML allows, and how wide tables are."""


@dataclass(frozen=True)
class Page:
    """A page's title ("" for none) and what it says, as Markdown."""

    title: str
    markdown: str


def read_page(data: bytes) -> Page:
    """Return a page without navigation, fields of forms and scripts: its main part where it says
    which.
    """
    from bs4 import BeautifulSoup
    from bs4.element import PreformattedString

    declared = re.search(rb"""charset=["']?([\w-]{2,40})""", data[:4096])
    markup = decode(data, declared=declared.group(1).decode() if declared else None)
    soup = BeautifulSoup(markup, "html.parser")
    heading = soup.find("h1")
    found = soup.title.get_text(" ") if soup.title else ""
    found = found or (heading.get_text(" ") if heading else "")
    for element in soup(_BOILERPLATE):
        element.decompose()
    for form in soup("form"):  # it may hold the whole page, as ASP.NET has it
        for field in form(_FIELDS):
            field.decompose()
    for comment in soup(string=lambda text: isinstance(text, PreformattedString)):
        comment.extract()
    for part in soup(["html", "body", "form"]):  # an e-mail may have several
        part.unwrap()
    articles = [part for part in soup("article") if not part.find_parent("article")]
    main = soup.find("main") or (articles[0] if len(articles) == 1 else soup)
    if len(main.get_text(strip=True)) < 0.3 * len(soup.get_text(strip=True)):
        main = soup
    return Page(found, markdown_of(main))


def markdown_of(soup: Any) -> str:
    """Return what HTML says as Markdown in which its text stays text, whatever signs it holds; as
    lines where its parts are nested too deeply for more.

    Each cell of a table stands below its column's name. ``soup`` is changed.
    """
    _without_layout_tables(soup)
    _with_headed_corners(soup)
    _without_merged_cells(soup)
    for part in soup(True):
        if part.name == "img":
            part.string = part.get("alt") or ""
        if part.name in _WITHIN_TEXT:
            part.name, part.attrs = "span", {}
        elif part.name == "pre" and part.find_parent(["td", "th"]):
            part.name = "div"
    try:
        return _converted(_SPAN.sub("", str(soup)))  # one by one they take quadratic time
    except RecursionError:
        return _converted("<br>".join(map(html.escape, soup.get_text("\n").split("\n"))))


def _converted(markup: str) -> str:
    from markitdown.converters import HtmlConverter

    return str(HtmlConverter().convert_string(markup, strict=True, escape_misc=True).markdown)


def _without_layout_tables(soup: Any) -> None:
    """Turn tables that only place things, as e-mails and old pages do, into blocks: what holds a
    heading or another table, or has one cell a row.
    """
    for table in soup("table"):
        single = all(len(row(["td", "th"], recursive=False)) < 2 for row in _rows(table))
        if single or table.find(["table", *_HEADINGS]) or table.get("role") == "presentation":
            table.attrs["data-layout"] = "yes"
    for table in soup("table", attrs={"data-layout": "yes"}):
        cells = table(["thead", "tbody", "tfoot", "tr", "td", "th"])
        for part in [table, *(cell for cell in cells if cell.find_parent("table") is table)]:
            part.attrs["data-block"] = "yes"
    for part in soup(attrs={"data-block": "yes"}):
        part.name = "div"


def _with_headed_corners(soup: Any) -> None:
    """Make an empty cell before the headings of a table's first row a heading too: only a row of
    nothing else is taken for its header.
    """
    for row in filter(None, (table.find("tr") for table in soup("table"))):
        corner, *others = row(["td", "th"], recursive=False) or [row]
        if others and {cell.name for cell in others} == {"th"} and not corner.get_text(strip=True):
            corner.name = "th"


def _without_merged_cells(soup: Any) -> None:
    """Repeat a cell in each row that it spans, and a heading in each column; below other cells
    that span columns all but the first are empty.
    """
    for table in soup("table"):
        above: list[tuple[int, Any]] = []
        section = None
        for row in _rows(table):
            if row.parent is not section:
                section, above = row.parent, []
            cells = _parted(row)
            for column, cell in above:
                if column < len(cells):
                    cells[column].insert_before(cell)
                else:
                    row.append(cell)
                cells.insert(column, cell)
            above = []
            for column, cell in enumerate(cells[:_WIDEST]):
                rows = _span(cell, "rowspan")
                if rows > 1:
                    again = copy.copy(cell)
                    again["rowspan"] = str(rows - 1)
                    above.append((column, again))


def _parted(row: Any) -> list[Any]:
    """Return the cells of a row, once those that span columns are several."""
    own = row(["td", "th"], recursive=False)
    heads = len(own) > 1 and all(cell.name == "th" for cell in own)
    cells = []
    for cell in own:
        cells.append(cell)
        for _ in range(1, _span(cell, "colspan")):
            again = copy.copy(cell)
            if not heads:
                again.clear()
            cells[-1].insert_after(again)
            cells.append(again)
    return cells


def _span(cell: Any, name: str) -> int:
    """Return how many rows or columns a cell spans, which is not said of it any more; 0 stands for
    all that follow.
    """
    given = str(cell.attrs.pop(name, "1")).strip()
    longest = _LONGEST_SPANS[name]
    return min(int(given) or longest, longest) if re.fullmatch(r"[0-9]{1,9}", given) else 1


def _rows(table: Any) -> list[Any]:
    return [row for row in table("tr") if row.find_parent("table") is table]
