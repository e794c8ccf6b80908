"""What a question compares: "Which film has the director who died later, Spione or Teyzem?" sets
two films side by side by their directors' deaths.

The things are the titles that it names (naming); whose property counts is a noun that stands before
each, "the director of Spione", or for both, "whose director".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.lexicon import (
    COUNTRIES,
    LEAST_DATE,
    LEAST_NUMBER,
    MOST_DATE,
    MOST_NUMBER,
    classes_of,
)
from clew.comprehension.naming import NAMED, without_kind

Property = Literal["birth", "death", "life", "date", "number", ""]

_RELATED = frozenset({"PERSON", "ORG", "PLACE"})
_BEFORE = frozenset({"both", "the", "and", "or", ","})
_DEATH = re.compile(r"\b(?:die[ds]?|death|dead)\b", re.IGNORECASE)
_BIRTH = re.compile(
    r"\b(?:born|birth|older|younger|oldest|youngest|elder|eldest|age)\b", re.IGNORECASE
)
_LIFE = re.compile(r"\b(?:lived?|life|lives) (?:a )?(?:longer|longest|shorter)", re.IGNORECASE)
_AGE = frozenset({"older", "oldest", "elder", "eldest", "younger", "youngest"})
"""With a death they order ages: "Who was older when they died?"."""


@dataclass(frozen=True)
class Option:
    """One of two things: as the question writes it, and the noun of who is compared in its place,
    "director", or ""."""

    written: str
    relation: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two things, or more, and what is asked of them.

    ``words``: those of the question without the things' names, in lower case; ``whole``: the answer
    is one of the things, not who is compared in its place; ``joined``: the same is asked of both,
    "Are Ann Lee and Bo Ray …?", and not what one has to do with the other: "Did Ann Lee win the
    Grand Prix?".
    """

    options: tuple[Option, ...]
    words: frozenset[str]
    asked: str
    whole: bool
    joined: bool = True

    @classmethod
    def of_names(cls, text: str, names: Sequence[str]) -> "Comparison":
        """Return what is asked of things that are named otherwise."""
        first, *_, last = sorted(text.casefold().find(name.casefold()) for name in names)
        joined = " and " in text[first:last]
        for name in names:
            text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
        words = frozenset(re.findall(r"[a-z]+", text.casefold()))
        return cls(tuple(map(Option, names)), words, text, True, joined)

    def question(self, name: str) -> str:
        """Return what is asked of one of them, for a search."""
        asked = {"birth": f"When was {name} born?", "death": f"When did {name} die?"}
        return asked.get(self.compared, f"{name} {self.asked}")

    @property
    def compared(self) -> Property:
        """What of them is compared; "": nothing that has an order."""
        ordered = self.words & (LEAST_DATE | MOST_DATE | LEAST_NUMBER | MOST_NUMBER)
        if not ordered:
            return ""
        dies = _DEATH.search(self.asked) is not None
        if _LIFE.search(self.asked) or (dies and self.words & _AGE):
            return "life"
        if dies:
            return "death"
        if _BIRTH.search(self.asked):
            return "birth"
        return "date" if self.words & (LEAST_DATE | MOST_DATE) else "number"

    @property
    def least(self) -> bool:
        """Whether the smaller value, or the earlier date, is asked for."""
        if self.compared in {"birth", "death", "date"}:
            return bool(self.words & LEAST_DATE)
        return bool(self.words & (LEAST_NUMBER | {"younger", "youngest"}))


def comparison_in(sentence: AnnotatedSentence) -> Comparison | None:
    """Return what a parsed question compares; None where it does not name two titles, one beside
    the other.
    """
    tokens = sentence.tokens
    places = sorted(entity.first for entity in sentence.entities if entity.label == NAMED)
    if len(places) != 2 or any(_is_where(tokens, place) for place in places):
        return None
    between = {token.text.casefold() for token in tokens[places[0] + 1 : places[1]]}
    if not between & {"and", "or"}:
        return None
    own = [_own_relation(tokens, place, places) for place in places]
    shared = "" if any(own) else _shared_relation(tokens, places)
    options = [
        Option(without_kind(tokens[place].text), relation or shared)
        for place, relation in zip(places, own, strict=True)
    ]
    asked = " ".join(token.text for i, token in enumerate(tokens) if i not in places)
    words = frozenset(re.findall(r"[a-z]+", asked.casefold()))
    return Comparison((options[0], options[1]), words, asked, not any(own))


def _is_where(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a name says no more than where another one is: "the Corn Exchange in Seld"."""
    return place > 1 and tokens[place - 1].pos == "ADP" and tokens[place - 2].pos == "PROPN"


def _own_relation(tokens: Sequence[Token], place: int, places: Sequence[int]) -> str:
    """Return the noun of "the director of Spione" or "Spione's director", over "both films" and
    the other name.
    """
    if tokens[place + 1 : place + 2] and tokens[place + 1].text in {"'s", "’s", "'", "’"}:
        return _related(tokens, place + 2)
    at = place - 1
    while at > 0 and (
        at in places
        or tokens[at].text.casefold() in _BEFORE
        or (tokens[at].pos == "NOUN" and "WORK" in classes_of(tokens[at].lemma))
    ):
        at -= 1
    if at < 1 or tokens[at].text != "of":
        return ""
    noun = tokens[at - 1]
    return noun.lemma if _RELATED & classes_of(noun.lemma) else ""


def _shared_relation(tokens: Sequence[Token], places: Sequence[int]) -> str:
    """Return the noun of "whose director", "has the director who …"."""
    for index, token in enumerate(tokens):
        if index in places:
            continue
        owner = token.text.casefold() in {"whose", "with"} or token.lemma == "have"
        possessive = token.text in {"'s", "’s"} and index - 1 not in places
        if (owner or possessive) and (noun := _related(tokens, index + 1)):
            return noun
    return ""


def _related(tokens: Sequence[Token], start: int) -> str:
    """Return the last noun of those that stand together from ``start`` on; "" where it is none of
    somebody, or what is compared itself: "the same country", "more members".
    """
    noun = ""
    for token in tokens[start:]:
        if token.lemma == "same" or token.text in LEAST_NUMBER | MOST_NUMBER:
            return ""
        if token.pos in {"NOUN", "PROPN"} and " " not in token.text:
            noun = token.lemma
        elif noun or token.pos not in {"DET", "ADJ", "PRON"}:
            break
    return noun if _RELATED & classes_of(noun) and noun not in COUNTRIES else ""
