"""Questions that ask for one element of a triple, or of a chain of triples (KA-2).

A relation is asked in the words of `relation_questions.toml` where it stands there, by its
predicate or by its name in knowledge bases; any other by its name. What is asked for is named by a
wh-word of its type. A chain nests: "the capital of X" stands where a name would.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from clew.strategies.learning.wordings import (
    Head,
    RelationQuestions,
    asking_words,
    relation_questions,
)

Masked = Literal["head", "relation", "tail"]

KNOWN = 0.4
"""Share of the questions about a relation of the file that are in its own wordings; the others name
it by one of its nouns."""
OWN_NAME = 0.25
"""Share of the nouns that are the relation's own name, where people have other words too."""
_OF_NOUN = (
    "What is the {n} of {h}?",
    "{w} is {h}'s {n}?",
    "{w} is the {n} of {h}?",
    "The {n} of {h}?",
    "{h}'s {n}?",
    "Which {n} does {h} have?",
    "Tell me the {n} of {h}.",
    "What was {h}'s {n}?",
    "{w} is {n} to {h}?",
    "What is the name of the {n} of {h}?",
    "I want to know {h}'s {n}.",
)
_OF_VERB = ("{h} {r} {w}?", "{w} does {h} {r}?", "{w} {h} {r}?")
_HEAD_OF_NOUN = (
    "{w} has {t} as {n}?",
    "Whose {n} is {t}?",
    "{t} is the {n} of {w}?",
    "{w} has the {n} {t}?",
)
_HEAD_OF_VERB = ("{w} {r} {t}?", "{t} is what {w} {r}?")
_RELATION = (
    "How are {h} and {t} related?",
    "What does {t} have to do with {h}?",
    "What is {t} to {h}?",
    "What connects {h} with {t}?",
    "How is {h} linked to {t}?",
)
_PHRASES = ("the {n} of {h}", "{h}'s {n}")
_VERBS = re.compile(r"(?:^|\s)(?:in|on|at|by|to|of|for|from|with|as|after)$|^(?:be|is|was|are)\s")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class NamedTriple:
    """A triple in words. ``predicate``: its base form; types are spaCy's, "" where none is known;
    ``of_base``: its relation is a name that a knowledge base has for it.
    """

    head: str
    relation: str
    tail: str
    head_type: str = ""
    tail_type: str = ""
    predicate: str = ""
    of_base: bool = False


def masked_question(triple: NamedTriple, masked: Masked, chance: random.Random) -> str:
    """Return a question that asks for the masked element and names the two others."""
    if masked == "relation":
        return chance.choice(_RELATION).format(h=triple.head, t=triple.tail)
    if masked == "tail":
        return tail_question(Head(triple.head), triple, chance)
    word = chance.choice(asking_words(triple.head_type))
    noun = _noun(triple, chance)
    if noun is None:
        words = chance.choice(_HEAD_OF_VERB).format(w=word, r=triple.relation, t=triple.tail)
    else:
        words = chance.choice(_HEAD_OF_NOUN).format(w=word, n=noun, t=triple.tail)
    return _capital(words)


def chain_question(chain: Sequence[NamedTriple], chance: random.Random) -> str:
    """Return a question for the tail of the last triple that names the head of the first and all
    relations; each triple's tail is the head of the next.
    """
    head = Head(chain[0].head)
    for triple in chain[:-1]:
        head = _phrase(head, triple, chance)
    return tail_question(head, chain[-1], chance)


def tail_question(head: Head, triple: NamedTriple, chance: random.Random) -> str:
    """Return a question for the triple's tail; ``head``: the words for its head."""
    known = known_relation(triple)
    if known is not None and chance.random() < KNOWN:
        return head.asked(chance.choice(known.questions))
    word = chance.choice(asking_words(triple.tail_type, known.tails if known else ()))
    noun = _noun(triple, chance)
    if noun is None:
        return _capital(head.asked(chance.choice(_OF_VERB), r=triple.relation, w=word))
    return _capital(head.asked(chance.choice(_OF_NOUN), n=noun, w=word))


def relation_name(written: str) -> str:
    """Return a relation in words: the last part of its address, without underscores and camels."""
    name = re.split(r"[/#]", written.rstrip("/#"))[-1]
    return _CAMEL.sub(" ", name).replace("_", " ").strip().lower() or written


def known_relation(triple: NamedTriple) -> RelationQuestions | None:
    """Return how people ask for the relation of a triple; None where that is not known."""
    by_word = _relations()
    found = by_word.get(relation_name(triple.relation)) or by_word.get(triple.predicate, ())
    fitting = [one for one in found if not triple.tail_type or triple.tail_type in one.tails]
    return next(iter(fitting or found), None)


def _noun(triple: NamedTriple, chance: random.Random) -> str | None:
    """Return what the tail is called, seen from the head; None for a relation that is a verb."""
    own = relation_name(triple.relation)
    known = known_relation(triple)
    named = triple.of_base and not _VERBS.search(own)
    if known is not None and known.nouns and not (named and chance.random() < OWN_NAME):
        return chance.choice(known.nouns)
    return own.removeprefix("has ") if named else None


def _phrase(head: Head, triple: NamedTriple, chance: random.Random) -> Head:
    known = known_relation(triple)
    if known is not None and known.phrases and chance.random() < KNOWN:
        return head.described(chance.choice(known.phrases))
    noun = _noun(triple, chance)
    if noun is None:
        return head.described("what {h} {r}", r=triple.relation)
    return head.described(chance.choice(_PHRASES), n=noun)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


@lru_cache(maxsize=1)
def _relations() -> Mapping[str, tuple[RelationQuestions, ...]]:
    found: dict[str, tuple[RelationQuestions, ...]] = {}
    for relation in relation_questions():
        for name in sorted(relation.names | relation.predicates):
            found[name] = (*found.get(name, ()), relation)
    return found
