"""Headings of plain text and reStructuredText: lines that are underlined.

The first kind of underline that a text uses is that of its highest headings, as in
reStructuredText; a line above the heading makes another kind.
"""

import re

from clew_ingest.reading.read_document import HEADING_MARK, Place
from clew_ingest.reading.text_decoding import clean

_RULE = re.compile(r"([=\-~^\"'*#+_:.])\1{2,}")
_TARGET = re.compile(r"\.\. _[^\n]*:")
"""A target of reStructuredText: where a link leads."""
_SHORTEST = 0.6
"""How long an underline is, at least, measured on its heading."""
_LONGEST = 120


def parts_of(text: str) -> tuple[str, list[tuple[str, Place]]]:
    """Return the heading that the text begins with, "" for none, and its parts with the headings
    they stand under. A heading is a part by itself, under itself; underlines are left out.
    """
    lines = [line for line in text.split("\n") if not _TARGET.match(line)]
    kinds: list[str] = []
    path: dict[int, str] = {}
    parts: list[tuple[str, Place]] = []
    waiting: list[str] = []
    title = ""

    def put(part: str) -> None:
        if clean(part):
            names = (path[level] for level in sorted(path) if path[level] != title)
            parts.append((part, Place(heading=HEADING_MARK.join(names))))

    place = 0
    while place < len(lines):
        over = _is_overline(lines, place)
        found = _is_underlined(lines, place + over)
        if not found:
            waiting.append(lines[place])
            place += 1
            continue
        put("\n".join(waiting))
        heading = " ".join(lines[place + over].split())
        kind = lines[place + over + 1].strip()[0] + ("=" if over else "")
        if kind not in kinds:
            kinds.append(kind)
        level = kinds.index(kind)
        if not parts:
            title = heading
        path = {above: name for above, name in path.items() if above < level}
        path[level] = heading
        put(heading)
        waiting = []
        place += 2 + over
    put("\n".join(waiting))
    return title, parts


def _is_overline(lines: list[str], place: int) -> bool:
    return (
        place + 2 < len(lines)
        and _is_rule(lines[place])
        and lines[place].strip() == lines[place + 2].strip()
    )


def _is_underlined(lines: list[str], place: int) -> bool:
    if place + 1 >= len(lines):
        return False
    heading, rule = lines[place].strip(), lines[place + 1].strip()
    if not any(map(str.isalpha, heading)) or len(heading) > _LONGEST or not _is_rule(rule):
        return False
    above = lines[place - 1] if place else ""
    below = lines[place + 2] if place + 2 < len(lines) else ""
    # what stands between more lines of text is a row of a table
    alone = not above.strip() or _is_rule(above)
    return alone and not _is_rule(below) and len(rule) >= _SHORTEST * len(heading)


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line.strip()) is not None
