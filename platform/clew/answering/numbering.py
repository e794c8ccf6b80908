"""Citations as they are shown: numbered from 1 in order, each quote once, with its place.

Readers cite passages by their rank in the evidence. What they write and return passes through
here, so that no reader has to count.
"""

import re
from collections.abc import Iterator

from clew.answering.citations import NUMBERS
from clew.results.evidence import Answer, Citation

_OPEN = re.compile(r"\[[\d,;\s]*$")
_QUOTE_LINE = re.compile(r"\s*“(.+)”\s*\[\d+\]\s*", re.DOTALL)


class Verbatim(str):
    """A piece of an answer that cites nothing: numbers in brackets are the documents' own."""


def in_order(pieces: Iterator[str | Answer]) -> Iterator[str | Answer]:
    """Yield what a reader yields, its citations numbered in the order in which they are read."""
    numbering = _Numbering()
    written, shown = "", ""
    for piece in pieces:
        if not isinstance(piece, Answer):
            written += piece
            if ready := numbering.feed(piece):
                shown += ready
                yield ready
            continue
        if rest := numbering.rest():
            shown += rest
            yield rest
        yield numbering.answer(piece, shown if written == piece.text else None)


class _Numbering:
    """The numbers of one answer, by the ranks of the passages."""

    def __init__(self) -> None:
        self._number: dict[int, int] = {}
        self._quoted: set[str] = set()
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return what can be shown. An open bracket is held back, and what is
        quoted stays as it is.
        """
        if isinstance(piece, Verbatim):
            return self.rest() + piece
        if (quote := _QUOTE_LINE.fullmatch(piece)) is not None:
            folded = _folded(quote[1])
            if folded in self._quoted:
                return ""
            self._quoted.add(folded)
            return self.rest() + piece[: quote.end(1)] + self._numbered(piece[quote.end(1) :])
        self._held += piece
        open_at = _OPEN.search(self._held)
        cut = open_at.start() if open_at else len(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return self._numbered(ready)

    def rest(self) -> str:
        """Return what was held back at the end."""
        rest, self._held = self._held, ""
        return self._numbered(rest)

    def answer(self, answer: Answer, shown: str | None) -> Answer:
        """Return the whole answer as it is shown; ``shown``: its text, where that is its pieces."""
        if shown is None:
            self._quoted.clear()
            first, *others = answer.text.split("\n")
            lines = [first, *(f"\n{line}" for line in others)]
            shown = "".join(map(self.feed, lines)) + self.rest()
        citations = self._citations(answer, bool(self._quoted))
        return answer.model_copy(update={"text": shown, "citations": citations})

    def _citations(self, answer: Answer, written: bool) -> tuple[Citation, ...]:
        """Return each quote once; ``written``: the text has the quotes, as lines of their own."""
        chunks = {chunk.id: chunk for chunk in answer.evidence.chunks}
        shown: dict[tuple[int, str], Citation] = {}
        quotes: set[str] = set()
        for citation in answer.citations:
            quote = _folded(citation.quote)
            if written and quote in quotes:
                continue
            quotes.add(quote)
            number = self._number.setdefault(citation.number, len(self._number) + 1)
            chunk = chunks.get(citation.chunk_id)
            page, heading = chunk.place_of(citation.quote) if chunk else (None, "")
            placed = citation.model_copy(
                update={"number": number, "page": page, "heading": heading}
            )
            shown.setdefault((number, quote), placed)
        return tuple(sorted(shown.values(), key=lambda citation: citation.number))

    def _numbered(self, text: str) -> str:
        def renumbered(match: re.Match[str]) -> str:
            numbers = [int(number) for number in re.findall(r"\d+", match.group(1))]
            new = [self._number.setdefault(number, len(self._number) + 1) for number in numbers]
            space = match.group()[: match.group().index("[")]
            return space + "".join(f"[{number}]" for number in dict.fromkeys(new))

        return NUMBERS.sub(renumbered, text)


def _folded(quote: str) -> str:
    return " ".join(quote.casefold().split())
