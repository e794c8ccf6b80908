"""The evidence of one question as candidates are judged by it."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from clew.comprehension.candidates import Candidate, EvidenceSentence
from clew.comprehension.gender import Genders
from clew.comprehension.marks import Marks
from clew.comprehension.stems import family, stem


@dataclass(frozen=True)
class EvidenceView:
    """The evidence's sentences, candidates and word weights, made once for a question.

    ``only``: the sentences whose candidates are answers, None for all; ``joined``: pairs of rows of
    two tables that tell of one thing.
    """

    sentences: tuple[EvidenceSentence, ...]
    candidates: tuple[Candidate, ...]
    lemmas: tuple[frozenset[str], ...]
    context_lemmas: tuple[frozenset[str], ...]
    descriptions: dict[str, frozenset[str]]
    weights: dict[str, float]
    marks: Marks
    only: frozenset[int] | None = None
    joined: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(
        cls,
        sentences: Sequence[EvidenceSentence],
        candidates: Sequence[Candidate],
        marks: Marks,
        joined: Sequence[tuple[int, int]] = (),
    ) -> "EvidenceView":
        """Count words, and what each document's first sentence calls its subject."""
        lemmas = tuple(frozenset(s.parse.stems) for s in sentences)
        stems_of = {key: _stems(key) for key in {s.context_key for s in sentences}}
        contexts = tuple(stems_of[s.context_key] for s in sentences)
        counts = Counter(lemma for words in lemmas for lemma in words)
        weights = {w: math.log(1 + len(sentences) / n) for w, n in counts.items()}
        descriptions: dict[str, frozenset[str]] = {}
        for sentence, words in zip(sentences, lemmas, strict=True):
            if sentence.position == 0:
                descriptions.setdefault(sentence.title_key, words)
        return cls(
            tuple(sentences),
            tuple(candidates),
            lemmas,
            contexts,
            descriptions,
            weights,
            marks,
            joined=tuple(joined),
        )

    def restricted(self, sentences: Sequence[int]) -> "EvidenceView":
        """Return the evidence with the candidates of some of its sentences alone."""
        only = frozenset(sentences)
        kept = tuple(one for one in self.candidates if one.sentence in only)
        return replace(self, candidates=kept, only=only)

    def offers(self, candidate: Candidate) -> bool:
        """Whether a candidate stands in a sentence whose candidates are answers."""
        return self.only is None or candidate.sentence in self.only

    @cached_property
    def genders(self) -> Genders:
        """What the evidence says of the people that it names."""
        return Genders(self.sentences)

    @cached_property
    def passages(self) -> dict[int, str]:
        """The keys of each passage's sentences, and of what they stand under, between spaces."""
        found: dict[int, str] = {}
        for one in self.sentences:
            found[one.chunk] = f"{found.get(one.chunk, '')} {one.context_key} {one.key} "
        return found

    @cached_property
    def _weighed(self) -> dict[str, float]:
        return {}

    def weight(self, word: str) -> float:
        """Return the idf within the evidence of a word's stem, of the commonest in its family."""
        found = self._weighed.get(word)
        if found is None:
            unknown = math.log(1 + len(self.sentences))
            found = min(self.weights.get(own, unknown) for own in family(word))
            self._weighed[word] = found
        return found

    def covered(self, words: Sequence[str], sentences: Iterable[int]) -> float:
        """Return the share of words, by weight, that sentences and what they stand under hold."""
        present = frozenset[str]().union(
            *(self.lemmas[i] | self.context_lemmas[i] for i in sentences)
        )
        total = sum(self.weight(word) for word in words)
        held = sum(self.weight(word) for word in words if family(word) & present)
        return held / total if total else 0.0

    def covered_by(self, words: Sequence[str], place: int) -> float:
        """Return the same of a sentence and the one before it in its passage, "3. Bus shelter."."""
        before = place - 1
        near = before >= 0 and self.sentences[before].chunk == self.sentences[place].chunk
        return self.covered(words, [before, place] if near else [place])


def _stems(key: str) -> frozenset[str]:
    """Return the stems of a heading's words, whose lemmas no parse tells: of "holidays" both."""
    return frozenset(stem(own) for word in key.split() for own in (word, word.removesuffix("s")))
