"""The learned part of the extractive reader: one weight a feature, in ``scorer.json``.

The file says what it was trained on; ``tests/benchmarks/reader_training.py`` makes it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    plain, whole = weights()
    pools = [Pool(part.form, part.vector, view, part.without, named=part.named) for part in parts]
    passages = [likely_passages(pool, plain) for pool in pools]
    view.marks.read([(pool.form.text, own) for pool, own in zip(pools, passages, strict=True)])
    return [
        _ranked(pool, pool.marked_features(own), whole, limit)
        for pool, own in zip(pools, passages, strict=True)
    ]


def likely_passages(pool: Pool, plain: NDArray[np.float64]) -> list[int]:
    """Return the numbers of the passages that the words alone make likely."""
    order = np.argsort(-(pool.features() @ plain), kind="stable")[:LIKELY]
    chunks = [pool.view.sentences[pool.candidates[i].sentence].chunk for i in order]
    return list(dict.fromkeys(chunks))[:PASSAGES]


def _ranked(
    pool: Pool, features: NDArray[np.float64], whole: NDArray[np.float64], limit: int
) -> list[Scored]:
    if not pool.candidates:
        return []
    scores = features @ whole
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    best: dict[str, Scored] = {}
    for index in np.argsort(-scores, kind="stable"):
        own = Scored(
            pool.candidates[index],
            float(scores[index]),
            float(shares[index]),
            tuple(map(float, features[index])),
        )
        first = best.get(own.candidate.key)
        if first is not None:
            own = replace(first, probability=first.probability + own.probability)
        best[own.candidate.key] = own
    return sorted(best.values(), key=lambda found: -found.probability)[:limit]
