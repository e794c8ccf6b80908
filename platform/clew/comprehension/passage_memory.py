"""What was read lately: passages with their sentences, vectors and candidates, which no question
changes, and the parses of questions and of their parts.

Parsing and embedding the evidence takes most of an answer's time, and many questions are asked of
the same passages; another person's question, or a part of it, "Where was Oslo born?" for whatever
name stands there, is parsed once. A sentence is read with what it stands under: "20 days a year."
says little without "Paid time off" above it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.comprehension.annotation import AnnotatedSentence, Annotator
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
from clew_models.recently_used import RecentlyUsed

_Key = tuple[str, str, tuple[str, ...]]
LONGEST_HEADING = 80
"""Characters of a line that can be a heading where no markup says so."""
KEPT, PASSAGE_BYTES = 2048, 50_000
"""Passages that are kept, the last used, and what one of 100 words takes once it was read for a
question (measured). Six hundred stand behind the answers to a hundred questions."""
KEPT_QUESTIONS, QUESTION_BYTES = 1024, 4_500
"""Questions and parts of them whose parses are kept, and what one of twenty words takes
(measured)."""


@dataclass(frozen=True)
class ReadPassage:
    """A passage's sentences, embedded after its title and their heading, and what in them could be
    an answer.

    Both are numbered as those of the only passage of an evidence.
    """

    sentences: tuple[EvidenceSentence, ...]
    candidates: tuple[Candidate, ...]


class PassageMemory:
    """Passages by title, text and headings, and questions, for one parser and one embedder.

    Shared by threads; two that ask for the same passage at once may both read it.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._passages: RecentlyUsed[_Key, ReadPassage] = RecentlyUsed(kept)
        self._questions: RecentlyUsed[str, list[AnnotatedSentence]] = RecentlyUsed(KEPT_QUESTIONS)

    def size(self) -> int:
        """Return about how many bytes it takes."""
        return len(self._passages) * PASSAGE_BYTES + len(self._questions) * QUESTION_BYTES

    def questions(
        self, texts: Sequence[str], annotator: Annotator
    ) -> list[list[AnnotatedSentence]]:
        """Return the sentences of each of the texts, new ones parsed together."""
        return self._questions.values(texts, annotator.annotate_questions)

    def passages(
        self, chunks: Sequence[ScoredChunk], annotator: Annotator, embedder: Embedder
    ) -> list[ReadPassage]:
        """Return the chunks as they are read, new ones parsed and embedded together."""
        keys = [(chunk.title, chunk.text, chunk.headings) for chunk in chunks]
        chunk_of = dict(zip(keys, chunks, strict=True))

        def read(missing: Sequence[_Key]) -> list[ReadPassage]:
            return _read([chunk_of[key] for key in missing], annotator, embedder)

        return self._passages.values(keys, read)


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
                titled(chunk.title, _nearest(heading), sentence.text)
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
                heading=any(chunk.headings) and _line(chunk, sentence.start) == _nearest(heading),
                fields=tuple(fields(sentence.text)),
                of_person=of_person,
                above=_nearest(heading),
            )
            for position, (sentence, heading) in enumerate(zip(own, headings, strict=True))
        )
        found.append(ReadPassage(sentences, tuple(find_candidates(sentences, title))))
    return found


def _line(chunk: ScoredChunk, at: int) -> str:
    return chunk.text[chunk.text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0].strip()


def titled(title: str, heading: str, sentence: str = "") -> str:
    """Return a sentence behind its document's title and the nearest heading, each said once."""
    return "\n".join(dict.fromkeys(filter(None, (title, heading, sentence))))


def _nearest(path: str) -> str:
    """Return the last heading of "Leave › Study leave"."""
    return path.rsplit(HEADING_MARK, 1)[-1]


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
