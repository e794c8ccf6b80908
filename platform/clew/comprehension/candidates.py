"""What an answer could be: names, dates, numbers, titles and noun phrases of the evidence."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.definitions import (
    LONGEST,
    LONGEST_DEFINITION,
    as_fragment,
    defined_under,
    definitions,
)
from clew.comprehension.lexicon import CODE, COUNT, DEFINITION, DURATION, RECURRENCE, VALUE_LABELS
from clew.comprehension.lines import COPIED, LABEL, REFERENCE, Field, without_addresses
from clew.comprehension.naming import QUALIFIER
from clew.comprehension.question_form import QUOTED, phrase_text
from clew.comprehension.values import LASTING, OFTEN, typed, untagged
from clew_ingest.parsing.entity_names import STOP_WORDS, display_name, normalise_name
from clew_ingest.parsing.mentions import capitalised_spans

YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
DAY = re.compile(r"(?:[A-Z][a-z]+ \d{1,2},? |\d{1,2} [A-Z][a-z]+ )\d{4}")
PRONOUNS = frozenset({"he", "she", "it", "they", "his", "her", "its", "their"})
OF_PEOPLE = frozenset({"he", "she", "him", "his", "her"})
ENDED = re.compile(r"[.!?:;,][\"”’)\]]*\s*$")
"""How a line of prose ends, and no heading."""
_FOLLOWING_MARK = re.compile(r"'s(?= )|[?,;:.)\]\"](?=[ ,;:.?]|$)|(?:(?<= )|^)[(\[\"]")
_CAPITAL = r"[^\W\d_a-z][\w'’-]*"
_SMALL = r"(?:a|an|and|at|by|for|from|in|into|of|on|or|the|to|with)"
TITLE = re.compile(rf"{_CAPITAL}(?: (?:{_SMALL} ){{1,3}}{_CAPITAL}(?: {_CAPITAL})*)+")
"""Titles of works: capitalised words around small ones, "How to Count Almost Anything"."""
SHORT_CELL = 5
"""Words of a cell that is not read for a part of it."""
LEFT_OF_HEADINGS = frozenset({CODE, "DATE", "EVENT", "GPE", "LAW", "ORG", "PERSON", "YEAR"})
"""Types of what a heading can tell; its other words name what is told below it."""


@dataclass(frozen=True)
class EvidenceSentence:
    """A sentence of chunk ``chunk`` (its place in the evidence, from 0) with its unit vector.

    ``context_key``: the normalised words of what it stands under, the document's title and the
    headings, which it need not say again. ``heading``: it is one itself; ``fields``: those of a row
    or of a line with a field, else none; ``of_person``: the title may be a person's name;
    ``above``: the nearest heading that it stands under, or is, "" without.
    """

    chunk: int
    position: int
    title: str
    title_key: str
    context_key: str
    parse: AnnotatedSentence
    key: str
    vector: NDArray[np.float32]
    heading: bool = False
    fields: tuple[Field, ...] = ()
    of_person: bool = True
    above: str = ""

    @cached_property
    def label_end(self) -> int:
        """The character that its own number, "4.3", which says nothing, ends before; 0 without."""
        label = LABEL.match(self.parse.text)
        return label.end() if label else 0

    @cached_property
    def references(self) -> tuple[tuple[int, int], ...]:
        """The characters [start, end) of what it points to, "Section 7", which counts nothing."""
        return tuple(one.span() for one in REFERENCE.finditer(self.parse.text))

    def in_short_cell(self, token: int) -> bool:
        """Say whether a token stands in a cell that answers as a whole or by its values."""
        at = self.parse.tokens[token].start
        cells = (self.parse.text[one.start : one.end] for one in self.fields if one.holds(at))
        return any(len(cell.split()) <= SHORT_CELL for cell in cells)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible answer at tokens [first, last) of a sentence; ``label``: its entity type, or what
    it was found by; ``holding``: the entity type of what it ends with, where ``label`` is no such.

    ``implicit``: it is the title of the sentence's document, which the sentence only means. ``of``:
    the key of what a definition is of; ``field``: the key of its field's name, where its line is
    made of fields. ``told``: the share of a question that its row says, where it is looked up there
    (rows), else 0; ``called``: how surely its column is what is asked for, in [0, 1]; ``by``: the
    sentence that says the rest of it, or -1.
    """

    text: str
    key: str
    label: str
    sentence: int
    first: int
    last: int
    implicit: bool = False
    of: str = ""
    holding: str = ""
    field: str = ""
    told: float = 0.0
    called: float = 0.0
    by: int = -1

    def holds(self, other: "Candidate") -> bool:
        """Say whether another candidate stands within this one."""
        inside = self.first <= other.first and other.last <= self.last
        return inside and self.sentence == other.sentence and not (self.implicit or other.implicit)

    def span(self, sentences: Sequence[EvidenceSentence]) -> tuple[int, int]:
        """Return its characters [start, end) in its chunk's text; the title's where implicit."""
        sentence = sentences[self.sentence]
        if self.implicit:
            return 0, len(self.text)
        tokens = sentence.parse.tokens
        start, end = tokens[self.first].start, tokens[self.last - 1].end
        within = sentence.parse.text.find(self.text, start, end)
        if within >= 0:
            start, end = within, within + len(self.text)
        return sentence.parse.start + start, sentence.parse.start + end


