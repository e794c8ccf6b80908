"""Metrics of rankings, defined as trec_eval defines them.

A ranking is a sequence of keys, best first; gold maps a key to its relevance. Of equal keys only
the first counts, and ranks are counted after the others are removed. A relevance of 0 or less is
no gold, as in trec_eval. All functions raise ValueError where there is no gold or k < 1: such a
question has no value, and 0 would be wrong.

Source: trec_eval 9 (NIST); Järvelin and Kekäläinen 2002 for nDCG.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def distinct(ranking: Iterable[Key]) -> list[Key]:
    """Return the keys in their order, each once, where it stands first."""
    return list(dict.fromkeys(ranking))


def recall_at_k(ranking: Sequence[Key], gold: Mapping[Key, float], k: int) -> float:
    """Return |gold in the first k| / |gold|. Denominator: all gold, also where it exceeds k."""
    relevant = _relevant(gold)
    return len(relevant & set(_first(ranking, k))) / len(relevant)


def all_gold_at_k(ranking: Sequence[Key], gold: Mapping[Key, float], k: int) -> float:
    """Return 1 where all gold is in the first k, else 0 ("perfect retrieval").

    Denominator: the question itself; where there is more gold than k the value is 0.
    """
    return float(_relevant(gold) <= set(_first(ranking, k)))


def precision_at_k(ranking: Sequence[Key], gold: Mapping[Key, float], k: int) -> float:
    """Return |gold in the first k| / k. Denominator: k, also where the ranking is shorter."""
    return len(_relevant(gold) & set(_first(ranking, k))) / k


def reciprocal_rank(ranking: Sequence[Key], gold: Mapping[Key, float]) -> float:
    """Return 1 / rank of the first gold, 0 where there is none. MRR is its mean over questions."""
    relevant = _relevant(gold)
    for rank, key in enumerate(distinct(ranking), start=1):
        if key in relevant:
            return 1 / rank
    return 0.0


def ndcg_at_k(ranking: Sequence[Key], gold: Mapping[Key, float], k: int) -> float:
    """Return DCG@k / ideal DCG@k, DCG = Σ relevance / log2(rank + 1).

    Denominator: the DCG of all gold by falling relevance, cut at k. The gain is the relevance
    itself, as in trec_eval, not 2^relevance - 1.
    """
    _relevant(gold)
    found = [max(gold.get(key, 0), 0) for key in _first(ranking, k)]
    ideal = sorted((r for r in gold.values() if r > 0), reverse=True)[:k]
    return _dcg(found) / _dcg(ideal)


def average_precision(ranking: Sequence[Key], gold: Mapping[Key, float]) -> float:
    """Return Σ over gold of the precision at its rank / |gold|; gold not found adds 0.

    Denominator: all gold. mAP is its mean over questions.
    """
    relevant = _relevant(gold)
    found, total = 0, 0.0
    for rank, key in enumerate(distinct(ranking), start=1):
        if key in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


def _relevant(gold: Mapping[Key, float]) -> set[Key]:
    relevant = {key for key, relevance in gold.items() if relevance > 0}
    if not relevant:
        raise ValueError("The question has no gold, so its ranking cannot be judged.")
    return relevant


def _first(ranking: Sequence[Key], k: int) -> list[Key]:
    if k < 1:
        raise ValueError(f"k must be 1 or more, got {k}.")
    return distinct(ranking)[:k]


def _dcg(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
