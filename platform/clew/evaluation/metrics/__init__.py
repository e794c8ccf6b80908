"""The metrics of the bench: pure functions, each with its denominator and its source.

Those of rankings and answers are exported here; ``mauve`` and ``judge`` are imported
from their modules.
"""

from clew.evaluation.metrics.answers import accuracy, exact_match, f1, golden_match
from clew.evaluation.metrics.ranking import (
    all_gold_at_k,
    average_precision,
    distinct,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from clew.evaluation.metrics.triples import path_recall, triplet_recall
from clew.evaluation.metrics.validity import evidence_validity

__all__ = [
    "accuracy",
    "all_gold_at_k",
    "average_precision",
    "distinct",
    "evidence_validity",
    "exact_match",
    "f1",
    "golden_match",
    "ndcg_at_k",
    "path_recall",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
    "triplet_recall",
]
