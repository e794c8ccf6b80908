"""Web pages: what they say, without what surrounds it, as Markdown."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clew_ingest.reading.html_marks import with_plain_marks
from clew_ingest.reading.html_tables import with_plain_tables
from clew_ingest.reading.text_decoding import decode

_UNSEEN = ["title", "script", "style", "noscript", "template", "iframe"]
_AROUND = ["nav", "footer", "aside"]
"""What surrounds a page's text."""
_FIELDS = ["button", "input", "label", "select", "textarea"]
_WITHIN_TEXT = {
    *("a", "abbr", "b", "cite", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark", "s"),
    *("samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"),
}
_SPAN = re.compile(r"</?span/?>")
_BLOCKS = ["p", "div", "ul", "ol", "dl", "table", "pre", "blockquote", "section"]


@dataclass(frozen=True)
class Page:
    """A page's title ("" for none) and what it says, as Markdown."""

    title: str
    markdown: str


def read_page(data: bytes, *, is_chapter: bool = False) -> Page:
    """Return a page without navigation, fields of forms and scripts: its main part where it says
    which. Ends of parts that are not written are where browsers have them.

    ``is_chapter``: it is a part of a book; what stands aside there are notes.
    """
    from bs4 import BeautifulSoup
    from bs4.element import PreformattedString

    declared = re.search(rb"""charset=["']?([\w-]{2,40})""", data[:4096])
    markup = decode(data, declared=declared.group(1).decode() if declared else None)
    soup = BeautifulSoup(markup, "lxml")
    for frames in soup("noframes"):  # its parts were not parsed
        frames.replace_with(BeautifulSoup(frames.get_text(), "html.parser"))
    for picture in soup("svg"):  # what its title names is the drawing
        for name in picture("title"):
            name.decompose()
    names = [
        " ".join(part.get_text(" ").split())
        for part in [*soup("title"), *soup("p", class_="title"), *soup("h1")]
    ]
    for element in soup(_UNSEEN):
        element.decompose()
    _without_surroundings(soup, ["nav"] if is_chapter else _AROUND)
    for form in soup("form"):  # it may hold the whole page, as ASP.NET has it
        for field in form(_FIELDS):
            field.decompose()
    for comment in soup(string=lambda text: isinstance(text, PreformattedString)):
        comment.extract()
    for part in soup(["html", "head", "body", "form"]):  # an e-mail may have several
        part.unwrap()
    articles = [part for part in soup("article") if not part.find_parent("article")]
    main = soup.find("main") or (articles[0] if len(articles) == 1 else soup)
    if len(main.get_text(strip=True)) < 0.3 * len(soup.get_text(strip=True)):
        main = soup
    return Page(next(filter(None, names), ""), markdown_of(main))


def _without_surroundings(soup: Any, parts: Sequence[str]) -> None:
    """Remove what surrounds a page's text: not what holds its main part, as it was never closed,
    nor all that the page says.
    """
    for part in soup(parts):
        if part.find("main"):
            part.unwrap()
    around = [part.extract() for part in soup(parts) if not part.find_parent(parts)]
    if not soup.get_text(strip=True):
        soup.extend(around)


def markdown_of(soup: Any) -> str:
    """Return what HTML says as Markdown in which its text stays text, whatever signs it holds; as
    lines where its parts are nested too deeply for more.

    Each cell of a table stands below its column's name. ``soup`` is changed.
    """
    with_plain_tables(soup)
    with_plain_marks(soup)
    _with_defined_terms(soup)
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


def _with_defined_terms(soup: Any) -> None:
    """Make a term and what is said of it one sentence, "Founded: 1990", or a block each where more
    than a line is said.
    """
    for term in soup("dt"):
        said = term.find_next_sibling(["dt", "dd"])
        term.name = "p"
        if said is None or said.name == "dt" or said.find(_BLOCKS) or term.find(_BLOCKS):
            continue
        if not term.get_text(strip=True).endswith(":"):
            term.append(":")
        term.append(" ")
        term.extend(list(said.contents))
        said.decompose()
    for part in soup(["dl", "dd"]):
        part.name = "div"
