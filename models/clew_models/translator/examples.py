"""Training examples of the translator (KT-10), and how a relation is chosen for one (F.1).

Source: KG-Translator, appendix F.1: spans of 10 words of the passage that hold the tail; of these
the one whose h ⊕ r is most similar to the question; and the tail is dropped from it.

Differs from the paper: a span lies in the hyperrelation of one sentence, so that it can be decoded
word for word, and ends with the tail (or begins with it, if no word stands before). Spans that go
on behind the tail would lose those words with it, so they are not compared: with them most of the
relations chosen were one word or two, such as "in".
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.translator.masks import masked_place

WINDOW = 10
"""Words of a span, the tail included (F.1)."""
SHORTEST = 3
"""Words of a relation at least, where as many stand before the tail: "in" alone leads anywhere."""

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class ClueTarget:
    """A clue to be learned: the entity's name, and characters [start, end) of a hyperrelation."""

    entity: str
    hyperrelation: str
    start: int
    end: int

    @property
    def relation(self) -> str:
        """The text of the relation."""
        return self.hyperrelation[self.start : self.end]


@dataclass(frozen=True)
class TranslationExample:
    """A question with the chain of clues that it is translated into; mostly one.

    ``chunk_ids``: the chunks that prove it, one a clue, to see whether clues lead there.
    """

    question: str
    clues: tuple[ClueTarget, ...]
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fact:
    """What a question asks: a head, a tail, and the sentence that holds the tail."""

    question: str
    head: str
    tail: str
    text: str
    hyperrelation: str


@dataclass(frozen=True)
class BestTarget:
    """The clue that fits a question best: of which of its facts it is, and how similar h ⊕ r and
    the question are (cosine).
    """

    fact: int
    clue: ClueTarget
    similarity: float


def relation_targets(facts: Sequence[Fact], embed: Embed) -> list[ClueTarget | None]:
    """Return, for each fact, the clue whose relation fits its question best; None where the
    sentence does not hold the tail, or nothing stands beside it.

    ``embed``: texts to unit vectors [N, D].
    """
    found = best_targets([[fact] for fact in facts], embed)
    return [best.clue if best else None for best in found]


def best_targets(groups: Sequence[Sequence[Fact]], embed: Embed) -> list[BestTarget | None]:
    """Return, for the facts of each group, the clue that fits its question best; None where there
    is none. The facts of a group, one at least, are what one question may ask for.
    """
    candidates = [
        [
            (place, span, text)
            for place, fact in enumerate(facts)
            for span, text in _candidates(fact)
        ]
        for facts in groups
    ]
    texts = [text for found in candidates for _, _, text in found]
    if not texts:
        return [None] * len(groups)
    vectors = embed(texts)
    asked = embed([facts[0].question for facts in groups])
    targets: list[BestTarget | None] = []
    start = 0
    for row, (facts, found) in enumerate(zip(groups, candidates, strict=True)):
        cosines = vectors[start : start + len(found)] @ asked[row]
        start += len(found)
        if not found:
            targets.append(None)
            continue
        best = int(np.argmax(cosines))
        place, (low, high), _ = found[best]
        clue = ClueTarget(facts[place].head, facts[place].hyperrelation, low, high)
        targets.append(BestTarget(place, clue, float(cosines[best])))
    return targets


def _candidates(fact: Fact) -> list[tuple[tuple[int, int], str]]:
    """Return the (start, end) of each relation that could be taken, with h ⊕ r to compare."""
    mask = masked_place(fact.text, fact.hyperrelation, fact.tail)
    if mask is None:
        return []
    words = [(word.start(), word.end()) for word in _WORD.finditer(fact.hyperrelation)]
    place = next(i for i, (a, b) in enumerate(words) if a <= mask[0] < b)
    found: list[tuple[tuple[int, int], str]] = []
    for first in range(max(0, place - WINDOW + 1), max(1, place - SHORTEST + 1)):
        span = (words[first][0], mask[0])
        if _has_word(before := fact.hyperrelation[slice(*span)]):
            found.append((span, f"{fact.head} {before}{fact.tail}"))
    if not found:
        span = (mask[1], words[min(place + WINDOW, len(words)) - 1][1])
        if _has_word(after := fact.hyperrelation[slice(*span)]):
            found.append((span, f"{fact.head} {fact.tail}{after}"))
    return found


def _has_word(text: str) -> bool:
    return any(character.isalpha() for character in text)
