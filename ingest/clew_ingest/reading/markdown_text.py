"""From Markdown to the plain text that is parsed, embedded and shown.

Markup would only disturb the parser: links keep their text, tables become "column: value" lines,
and every heading, list item, table row and footnote is a paragraph of its own. Markdown is
CommonMark with the tables and deleted words of GitHub, footnotes and front matter.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from clew_ingest.reading.html_page import markdown_of
from clew_ingest.reading.table_headers import names_columns
from clew_ingest.reading.text_decoding import raised

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_BULLET = re.compile(r"^[ \t]*•[ \t]+", re.MULTILINE)
"""What word processors write for a list item; it is none in Markdown."""
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
"""A row of a table without a heading, which Markdown does not know and people write."""
_WIKI_LINK = re.compile(
    r"(?<![\w`\[])!?\[\[(?=\S)([^\[\]|\n`]+)(?:\|([^\[\]\n`]+))?(?<=\S)\]\](?!\()"
)
"""A link as wikis write it, [[page]] or [[page|text]]; it is none in Markdown."""
_NOTE = re.compile(
    r"(?:\[!(?P<alert>\w+)\][+-]?|:::+ ?\{?(?P<fence>[\w-]+)\}?)(?:[ \t]+(?P<title>.+))?"
    r"|(?:!!!|\?\?\?\+?) ?(?P<kind>[a-z-]+)(?: +[a-z-]+)*(?: +\"(?P<name>.*)\")?|:::+"
)
"""How a note or a warning begins on GitHub and in Obsidian ([!NOTE]), Docusaurus (:::note, and :::
ends it) and MkDocs (!!! note "Title")."""
_TEMPLATE = re.compile(r"<%.*?%>|\{%.*?%\}|\{\{[<%].*?[>%]\}\}")
"""What ERB, Liquid and Hugo are told to do there; it is no text."""
_TEMPLATE_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:<%.*?%>|\{%.*?%\}|\{\{.*?\}\})[^()]*\)")
"""A link whose address a template makes: its blanks make it none of Markdown's."""
_MODULE = re.compile(r"(?:import (?:[\w{}*, ]+ from )?|export .* from )[\"'][^\"']+[\"'];?")
"""A line by which MDX takes in parts of a program."""
_ATTRIBUTES = re.compile(r"[ \t]*\{:?[ \t]*[#.][A-Za-z][^{}]*\}[ \t]*$")
"""An id or classes at the end of a heading or paragraph: "Setup {#setup}"."""
_LONGEST_NUMBER = 3
"""Digits of a list item's number; "1986. A good year." begins with a year."""
_NESTING = 150
"""Levels of quotes and lists that are read; each takes stack, and what lies deeper is left out."""


def without_wiki_links(markdown: str) -> str:
    """Return what people wrote as Markdown with the text of links that only wikis know."""
    return _WIKI_LINK.sub(lambda found: found[2] or found[1], markdown)


def paragraphs_of(
    markdown: str, *, written: bool = False
) -> tuple[str, list[tuple[str, tuple[str, ...]]]]:
    """Return the first heading, "" for none, and the paragraphs, each with the headings it stands
    under, the highest first. A heading is a paragraph under itself.

    ``written``: people wrote it, with marks beside the text that are none of it.
    """
    tokens = _parser().parse(markdown)
    if written:
        _take_marks(tokens)
    headings = (_inline(after) for token, after in pairwise(tokens) if token.type == "heading_open")
    parts = ((text.strip(), path) for text, path in _paragraphs(tokens))
    return next(filter(None, headings), ""), [(text, path) for text, path in parts if text]


def _take_marks(tokens: Sequence["Token"]) -> None:
    """Take templates and attributes out of the text, and let a note begin with its name."""
    for token in tokens:
        begins = True
        children = token.children or []
        for child, after in zip(children, [*children[1:], None], strict=False):
            if child.type == "text":
                linked = _TEMPLATE_LINK.sub(r"\1", child.content)
                child.content = _ATTRIBUTES.sub("", _TEMPLATE.sub("", linked))
                if begins and _MODULE.fullmatch(child.content):
                    child.content = ""
                elif begins and (found := _NOTE.fullmatch(child.content)):
                    child.content = _name_of_note(found)
                    if child.content and after is not None and after.type == "softbreak":
                        after.type, after.content = "text", " "
            begins = child.type == "softbreak"