def without_marks(key: str) -> str:
    """Return a normalised text without the marks that follow words, so that names are found."""
    return _FOLLOWING_MARK.sub("", key)


def find_candidates(
    sentences: Sequence[EvidenceSentence], title: Sequence[AnnotatedSentence] = ()
) -> list[Candidate]:
    """Return the candidates of a passage's sentences; ``title``: the parse of its title."""
    found: list[Candidate] = []
    about_title = _names_something(sentences, title)
    for index, sentence in enumerate(sentences):
        seen: set[tuple[str, int, str]] = set()
        above = sentences[index - 1] if index else None
        under = defined_under(above.parse) if above is not None and above.heading else ""
        for candidate in _of_sentence(sentence, index, about_title, under):
            placed = in_place(candidate, sentence)
            kind = (candidate.key, candidate.first, _kind(candidate.label))
            if placed is not None and candidate.key and kind not in seen:
                seen.add(kind)
                found.append(placed)
        known = {(key, first) for key, first, _ in seen}
        found += (one for one in _cells(sentence, index) if (one.key, one.first) not in known)
    return found


def in_place(candidate: Candidate, sentence: EvidenceSentence) -> Candidate | None:
    """Return a candidate with the name of its field; None where it is the number of a clause, of
    what a text points to, a heading's words, part of a row that is no value, or of a field and its
    name ("Ada Thorne: director" may tell who the director is).
    """
    if candidate.implicit:
        return candidate
    parse = sentence.parse
    if sentence.heading and candidate.label not in LEFT_OF_HEADINGS:
        return None
    start, end = parse.tokens[candidate.first].start, parse.tokens[candidate.last - 1].end
    if end <= sentence.label_end:
        return None
    number = candidate.label in VALUE_LABELS or candidate.label == CODE or candidate.key.isdigit()
    if number and any(first <= start and end <= last for first, last in sentence.references):
        return None
    if not sentence.fields:
        return candidate
    own = next((one for one in sentence.fields if one.holds(start) and end <= one.end), None)
    if own is not None:
        return replace(candidate, field=own.key)
    only = sentence.fields[0] if len(sentence.fields) == 1 else None
    return candidate if only is not None and end <= only.start else None


def _kind(label: str) -> str:
    if label in {"YEAR", DEFINITION}:
        return label
    return "value" if label in VALUE_LABELS else ""


def _cells(sentence: EvidenceSentence, index: int) -> Iterable[Candidate]:
    """Yield the values of a row's fields, each as a whole."""
    found = (as_a_whole(one, sentence, index) for one in sentence.fields)
    return (one for one in found if one is not None and one.last - one.first <= LONGEST)


def as_a_whole(one: Field, sentence: EvidenceSentence, index: int) -> Candidate | None:
    """Return the value of a field of sentence ``index``; None where no token begins in it."""
    parse = sentence.parse
    inside = [i for i, token in enumerate(parse.tokens) if one.holds(token.start)]
    if not inside:
        return None
    first, last = inside[0], inside[-1] + 1
    written = parse.slice(first, last)
    text = display_name(without_addresses(written)) or display_name(written)
    label = "NAME" if text[:1].isupper() else "NOUN"
    return Candidate(text, normalise_name(text), label, index, first, last, field=one.key)


def may_be_person(title: Sequence[AnnotatedSentence]) -> bool:
    """Say whether a parsed title may be a person's name: neither all of it is a name of another
    type, nor is there a common noun, a verb or a number in it.
    """
    tokens = [token for parse in title for token in parse.tokens]
    other = _types_of_all(title) - {"PERSON"}
    return not other and not any(token.pos in {"NOUN", "VERB", "NUM"} for token in tokens)


