"""Blocks: a text's paragraphs, without line wraps and none longer than the parser takes."""

import re
import zlib
from collections.abc import Iterator

MAX_BLOCK = 8_000
"""Characters the parser gets at once; a longer paragraph is cut between sentences."""

_MARKED = re.compile(r"[-*+•◦▪‣–][ \t]|\d{1,3}[.)][ \t]|[#|>]")
_ENDS = (".", "!", "?", ":", ";", '."', ".”", ".)")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])[\"”)]? ")
_BLANKS = re.compile(r" ")
_LOOK_BACK = 24


def blocks(text: str) -> Iterator[str]:
    """Yield a clean text's paragraphs, each on one line and at most MAX_BLOCK characters long.

    A line break within a paragraph is a blank, except before a list item, and after a line that
    ends a sentence or is much shorter than the paragraph's longest (a heading, a verse).
    """
    for paragraph in text.split("\n\n"):
        lines = paragraph.split("\n")
        full = 0.6 * max(map(len, lines))
        open_lines: list[str] = []
        for number, line in enumerate(lines):
            if open_lines and _MARKED.match(line):
                yield from _bounded(" ".join(open_lines))
                open_lines = []
            open_lines.append(line)
            if line.endswith(_ENDS) or len(line) < full or number + 1 == len(lines):
                yield from _bounded(" ".join(open_lines))
                open_lines = []


def _bounded(text: str) -> Iterator[str]:
    text = text.strip()
    start = 0
    while len(text) - start > MAX_BLOCK:
        cut = _cut(text, start)
        yield text[start:cut].strip()
        start = cut
    if rest := text[start:].strip():
        yield rest


def _cut(text: str, start: int) -> int:
    """Return where to end a block that is too long: where its words say so, as `units.py` does."""
    for pattern in (_SENTENCE_ENDS, _BLANKS):
        found = pattern.finditer(text, start + MAX_BLOCK // 2, start + MAX_BLOCK)
        ends = [match.end() for match in found]
        if ends:
            return min(
                ends, key=lambda end: (zlib.crc32(text[end - _LOOK_BACK : end].encode()), end)
            )
    return start + MAX_BLOCK
