"""All metrics of the bench: what each is the mean over, and its value for a question."""

from collections.abc import Callable, Mapping
from functools import partial

from clew.evaluation.metrics.answers import accuracy, exact_match, f1, golden_match, right_labels
from clew.evaluation.metrics.case import Case, MetricSpec
from clew.evaluation.metrics.ranking import (
    all_gold_at_k,
    average_precision,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from clew.evaluation.metrics.triples import path_recall, triplet_recall
from clew.evaluation.metrics.validity import evidence_validity
from clew.evaluation.run import CUTS, TRIPLE_BUDGET


def _of_ranking(
    metric: Callable[[list[str], Mapping[str, int]], float], case: Case
) -> float | None:
    if not case.question.answerable or not case.question.gold:
        return None
    return metric(case.ranking, case.question.gold)


def _of_cut(
    metric: Callable[[list[str], Mapping[str, int], int], float], k: int, case: Case
) -> float | None:
    if k > case.depth:
        return None
    return _of_ranking(lambda ranking, gold: metric(ranking, gold, k), case)


def _of_paths(
    metric: Callable[[list[str], tuple[tuple[str, ...], ...], int], float], case: Case
) -> float | None:
    paths = case.question.gold_paths
    if not case.question.answerable or not paths or case.depth < TRIPLE_BUDGET:
        return None
    return metric(case.ranking, paths, TRIPLE_BUDGET)


def _of_answer(metric: Callable[[Case], float], case: Case) -> float | None:
    if not case.reader or not case.question.answerable or not case.question.answers:
        return None
    return metric(case)


def _accuracy(case: Case) -> float | None:
    question = case.question
    if not right_labels(question.answers, question.labels):
        return None
    return _of_answer(lambda c: accuracy(c.short, question.answers, question.labels), case)


def _abstention(case: Case) -> float | None:
    if not case.reader or case.question.answerable:
        return None
    answer = case.outcome.answer
    return float(case.answered and answer is not None and not answer.supported)


def _evidence_validity(case: Case) -> float | None:
    validity = case.outcome.validity
    return None if not case.answered or validity is None else evidence_validity(validity)


def _mark(name: str, case: Case) -> float | None:
    judgement = case.outcome.judgement
    if not case.answered or judgement is None:
        return None
    mark: float | None = getattr(judgement, name)
    return mark


def _coverage(case: Case) -> float | None:
    coverage = case.outcome.coverage
    if not case.answered or coverage is None or not coverage.clues:
        return None
    return coverage.covering / coverage.clues


_WITH_GOLD = "answerable questions with gold"
_WITH_PATHS = "answerable questions with gold paths"
_WITH_ANSWERS = "answerable questions with a right answer that a reader was asked"
_JUDGED = "questions for which the judge gave marks"
_CUT = "; only where the run's depth is {k} or more"


def _at(
    name: str,
    label: str,
    main: tuple[int, ...],
    what: str,
    metric: Callable[[list[str], Mapping[str, int], int], float],
) -> tuple[MetricSpec, ...]:
    return tuple(
        MetricSpec(
            f"{name}@{k}",
            f"{label}@{k}",
            "retrieval",
            f"Mean over {_WITH_GOLD} of {what.format(k=k)}{_CUT.format(k=k)}.",
            k in main,
            partial(_of_cut, metric, k),
        )
        for k in CUTS
    )


def _answer(
    name: str, label: str, what: str, main: bool, metric: Callable[[Case], float]
) -> MetricSpec:
    return MetricSpec(
        name,
        label,
        "answer",
        f"Mean over {_WITH_ANSWERS} of {what}; an answer that the evidence does not say is 0.",
        main,
        partial(_of_answer, metric),
    )


def _judged(name: str, what: str) -> MetricSpec:
    return MetricSpec(
        name,
        f"Judge: {name}",
        "judge",
        f"Mean over {_JUDGED} of {what}.",
        False,
        partial(_mark, name),
    )


METRICS: tuple[MetricSpec, ...] = (
    *_at("recall", "Recall", (2, 5), "gold in the first {k} / all its gold", recall_at_k),
    *_at("all_gold", "All gold", (5,), "1 where all its gold is in the first {k}", all_gold_at_k),
    *_at("precision", "Precision", (), "gold in the first {k} / {k}", precision_at_k),
    *_at("ndcg", "nDCG", (), "DCG@{k} / the DCG@{k} of all its gold", ndcg_at_k),
    MetricSpec(
        "mrr",
        "MRR",
        "retrieval",
        f"Mean over {_WITH_GOLD} of 1 / rank of the first gold within the run's depth, 0 if none.",
        True,
        partial(_of_ranking, reciprocal_rank),
    ),
    MetricSpec(
        "map",
        "mAP",
        "retrieval",
        f"Mean over {_WITH_GOLD} of the precision at each gold within the run's depth / all gold.",
        False,
        partial(_of_ranking, average_precision),
    ),
    MetricSpec(
        f"triplet_recall@{TRIPLE_BUDGET}",
        f"Triplet Recall@{TRIPLE_BUDGET}",
        "triples",
        f"Mean over {_WITH_PATHS} of their triples in the first {TRIPLE_BUDGET} / all of them"
        f"{_CUT.format(k=TRIPLE_BUDGET)}.",
        False,
        partial(_of_paths, triplet_recall),
    ),
    MetricSpec(
        f"path_recall@{TRIPLE_BUDGET}",
        f"Path Recall@{TRIPLE_BUDGET}",
        "triples",
        f"Mean over {_WITH_PATHS} of 1 where one whole path is in the first {TRIPLE_BUDGET}"
        f"{_CUT.format(k=TRIPLE_BUDGET)}.",
        True,
        partial(_of_paths, path_recall),
    ),
    _answer(
        "exact_match",
        "Exact match",
        "1 where the few words equal a right answer",
        True,
        lambda case: exact_match(case.short, case.question.answers),
    ),
    _answer(
        "f1",
        "F1",
        "the words' F1 against the best right answer",
        True,
        lambda case: f1(case.short, case.question.answers),
    ),
    MetricSpec(
        "accuracy",
        "Accuracy",
        "answer",
        f"Mean over {_WITH_ANSWERS} and has a closed set of labels, of 1 where the label is right.",
        False,
        _accuracy,
    ),
    _answer(
        "golden_match",
        "Golden match",
        "1 where the text contains a right answer",
        False,
        lambda case: golden_match(case.text, case.question.answers),
    ),
    _answer("rouge_l", "ROUGE-L", "the text's F-measure", False, lambda case: case.rouge.rouge_l),
    _answer(
        "rouge_lsum",
        "ROUGE-LSum",
        "the text's F-measure, sentence by sentence",
        False,
        lambda case: case.rouge.rouge_lsum,
    ),
    MetricSpec(
        "mauve",
        "MAUVE",
        "answer",
        "Over all answers to questions with a right answer at once, against the right answers.",
        False,
        None,
    ),
    MetricSpec(
        "abstention",
        "Abstention",
        "answer",
        "Mean over unanswerable questions that a reader was asked, of 1 where it says that the "
        "evidence does not say.",
        False,
        _abstention,
    ),
    MetricSpec(
        "evidence_validity",
        "Evidence validity",
        "evidence",
        "Mean over questions that did not raise and cite something, of 1 where every cited id and "
        "every edge of the paths exists in the graph.",
        True,
        _evidence_validity,
    ),
    _judged("correctness", "how well the answer agrees with the right ones, 0 to 1"),
    _judged("faithfulness", "how far the passages bear the answer out, 0 to 1"),
    _judged("relevance", "how well passages and answer deal with the question, 0 to 1"),
    MetricSpec(
        "semantic_coverage",
        "Judge: coverage of clues",
        "judge",
        "Mean over questions with clues that led to gold and that the judge scored, of the share "
        "of these clues that say why the passage is fetched (KG-Translator, SCS).",
        False,
        _coverage,
    ),
)
"""All metrics of the bench, in the order of its tables."""