def _types_of_all(title: Sequence[AnnotatedSentence]) -> set[str]:
    """Return the types of the entities that a whole title is."""
    length = sum(len(parse.tokens) for parse in title)
    entities = (entity for parse in title for entity in parse.entities)
    return {entity.label for entity in entities if entity.last - entity.first == length}


def _names_something(
    sentences: Sequence[EvidenceSentence], title: Sequence[AnnotatedSentence]
) -> bool:
    """Say whether a passage speaks of something that its document's title is the name of: it says
    the name or its last word, or "she" where that is a person's. "Our Rituals" and "Working with
    Git" are no names of what their sentences mean.
    """
    name = sentences[0].title_key if sentences else ""
    if name and any(f" {name} " in f" {one.key} " for one in sentences):
        return True
    words = name.split()
    tokens = [token for parse in title for token in parse.tokens]
    person = "PERSON" in _types_of_all(title)
    short = len(words) > 1 and not any(token.pos in {"VERB", "AUX", "PRON"} for token in tokens)
    return any(
        (short and token.pos == "PROPN" and token.text.casefold() == words[-1])
        or (person and token.text.casefold() in OF_PEOPLE)
        for one in sentences
        for token in one.parse.tokens
    )


def _of_sentence(
    sentence: EvidenceSentence, index: int, about_title: bool, under: str
) -> Iterable[Candidate]:
    """Yield a sentence's; ``under``: the key of what the heading just above it is about, or ""."""
    parse = sentence.parse

    def made(text: str, label: str, first: int, last: int) -> Candidate:
        shown = display_name(text.rstrip(".") if label == "QUANTITY" else text)
        return Candidate(shown, normalise_name(shown), label, index, first, last)

    for first, last, text in _at(parse, OFTEN.finditer(parse.text)):
        yield made(text, RECURRENCE, first, last)
    covered: set[int] = set()
    lasting = list(_at(parse, LASTING.finditer(parse.text)))
    for first, last, text in lasting:
        covered.update(range(first, last))
        yield made(text, DURATION, first, last)
    for entity in parse.entities:
        if any(first < entity.last and entity.first < last for first, last, _ in lasting):
            continue  # the "20 min" of "6 h 20 min"
        covered.update(range(entity.first, entity.last))
        value = typed(parse, entity)
        if value is None:
            continue
        whole = value.label == DURATION
        text = parse.slice(value.first, value.last) if whole else phrase_text(parse, value)
        text = text.strip(" –—-") or text  # of "7 August 1943 –", before another day
        of = _number_of(parse, value.first) if value.label == "CARDINAL" else ""
        yield replace(made(text, value.label, value.first, value.last), of=of)
        if entity.label in VALUE_LABELS:
            for match in YEAR.finditer(text):
                yield made(match.group(), "YEAR", entity.first, entity.last)
        if "–" in text and YEAR.search(text):
            for side in text.split("–"):
                yield made(side, "DATE", entity.first, entity.last)
            continue
        if entity.label == "DATE" and len(YEAR.findall(text)) > 1:
            for day in DAY.findall(text):
                yield made(day, "DATE", entity.first, entity.last)
        counted = value.label == "CARDINAL" and value.last < len(parse.tokens)
        if counted and parse.tokens[value.last].pos == "NOUN":
            text = parse.slice(value.first, value.last + 1)
            yield made(text, COUNT, value.first, value.last + 1)
    for value in untagged(parse):
        yield made(parse.slice(value.first, value.last), value.label, value.first, value.last)
    for first, last, text in _at(parse, COPIED.finditer(parse.text)):
        yield Candidate(text, normalise_name(text), CODE, index, first, last)
    for first, last, text in _at(parse, YEAR.finditer(parse.text)):
        if not covered & set(range(first, last)):
            yield made(text, "YEAR", first, last)
    for first, last, text in _at(parse, QUOTED.finditer(parse.text)):
        yield made(text, "QUOTED", first, last)
    for first, last, text in _spans(parse, capitalised_spans(parse.text)):
        if not set(range(first, last)) <= covered and normalise_name(text) not in STOP_WORDS:
            yield made(text, "NAME", first, last)
    for first, last, text in _at(parse, TITLE.finditer(parse.text)):
        yield made(text, "NAME", first, last)
    told = list(definitions(parse))
    if under and (fragment := as_fragment(parse)) is not None:
        told.append((fragment, under))
    for phrase, of in told:
        if phrase.last - phrase.first <= LONGEST_DEFINITION:
            found = made(phrase_text(parse, phrase), phrase.label, phrase.first, phrase.last)
            yield replace(found, of=of or under or sentence.title_key)
    for phrase in parse.noun_chunks:
        if phrase.last - phrase.first > LONGEST or parse.tokens[phrase.last - 1].pos == "PRON":
            continue
        if not set(range(phrase.first, phrase.last)) <= covered:
            yield made(phrase_text(parse, phrase), "NOUN", phrase.first, phrase.last)
    title = QUALIFIER.sub("", sentence.title)
    says = about_title and ENDED.search(parse.text)  # a heading tells nothing
    if says and sentence.title_key and sentence.title_key not in sentence.key:
        at = next((i for i, t in enumerate(parse.tokens) if t.text.casefold() in PRONOUNS), None)
        at = parse.root if at is None else at
        standing = made(title, "TITLE", at, at + 1)
        yield replace(standing, key=sentence.title_key, implicit=True)


