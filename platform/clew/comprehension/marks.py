"""What the span model makes of the evidence's passages: its score of a candidate, and candidates
of its own."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.candidates import Candidate, EvidenceSentence, in_place
from clew.comprehension.definitions import LONGEST
from clew.comprehension.lines import COPIED
from clew.comprehension.question_form import CONTENT
from clew.comprehension.values import typed
from clew.results.evidence import ScoredChunk
from clew_ingest.parsing.entity_names import display_name, normalise_name

if TYPE_CHECKING:
    from clew_models.span_reader import EncodedPassage, Marked, Reading, SpanReader

MARKED = "MARKED"
"""The label of a candidate that only the span model proposes."""
_HYPHENED = re.compile(r"-(?=[A-Z])")
OWN = 2
"""Candidates that the span model proposes of a passage."""


class Marks:
    """The span model's readings of the passages of one evidence, each made once a question."""

    def __init__(self, reader: "SpanReader") -> None:
        self._reader = reader
        self._passages: list[EncodedPassage] = []
        self._known: dict[tuple[str, int], Reading] = {}

    def add(self, chunks: Sequence[ScoredChunk]) -> None:
        """Take further passages, numbered on from those before."""
        self._passages += self._reader.encode([(chunk.title, chunk.text) for chunk in chunks])

    def read_for(self, question: str) -> set[int]:
        """Return the numbers of the passages that were read for a question."""
        return {number for asked, number in self._known if asked == question}

    def read(self, asked: Sequence[tuple[str, Sequence[int]]]) -> None:
        """Read passages, by their numbers, for each question: all in one batch."""
        missing = [
            (question, [n for n in dict.fromkeys(numbers) if (question, n) not in self._known])
            for question, numbers in asked
        ]
        pairs = [(question, [self._passages[n] for n in own]) for question, own in missing if own]
        found = iter(self._reader.read_each(pairs))
        for question, own in missing:
            if own:
                for number, reading in zip(own, next(found), strict=True):
                    self._known[question, number] = reading

    def beside(self, question: str, leads: Mapping[int, Sequence[str]]) -> "Marks":
        """Return the readings of passages, by their numbers, each for the question and beside the
        sentences of others that lead to it.
        """
        pairs = [(self._passages[number], texts) for number, texts in leads.items()]
        found = Marks(self._reader)
        found._passages = self._passages
        read = self._reader.read_led(question, pairs)
        found._known = {(question, n): one for n, one in zip(leads, read, strict=True)}
        return found

    def score(
        self, question: str, candidate: Candidate, sentences: Sequence[EvidenceSentence]
    ) -> float | None:
        """Return the log-odds of a candidate against "not here"; None where its passage was not
        read for this question.
        """
        reading = self._known.get((question, sentences[candidate.sentence].chunk))
        if reading is None:
            return None
        return reading.score(*candidate.span(sentences), title=candidate.implicit)

    def best(
        self, question: str, sentences: Sequence[EvidenceSentence], count: int
    ) -> dict[int, float]:
        """Return the log-odds of the likeliest span of each sentence that has one of the ``count``
        likeliest of its passage, by its number, of what was read for a question.
        """
        spans = {
            number: [one for one in reading.best(count) if not one.in_title]
            for (asked, number), reading in self._known.items()
            if asked == question
        }
        found: dict[int, float] = {}
        for index, sentence in enumerate(sentences):
            start, end = sentence.parse.start, sentence.parse.start + len(sentence.parse.text)
            inside = [
                one.score for one in spans.get(sentence.chunk, ()) if start <= one.start < end
            ]
            if inside:
                found[index] = max(inside)
        return found

    def told(self, question: str, texts: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
        """Return for each text (heading, text) the log-odds that it tells yes or no against that it
        tells neither, and those of yes against no."""
        (read,) = self._reader.read([question], self._reader.encode(texts))
        return [one.verdict() for one in read]

    def candidates(self, question: str, sentences: Sequence[EvidenceSentence]) -> list[Candidate]:
        """Return the spans that the model itself would mark in what was read for a question."""
        found = []
        for (asked, number), reading in self._known.items():
            if asked == question:
                for marked in reading.best(OWN):
                    candidate = _candidate(marked, number, sentences)
                    if candidate is not None and candidate.key:
                        found.append(candidate)
        return found


def _candidate(
    marked: "Marked", number: int, sentences: Sequence[EvidenceSentence]
) -> Candidate | None:
    """Return marked characters as a candidate; None where they stand in no sentence, are more than
    LONGEST words, none that tells something, part of a short cell, or none where they stand.
    """
    for index, sentence in enumerate(sentences):
        if sentence.chunk != number:
            continue
        parse = sentence.parse
        if marked.in_title:
            text = display_name(sentence.title[marked.start : marked.end])
            return Candidate(text, normalise_name(text), MARKED, index, 0, 1, implicit=True)
        low, high = marked.start - parse.start, marked.end - parse.start
        inside = [
            i for i, token in enumerate(parse.tokens) if token.start < high and token.end > low
        ]
        while inside and _goes_on(parse, inside):
            inside.append(inside[-1] + 1)
            high = parse.tokens[inside[-1]].end
        if inside and COPIED.fullmatch(parse.tokens[inside[0]].text):
            low = min(low, parse.tokens[inside[0]].start)  # "@ansel.example" of an address
        if inside and COPIED.fullmatch(parse.tokens[inside[-1]].text):
            high = max(high, parse.tokens[inside[-1]].end)
        if inside and parse.text[high : high + 1] == ")" and "(" in parse.text[low:high]:
            high, inside = high + 1, [*inside, inside[-1] + 1]
        tells = any(parse.tokens[i].pos in CONTENT for i in inside)
        if tells and len(inside) <= LONGEST and 0 <= low < len(parse.text):
            text = display_name(parse.text[low:high])
            first, last = inside[0], inside[-1] + 1
            types = holding(parse, first, last)
            found = Candidate(text, normalise_name(text), MARKED, index, first, last)
            found = replace(found, holding=types[-1] if types else "")
            return None if sentence.in_short_cell(first) else in_place(found, sentence)
    return None


def _goes_on(parse: AnnotatedSentence, inside: Sequence[int]) -> bool:
    """Say whether words are cut off a name before the one that they belong to: "Seld" of "Seld
    Shipyard", "Seld" of "Seld-Nord"."""
    last = parse.tokens[inside[-1]]
    if _HYPHENED.match(parse.text, last.start if last.text == "-" else last.end):
        return True
    named = last.pos == "PROPN" and last.dep == "compound" and last.head > inside[-1]
    return named and parse.tokens[inside[-1] + 1].pos == "PROPN"


def holding(parse: AnnotatedSentence, first: int = 0, last: int | None = None) -> list[str]:
    """Return the types of the entities within tokens [first, last), in order."""
    last = len(parse.tokens) if last is None else last
    within = [typed(parse, e) for e in parse.entities if first <= e.first and e.last <= last]
    return [entity.label for entity in within if entity is not None]
