"""From a single-hop question and its passage to what it may ask for: heads, sentences, tails (F.1).

Works on what was read from the graph.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from clew.comprehension.normalisation import normalise_answer
from clew.strategies.learning.single_hop import SingleHop
from clew_cypher.export.training import (
    PassageChunk,
    PassageEntity,
    PassageSentence,
    StoredPassage,
)
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.reading.text_decoding import clean_line
from clew_models.translator.examples import Embed

_WORD = re.compile(r"[^\W_]+")


def named_entities(question: str, entities: Iterable[PassageEntity]) -> dict[str, str]:
    """Return, by id, the entities that a question names, each as a clue has to write it.

    Case, accents and punctuation do not count. A name that is part of a longer one there
    ("Chicago" in "West Chicago") is not named. Written is the entity's name, or what the text calls
    it where the question does so too.
    """
    words = _words(question)
    places = [
        (start, start + len(name), entity.id, written)
        for entity in entities
        for name, written in _names(entity)
        for start in range(len(words) - len(name) + 1)
        if words[start : start + len(name)] == name
    ]
    places.sort(key=lambda place: place[0] - place[1])  # the longest first; else in order
    found: dict[str, str] = {}
    for start, end, id_, written in places:
        within = any(a <= start and end <= b and end - start < b - a for a, b, _, _ in places)
        if not within:
            found.setdefault(id_, written)
    return found


def is_called(entity: PassageEntity, names: Iterable[str]) -> bool:
    """Say whether an entity goes by one of ``names``."""
    keys = {_words(name) for name in names}
    return any(name in keys for name, _ in _names(entity))


def _names(entity: PassageEntity) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words of each name of an entity, with how a clue writes it."""
    spelled = [(name, name) for name in (entity.name, *entity.surfaces)]
    spelled += [(alias, entity.name) for alias in entity.aliases]
    for name, written in spelled:
        if words := _words(name):
            yield words, written


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(normalise_name(text)))


NEAR = 0.45
"""Cosine, at least, of a question and a head that it does not name. Measured on MuSiQue-100: most
heads below it are of the passage by chance ("Sonny Stitt place of death?" and Horace Parlan), most
above it are what is asked about ("how much debt …" and National debt of the United States)."""

_ARTICLE = re.compile(r"^(?:the|an|a)\s+(?=\S)", re.IGNORECASE)


class LeftOut(StrEnum):
    """Why a question is no example."""

    NO_DOCUMENT = "its document is not in the corpus"
    CLOSED = "it asks for yes or no"
    NO_SENTENCE = "no sentence of its document holds the answer"
    NO_HEAD = "the sentence with the answer has no other subject"
    FAR_HEAD = "it names no subject of the sentence with the answer, and none is like it"
    NO_RELATION = "nothing stands beside the answer"


@dataclass(frozen=True)
class HeadRule:
    """What heads a sentence beside its subjects, as the clue index has it.

    ``titles``: what its document is about; ``tails``: all other things in it.
    """

    titles: bool
    tails: bool


@dataclass(frozen=True)
class HeadOption:
    """A head that a question may be about, and a sentence that may answer it.

    ``written``: how the clue names the head, ``named``: the question names it, ``tail``: the
    answer as the sentence has it, ``beside``: ids of all that a chain can go on with.
    """

    head: PassageEntity
    written: str
    named: bool
    tail: str
    sentence: PassageSentence
    beside: frozenset[str]


Options = list[HeadOption] | LeftOut
"""What a question may ask for, one at least, or why there is nothing."""


def head_options(hop: SingleHop, passage: StoredPassage, rule: HeadRule) -> Options:
    """Return what a question may ask for: with heads that it names, where it names any."""
    if normalise_answer(hop.answers[0]) in ("yes", "no"):
        return LeftOut.CLOSED
    stated = list(_stated(passage, hop.answers))
    if not stated:
        return LeftOut.NO_SENTENCE
    options = []
    for chunk, sentence, tail in stated:
        heads = [
            head
            for head in _heads(chunk, sentence, rule)
            if not is_called(head, (*hop.answers, tail))
        ]
        named = named_entities(hop.question, heads)
        around = frozenset({*sentence.heads, *sentence.tails, *_titles(chunk)})
        for head in heads:
            written = named.get(head.id, head.name)
            options.append(
                HeadOption(head, written, head.id in named, tail, sentence, around - {head.id})
            )
    return [one for one in options if one.named] or options or LeftOut.NO_HEAD


def nearest_heads(made: Mapping[SingleHop, Options], embed: Embed) -> dict[SingleHop, Options]:
    """Return the options of all questions, and of those that name no head only the most similar.

    ``embed``: texts to unit vectors [N, D].
    """
    unnamed = {
        hop: options
        for hop, options in made.items()
        if not isinstance(options, LeftOut) and not options[0].named
    }
    if not unnamed:
        return dict(made)
    names = list({one.written: None for options in unnamed.values() for one in options})
    vectors = dict(zip(names, embed(names), strict=True))
    asked = embed([hop.question for hop in unnamed])
    nearest: dict[SingleHop, Options] = {}
    for (hop, options), vector in zip(unnamed.items(), asked, strict=True):
        cosines = {one.head.id: float(vectors[one.written] @ vector) for one in options}
        best = max(cosines, key=lambda id_: cosines[id_])
        kept = [one for one in options if one.head.id == best]
        nearest[hop] = kept if cosines[best] >= NEAR else LeftOut.FAR_HEAD
    return {**made, **nearest}


def answer_in(text: str, answers: Sequence[str]) -> str | None:
    """Return the words of a text that are one of the answers, an article aside; None without."""
    for answer in answers:
        line = clean_line(answer)
        for words in (line, _ARTICLE.sub("", line)):
            pattern = r"\s+".join(map(re.escape, words.split()))
            found = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
            if words and found:
                return found.group()
    return None


def _stated(
    passage: StoredPassage, answers: Sequence[str]
) -> Iterator[tuple[PassageChunk, PassageSentence, str]]:
    for chunk in passage.chunks:
        for sentence in chunk.sentences:
            tail = answer_in(sentence.text, answers)
            if tail is not None:
                yield chunk, sentence, tail


def _heads(chunk: PassageChunk, sentence: PassageSentence, rule: HeadRule) -> list[PassageEntity]:
    ids = [*sentence.heads]
    ids += _titles(chunk) if rule.titles else []
    ids += sentence.tails if rule.tails else []
    return [chunk.entities[id_] for id_ in dict.fromkeys(ids) if id_ in chunk.entities]


def _titles(chunk: PassageChunk) -> list[str]:
    return [entity.id for entity in chunk.entities.values() if entity.is_title]
