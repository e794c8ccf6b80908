"""From Markdown to the plain text that is parsed, embedded and shown.

Markup would only disturb the parser: links keep their text, tables become "column: value" lines,
and every heading, list item and table row is a paragraph of its own.
"""

import html
import re

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r"^ {0,3}(?:={3,}|-{3,})[ \t]*$")
_RULE = re.compile(r"^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(.*)$")
_QUOTE = re.compile(r"^ {0,3}(?:>[ \t]?)+")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*\S+")
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_INLINE = (
    (
        re.compile(
            r"!\[([^\]\n]{0,500})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)"
        ),
        1,
    ),
    (
        re.compile(
            r"\[([^\[\]\n]{0,1000})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)"
        ),
        1,
    ),
    (re.compile(r"\[([^\[\]\n]{1,1000})\]\[[^\[\]\n]{0,200}\]"), 1),
    (re.compile(r"(`+)([^`\n]{1,1000})\1"), 2),
    (re.compile(r"(\*\*|__)(?=\S)([^\n]{1,1000}?)(?<=\S)\1"), 2),
    (re.compile(r"(?<![\w*])(\*)(?=[^\s*])([^*\n]{1,1000}?)(?<=[^\s*])\*(?![\w*])"), 2),
    (re.compile(r"(?<![\w_])(_)(?=[^\s_])([^_\n]{1,1000}?)(?<=[^\s_])_(?![\w_])"), 2),
)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,500}>")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~<&])")


def plain_text(markdown: str) -> tuple[str, str]:
    """Return the title that the Markdown declares ("" for none) and its plain text.

    The title is the front matter's, else the first heading's.
    """
    title = ""
    front = _FRONT_MATTER.match(markdown)
    if front:
        found = _FRONT_TITLE.search(front.group(1))
        title = found.group(1).strip().strip("'\"") if found else ""
        markdown = markdown[front.end() :]
    lines = _COMMENT.sub("", markdown).split("\n")
    heading, paragraphs = _paragraphs(lines)
    return title or heading, "\n\n".join(filter(None, paragraphs))


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
    return "; ".join(parts) + "." if parts else ""


def _paragraphs(lines: list[str]) -> tuple[str, list[str]]:
    heading = ""
    paragraphs: list[str] = []
    open_lines: list[str] = []
    header: list[str] | None = None
    fenced = False

    def close() -> None:
        paragraphs.append(_inline("\n".join(open_lines)))
        open_lines.clear()

    for number, raw in enumerate(lines):
        if _FENCE.match(raw):
            close()
            fenced = not fenced
            continue
        if fenced:
            open_lines.append(raw)
            continue
        line = _QUOTE.sub("", raw)
        if _is_row(line):
            close()
            cells = _cells(line)
            following = lines[number + 1] if number + 1 < len(lines) else ""
            if header is None and "|" in following and _TABLE_RULE.match(following):
                header = cells
            elif not _TABLE_RULE.match(line):
                paragraphs.append(row_text(header or [], cells))
            continue
        header = None
        if match := _HEADING.match(line):
            close()
            text = _inline(match.group(1))
            heading = heading or text
            paragraphs.append(text)
        elif open_lines and _UNDERLINE.match(line) and len(open_lines) == 1:
            close()
            heading = heading or paragraphs[-1]
        elif not line.strip() or _RULE.match(line) or _DEFINITION.match(line):
            close()
        elif match := _ITEM.match(line):
            close()
            open_lines.append(match.group(1))
        else:
            open_lines.append(line)
    close()
    return heading, paragraphs


def _is_row(line: str) -> bool:
    stripped = line.strip()
    return stripped.startswith("|") and stripped.count("|") > 1


def _cells(line: str) -> list[str]:
    return [_inline(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _inline(text: str) -> str:
    for pattern, group in _INLINE:
        text = pattern.sub(rf"\{group}", text)
    return html.unescape(_ESCAPE.sub(r"\1", _TAG.sub("", text))).strip()
