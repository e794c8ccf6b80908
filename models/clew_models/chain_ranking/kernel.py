"""The score of passages: what they are by themselves, and the best step that leads to each.

For the passages c of the pool, with predecessors a and the signs of :mod:`features`

    S(c) = u · node(c) + max over a ≠ c of v · step(a, c)

computed twice: the second time a step's ``before`` is S(a) less the best instead of a's walk. The
best of several passages of one title keeps its score, the n-th better one costs n × ``repeat``. The
step that gives the maximum is why the passage is there.
"""

from dataclasses import dataclass, replace

import numpy as np

from clew_models.chain_ranking.arrays import ChainArrays
from clew_models.chain_ranking.features import BEFORE, LOWEST, ChainFeatures, chain_features
from clew_models.chain_ranking.question import Asked, ChainQuestion, Rows
from clew_models.chain_ranking.weights import ChainWeights, Floats64

PASSES = 2

OUTSIDE = -1
"""The place of a passage that is among the first and not of the pool (`with_further`)."""


@dataclass(frozen=True)
class Scored:
    """Scores of the pool [N], each passage's predecessor [N] (A: the question), and the steps that
    were scored [A + 1, N, len(STEP)]."""

    scores: Floats64
    predecessor: Rows
    step: Floats64


@dataclass(frozen=True)
class ChainRanking:
    """Chunks (rows), best first, with scores and the place of each in the pool of ``features``;
    those past the pool have none, and are not in ``places``, or OUTSIDE among those that are.
    """

    rows: Rows
    scores: Floats64
    places: Rows
    asked: Asked
    features: ChainFeatures
    scored: Scored


def rank_chains(
    arrays: ChainArrays,
    question: ChainQuestion,
    weights: ChainWeights,
    *,
    damping: float,
    temperature: float,
    pool: int,
    predecessors: int,
    limit: int,
) -> ChainRanking:
    """Return the best ``limit`` chunks for ``question``; see `chain_features` for the rest."""
    asked, features = chain_features(
        arrays,
        question,
        damping=damping,
        temperature=temperature,
        pool=pool,
        predecessors=predecessors,
    )
    scored = score(features, weights)
    final = with_repeats(scored.scores, features.group, weights.repeat)
    places = np.argsort(-final, kind="stable")[:limit]
    rest = features.rest[: max(0, limit - len(places))]
    lowest = final[places[-1]] if len(places) else 0.0
    return ChainRanking(
        rows=np.concatenate([features.pool[places], rest]),
        scores=np.concatenate([final[places], lowest - 1.0 - np.arange(len(rest))]),
        places=places,
        asked=asked,
        features=features,
        scored=scored,
    )


def with_read(ranking: ChainRanking, read: Rows, fits: Floats64) -> ChainRanking:
    """Return the ranking with the passages that were read in front, ordered by their scores with
    what reading adds to each; the others keep their order, as far behind as they were.

    ``read`` [R]: where they stand, rising, all in the pool; ``fits`` [R].
    """
    if not len(read):
        return ranking
    scores = ranking.scores[read] + fits
    best = np.argsort(-scores, kind="stable")
    others = np.setdiff1d(np.arange(len(ranking.rows)), read)
    behind = scores.min() + np.minimum(ranking.scores[others] - ranking.scores[read[-1]], 0.0)
    order = np.concatenate([read[best], others])
    return replace(
        ranking,
        rows=ranking.rows[order],
        scores=np.concatenate([scores[best], behind]),
        places=ranking.places[order[order < len(ranking.places)]],
    )


def with_further(
    ranking: ChainRanking, front: int, further: Rows, scores: Floats64
) -> ChainRanking:
    """Return the ranking with chunks ``further`` (rows) among its first ``front`` passages, by
    ``scores``, or before all that stands behind; the others keep their order.
    """
    kept = np.flatnonzero(~np.isin(ranking.rows, further))
    first, last = kept[:front], kept[front:]
    known = {int(row): place for place, row in enumerate(ranking.features.pool)}
    own = np.array([known.get(int(row), OUTSIDE) for row in further], dtype=np.int64)
    least = ranking.scores[last].max(initial=-np.inf)
    both = np.concatenate([ranking.scores[first], np.maximum(scores, least)])
    best = np.argsort(-both, kind="stable")
    return replace(
        ranking,
        rows=np.concatenate(
            [np.concatenate([ranking.rows[first], further])[best], ranking.rows[last]]
        ),
        scores=np.concatenate([both[best], ranking.scores[last]]),
        places=np.concatenate(
            [
                np.concatenate([ranking.places[first], own])[best],
                ranking.places[last[last < len(ranking.places)]],
            ]
        ),
    )


def score(features: ChainFeatures, weights: ChainWeights, passes: int = PASSES) -> Scored:
    """Return the scores of the pool and the best predecessors."""
    node = features.node @ weights.of_node()
    step, scored = features.step, None
    for _ in range(passes):
        if scored is not None:
            step = with_scores(features, scored.scores)
        values = step @ weights.of_step()
        values[features.itself] = -np.inf
        best = values.argmax(axis=0)
        scores = node + values[best, np.arange(len(node))]
        scored = Scored(scores, best.astype(np.int64), step)
    assert scored is not None
    return scored


def with_scores(features: ChainFeatures, scores: Floats64) -> Floats64:
    """Return [A + 1, N, len(STEP)] the steps, with ``before`` from the scores [N] of the pool."""
    step = features.step.copy()
    if len(scores):
        known = np.maximum(scores[features.before_place] - scores.max(), LOWEST)
        known[features.before_place < 0] = LOWEST
        step[:-1, :, BEFORE] = known[:, None]
    return step


def with_repeats(scores: Floats64, group: Rows, repeat: float) -> Floats64:
    """Return the scores, the n-th best of a group less n × ``repeat`` (n from 0)."""
    order = np.lexsort((-scores, group))
    ranked = group[order]
    fresh = np.r_[True, ranked[1:] != ranked[:-1]] if len(ranked) else np.zeros(0, bool)
    begins = np.maximum.accumulate(np.where(fresh, np.arange(len(ranked)), 0))
    found = scores.copy()
    found[order] -= repeat * (np.arange(len(ranked)) - begins)
    return found
