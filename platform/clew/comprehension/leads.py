"""Sentences of other passages that lead to a passage: what a question describes by things that
another passage tells, "the firm suspected of the winy bucket", can only be read beside it.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.scorer import Asked, Ranking, Scored
from clew.comprehension.stems import family
from clew_models.leads import Passage, leads_among

LEADS = 2
"""Sentences that are read beside a passage."""
PASSAGES = 8
"""Passages that are read so, the first of the evidence."""


@dataclass(frozen=True)
class Leads:
    """The sentences of ``view`` that say what a question asks and a passage does not.

    ``vector``: the question's. First the sentence that a sentence of the passage takes up
    (`clew_models.leads`, among the first PASSAGES); then those that are worth most: the sum of what
    share a sentence says, by weight, of the words of the question that the passage lacks, how rare
    a name is that both have and the question has not, and how near it is to the question, each
    between 0 and 1.
    """

    form: QuestionForm
    vector: NDArray[np.float32]
    view: EvidenceView

    def to(self, passage: int, count: int = LEADS) -> list[int]:
        """Return the ``count`` best sentences that lead to a passage, by their places in the
        view, best first, one of each passage at most.
        """
        view, worth = self.view, []
        own = [i for i, sentence in enumerate(view.sentences) if sentence.chunk == passage]
        told = frozenset[str]().union(*(view.lemmas[i] | view.context_lemmas[i] for i in own))
        lacking = [word for word in self.form.words if not family(word) & told]
        here = self._names_of[passage]
        for index, sentence in enumerate(view.sentences):
            if sentence.chunk != passage:
                said = view.covered(lacking or self.form.words, [index])
                names = self._names_in[index] & here
                shared = max((self._rarity[name] for name in names), default=0.0)
                worth.append((said + shared + self._near[index], index))
        found = [self._taken_up[passage]][:count] if passage in self._taken_up else []
        for _, index in sorted(worth, reverse=True):
            chunk = view.sentences[index].chunk
            if len(found) < count and all(view.sentences[i].chunk != chunk for i in found):
                found.append(index)
        return found

    def joins(self, lead: int, passage: int) -> bool:
        """Say whether a lead has a name in common with a passage that the question has not."""
        return not self._names_in[lead].isdisjoint(self._names_of[passage])

    def held_by(self, sentence: int, leads: Sequence[int]) -> float:
        """Return how surely a row is the one of its passage that ``leads`` mean: one over the
        number of its passage's sentences that hold the name, of those that both have, that the
        fewest do; 0 where they share none, and of prose, which goes on about what it named.
        """
        if len(self.view.sentences[sentence].fields) < 2:
            return 0.0
        known = frozenset[str]().union(*(self._names_in[lead] for lead in leads))
        chunk = self.view.sentences[sentence].chunk
        shared = known & self._names_in[sentence]
        return 1 / min((self._held[chunk][name] for name in shared), default=math.inf)

    @cached_property
    def _taken_up(self) -> dict[int, int]:
        """The sentence that leads to each of the first passages, where there is one."""
        places: dict[int, list[int]] = {}
        for index, sentence in enumerate(self.view.sentences):
            places.setdefault(sentence.chunk, []).append(index)
        numbers = sorted(places)[:PASSAGES]
        sentences = self.view.sentences
        passages = [
            Passage(
                sentences[places[number][0]].title,
                [(sentences[index].parse.text, self._near[index]) for index in places[number]],
            )
            for number in numbers
        ]
        found = zip(numbers, leads_among(self.form.text, passages), strict=True)
        return {
            number: places[numbers[lead.passage]][lead.sentence]
            for number, (lead, _) in found
            if lead is not None
        }

    @cached_property
    def _held(self) -> dict[int, Counter[str]]:
        """How many sentences of each passage hold each name."""
        found: dict[int, Counter[str]] = {}
        for names, sentence in zip(self._names_in, self.view.sentences, strict=True):
            found.setdefault(sentence.chunk, Counter()).update(names)
        return found

    @cached_property
    def _near(self) -> list[float]:
        return [float(sentence.vector @ self.vector) for sentence in self.view.sentences]

    @cached_property
    def _names_in(self) -> list[frozenset[str]]:
        """What each sentence names, its document's title with it."""
        view = self.view
        asked = f" {' '.join(self.form.text.casefold().split())} "
        found: list[set[str]] = [{one.title_key} - {""} for one in view.sentences]
        for candidate in view.candidates:
            if any(letter.isupper() or letter.isdigit() for letter in candidate.text):
                found[candidate.sentence].add(candidate.key)
        return [frozenset(key for key in own if f" {key} " not in asked) for own in found]

    @cached_property
    def _names_of(self) -> dict[int, frozenset[str]]:
        """What each passage names."""
        found: dict[int, frozenset[str]] = {}
        for names, sentence in zip(self._names_in, self.view.sentences, strict=True):
            found[sentence.chunk] = found.get(sentence.chunk, frozenset()) | names
        return found

    @cached_property
    def _rarity(self) -> dict[str, float]:
        """How rare each name is among the passages: 1 for one that two have, 0 where all do."""
        held = Counter(name for names in self._names_of.values() for name in names)
        most = math.log(max(len(self._names_of) / 2, 2.0))
        return {
            name: min(max(math.log(len(self._names_of) / count) / most, 0.0), 1.0)
            for name, count in held.items()
        }


@dataclass(frozen=True)
class Led:
    """An answer that was read beside the sentences ``leads``, by their places in the evidence.

    ``joined``: those that have a name in common with its passage; ``held``: how surely its row is
    the one that these mean.
    """

    answer: Scored
    leads: tuple[int, ...]
    joined: tuple[int, ...]
    held: float


class LedReading:
    """What the span model reads of a question's first PASSAGES, each beside its leads.

    ``ways``: the leads of each passage; ``view``: as it is read so; ``held``: see Leads.held_by, of
    each sentence.
    """

    def __init__(self, asked: Asked, view: EvidenceView) -> None:
        self.leads = leads = Leads(asked.form, asked.vector, view)
        passages = sorted({sentence.chunk for sentence in view.sentences})[:PASSAGES]
        self.ways = {number: tuple(leads.to(number)) for number in passages}
        texts = {number: told(view, way) for number, way in self.ways.items()}
        self.view = replace(view, marks=view.marks.beside(asked.form.read, texts))
        self.held = [
            leads.held_by(i, self.ways.get(sentence.chunk, ()))
            for i, sentence in enumerate(view.sentences)
        ]


def read_led(asked: Asked, view: EvidenceView) -> Led | None:
    """Return the best answer to a whole question, of passages that are read beside the sentences
    that lead to them; None where there is none, or one passage alone.
    """
    if len({sentence.chunk for sentence in view.sentences}) < 2:
        return None
    read = LedReading(asked, view)
    ranking = Ranking(asked, read.view, passages=list(read.ways), held=read.held)
    for best in ranking.best(1):
        at = best.candidate.sentence
        passage = view.sentences[at].chunk
        way = read.ways[passage]
        joined = tuple(lead for lead in way if read.leads.joins(lead, passage))
        return Led(best, way, joined, read.held[at])
    return None


def told(view: EvidenceView, sentences: Sequence[int]) -> list[str]:
    """Return sentences, each behind the title of its document."""
    return [f"{view.sentences[i].title}: {view.sentences[i].parse.text}" for i in sentences]
