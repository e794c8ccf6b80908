"""Passages that were read lately: sentences, vectors and candidates, which no question changes.

Parsing and embedding the evidence takes most of an answer's time, and many questions are asked of
the same passages. A sentence is read with what it stands under: "20 days a year." says little
without "Paid time off" above it.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from clew.comprehension.annotation import Annotator
from clew.comprehension.candidates import (
    ENDED,
    Candidate,
    EvidenceSentence,
    find_candidates,
    may_be_person,
    without_marks,
)
from clew.comprehension.lines import fields
from clew.comprehension.naming import QUALIFIER
from clew.results.evidence import ScoredChunk
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.reading.read_document import HEADING_MARK
from clew_models.embedding.base import Embedder

_Key = tuple[str, str, tuple[str, ...]]
LONGEST_HEADING = 80
"""Characters of a line that can be a heading where no markup says so."""
KEPT, PASSAGE_BYTES = 2048, 50_000
"""Passages that are kept, the last used, and what one of 100 words takes once it was read for a
question (measured). Six hundred stand behind the answers to a hundred questions."""


@dataclass(frozen=True)
class ReadPassage:
    """A passage's sentences, embedded after its title and their heading, and what in them could be
    an answer.

    Both are numbered as those of the only passage of an evidence.
    """

    sentences: tuple[EvidenceSentence, ...]
    candidates: tuple[Candidate, ...]


class PassageMemory:
    """Passages by title, text and headings, for one parser and one embedder.

    Shared by threads; two that ask for the same passage at once may both read it.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._limit = kept
        self._kept: OrderedDict[_Key, ReadPassage] = OrderedDict()
        self._lock = Lock()

    def size(self) -> int:
        """Return about how many bytes it takes."""
        with self._lock:
            return len(self._kept) * PASSAGE_BYTES

    def passages(
        self, chunks: Sequence[ScoredChunk], annotator: Annotator, embedder: Embedder
    ) -> list[ReadPassage]:
        """Return the chunks as they are read, new ones parsed and embedded together."""
        keys = [(chunk.title, chunk.text, chunk.headings) for chunk in chunks]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: chunk for key, chunk in zip(keys, chunks, strict=True) if key not in found}
        if missing:
            read = _read(list(missing.values()), annotator, embedder)
            found.update(zip(missing, read, strict=True))
        with self._lock:
            for key in keys:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return [found[key] for key in keys]


def _read(
    chunks: Sequence[ScoredChunk], annotator: Annotator, embedder: Embedder
) -> list[ReadPassage]:
    both = [text for chunk in chunks for text in (chunk.text, QUALIFIER.sub("", chunk.title))]
    annotated = annotator.annotate(both)
    parsed, titles = annotated[::2], annotated[1::2]
    above = []
    for chunk, own in zip(chunks, parsed, strict=True):
        headings = _headings(chunk)
        above.append([headings[chunk.text.count("\n", 0, one.start)] for one in own])
    vectors = iter(
        embedder.embed(
            [
                _titled(chunk.title, heading, sentence.text)
                for chunk, own, headings in zip(chunks, parsed, above, strict=True)
                for sentence, heading in zip(own, headings, strict=True)
            ]
        )
    )
    found = []
    for chunk, own, title, headings in zip(chunks, parsed, titles, above, strict=True):
        title_key = normalise_name(QUALIFIER.sub("", chunk.title))
        of_person = may_be_person(title)
        sentences = tuple(
            EvidenceSentence(
                chunk=0,
                position=position,
                title=chunk.title,
                title_key=title_key,
                context_key=without_marks(
                    " ".join(filter(None, (title_key, normalise_name(heading))))
                ),
                parse=sentence,
                key=without_marks(normalise_name(sentence.text)),
                vector=next(vectors),
                heading=any(chunk.headings)
                and _line(chunk, sentence.start) == heading.rsplit(HEADING_MARK, 1)[-1],
                fields=tuple(fields(sentence.text)),
                of_person=of_person,
            )
            for position, (sentence, heading) in enumerate(zip(own, headings, strict=True))
        )
        found.append(ReadPassage(sentences, tuple(find_candidates(sentences, title))))
    return found


def _line(chunk: ScoredChunk, at: int) -> str:
    return chunk.text[chunk.text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0].strip()


def _titled(title: str, path: str, sentence: str) -> str:
    """Return a sentence behind its document's title and the nearest heading, each said once."""
    nearest = path.rsplit(HEADING_MARK, 1)[-1]
    return "\n".join(dict.fromkeys(filter(None, (title, nearest, sentence))))


def _headings(chunk: ScoredChunk) -> list[str]:
    """Return what each line of a chunk stands under, "Leave › Study leave"; where no markup says
    so, the last line above it that looks like a heading.
    """
    lines = chunk.text.split("\n")
    if any(chunk.headings):
        return [chunk.heading_of(number) for number in range(len(lines))]
    found, above = [], ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if len(line) <= LONGEST_HEADING and not ENDED.search(line) and ENDED.search(following):
            above = line
        found.append(above)
    return found
