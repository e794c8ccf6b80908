"""Chunking: whole sentences up to a token budget; a unit is parsed once and chunked from that."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from clew_cypher.ids import content_id
from clew_ingest.parsing.mentions import Mention
from clew_ingest.parsing.parser import ParsedSentence, ParsedText
from clew_ingest.parsing.units import Unit
from clew_ingest.reading.read_document import Place
from clew_ingest.triples.base import ExtractedTriple

T = TypeVar("T")


@dataclass(frozen=True)
class TextChunk:
    """A chunk before it is embedded: its text and its sentences, each a substring of the text.

    ``triples``: each with its place in ``sentences``; ``ttrs``: a written textual triplet for
    each of them, or none at all. ``unit`` and ``unit_chunks``: what it was cut from, and into
    how many chunks; ``place`` tells chunks of one text apart within a document, wherever they
    stand in it. ``lines``: where each line of the text stands in the original.
    ``extraction_failed``: an extractor could not make its triples. ``fields_first``: its first line
    tells fields of the document.
    """

    position: int
    text: str
    sentences: tuple[ParsedSentence, ...]
    triples: tuple[ExtractedTriple, ...] = ()
    ttrs: tuple[str | None, ...] = ()
    unit: str = ""
    unit_chunks: int = 1
    place: str = ""
    lines: tuple[Place, ...] = ()
    extraction_failed: bool = False
    fields_first: bool = False

    @property
    def subject(self) -> str:
        """The text that tells what the chunk is about: fields alike in a hundred documents would
        make their vectors alike."""
        rest = self.text.partition("\n")[2] if self.fields_first else ""
        return rest or self.text


def unit_chunks(
    unit: Unit,
    parsed: Sequence[ParsedText],
    first_position: int,
    budget: int,
    count_tokens: Callable[[str], int],
) -> list[TextChunk]:
    """Return the chunks of a unit whose blocks are ``parsed``: one, unless it is over ``budget``.

    A unit without a letter has none.
    """
    # Where the whole fits, no sentence counts: theirs need not add up to that of their block.
    fits = unit.tokens <= budget
    chunker = Chunker(budget, (lambda text: 0) if fits else count_tokens)
    chunks = [chunk for block in parsed for chunk in chunker.add(block)]
    chunks += chunker.finish()
    return [
        replace(
            chunk,
            position=first_position + index,
            unit=unit.id,
            unit_chunks=len(chunks),
            place=content_id("p", unit.text, str(unit.number), str(index)),
            lines=unit.places,
            fields_first=unit.fields_first and index == 0,
        )
        for index, chunk in enumerate(chunks)
    ]


def line_places(lines: Sequence[Place]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the pages and the headings of a chunk's lines, as its row has them."""
    return _shortest([place.page for place in lines]), _shortest([p.heading for p in lines])


def _shortest(values: Sequence[T]) -> tuple[T, ...]:
    """Return the values; one where all are equal, none where none says anything."""
    if not any(values):
        return ()
    return tuple(values) if len(set(values)) > 1 else (values[0],)


class Chunker:
    """Packs parsed blocks, in order, into chunks of at most ``budget`` tokens.

    ``count_tokens`` counts; a sentence over the budget is split between words (and a word over
    it between letters). Sentences join with a blank, or with none where the block has none between
    them ("string.Template" is two sentences to a parser), blocks with a line break. A triple goes
    with its sentence; of one that is split, with the first part that holds both arguments, else
    with the first.
    """

    def __init__(self, budget: int, count_tokens: Callable[[str], int]) -> None:
        self._budget = max(budget, 8)
        self._count = count_tokens
        self._position = 0
        self._tokens = 0
        self._pieces: list[str] = []
        self._sentences: list[ParsedSentence] = []
        self._triples: list[ExtractedTriple] = []

    def add(self, block: ParsedText) -> Iterator[TextChunk]:
        """Take the next block and yield the chunks that became full."""
        ended = -1  # where the part before ends in the block
        triples: dict[int, list[ExtractedTriple]] = {}
        for triple in block.triples:
            triples.setdefault(triple.sentence or 0, []).append(triple)
        for place, sentence in enumerate(block.sentences):
            parts = list(self._fitting(sentence))
            stated = _by_part([part.text for part, _ in parts], triples.get(place, ()))
            for (part, tokens), of_part in zip(parts, stated, strict=True):
                if self._pieces and self._tokens + tokens > self._budget:
                    yield from self.finish()
                separator = "\n" if ended < 0 else " " if ended < part.start else ""
                self._pieces += [separator, part.text] if self._pieces else [part.text]
                here = len(self._sentences)
                self._sentences.append(part)
                self._triples += [replace(triple, sentence=here) for triple in of_part]
                self._tokens += tokens
                ended = part.end

    def finish(self) -> Iterator[TextChunk]:
        """Yield what is left as the last chunk."""
        if self._pieces:
            yield TextChunk(
                self._position,
                "".join(self._pieces),
                tuple(self._sentences),
                tuple(self._triples),
            )
            self._position += 1
        self._tokens, self._pieces, self._sentences, self._triples = 0, [], [], []

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


def _by_part(
    parts: Sequence[str], triples: Sequence[ExtractedTriple]
) -> list[list[ExtractedTriple]]:
    """Return the triples of a sentence by the part of it that states them."""
    stated: list[list[ExtractedTriple]] = [[] for _ in parts]
    for triple in triples:
        both = (n for n, text in enumerate(parts) if triple.head in text and triple.tail in text)
        stated[next(both, 0)].append(triple)
    return stated


def _part(sentence: ParsedSentence, start: int, end: int) -> ParsedSentence:
    mentions = tuple(
        replace(mention, start=mention.start - start, end=mention.end - start)
        for mention in sentence.mentions
        if start <= mention.start and mention.end <= end
    )
    return ParsedSentence(
        sentence.start + start, sentence.start + end, sentence.text[start:end], mentions
    )
