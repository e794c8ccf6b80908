"""Fitting the weights: a linear score over passages, whose best step is not known beforehand.

Each gold passage j of a question's pool shall come before all that are not gold

    loss = Σ_j − ln [ e^S(j) / (e^S(j) + Σ over others i of e^S(i)) ] / questions
           + strength · Σ_k (σ_k (w_k − w⁰_k))² / questions

with w⁰ the weights it begins at and σ the spread of each sign. S holds a maximum over predecessors,
so it is done in turns: the best step of each passage by the weights at hand, then the weights for
these steps (as in latent structural learning, Yu and Joachims, 2009, DOI 10.1145/1553374.1553523).
Once that rests, ``before`` is the score of the first round, as when questions are answered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.chain_ranking.features import ChainFeatures
from clew_models.chain_ranking.kernel import score, with_scores
from clew_models.chain_ranking.weights import NODE, STEP, ChainWeights, Floats64

ROUNDS, TURNS = 2, 4
"""Rounds, and choices of the best steps in each."""


@dataclass(frozen=True)
class ChainExample:
    """The signs of a question, and which passages of its pool are gold [N]; ``wanted``: how many
    gold passages it has, in its pool or not."""

    features: ChainFeatures
    gold: NDArray[np.bool_]
    wanted: int = 1


def fit(
    examples: Sequence[ChainExample],
    start: ChainWeights,
    *,
    strength: float,
    tell: Callable[[int, float], None] = lambda turn, loss: None,
) -> ChainWeights:
    """Return weights fitted to ``examples``, held to ``start`` by ``strength``.

    Weights of steps that help where they are larger stay at 0 or more: a step is never a fault.
    ``tell``: called with the number of each turn and its loss. Raises ValueError where no example
    has a gold passage in its pool.
    """
    used = [one for one in examples if one.gold.any()]
    if not used:
        raise ValueError("No example has a gold passage among those that are scored.")
    origin = np.concatenate([start.of_node(), start.of_step()])
    signs = np.concatenate([_signs(one, one.features.step, start) for one in used])
    spread = signs.std(axis=0) + 1e-6
    weights = start
    turn = 0
    for passes in range(ROUNDS):
        steps = [_steps(one, weights, passes) for one in used]
        for _ in range(TURNS):
            rows = [_signs(one, step, weights) for one, step in zip(used, steps, strict=True)]
            fitted, loss = _minimised(rows, [one.gold for one in used], origin, spread, strength)
            weights = _weights(fitted, start.repeat)
            turn += 1
            tell(turn, loss)
    return weights


def loss_of(examples: Sequence[ChainExample], weights: ChainWeights) -> float:
    """Return the loss of ``examples`` without the part that holds weights to their start."""
    total = 0.0
    for one in examples:
        scores = score(one.features, weights).scores
        total += _loss(scores, one.gold)[0]
    return total / max(len(examples), 1)


def _steps(one: ChainExample, weights: ChainWeights, passes: int) -> Floats64:
    if not passes:
        return one.features.step
    return with_scores(one.features, score(one.features, weights, passes).scores)


def _signs(one: ChainExample, step: Floats64, weights: ChainWeights) -> Floats64:
    """Return [N, signs] of each passage and of its best step by ``weights``."""
    values = step @ weights.of_step()
    values[one.features.itself] = -np.inf
    best = values.argmax(axis=0)
    return np.concatenate([one.features.node, step[best, np.arange(len(best))]], axis=1)


def _minimised(
    rows: Sequence[Floats64],
    golds: Sequence[NDArray[np.bool_]],
    origin: Floats64,
    spread: Floats64,
    strength: float,
) -> tuple[Floats64, float]:
    from scipy.optimize import minimize

    scaled = [row / spread for row in rows]
    first = origin * spread
    bounds = [(None, None)] * len(NODE) + [(0.0, None)] * len(STEP)

    def loss(weights: Floats64) -> tuple[float, Floats64]:
        total, gradient = 0.0, np.zeros(len(weights))
        for row, gold in zip(scaled, golds, strict=True):
            value, by_score = _loss(row @ weights, gold)
            total += value
            gradient += by_score @ row
        away = weights - first
        count = len(scaled)
        return (
            (total + strength * float(away @ away)) / count,
            (gradient + 2 * strength * away) / count,
        )

    found = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds)
    return found.x / spread, float(found.fun)


def _loss(scores: Floats64, gold: NDArray[np.bool_]) -> tuple[float, Floats64]:
    """Return the loss of a question's scores [N], and its gradient by them."""
    gradient = np.zeros(len(scores))
    if not gold.any():
        return 0.0, gradient
    powers = np.exp(scores - scores.max())
    others = np.where(gold, 0.0, powers)
    total = 0.0
    for place in np.flatnonzero(gold):
        whole = others.sum() + powers[place]
        share = powers[place] / whole
        total -= float(np.log(np.maximum(share, 1e-300)))
        gradient += others / whole
        gradient[place] += share - 1
    return total, gradient


def _weights(fitted: Floats64, repeat: float) -> ChainWeights:
    return ChainWeights(
        node=dict(zip(NODE, fitted[: len(NODE)].tolist(), strict=True)),
        step=dict(zip(STEP, fitted[len(NODE) :].tolist(), strict=True)),
        repeat=repeat,
    )