def _number_of(parse: AnnotatedSentence, at: int) -> str:
    """Return what token ``at`` is said to be the number of, "hour" of "The number of hours that
    one may work is 12"; "" without.
    """
    tokens = parse.tokens
    if tokens[at].dep != "attr" or tokens[tokens[at].head].lemma != "be":
        return ""
    subject = next((i for i in parse.children[tokens[at].head] if tokens[i].dep == "nsubj"), None)
    while subject is not None:
        of = (i for i in parse.children[subject] if tokens[i].lemma == "of")
        inner = (n for i in of for n in parse.children[i] if tokens[n].pos == "NOUN")
        deeper = next(inner, None)
        if deeper is None:
            return tokens[subject].lemma
        subject = deeper
    return ""


def _at(parse: AnnotatedSentence, found: Iterable[re.Match[str]]) -> Iterable[tuple[int, int, str]]:
    """Yield the tokens [first, last) within each match, or what of it is in brackets, and it."""
    for match in found:
        group = match.lastindex or 0
        start, end = match.span(group)
        inside = [i for i, t in enumerate(parse.tokens) if t.start >= start and t.end <= end]
        if inside:
            yield inside[0], inside[-1] + 1, match.group(group)


def _spans(parse: AnnotatedSentence, texts: Iterable[str]) -> Iterable[tuple[int, int, str]]:
    at = 0
    for text in texts:
        start = parse.text.find(text, at)
        if start < 0:
            continue
        at = start + len(text)
        inside = [i for i, t in enumerate(parse.tokens) if t.start >= start and t.end <= at]
        if inside:
            yield inside[0], inside[-1] + 1, text


def with_full_names(
    found: Sequence[Candidate], sentences: Sequence[EvidenceSentence]
) -> list[Candidate]:
    """Return the candidates of all sentences; a last name becomes the whole one that its passage
    has, in its title or its text, or the only one that there is, or that a document is about.
    """
    titles: dict[int, tuple[str, str]] = {}
    for sentence in sentences:
        if sentence.of_person and len(sentence.title_key.split()) >= 2:
            titles[sentence.chunk] = sentence.title_key, QUALIFIER.sub("", sentence.title)
    own: defaultdict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for one in found:
        words = one.key.split()
        if 2 <= len(words) <= 4 and one.label == "PERSON":
            own[sentences[one.sentence].chunk, words[-1]][one.key] = one.text
    anywhere: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for (_, last), full in own.items():
        anywhere[last] |= full
    for key, title in titles.values():
        anywhere[key.split()[-1]][key] = title

    def named(one: Candidate) -> Candidate:
        if one.label not in {"PERSON", "NAME", "ORG"} or one.key not in anywhere:
            return one
        chunk = sentences[one.sentence].chunk
        key, title = titles.get(chunk, ("", ""))
        here = {key: title} if key.endswith(f" {one.key}") else own.get((chunk, one.key), {})
        meant = here or anywhere[one.key]
        # "Dr Johanna Voss" is no other than Johanna Voss
        plain = [key for key in meant if not any(key != o and key.endswith(o) for o in meant)]
        of_own = {key for key, _ in titles.values()}.intersection(plain)
        for keys in (plain, list(of_own)):
            if len(keys) == 1:
                return replace(one, text=meant[keys[0]], key=keys[0])
        return one

    return [named(one) for one in found]