def _name_of_note(found: re.Match[str]) -> str:
    name = found["title"] or found["name"] or ""
    name = name or (found["alert"] or found["fence"] or found["kind"] or "").capitalize()
    return f"{name}:" if name[-1:].isalnum() else name


def row_text(header: list[str], cells: list[str]) -> str:
    """Return a table's row as one sentence: "column: value; column: value."

    Cells beyond the header stand alone, empty ones are left out.
    """
    names = header + [""] * (len(cells) - len(header))
    parts = [
        f"{name}: {cell}" if name else cell
        for name, cell in zip(names, cells, strict=False)
        if cell
    ]
    text = "; ".join(parts)
    return text if not text or text.endswith(".") else f"{text}."


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING})
    return parser.enable(["table", "strikethrough"]).use(footnote_plugin, inline=False)


def _paragraphs(tokens: Sequence["Token"]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each paragraph with the headings it stands under, the highest first."""
    path: dict[int, str] = {}
    for tokens_of, level in _by_heading(tokens):
        if level:
            name = " ".join(_inline(tokens_of[1]).split())
            path = {above: text for above, text in path.items() if above < level}
            if name:
                path[level] = name
        names = tuple(path[level] for level in sorted(path))
        for text in _texts(tokens_of):
            yield text, names


def _by_heading(tokens: Sequence["Token"]) -> Iterator[tuple[Sequence["Token"], int]]:
    """Yield what begins with a heading, with the heading's level; 0 for what comes before."""
    starts = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
    for start, end in pairwise([0, *starts, len(tokens)]):
        level = int(tokens[start].tag[1:]) if start in starts else 0
        if start < end:
            yield tokens[start:end], level


def _texts(tokens: Sequence["Token"]) -> Iterator[str]:
    rows: list[list[str]] = []
    cells: list[str] | None = None
    number = ""
    for token in tokens:
        if token.type == "list_item_open" and len(token.info) > _LONGEST_NUMBER:
            number = f"{token.info}{token.markup} "
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close" and cells is not None:
            rows.append(cells)
            cells = None
        elif token.type == "table_close":
            yield from _table(rows)
        elif token.type == "inline" and cells is not None:
            cells.append(" ".join(_inline(token).split()))
        elif token.type == "inline":
            text, number = number + _inline(token), ""
            if all(_ROW.match(line) for line in text.split("\n")):
                yield from (row_text([], _cells(line)) for line in text.split("\n"))
            else:
                yield from _BULLET.split(text)
        elif token.type in ("fence", "code_block"):
            yield from _code(token.content)
        elif token.type == "html_block":
            yield _html(token.content)


def _code(content: str) -> Iterator[str]:
    """Yield the lines of code, commands above all, that begin at its left, with what is under them;
    a paragraph's lines would be joined."""
    lines: list[str] = []
    for line in content.splitlines():
        if line and not line[0].isspace():
            yield "\n".join(lines)
            lines = []
        lines.append(line)
    yield "\n".join(lines)


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Yield a table's rows. Converters write an empty header where the original marks none."""
    header, *below = rows
    if not any(header) and below and names_columns(below):
        header, *below = below
    for row in below:
        yield row_text(header, row)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _inline(token: "Token") -> str:
    parts = [""]
    stars: list[str] = []
    above = False
    for child in token.children or ():
        if child.type == "text":
            parts.append(raised(child.content) if above else child.content)
        elif child.type == "code_inline":
            parts.append(child.content)
        elif child.type == "html_inline" and child.content in ("<sup>", "</sup>"):
            above = child.content == "<sup>"
        elif child.type == "em_open":
            # 2*3*4 is a product more often than an emphasis within a word
            stars.append("*" if child.markup == "*" and parts[-1][-1:].isalnum() else "")
            parts.append(stars[-1])
        elif child.type == "em_close":
            parts.append(stars.pop())
        elif child.type == "image":
            parts.append(_inline(child))
        elif child.type in ("softbreak", "hardbreak") or child.content.startswith("<br"):
            parts.append("\n")
    return "".join(parts).strip()


def _html(block: str) -> str:
    from bs4 import BeautifulSoup

    _, parts = paragraphs_of(markdown_of(BeautifulSoup(block, "html.parser")))
    return "\n\n".join(text for text, _ in parts)
