"""Units: the parts of a document by which versions are compared, cut before anything is parsed.

A unit is a few whole paragraphs that fit one chunk. Where it ends depends on the paragraphs
themselves and not on what lies far before them, so that an insertion changes the units around it
and leaves the others as they are (content-defined chunking, as rsync-like tools do with bytes).
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from clew_cypher.ids import content_id
from clew_ingest.blocks import blocks
from clew_ingest.limits import IngestLimits

CountTokens = Callable[[str], int]

_SENTENCE_ENDS = (".", "!", "?", '."', ".”", ".)", ".]", ":", ";")


@dataclass(frozen=True)
class Unit:
    """Paragraphs that become one chunk; or one paragraph over the budget, which becomes several.

    ``number``: how many units of the same text the document has before this one. ``id``: a hash
    of all that its chunks depend on.
    """

    blocks: tuple[str, ...]
    tokens: int
    number: int
    id: str

    @property
    def text(self) -> str:
        """The paragraphs, a line each."""
        return "\n".join(self.blocks)


def text_budget(title: str, limits: IngestLimits, count_tokens: CountTokens) -> int:
    """Return how many tokens of a chunk are left for its text: the title is embedded with it."""
    taken = count_tokens(title) + 2  # two tokens frame them
    return max(limits.chunk_tokens - min(taken, limits.chunk_tokens // 2), 8)


def cut_units(
    title: str, text: str, fingerprint: str, budget: int, count_tokens: CountTokens
) -> list[Unit]:
    """Return a document's units in order; ``fingerprint``: the settings that it is indexed with.

    Each but those of one paragraph has at most ``budget`` tokens.
    """
    seen: Counter[str] = Counter()
    units = []
    for packed, tokens in _packed(blocks(text), budget, count_tokens):
        joined = "\n".join(packed)
        number = seen[joined]
        seen[joined] += 1
        hashed = content_id("u", fingerprint, title, joined, str(number))
        units.append(Unit(packed, tokens, number, hashed))
    return units


def count_units(
    title: str, text: str, limits: IngestLimits, count_tokens: CountTokens
) -> tuple[int, int]:
    """Return how many chunks a document will have, and the tokens of their texts, without a parse.

    A paragraph over the budget counts as the chunks that it fills, which its sentences may make
    one more.
    """
    budget = text_budget(title, limits, count_tokens)
    units = cut_units(title, text, "", budget, count_tokens)
    return sum(-(-unit.tokens // budget) for unit in units), sum(unit.tokens for unit in units)


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
