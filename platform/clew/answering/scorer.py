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

from clew.answering.candidates import Candidate
from clew.answering.features import FEATURES, EvidenceView, feature_matrix
from clew.answering.question import QuestionForm


@dataclass(frozen=True)
class Scored:
    """A candidate with its score (any real number) and its share of the softmax over all."""

    candidate: Candidate
    score: float
    probability: float


@lru_cache(maxsize=1)
def weights() -> NDArray[np.float64]:
    """Return the weights in the order of FEATURES."""
    stored = json.loads(files("clew.answering").joinpath("scorer.json").read_text())["weights"]
    return np.array([stored[name] for name in FEATURES])


def rank_candidates(
    form: QuestionForm,
    vector: NDArray[np.float32],
    view: EvidenceView,
    limit: int,
    *,
    without: Sequence[str] = (),
) -> list[Scored]:
    """Return the ``limit`` best answers to a question, each name once, best first.

    ``probability`` adds up over the mentions of a name. ``without``: keys of names or texts; what
    they hold is no answer.
    """
    candidates, features = feature_matrix(form, vector, view, without=without)
    if not candidates:
        return []
    scores = features @ weights()
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    best: dict[str, Scored] = {}
    for index in np.argsort(-scores, kind="stable"):
        candidate = candidates[index]
        known = best.get(candidate.key)
        first = known or Scored(candidate, float(scores[index]), 0.0)
        best[candidate.key] = Scored(
            first.candidate, first.score, first.probability + float(shares[index])
        )
    return sorted(best.values(), key=lambda found: -found.probability)[:limit]
