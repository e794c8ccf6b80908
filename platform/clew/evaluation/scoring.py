"""What is measured of each question of a run, and which questions count for which metric."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from clew.evaluation.metrics.case import Case, MetricSpec, without_citations
from clew.evaluation.metrics.table import METRICS
from clew.evaluation.run import BenchRun, Outcome
from clew.results.data_set import BenchQuestion

__all__ = ["METRICS", "MetricSpec", "score_run", "scores", "texts_and_references"]


def scores(
    question: BenchQuestion,
    outcome: Outcome,
    *,
    depth: int,
    reader: bool,
    only: Collection[str] | None = None,
) -> dict[str, float | None]:
    """Return every metric of one outcome by name; None: the question does not count for it.

    ``only``: the names of those that are wanted (ROUGE loads much).

    Where the strategy raised, every metric of rankings and answers that applies to the question is
    0. A cut or budget deeper than ``depth`` has no value: fewer were asked for.
    """
    case = Case(question, outcome, depth, reader)
    return {
        metric.name: None if metric.score is None else metric.score(case)
        for metric in METRICS
        if only is None or metric.name in only
    }


def score_run(
    run: BenchRun, only: Collection[str] | None = None
) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return strategy → metric (of ``only``) → the values of ``run.questions`` in their order.

    NaN where the question does not count, or the strategy has no outcome for it, or finds passages
    alone where gold counts triples.
    """
    order = {question.id: place for place, question in enumerate(run.questions)}
    values = {
        strategy: {
            metric.name: np.full(len(order), np.nan)
            for metric in METRICS
            if only is None or metric.name in only
        }
        for strategy in run.options.strategies
    }
    groups = {metric.name: metric.group for metric in METRICS}
    passages_only = _without_triples(run)
    for outcome in run.outcomes:
        place = order[outcome.question_id]
        found = scores(
            run.questions[place],
            outcome,
            depth=run.options.depth,
            reader=run.options.reader is not None,
            only=only,
        )
        for name, value in found.items():
            ranked = groups[name] in ("retrieval", "triples")
            if value is not None and not (ranked and outcome.strategy in passages_only):
                values[outcome.strategy][name][place] = value
    return values


def _without_triples(run: BenchRun) -> set[str]:
    """Return the strategies that found no triple for any question, where gold counts triples: they
    find passages, so that nothing is measured of their rankings. Not so where each question failed.
    """
    if run.data_set.unit != "triple":
        return set()
    found = {outcome.strategy for outcome in run.outcomes if outcome.ranking}
    asked = {outcome.strategy for outcome in run.outcomes if not outcome.error}
    return (set(run.options.strategies) - found) & asked


def texts_and_references(
    questions: Mapping[str, BenchQuestion], outcomes: Iterable[Outcome]
) -> tuple[list[str], list[str]]:
    """Return the answers' texts and the right answers to them, which MAUVE is computed of.

    Only questions that have a right answer and were answered; without citation numbers.
    """
    pairs = [
        (without_citations(outcome.answer.text), questions[outcome.question_id].answers[0])
        for outcome in outcomes
        if outcome.answer is not None and questions[outcome.question_id].answers
    ]
    return [text for text, _ in pairs], [reference for _, reference in pairs]
