"""Sentences with what the extractive reader needs of a parse, free of spaCy's objects."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from sys import intern
from typing import Any

from clew.comprehension.lines import fields
from clew.comprehension.stems import stem
from clew_ingest.parsing.parser import DEFAULT_PIPELINE
from clew_ingest.parsing.spacy_pipeline import Pipeline

_ENDED = re.compile(r"[.?!…:;][\"”’')\]]*$")
"""How a sentence ends, and a line that leads to another."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word: its span [start, end) in the sentence's characters and its place in the parse.

    ``head`` is the index of its governor in the sentence, its own for the root.
    """

    text: str
    lemma: str
    pos: str
    dep: str
    head: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrase:
    """Tokens [first, last) that belong together; ``label``: spaCy's entity type, or NOUN."""

    first: int
    last: int
    label: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a phrase stands in its sentence's parse.

    ``distances``: dependency arcs from its head to each token, 99 where unconnected; ``lemmas``: of
    its tokens. ``governor``: the stem of what governs it, over a preposition; ``subject``: it is
    that verb's, or its "by"; ``of_be``: that verb is "be".
    """

    distances: bytes
    lemmas: tuple[str, ...]
    governor: str
    subject: bool
    of_be: bool


@dataclass(frozen=True)
class AnnotatedSentence:
    """A sentence with tokens, named entities and noun chunks; it begins at character ``start``
    of the text that was parsed."""

    text: str
    start: int
    tokens: tuple[Token, ...]
    entities: tuple[Phrase, ...]
    noun_chunks: tuple[Phrase, ...]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The tokens that each token governs."""
        lists: list[list[int]] = [[] for _ in self.tokens]
        for index, token in enumerate(self.tokens):
            if token.head != index:
                lists[token.head].append(index)
        return tuple(tuple(children) for children in lists)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stem of each token's lemma."""
        return tuple(stem(token.lemma) for token in self.tokens)

    @cached_property
    def _places(self) -> dict[tuple[int, int], Place]:
        return {}

    @cached_property
    def root(self) -> int:
        """The token that nothing governs."""
        return next((i for i, token in enumerate(self.tokens) if token.head == i), 0)

    def subtree(self, index: int) -> tuple[int, int]:
        """Return the token span [first, last) of what ``index`` governs, itself included."""
        first, last, waiting = index, index, [index]
        while waiting:
            at = waiting.pop()
            first, last = min(first, at), max(last, at)
            waiting.extend(self.children[at])
        return first, last + 1

    def slice(self, first: int, last: int) -> str:
        """Return the characters of the tokens [first, last)."""
        if first >= last:
            return ""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def distances(self, index: int) -> list[int]:
        """Return each token's number of dependency arcs from ``index``; 99 where unconnected."""
        found = [99] * len(self.tokens)
        found[index] = 0
        waiting = [index]
        for at in waiting:
            for near in (self.tokens[at].head, *self.children[at]):
                if found[near] > found[at] + 1:
                    found[near] = found[at] + 1
                    waiting.append(near)
        return found

    def place(self, first: int, last: int) -> Place:
        """Return where the tokens [first, last) stand; computed once, whatever is asked."""
        found = self._places.get((first, last))
        if found is None:
            head = self.phrase_head(first, last)
            governor = self.tokens[head].head
            subject = self.tokens[head].dep in {"nsubj", "nsubjpass"}
            if self.tokens[governor].pos == "ADP":
                subject = subject or self.tokens[governor].lemma == "by"
                governor = self.tokens[governor].head
            found = self._places[first, last] = Place(
                bytes(self.distances(head)),
                tuple(token.lemma for token in self.tokens[first:last]),
                self.stems[governor],
                subject,
                self.tokens[governor].pos == "AUX" and self.tokens[governor].lemma == "be",
            )
        return found

    def phrase_head(self, first: int, last: int) -> int:
        """Return the token of [first, last) whose governor lies outside."""
        for index in range(first, last):
            head = self.tokens[index].head
            if head == index or not first <= head < last:
                return index
        return last - 1


