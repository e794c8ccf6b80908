"""The learned part of the extractive reader: one weight a feature, in ``scorer.json``.

The file says what it was trained on; ``tests/benchmarks/reader_training.py`` makes it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.candidates import Candidate
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.features import FEATURES, PLAIN, Pool
from clew.comprehension.fitted import fitted_weights
from clew.comprehension.question_form import QuestionForm


@dataclass(frozen=True)
class Scored:
    """A candidate with its score (any real number), its share of the softmax over all, and its
    FEATURES."""

    candidate: Candidate
    score: float
    probability: float
    features: tuple[float, ...]

    @property
    def span(self) -> float:
        """What the span model says of it: a tenth of its log-odds against "not here"."""
        return self.features[FEATURES.index("span")]


@dataclass(frozen=True)
class Asked:
    """A part of a question: its form and its vector.

    ``without``: keys of names or texts; what they hold is no answer. ``named``: the answer takes
    the place of a description in a question, so that it must be a name or a value.
    """

    form: QuestionForm
    vector: NDArray[np.float32]
    without: Sequence[str] = ()
    named: bool = False


LED_FEATURES = (*FEATURES, "held")
"""Those of a candidate that is read beside leads: how surely its sentence is the one they mean."""
LIKELY = 8
PASSAGES = 2
"""The span model reads the passages of the LIKELY best candidates, PASSAGES at most."""


class Weights(NamedTuple):
    """Weights of a candidate's features: ``reading`` [P] choose what the span model reads,
    ``alone`` [F] answers of what is read alone, and ``led`` [F + 1] of what is read beside
    sentences that lead there.
    """

    reading: NDArray[np.float64]
    alone: NDArray[np.float64]
    led: NDArray[np.float64]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """Return the weights that were fitted."""
    return Weights(
        fitted_weights("scorer.json", PLAIN, "reading"),
        fitted_weights("scorer.json", FEATURES),
        fitted_weights("scorer.json", LED_FEATURES, "led"),
    )


class Ranking:
    """The candidates for a part of a question; the span model reads their passages when it is asked
    for the best."""

    def __init__(
        self,
        part: Asked,
        view: EvidenceView,
        *,
        passages: Sequence[int] | None = None,
        held: Sequence[float] | None = None,
    ) -> None:
        """``passages``: those that are read, None: what the words make likely; ``held``: of each
        sentence, where they are read beside leads.
        """
        self._pool = Pool(part.form, part.vector, view, part.without, named=part.named)
        likely = likely_passages(self._pool, weights().reading) if passages is None else passages
        self._passages = likely
        self._held = held
        self.asked = part.form.read, self._passages

    @property
    def ceiling(self) -> float:
        """The score that no candidate can exceed, whatever the span model says; none where a row
        tells the answer."""
        if self._pool.told:
            return math.inf
        return self._pool.ceiling(self._passages, weights().alone)

    def best(self, limit: int) -> list[Scored]:
        """Return the ``limit`` best answers, each name once, best first.

        ``probability`` adds up over the mentions of a name.
        """
        features = self._pool.marked_features(self._passages)
        candidates = self._pool.candidates
        if not candidates:
            return []
        if self._held is None:
            scores = features @ weights().alone
        else:
            scores = with_held(features, candidates, self._held) @ weights().led
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        first: dict[str, int] = {}
        probabilities: dict[str, float] = {}
        for index in np.argsort(-scores, kind="stable").tolist():
            key = candidates[index].key
            first.setdefault(key, index)
            probabilities[key] = probabilities.get(key, 0.0) + float(shares[index])
        best = sorted(first, key=lambda key: -probabilities[key])[:limit]
        return [
            Scored(
                candidates[first[key]],
                float(scores[first[key]]),
                probabilities[key],
                tuple(features[first[key]].tolist()),
            )
            for key in best
        ]


def with_held(
    features: NDArray[np.float64], candidates: Sequence[Candidate], held: Sequence[float]
) -> NDArray[np.float64]:
    """Return LED_FEATURES [N, F + 1] of candidates; ``held``: of each sentence."""
    own = np.array([[held[candidate.sentence]] for candidate in candidates])
    return np.concatenate([features, own], axis=1)


def rank_candidates(parts: Sequence[Asked], view: EvidenceView, limit: int) -> list[list[Scored]]:
    """Return for each part the ``limit`` best answers; the span model reads for all at once."""
    rankings = [Ranking(part, view) for part in parts]
    view.marks.read([ranking.asked for ranking in rankings])
    return [ranking.best(limit) for ranking in rankings]


def likely_passages(pool: Pool, plain: NDArray[np.float64]) -> list[int]:
    """Return the numbers of the passages that the words alone make likely."""
    order = np.argsort(-(pool.features() @ plain), kind="stable")[:LIKELY]
    chunks = [pool.view.sentences[pool.candidates[i].sentence].chunk for i in order]
    return list(dict.fromkeys(chunks))[:PASSAGES]
