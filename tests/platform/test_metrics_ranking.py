"""Ranking metrics: by hand, against trec_eval, scikit-learn and a naive version, and by chance."""

import math
import random
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from clew.evaluation.metrics import (
    all_gold_at_k,
    average_precision,
    distinct,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)

CUTS = (1, 2, 5, 10, 20)
RANKING = ["x", "a", "x", "b", "a", "y"]  # distinct: x a b y
GOLD = {"a": 1, "b": 3, "c": 1}

Metric = Callable[..., float]


def ranked(scored: Iterable[tuple[str, float]]) -> list[str]:
    """Return the keys by falling score, equal ones by falling key, as trec_eval ranks them."""
    return distinct(key for key, _ in sorted(scored, key=lambda p: (p[1], p[0]), reverse=True))


# Distinct ranks: x 1, a 2, b 3, y 4; three gold, of which c is not found.
@pytest.mark.parametrize(
    ("metric", "k", "value"),
    [
        (recall_at_k, 1, 0.0),
        (recall_at_k, 2, 1 / 3),
        (recall_at_k, 5, 2 / 3),
        (precision_at_k, 2, 1 / 2),
        (precision_at_k, 5, 2 / 5),
        (all_gold_at_k, 5, 0.0),
        (ndcg_at_k, 1, 0.0),
        (ndcg_at_k, 2, (1 / math.log2(3)) / (3 + 1 / math.log2(3))),
        (ndcg_at_k, 5, (1 / math.log2(3) + 3 / 2) / (3 + 1 / math.log2(3) + 1 / 2)),
    ],
)
def test_cuts_by_hand(metric: Metric, k: int, value: float) -> None:
    assert metric(RANKING, GOLD, k) == pytest.approx(value, abs=1e-12)


def test_whole_rankings_by_hand() -> None:
    assert reciprocal_rank(RANKING, GOLD) == 1 / 2
    assert average_precision(RANKING, GOLD) == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert reciprocal_rank(["x"], GOLD) == 0
    assert average_precision([], GOLD) == 0
    assert recall_at_k([], GOLD, 5) == 0
    assert ndcg_at_k([], GOLD, 5) == 0


def test_all_gold_needs_every_one_within_the_cut() -> None:
    assert all_gold_at_k(["b", "x", "a", "c"], GOLD, 4) == 1
    assert all_gold_at_k(["b", "x", "a", "c"], GOLD, 3) == 0
    assert all_gold_at_k(["b", "a", "c"], GOLD, 2) == 0


def test_equal_keys_count_once_where_they_stand_first() -> None:
    assert distinct(["b", "a", "b", "b", "c", "a"]) == ["b", "a", "c"]
    assert recall_at_k(["x", "x", "x", "a"], {"a": 1}, 2) == 1
    assert precision_at_k(["a", "a"], {"a": 1}, 2) == 1 / 2


@pytest.mark.parametrize("metric", [recall_at_k, all_gold_at_k, precision_at_k, ndcg_at_k])
def test_no_gold_and_no_k_are_refused(metric: Metric) -> None:
    for none in ({}, {"a": 0}):
        with pytest.raises(ValueError, match="no gold"):
            metric(["a"], none, 1)
    with pytest.raises(ValueError, match="k must be 1 or more, got 0"):
        metric(["a"], {"a": 1}, 0)


@pytest.mark.parametrize("metric", [reciprocal_rank, average_precision])
def test_no_gold_is_refused_of_whole_rankings(metric: Metric) -> None:
    with pytest.raises(ValueError, match="no gold"):
        metric(["a"], {})


@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_a_ranking_that_holds_the_gold_first_has_1_everywhere(size: int) -> None:
    gold = {f"g{i}": size - i for i in range(size)}
    ranking = [*gold, "x", "y", *gold]
    assert reciprocal_rank(ranking, gold) == 1
    assert average_precision(ranking, gold) == 1
    for k in CUTS:
        assert ndcg_at_k(ranking, gold, k) == 1
        # what k leaves room for: more gold than k cannot all be within it
        assert recall_at_k(ranking, gold, k) == min(1, k / size)
        assert precision_at_k(ranking, gold, k) == min(1, size / k)
        assert all_gold_at_k(ranking, gold, k) == (k >= size)


def random_case(seed: int) -> tuple[list[tuple[str, float]], dict[str, int]]:
    """A retrieval with ties (few scores), keys that come again, and graded gold not all found."""
    rng = random.Random(seed)
    keys = [f"d{i}" for i in range(rng.randint(2, 60))]
    scored = [(key, rng.randint(0, 12) / 8) for key in keys if rng.random() < 0.8]
    scored += [
        (key, rng.randint(0, 12) / 8) for key, _ in rng.choices(scored, k=10 if scored else 0)
    ]
    gold = {key: rng.randint(1, 4) for key in rng.sample(keys, rng.randint(1, min(12, len(keys))))}
    return rng.sample(scored, len(scored)), gold


def ours(ranking: list[str], gold: Mapping[str, int]) -> dict[str, float]:
    values = {"mrr": reciprocal_rank(ranking, gold), "map": average_precision(ranking, gold)}
    for k in CUTS:
        values[f"recall@{k}"] = recall_at_k(ranking, gold, k)
        values[f"precision@{k}"] = precision_at_k(ranking, gold, k)
        values[f"ndcg@{k}"] = ndcg_at_k(ranking, gold, k)
        values[f"all_gold@{k}"] = all_gold_at_k(ranking, gold, k)
    return values