class Annotator:
    """Annotates by a spaCy pipeline with tagger, lemmatiser, parser and entities.

    ``pipeline``: one that others use too; None: the default one, of its own.
    """

    def __init__(self, pipeline: Pipeline | None = None) -> None:
        self._pipeline = pipeline or Pipeline(DEFAULT_PIPELINE)

    def annotate(self, texts: Sequence[str]) -> list[list[AnnotatedSentence]]:
        """Return the sentences of each text, of which none goes on over a line's end: a passage's
        paragraphs, headings and list items have a line each. A table's row or a field is one
        sentence. Raises ParserNotInstalled.
        """
        lines = [text.split("\n") for text in texts]
        with self._pipeline.used() as pipeline:
            parsed = pipeline.pipe((line for own in lines for line in own), batch_size=32)
            found = []
            for own in lines:
                sentences, start = [], 0
                for line, document in zip(own, parsed, strict=False):
                    sentences += _sentences(document, start)
                    start += len(line) + 1
                found.append(sentences)
            return found

    def annotate_questions(self, texts: Sequence[str]) -> list[list[AnnotatedSentence]]:
        """Return the same of questions, of which none is cut within a line where no mark ends a
        sentence: "How many days off | do I get if my child falls ill?"."""
        return [_uncut(text, own) for text, own in zip(texts, self.annotate(texts), strict=True)]


def _uncut(text: str, sentences: Sequence[AnnotatedSentence]) -> list[AnnotatedSentence]:
    found: list[AnnotatedSentence] = []
    for one in sentences:
        between = text[found[-1].start + len(found[-1].text) : one.start] if found else "\n"
        if "\n" in between or _ENDED.search(found[-1].text):
            found.append(one)
        else:
            found[-1] = _joined(found[-1], one, between)
    return found


def _joined(one: AnnotatedSentence, other: AnnotatedSentence, between: str) -> AnnotatedSentence:
    tokens, characters = len(one.tokens), len(one.text) + len(between)
    moved = (
        replace(t, head=t.head + tokens, start=t.start + characters, end=t.end + characters)
        for t in other.tokens
    )

    def shifted(phrases: Sequence[Phrase]) -> Iterator[Phrase]:
        return (replace(p, first=p.first + tokens, last=p.last + tokens) for p in phrases)

    return AnnotatedSentence(
        f"{one.text}{between}{other.text}",
        one.start,
        (*one.tokens, *moved),
        (*one.entities, *shifted(other.entities)),
        (*one.noun_chunks, *shifted(other.noun_chunks)),
    )


def _sentences(document: Any, start: int) -> list[AnnotatedSentence]:
    """Return the sentences of spaCy's Doc, which begins at character ``start`` of its text."""
    if not document.text.strip():
        return []
    parts = [document[:]] if fields(document.text) else document.sents
    entities, noun_chunks = document.ents, list(document.noun_chunks)
    found = []
    for part in parts:
        words = [token for token in part if not token.is_space]
        if words:
            within = [
                [span for span in spans if part.start <= span.start < part.end]
                for spans in (entities, noun_chunks)
            ]
            found.append(_sentence(document.text, start, words, *within))
    return found


def _sentence(
    text: str, start: int, words: Sequence[Any], entities: Sequence[Any], noun_chunks: Sequence[Any]
) -> AnnotatedSentence:
    place = {token.i: index for index, token in enumerate(words)}
    begin = words[0].idx
    tokens = tuple(
        Token(
            text=intern(token.text),
            lemma=intern(token.lemma_.casefold()),
            pos=intern(token.pos_),
            dep=intern(token.dep_),
            head=place.get(token.head.i, index),
            start=token.idx - begin,
            end=token.idx - begin + len(token.text),
        )
        for index, token in enumerate(words)
    )

    def phrases(spans: Sequence[Any], label: str | None) -> tuple[Phrase, ...]:
        result = []
        for part in spans:
            inside = [place[i] for i in range(part.start, part.end) if i in place]
            if inside:
                result.append(Phrase(inside[0], inside[-1] + 1, label or intern(part.label_)))
        return tuple(result)

    return AnnotatedSentence(
        text[begin : words[-1].idx + len(words[-1].text)],
        start + begin,
        tokens,
        phrases(entities, None),
        phrases(noun_chunks, "NOUN"),
    )
