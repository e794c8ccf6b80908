"""Chunking: whole sentences up to a token budget; a text is parsed once and chunked from that."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from clew_ingest.mentions import Mention
from clew_ingest.parsing import ParsedSentence, ParsedText

MAX_BLOCK = 8_000
"""Characters the parser gets at once; a longer paragraph is cut at white space."""

_MARKED = re.compile(r"[-*+•◦▪‣–][ \t]|\d{1,3}[.)][ \t]|[#|>]")
_ENDS = (".", "!", "?", ":", ";", '."', ".”", ".)")


@dataclass(frozen=True)
class TextChunk:
    """A chunk before it is embedded: its text and its sentences, each a substring of the text."""

    position: int
    text: str
    sentences: tuple[ParsedSentence, ...]


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
    while len(text) > MAX_BLOCK:
        cut = text.rfind(" ", MAX_BLOCK // 2, MAX_BLOCK)
        cut = cut if cut > 0 else MAX_BLOCK
        yield text[:cut].rstrip()
        text = text[cut:].lstrip()
    if text:
        yield text


class Chunker:
    """Packs one document's parsed blocks, in order, into chunks of at most ``budget`` tokens.

    ``count_tokens`` counts; a sentence over the budget is split between words (and a word over
    it between letters). Sentences join with a blank, blocks with a line break.
    """

    def __init__(self, budget: int, count_tokens: Callable[[str], int]) -> None:
        self._budget = max(budget, 8)
        self._count = count_tokens
        self._position = 0
        self._tokens = 0
        self._pieces: list[str] = []
        self._sentences: list[ParsedSentence] = []

    def add(self, block: ParsedText) -> Iterator[TextChunk]:
        """Take the next block and yield the chunks that became full."""
        separator = "\n"
        for sentence in block.sentences:
            for part, tokens in self._fitting(sentence):
                if self._pieces and self._tokens + tokens > self._budget:
                    yield from self.finish()
                self._pieces += [separator, part.text] if self._pieces else [part.text]
                self._sentences.append(part)
                self._tokens += tokens
                separator = " "

    def finish(self) -> Iterator[TextChunk]:
        """Yield what is left as the last chunk."""
        if self._pieces:
            yield TextChunk(self._position, "".join(self._pieces), tuple(self._sentences))
            self._position += 1
        self._tokens, self._pieces, self._sentences = 0, [], []

    def _fitting(self, sentence: ParsedSentence) -> Iterator[tuple[ParsedSentence, int]]:
        tokens = self._count(sentence.text)
        if tokens <= self._budget:
            yield sentence, tokens
            return
        for start, end in self._cuts(sentence.text, sentence.mentions):
            part = _part(sentence, start, end)
            yield part, self._count(part.text)

    def _cuts(self, text: str, mentions: Sequence[Mention]) -> Iterator[tuple[int, int]]:
        held = [(mention.start, mention.end) for mention in mentions]
        start = end = tokens = 0
        for unit_start, unit_end in self._units(text, held):
            more = self._count(text[unit_start:unit_end])
            if end > start and tokens + more > self._budget:
                yield start, end
                start, tokens = unit_start, 0
            end = unit_end
            tokens += more
        if end > start:
            yield start, end

    def _units(self, text: str, held: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield spans that stay together: words, mentions, or parts of too long a word."""
        for word in re.finditer(r"\S+", text):
            start, end = word.span()
            first = next((span for span in held if span[0] < start < span[1]), None)
            if first is not None:
                continue  # it went with the mention that began before it
            within = [span for span in held if start <= span[0] < end]
            end = max([end, *(span[1] for span in within)])
            step = end - start if self._count(text[start:end]) <= self._budget else self._budget
            for cut in range(start, end, step):
                yield cut, min(cut + step, end)


def _part(sentence: ParsedSentence, start: int, end: int) -> ParsedSentence:
    mentions = tuple(
        replace(mention, start=mention.start - start, end=mention.end - start)
        for mention in sentence.mentions
        if start <= mention.start and mention.end <= end
    )
    return ParsedSentence(
        sentence.start + start, sentence.start + end, sentence.text[start:end], mentions
    )