def naive(scored: list[tuple[str, float]], gold: Mapping[str, int]) -> dict[str, float]:
    """The same by other means: best score a key by a dictionary, ranks by counting who is ahead."""
    best: dict[str, float] = {}
    for key, score in scored:
        best[key] = max(score, best.get(key, -1.0))
    rank = {
        key: 1 + sum((s, other) > (score, key) for other, s in best.items())
        for key, score in best.items()
    }
    places = sorted(rank[key] for key in gold if key in rank)
    values = {
        "mrr": 1 / places[0] if places else 0.0,
        "map": sum(sum(p <= place for p in places) / place for place in places) / len(gold),
    }
    for k in CUTS:
        hits = sum(place <= k for place in places)
        dcg = sum(
            gold[key] / np.log2(1 + rank[key]) for key in gold if key in rank and rank[key] <= k
        )
        ideal = sorted(gold.values())[::-1][:k]
        values[f"recall@{k}"] = hits / len(gold)
        values[f"precision@{k}"] = hits / k
        values[f"ndcg@{k}"] = dcg / (np.array(ideal) / np.log2(np.arange(len(ideal)) + 2)).sum()
        values[f"all_gold@{k}"] = float(hits == len(gold))
    return values


def test_agrees_with_a_naive_version_on_1000_random_rankings_with_ties_and_duplicates() -> None:
    for seed in range(1000):
        scored, gold = random_case(seed)
        assert ours(ranked(scored), gold) == pytest.approx(naive(scored, gold), abs=1e-9), seed


def test_agrees_with_trec_eval_on_1000_random_rankings_with_ties_and_duplicates() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    cases = {f"q{seed}": random_case(seed) for seed in range(1000)}
    cuts = ",".join(map(str, CUTS))
    evaluator = pytrec_eval.RelevanceEvaluator(
        {name: gold for name, (_, gold) in cases.items()},
        {f"recall.{cuts}", f"P.{cuts}", f"ndcg_cut.{cuts}", "recip_rank", "map"},
    )
    # trec_eval takes a key once: its best score, as ``ranked`` does
    found = evaluator.evaluate(
        {
            name: dict(sorted(scored, key=lambda pair: pair[1]))
            for name, (scored, _) in cases.items()
        }
    )
    compared = 0
    for name, (scored, gold) in cases.items():
        if not scored:
            continue
        theirs = {"mrr": found[name]["recip_rank"], "map": found[name]["map"]}
        for k in CUTS:
            theirs[f"recall@{k}"] = found[name][f"recall_{k}"]
            theirs[f"precision@{k}"] = found[name][f"P_{k}"]
            theirs[f"ndcg@{k}"] = found[name][f"ndcg_cut_{k}"]
        mine = {key: v for key, v in ours(ranked(scored), gold).items() if "all_gold" not in key}
        assert mine == pytest.approx(theirs, abs=1e-9), name
        compared += 1
    assert compared > 980


def test_agrees_with_scikit_learn_where_everything_is_ranked() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(3, 40))
        relevance = rng.integers(0, 4, size)
        relevance[0] = 2
        score = rng.permutation(size).astype(float)  # no ties: scikit-learn averages over them
        keys = [f"d{i}" for i in range(size)]
        ranking = ranked(zip(keys, score, strict=True))
        gold = {key: int(r) for key, r in zip(keys, relevance, strict=True)}
        for k in (1, 5, 20):
            theirs = ndcg_score([relevance], [score], k=k)
            assert ndcg_at_k(ranking, gold, k) == pytest.approx(theirs, abs=1e-9)
        theirs = average_precision_score(relevance > 0, score)
        assert average_precision(ranking, gold) == pytest.approx(theirs, abs=1e-9)


def test_a_random_ranking_has_what_chance_predicts() -> None:
    size, relevant, k, rounds = 30, 3, 5, 20_000
    keys = [f"d{i}" for i in range(size)]
    gold = dict(zip(keys, (1, 2, 3), strict=False))
    discount = [1 / math.log2(rank + 1) for rank in range(1, size + 1)]
    first_at = [
        math.comb(size - rank, relevant - 1) / math.comb(size, relevant)
        for rank in range(1, size + 1)
    ]
    expected = {
        f"recall@{k}": k / size,
        f"precision@{k}": relevant / size,
        f"all_gold@{k}": math.comb(size - relevant, k - relevant) / math.comb(size, k),
        f"ndcg@{k}": (6 / size) * sum(discount[:k]) / (3 + 2 * discount[1] + discount[2]),
        "mrr": sum(chance / rank for rank, chance in enumerate(first_at, start=1)),
        "map": sum(
            (1 + (rank - 1) * (relevant - 1) / (size - 1)) / rank for rank in range(1, size + 1)
        )
        / size,
    }
    rng = random.Random(7)
    values = [ours(rng.sample(keys, size), gold) for _ in range(rounds)]
    for name, chance in expected.items():
        seen = np.array([value[name] for value in values])
        # four standard errors of the mean: a right metric is outside once in 16,000 times
        assert abs(seen.mean() - chance) < 4 * seen.std() / math.sqrt(rounds), name
