"""Intervals and tests: by hand, by enumeration, against scipy, and on simulated data."""

import itertools

import numpy as np
import pytest
from scipy import stats

from clew.evaluation.statistics import (
    bootstrap_interval,
    holm,
    paired_randomisation,
    resampled_interval,
)


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).choice([0.0, 0.5, 1.0], 120),
        np.random.default_rng(2).random(120),
        np.array([0.0, 0.2, 1.0]),
    ],
    ids=["few values", "all different", "three"],
)
def test_the_interval_is_that_of_scipys_bootstrap(values: np.ndarray) -> None:
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=50_000, method="percentile", rng=np.random.default_rng(9)
    ).confidence_interval
    # both are drawn: within a tenth of the interval's width of each other
    width = theirs.high - theirs.low
    assert bootstrap_interval(values, 0) == pytest.approx((theirs.low, theirs.high), abs=width / 10)


def test_a_tiny_interval_by_enumeration() -> None:
    # Of the 4 resamples of (0, 1), the mean is 0 once and 1 once: both are beyond 2.5 %.
    assert bootstrap_interval([0.0, 1.0], 3) == (0.0, 1.0)
    assert bootstrap_interval([0.7] * 9, 3) == (0.7, 0.7)
    assert bootstrap_interval([0.7], 3) == (0.7, 0.7)


def test_the_interval_covers_the_truth_95_times_in_100() -> None:
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(400):
        low, high = bootstrap_interval(rng.random(60) < 0.4, 0)
        covered += low <= 0.4 <= high
    # binomial(400, 0.95) is within 4 standard deviations, a little less at 60 values
    assert 0.91 * 400 <= covered <= 0.99 * 400


def test_the_interval_of_any_statistic() -> None:
    values = np.arange(101.0)
    low, high = resampled_interval(lambda rows: np.median(values[rows], axis=1), 101, 5)
    # The median's order statistics at 101 values: ranks 51 -+ 1.96 * sqrt(101) / 2, places 40, 60.
    assert low == pytest.approx(40, abs=2)
    assert high == pytest.approx(60, abs=2)


def test_the_same_seed_gives_the_same_numbers_and_another_does_not() -> None:
    a, b = np.random.default_rng(6).random((2, 40))
    assert bootstrap_interval(a, 1) == bootstrap_interval(a, 1) != bootstrap_interval(a, 2)
    p = paired_randomisation(a, b, 1)
    assert p == paired_randomisation(a, b, 1) != paired_randomisation(a, b, 2)


@pytest.mark.parametrize("bad", [[], [0.1, float("nan")], [[0.1], [0.2]]])
def test_what_is_not_a_row_of_numbers_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="One row of finite numbers"):
        bootstrap_interval(bad, 0)


def by_enumeration(a: list[float], b: list[float]) -> float:
    differences = [x - y for x, y in zip(a, b, strict=True)]
    seen = abs(sum(differences))
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(value >= seen - 1e-9 for value in sums) / len(sums)


def test_p_of_a_tiny_sample_is_exact() -> None:
    # Differences 3, 2, 1: only +++ and --- are as far out, 2 of 8.
    assert paired_randomisation([3, 2, 1], [0, 0, 0], 0) == 2 / 8
    # 1, 1, -1: |sum| >= 1 always.
    assert paired_randomisation([1, 1, 0], [0, 0, 1], 0) == 1.0
    # 0.3 - 0.1 - 0.2 is not quite 0 in floating point, and every sign is as far out as that.
    assert paired_randomisation([0.3, 0.1, 0.2], [0, 0.2, 0.4], 0) == 1.0
    rng = np.random.default_rng(8)  # eighths are exact: scipy does not allow for rounding
    for _ in range(30):
        size = int(rng.integers(2, 9))
        a, b = rng.choice([0.0, 0.125, 0.375, 0.5, 1.0], (2, size)).tolist()
        p = paired_randomisation(a, b, 0)
        assert p == pytest.approx(by_enumeration(a, b), abs=1e-12)
        theirs = stats.permutation_test(
            (np.array(a), np.array(b)),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
        ).pvalue
        assert p == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("levels", [3, 1000])
def test_p_of_a_larger_sample_is_near_the_exact_one(levels: int) -> None:
    rng = np.random.default_rng(10)
    a, b = rng.integers(0, levels, (2, 18)) / levels
    a = np.minimum(1, a * 0.6 + b * 0.4 + 0.15)
    exact = by_enumeration(a.tolist(), b.tolist())
    assert 0.01 < exact < 0.9
    # four standard errors of 10,000 draws
    bound = 4 * np.sqrt(exact * (1 - exact) / 10_000)
    assert paired_randomisation(a, b, 0) == pytest.approx(exact, abs=bound)


def test_few_different_sizes_are_drawn_as_all_signs_would_be() -> None:
    # 60 pairs that differ by 1, 40 of them upwards: P(|X - 30| >= 10), X binomial(60, 1/2).
    a = np.array([1.0] * 40 + [0.0] * 20 + [1.0] * 30)
    b = np.array([0.0] * 40 + [1.0] * 20 + [1.0] * 30)
    exact = 2 * stats.binom.cdf(20, 60, 0.5)
    bound = 4 * np.sqrt(exact / 10_000)
    assert paired_randomisation(a, b, 0) == pytest.approx(exact, abs=bound)


def test_p_is_uniform_where_nothing_differs_but_by_chance() -> None:
    rng = np.random.default_rng(11)
    pairs = rng.random((400, 2, 40))
    p_values = [paired_randomisation(a, b, seed) for seed, (a, b) in enumerate(pairs)]
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_p_is_small_for_a_real_effect_and_never_0() -> None:
    rng = np.random.default_rng(12)
    b = rng.random(200)
    assert paired_randomisation(b + 0.5 + 0.1 * rng.random(200), b, 0) == 1 / 10_001
    assert paired_randomisation(b, b, 0) == 1.0
    with pytest.raises(ValueError, match="Pairs are needed, got 2 and 3"):
        paired_randomisation([1, 2], [1, 2, 3], 0)


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        # 0.01 * 4, 0.02 * 3, 0.03 * 2 and 0.04 * 1, none below the one before
        ([0.01, 0.04, 0.03, 0.02], [0.04, 0.06, 0.06, 0.06]),
        ([0.5, 0.001, 0.9], [1.0, 0.003, 1.0]),
        ([0.02, 0.02], [0.04, 0.04]),
        ([0.3], [0.3]),
        ([], []),
    ],
)
def test_holm_by_hand(p_values: list[float], expected: list[float]) -> None:
    assert holm(p_values) == pytest.approx(expected)
