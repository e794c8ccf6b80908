"""How sure a figure is: bootstrap intervals, paired randomisation tests, Holm's correction.

Every function takes its seed and gives the same numbers for it, in whatever order it is asked.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
CONFIDENCE = 0.95
SIGNIFICANT = 0.05
EXACT_UP_TO = 13
"""Pairs that differ, up to which all 2^n signs are tried: 8,192, fewer than the resamples."""
_BLOCK = 2_000_000

Array = NDArray[np.float64]


def bootstrap_interval(values: ArrayLike, seed: int) -> tuple[float, float]:
    """Return the bounds of the percentile bootstrap 95 % interval of the mean.

    10,000 resamples of the values with replacement; as scipy.stats.bootstrap(method="percentile"),
    but cheap enough for every metric of every group. Raises ValueError without values.
    Source: Efron 1979.
    """
    sample = _checked(values)
    distinct, counts = np.unique(sample, return_counts=True)
    if len(distinct) == 1:
        return float(sample[0]), float(sample[0])
    if len(distinct) * 10 <= len(sample):
        # how often each value is drawn is all that counts, and there are few values
        rng = np.random.default_rng(seed)
        drawn = rng.multinomial(len(sample), counts / len(sample), size=RESAMPLES)
        return _bounds(drawn @ distinct / len(sample))
    return resampled_interval(lambda rows: sample[rows].mean(axis=1), len(sample), seed)


def resampled_interval(
    statistic: Callable[[NDArray[np.int64]], Array], size: int, seed: int
) -> tuple[float, float]:
    """Return the 95 % interval of any statistic of ``size`` cases.

    ``statistic``: [R, size] places of drawn cases → [R] values.
    """
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // size)
    values = [
        statistic(rng.integers(size, size=(min(block, RESAMPLES - start), size)))
        for start in range(0, RESAMPLES, block)
    ]
    return _bounds(np.concatenate(values))


def paired_randomisation(a: ArrayLike, b: ArrayLike, seed: int) -> float:
    """Return the two-sided p of the mean difference of pairs: which side is which is chance.

    The share of random signs of the differences whose |mean| is as large as that seen: of all 2^n
    where at most 13 pairs differ (exact), else of 10,000 drawn ones, counting that seen too, so
    that p is never 0. As scipy.stats.permutation_test(permutation_type="samples"). 1 where no pair
    differs. Raises ValueError for sides of unequal length or without values.
    Source: Fisher 1935; Smucker, Allan and Carterette 2007.
    """
    one, other = _checked(a), _checked(b)
    if one.shape != other.shape:
        raise ValueError(f"Pairs are needed, got {len(one)} and {len(other)} values.")
    # pairs that do not differ add nothing, whatever their sign
    sizes = np.abs(one - other)[one != other]
    if not len(sizes):
        return 1.0
    seen = abs(float((one - other).sum()))
    # sums that are equal but were added up in another order count as equal
    bound = seen - 1e-10 * float(sizes.sum())
    if len(sizes) <= EXACT_UP_TO:
        signs = (np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes))) & 1
        return float(np.mean(np.abs((2 * signs - 1) @ sizes) >= bound))
    extreme = int(np.count_nonzero(np.abs(_random_sums(sizes, seed)) >= bound))
    return (extreme + 1) / (RESAMPLES + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values after Holm's correction, in their order.

    The i-th smallest of m is multiplied by m - i + 1, is no smaller than the one before, and at
    most 1. Source: Holm 1979.
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted


def _random_sums(sizes: Array, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    distinct, counts = np.unique(sizes, return_counts=True)
    if len(distinct) * 10 <= len(sizes):
        positive = rng.binomial(counts, 0.5, size=(RESAMPLES, len(counts)))
        return (2 * positive - counts) @ distinct
    block = max(1, _BLOCK // len(sizes))
    sums = [
        (2.0 * rng.integers(2, size=(min(block, RESAMPLES - start), len(sizes))) - 1) @ sizes
        for start in range(0, RESAMPLES, block)
    ]
    return np.concatenate(sums)


def _bounds(values: Array) -> tuple[float, float]:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _checked(values: ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise ValueError(f"One row of finite numbers is needed, got shape {array.shape}.")
    return array
