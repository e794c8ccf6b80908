"""The learned part of the extractive reader: one weight a feature, in ``scorer.json``.

The file says what it was trained on; ``tests/benchmarks/reader_training.py`` makes it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.candidates import Candidate
from clew.comprehension.features import FEATURES, PLAIN, EvidenceView, Pool
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

    def pool(self, view: EvidenceView) -> Pool:
        """Return the candidates for it."""
        return Pool(self.form, self.vector, view, self.without, named=self.named)


LIKELY = 8
PASSAGES = 2
"""The span model reads the passages of the LIKELY best candidates, PASSAGES at most."""


@lru_cache(maxsize=1)
def weights() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights that choose what the span model reads, and those that choose answers."""
    stored = json.loads(files("clew.comprehension").joinpath("scorer.json").read_text())
    plain, whole = stored["reading"], stored["weights"]
    return np.array([plain[name] for name in PLAIN]), np.array([whole[name] for name in FEATURES])


def rank_candidates(parts: Sequence[Asked], view: EvidenceView, limit: int) -> list[list[Scored]]:
    """Return for each part the ``limit`` best answers, each name once, best first.

    ``probability`` adds up over the mentions of a name.
    """
    pools = [part.pool(view) for part in parts]
    passages = [likely_passages(pool, weights()[0]) for pool in pools]
    view.marks.read([(pool.form.text, own) for pool, own in zip(pools, passages, strict=True)])
    return [best_of(pool, own, limit) for pool, own in zip(pools, passages, strict=True)]


def likely_passages(pool: Pool, plain: NDArray[np.float64]) -> list[int]:
    """Return the numbers of the passages that the words alone make likely."""
    order = np.argsort(-(pool.features() @ plain), kind="stable")[:LIKELY]
    chunks = [pool.view.sentences[pool.candidates[i].sentence].chunk for i in order]
    return list(dict.fromkeys(chunks))[:PASSAGES]


def best_of(pool: Pool, passages: Sequence[int], limit: int) -> list[Scored]:
    """Return the best answers of a pool, of which the span model reads ``passages``."""
    features = pool.marked_features(passages)
    if not pool.candidates:
        return []
    scores = features @ weights()[1]
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    first: dict[str, int] = {}
    probabilities: dict[str, float] = {}
    for index in np.argsort(-scores, kind="stable").tolist():
        key = pool.candidates[index].key
        first.setdefault(key, index)
        probabilities[key] = probabilities.get(key, 0.0) + float(shares[index])
    best = sorted(first, key=lambda key: -probabilities[key])[:limit]
    return [
        Scored(
            pool.candidates[index],
            float(scores[index]),
            probabilities[key],
            tuple(features[index].tolist()),
        )
        for key, index in ((key, first[key]) for key in best)
    ]
