"""How much of the gold triples is retrieved within a budget (KA-9).

Source: KAMR, section 3.2, with a budget of 50. A path is a chain of triples, each named by its
key. Of equal keys in the ranking only the first counts.
"""

from collections.abc import Sequence

from clew.evaluation.metrics.ranking import distinct


def triplet_recall(
    ranking: Sequence[str], gold_paths: Sequence[Sequence[str]], budget: int
) -> float:
    """Return |gold triples in the first ``budget``| / |gold triples|.

    Denominator: the distinct triples of all gold paths. Raises ValueError where there are none,
    and for a budget below 1.
    """
    gold = {key for path in _checked(gold_paths, budget) for key in path}
    return len(gold & set(distinct(ranking)[:budget])) / len(gold)


def path_recall(ranking: Sequence[str], gold_paths: Sequence[Sequence[str]], budget: int) -> float:
    """Return 1 where every triple of at least one gold path is in the first ``budget``, else 0.

    Denominator: the question itself. Raises ValueError as ``triplet_recall`` does.
    """
    found = set(distinct(ranking)[:budget])
    return float(any(found.issuperset(path) for path in _checked(gold_paths, budget)))


def _checked(gold_paths: Sequence[Sequence[str]], budget: int) -> Sequence[Sequence[str]]:
    if budget < 1:
        raise ValueError(f"The budget must be 1 or more, got {budget}.")
    if not gold_paths or not all(gold_paths):
        raise ValueError("The question has no gold path, or an empty one.")
    return gold_paths
