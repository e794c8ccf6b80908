"""Units: the parts of a document by which versions are compared, cut before anything is parsed.

A unit is a few whole paragraphs that fit one chunk. Where it ends depends on the paragraphs
themselves and not on what lies far before them, so that an insertion changes the units around it
and leaves the others as they are (content-defined chunking, as rsync-like tools do with bytes).
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from clew_cypher.ids import content_id
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.read_document import Place, PlaceFrom, each_place

MAX_BLOCK = 8_000
"""Characters the parser gets at once; a longer paragraph is cut between sentences."""

_MARKED = re.compile(r"[-*+•◦▪‣–][ \t]|\d{1,3}[.)][ \t]|[#|>]")
_FIELD = re.compile(r"[^\W\d_][\w/()-]*(?: [\w/()-]+){0,3}:(?: +\S|$)")
_TIME = re.compile(
    r"[\[(]?(?:\d{1,4}([-./])\d{1,2}\1\d{1,4}[T ,]+|[A-Z][a-z]{2} +\d{1,2} )?\d{1,2}:\d\d\b"
)
"""How the lines of logs and chats begin."""
_RULE = re.compile(r"[-=_*~]{3,}")
_ENDS = (".", "!", "?", ":", ";", '."', ".”", ".)")
_BLOCK_ENDS = re.compile(r"(?<=[.!?])[\"”)]? ")
_BLANKS = re.compile(r" ")
_LOOK_BACK = 24


def blocks(text: str) -> Iterator[str]:
    """Yield a clean text's paragraphs, each on one line and at most MAX_BLOCK characters long.

    A line break within a paragraph is a blank, except before a list item, between fields ("From:
    Ada") and lines that begin with a time, as those of logs and chats do, beside a rule of dashes,
    and after a line that ends a sentence or is much shorter than the paragraph's longest (a
    heading, a verse).
    """
    for paragraph in text.split("\n\n"):
        yield from _blocks_of(paragraph)


def _blocks_of(paragraph: str) -> Iterator[str]:
    lines = paragraph.split("\n")
    full = 0.6 * max(map(len, lines))
    open_lines: list[str] = []
    for number, line in enumerate(lines):
        if open_lines and _begins(line, open_lines, lines[number + 1 : number + 2]):
            yield from _bounded(" ".join(open_lines))
            open_lines = []
        open_lines.append(line)
        if line.endswith(_ENDS) or len(line) < full or number + 1 == len(lines):
            yield from _bounded(" ".join(open_lines))
            open_lines = []


def _begins(line: str, above: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a line begins anew after those ``above``: as a list item, one of several fields or of
    several with a time, or a rule or what is under it.
    """
    if _MARKED.match(line) or _RULE.match(line) or _RULE.match(above[-1]):
        return True
    return any(
        kind.match(line) and any(map(kind.match, (above[0], *below))) for kind in (_FIELD, _TIME)
    )


def _bounded(text: str) -> Iterator[str]:
    text = text.strip()
    start = 0
    while len(text) - start > MAX_BLOCK:
        cut = _cut_block(text, start)
        yield text[start:cut].strip()
        start = cut
    if rest := text[start:].strip():
        yield rest


def _cut_block(text: str, start: int) -> int:
    """Return where to end a block that is too long: where its words say so, as with units."""
    for pattern in (_BLOCK_ENDS, _BLANKS):
        found = pattern.finditer(text, start + MAX_BLOCK // 2, start + MAX_BLOCK)
        ends = [match.end() for match in found]
        if ends:
            return min(
                ends, key=lambda end: (zlib.crc32(text[end - _LOOK_BACK : end].encode()), end)
            )
    return start + MAX_BLOCK


CountTokens = Callable[[str], int]

_SENTENCE_ENDS = (".", "!", "?", '."', ".”", ".)", ".]", ":", ";")


@dataclass(frozen=True)
class Unit:
    """Paragraphs that become one chunk; or one paragraph over the budget, which becomes several.

    ``number``: how many units of the same text the document has before this one. ``id``: a hash
    of all that its chunks depend on. ``places``: where each block stands, which may change while
    the unit stays as it is. ``fields_first``: its first block tells fields of the document.
    """

    blocks: tuple[str, ...]
    tokens: int
    number: int
    id: str
    places: tuple[Place, ...] = ()
    fields_first: bool = False

    @property
    def text(self) -> str:
        """The paragraphs, a line each."""
        return "\n".join(self.blocks)


def text_budget(title: str, limits: IngestLimits, count_tokens: CountTokens) -> int:
    """Return how many tokens of a chunk are left for its text: the title is embedded with it."""
    taken = count_tokens(title) + 2  # two tokens frame them
    return max(limits.chunk_tokens - min(taken, limits.chunk_tokens // 2), 8)


def cut_units(
    title: str,
    text: str,
    fingerprint: str,
    budget: int,
    count_tokens: CountTokens,
    places: Sequence[PlaceFrom] = (),
    *,
    fields_first: bool = False,
) -> list[Unit]:
    """Return a document's units in order; ``fingerprint``: the settings that it is indexed with.

    Each but those of one paragraph has at most ``budget`` tokens. ``places``: where the text's
    paragraphs stand. ``fields_first``: the first one tells fields.
    """
    seen: Counter[str] = Counter()
    units: list[Unit] = []
    of_blocks = _places_of_blocks(text, places)
    for packed, tokens in _packed(blocks(text), budget, count_tokens):
        joined = "\n".join(packed)
        number = seen[joined]
        seen[joined] += 1
        hashed = content_id("u", fingerprint, title, joined, str(number))
        here = tuple(islice(of_blocks, len(packed)))
        units.append(Unit(packed, tokens, number, hashed, here, fields_first and not units))
    return units


def _places_of_blocks(text: str, places: Sequence[PlaceFrom]) -> Iterator[Place]:
    paragraphs = text.split("\n\n") if places else []
    for paragraph, place in zip(paragraphs, each_place(places, len(paragraphs)), strict=True):
        for _ in _blocks_of(paragraph):
            yield place


def _packed(
    paragraphs: Iterable[str], budget: int, count_tokens: CountTokens
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield groups of paragraphs with their tokens.

    A group that is full is cut after the paragraph with the smallest hash of those with which it
    is at least half full: wherever a group begins, the next ones soon end at the same places.
    """
    waiting: list[tuple[str, int]] = []
    size = 0
    for paragraph in paragraphs:
        tokens = max(count_tokens(paragraph), 1)
        while waiting and size + tokens > budget:
            cut = len(waiting) if tokens > budget else _cut(waiting, budget)
            yield _group(waiting[:cut])
            waiting = waiting[cut:]
            size = sum(count for _, count in waiting)
        if tokens > budget:
            yield (paragraph,), tokens
        else:
            waiting.append((paragraph, tokens))
            size += tokens
    if waiting:
        yield _group(waiting)


def _group(waiting: list[tuple[str, int]]) -> tuple[tuple[str, ...], int]:
    return tuple(text for text, _ in waiting), sum(count for _, count in waiting)


def _cut(waiting: list[tuple[str, int]], budget: int) -> int:
    """Return how many of ``waiting`` make a group; never a heading last where it can be helped."""
    size = 0
    best: tuple[tuple[bool, int], int] | None = None
    for place, (text, tokens) in enumerate(waiting, 1):
        size += tokens
        if 2 * size < budget and place < len(waiting):
            continue
        rank = (not text.endswith(_SENTENCE_ENDS), zlib.crc32(text.encode()))
        if best is None or rank < best[0]:
            best = (rank, place)
    return best[1] if best is not None else len(waiting)
