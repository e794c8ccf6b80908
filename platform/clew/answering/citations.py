"""Citations: numbers of passages in an answer, and the sentences they stand for."""

import re
from collections.abc import Iterable

from clew.comprehension.normalisation import normalise_answer
from clew.results.evidence import Citation, ScoredChunk

NUMBERS = re.compile(r"\s?\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])")


def numbers_in(text: str) -> list[int]:
    """Return the numbers cited in a text such as "… [1] … [2, 3]", in order."""
    return [int(number) for found in NUMBERS.findall(text) for number in re.findall(r"\d+", found)]


def keep_existing(text: str, count: int) -> tuple[str, int]:
    """Return the text with only the citations 1 … ``count``, and how many others it had."""
    dropped = 0

    def kept(match: re.Match[str]) -> str:
        nonlocal dropped
        numbers = [int(number) for number in re.findall(r"\d+", match.group(1))]
        good = [number for number in numbers if 1 <= number <= count]
        dropped += len(numbers) - len(good)
        space = " " if match.group().startswith(" ") else ""
        return space + "".join(f"[{number}]" for number in good) if good else ""

    return NUMBERS.sub(kept, text), dropped


def cite(number: int, chunk: ScoredChunk, quote: str) -> Citation:
    """Return a citation of a chunk; ``quote`` must stand in its text."""
    return Citation(
        number=number,
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        title=chunk.title,
        quote=quote,
    )


def best_quote(chunk: ScoredChunk, words: Iterable[str]) -> str:
    """Return the sentence of a chunk that shares most words with ``words``."""
    wanted = {word for text in words for word in normalise_answer(text).split()}
    sentences = [part.strip() for part in SENTENCE_END.split(chunk.text) if part.strip()]
    if not sentences:
        return chunk.text.strip()
    return max(sentences, key=lambda s: len(wanted & set(normalise_answer(s).split())))


class CitationFilter:
    """Drops citations to nothing from a text that is still being written."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return what can be shown. An open bracket is held back."""
        self._held += piece
        open_at = re.search(r"\s?(?:\[[\d,;\s]*)?$", self._held)
        cut = open_at.start() if open_at and open_at.group() else len(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return keep_existing(ready, self._count)[0]

    def rest(self) -> str:
        """Return what was held back at the end of the text."""
        rest, self._held = self._held, ""
        return keep_existing(rest, self._count)[0]
