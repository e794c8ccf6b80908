"""Web pages: what they say, without what surrounds it, as Markdown."""

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
    "form",
]
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(frozen=True)
class Page:
    """A page's title ("" for none) and what it says: as Markdown, or as plain text where its parts
    are nested too deeply for that.
    """

    title: str
    text: str
    is_markdown: bool = True


def read_page(data: bytes) -> Page:
    """Return a page without navigation, forms and scripts: its main part where it says which."""
    from bs4 import BeautifulSoup, Comment
    from markitdown.converters import HtmlConverter

    declared = re.search(rb"""charset=["']?([\w-]{2,40})""", data[:4096])
    markup = decode(data, declared=declared.group(1).decode() if declared else None)
    soup = BeautifulSoup(markup, "html.parser")
    heading = soup.find("h1")
    found = soup.title.get_text(" ") if soup.title else ""
    found = found or (heading.get_text(" ") if heading else "")
    for element in soup(_BOILERPLATE):
        element.decompose()
    _without_layout_tables(soup)
    _with_headed_corners(soup)
    for comment in soup(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    main = soup.find("main") or soup.find("article") or soup.body or soup
    if len(main.get_text(strip=True)) < 0.3 * len(soup.get_text(strip=True)):
        main = soup.body or soup
    try:
        markdown = HtmlConverter().convert_string(str(main), strict=True).markdown
    except RecursionError:
        return Page(found, main.get_text("\n"), is_markdown=False)
    return Page(found, markdown)


def _without_layout_tables(soup: Any) -> None:
    """Turn tables that only place things, as e-mails and old pages do, into blocks: what holds a
    heading or another table, or has one cell a row.
    """
    for table in soup("table"):
        rows = [row for row in table("tr") if row.find_parent("table") is table]
        single = all(len(row(["td", "th"], recursive=False)) < 2 for row in rows)
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
