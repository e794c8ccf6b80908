"""From a single-hop question and its passage to what it may ask for: heads, sentences, tails (F.1).

Pure functions on what was read from the graph.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from clew.answering.normalisation import normalise_answer
from clew.training.heads import is_called, named_entities
from clew.training.single_hop import SingleHop
from clew_cypher.training_passages import (
    PassageChunk,
    PassageEntity,
    PassageSentence,
    StoredPassage,
)
from clew_ingest.text_decoding import clean_line

_ARTICLE = re.compile(r"^(?:the|an|a)\s+(?=\S)", re.IGNORECASE)


class LeftOut(StrEnum):
    """Why a question is no example."""

    NO_DOCUMENT = "its document is not in the corpus"
    CLOSED = "it asks for yes or no"
    NO_SENTENCE = "no sentence of its document holds the answer"
    NO_HEAD = "the sentence with the answer has no other subject"
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


def head_options(
    hop: SingleHop, passage: StoredPassage, rule: HeadRule
) -> list[HeadOption] | LeftOut:
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
