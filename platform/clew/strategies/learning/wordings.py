"""How people ask for a triple: by its relation, or in the words of its sentence.

Questions about relations are data (`relation_questions.toml`). From a sentence: what it says of a
head, with its tail asked for. "Ed Wood was shown at the Cannes Film Festival" becomes "Ed Wood was
shown at what?". The words of the sentence stand in the question, as they often do in people's
questions, and any relation that a text has can be asked for, not only those of the file.
"""

import random
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

from clew_cypher.export.training import StatedTriple

LONGEST = 12
"""Words between head and tail; more of them seldom belong to one relation."""
_ASKED = {
    "PERSON": ("who", "which person", "whom"),
    "ORG": ("which organisation", "what", "which group"),
    "GPE": ("where", "which place", "what place", "which country"),
    "LOC": ("where", "which place"),
    "FAC": ("where", "which building", "which place"),
    "DATE": ("when", "what year", "what date"),
    "TIME": ("when",),
    "CARDINAL": ("how many", "what number"),
    "QUANTITY": ("how much", "how many"),
    "MONEY": ("how much",),
    "PERCENT": ("what share",),
    "WORK_OF_ART": ("which work", "what"),
    "EVENT": ("which event", "what"),
}
_POSSESSIVE = re.compile(r"\{h\}'s ([^?.,]+)")
_PREPOSITION = re.compile(r"\s(?:of|to|in|on|at|by|for|from|with|behind)\s")
_ASIDE = re.compile(r"\s*\([^)]*(?:\)\s*|$)")
_PRONOUN = re.compile(r"(?:He|She|It|They|His|Her|Its|Their)\b")


@dataclass(frozen=True)
class RelationQuestions:
    """How people ask for a relation, and how its tail is described within another question.

    ``heads``: types of what may be asked; None for all. ``names``: what knowledge bases call the
    relation; ``nouns``: what people call its tail.
    """

    predicates: frozenset[str]
    heads: frozenset[str] | None
    tails: frozenset[str]
    questions: tuple[str, ...]
    phrases: tuple[str, ...]
    comparisons: tuple[str, ...]
    names: frozenset[str] = frozenset()
    nouns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Head:
    """What a question is about, in words: a name, or a description of it by another thing.

    ``possessive``: "'s" may stand behind the words. Where they end in a clause or an "of" phrase it
    may not: "the director of Ed Wood's date of birth" asks for that of Ed Wood.
    """

    words: str
    possessive: bool = True

    def asked(self, wording: str, **others: str) -> str:
        """Return a wording with these words for its ``{h}``, and ``others`` for its other slots."""
        wording = wording if self.possessive else of_wording(wording)
        return wording.format(h=self.words, **others)

    def described(self, phrase: str, **others: str) -> "Head":
        """Return what a phrase about this head describes."""
        tail = phrase.removeprefix("{h}'s ")
        plain = tail != phrase and not _PREPOSITION.search(tail.format(**others))
        return Head(self.asked(phrase, **others), self.possessive and plain)


def of_wording(wording: str) -> str:
    """Return a wording of ``{h}'s …`` as one of ``the … of {h}``; others as they are."""
    return _POSSESSIVE.sub(r"the \1 of {h}", wording)


def relation_questions() -> tuple[RelationQuestions, ...]:
    """Return the relations of `relation_questions.toml`."""
    text = (files(__package__) / "relation_questions.toml").read_text(encoding="utf-8")
    return tuple(
        RelationQuestions(
            predicates=frozenset(entry["predicates"]),
            heads=frozenset(entry["heads"]),
            tails=frozenset(entry["tails"]),
            questions=tuple(entry["questions"]),
            phrases=tuple(entry["phrases"]),
            comparisons=tuple(entry.get("comparisons", ())),
            names=frozenset(entry.get("names", ())),
            nouns=tuple(entry.get("nouns", ())),
        )
        for entry in tomllib.loads(text)["relation"]
    )


def asking_words(kind: str, kinds: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the words that ask for something of a type; ``kinds``: where the type is not known,
    those that it may have.
    """
    if kind:
        return _ASKED.get(kind, ("what",))
    found = dict.fromkeys(word for one in sorted(kinds) for word in _ASKED.get(one, ("what",)))
    return tuple(found) or ("what", "who", "which")


def statement_question(triple: StatedTriple, chance: random.Random) -> str | None:
    """Return a question with ``{h}`` for the head; None where the sentence does not lead from head
    to tail in a few words.
    """
    end = _head_end(triple)
    start = triple.text.find(triple.tail, end or 0)
    if end is None or start < 0:
        return None
    between = _ASIDE.sub(" ", triple.text[end:start]).strip(" ,;:-")
    if not 1 <= len(between.split()) <= LONGEST or not any(map(str.isalpha, between)):
        return None
    if between.startswith(("'", "’")):  # "Ed Wood's director": of the head nothing is said
        return None
    words = chance.choice(asking_words(triple.tail_type))
    between = between.translate({ord(brace): None for brace in "{}()"})
    if chance.random() < 0.5:
        return f"{words[0].upper()}{words[1:]} {{h}} {between}?"
    return f"{{h}} {between} {words}?"


def _head_end(triple: StatedTriple) -> int | None:
    """Return where the head's mention ends: its name, the last word of it, or a first pronoun."""
    for name in (triple.head, triple.head.split()[-1]):
        if (start := triple.text.find(name)) >= 0:
            return start + len(name)
    found = _PRONOUN.match(triple.text)
    return found.end() if found else None
