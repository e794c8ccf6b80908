"""Computes all figures of a run, from the run alone."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from clew.evaluation.figures import (
    CostFigures,
    Difference,
    Figure,
    RunFigures,
    StepFigure,
    StrategyFigures,
)
from clew.evaluation.run import BenchRun, Outcome
from clew.evaluation.scoring import METRICS, score_run, texts_and_references
from clew.evaluation.statistics import (
    SIGNIFICANT,
    bootstrap_interval,
    holm,
    paired_randomisation,
)
from clew.results.evidence import TraceStep

Array = NDArray[np.float64]
Values = Mapping[str, Array]
"""Metric → the values of the run's questions in their order, NaN where one does not count."""
MAIN = tuple(metric.name for metric in METRICS if metric.main)


def summarise(run: BenchRun) -> RunFigures:
    """Return every figure of a run. The same run gives the same figures: its seed is used.

    Groups hold the questions whose type, or number of hops, is known. Pairs are compared on the
    questions that count for both, Holm-adjusted over the pairs of each metric. Those of an ablation
    study are each variant against the whole method: nothing else was to be found out.
    """
    values = score_run(run)
    study = run.options.ablations
    whole = None if study is None else study.strategy
    by_type = _groups([question.type for question in run.questions])
    by_hops = _groups([question.hops for question in run.questions])
    return RunFigures(
        run_id=run.id,
        data_set=run.data_set.name,
        strategies=tuple(
            _strategy(run, name, values[name], by_type, by_hops) for name in run.options.strategies
        ),
        pairs=_pairs(values, run.options.seed, whole),
        whole=whole,
    )


def figure(values: Array, seed: int) -> Figure:
    """Return the mean of the values that are there, with its interval."""
    there = values[~np.isnan(values)]
    if not len(there):
        return Figure(value=None, low=None, high=None, questions=0)
    low, high = bootstrap_interval(there, seed)
    return Figure(value=float(there.mean()), low=low, high=high, questions=len(there))


def difference(
    metric: str, strategy: str, other: str, values: Array, other_values: Array, seed: int
) -> Difference | None:
    """Return how two sides differ on the questions both have, None where there are none.

    ``p_adjusted`` is ``p`` and the verdict 'same' until ``adjusted`` has seen all tests.
    """
    both = ~np.isnan(values) & ~np.isnan(other_values)
    if not both.any():
        return None
    one, two = values[both], other_values[both]
    low, high = bootstrap_interval(one - two, seed)
    p = paired_randomisation(one, two, seed)
    return Difference(
        metric=metric,
        strategy=strategy,
        other=other,
        value=float(one.mean()),
        other_value=float(two.mean()),
        delta=float((one - two).mean()),
        low=low,
        high=high,
        p=p,
        p_adjusted=p,
        questions=int(both.sum()),
        verdict="same",
    )


def adjusted(differences: Sequence[Difference]) -> list[Difference]:
    """Return the differences with p adjusted over all of them, and the verdict that follows.

    Higher is better. 'same' unless p_adjusted < 0.05.
    """
    return [
        d.model_copy(update={"p_adjusted": p, "verdict": _verdict(d.delta, p)})
        for d, p in zip(differences, holm([d.p for d in differences]), strict=True)
    ]


def _verdict(delta: float, p_adjusted: float) -> str:
    if p_adjusted >= SIGNIFICANT or delta == 0:
        return "same"
    return "better" if delta > 0 else "worse"


def _strategy(
    run: BenchRun,
    name: str,
    values: Values,
    by_type: Mapping[str, NDArray[np.int64]],
    by_hops: Mapping[str, NDArray[np.int64]],
) -> StrategyFigures:
    seed = run.options.seed
    outcomes = [outcome for outcome in run.outcomes if outcome.strategy == name]
    metrics = _figures(values, seed)
    if name in run.mauve:
        metrics["mauve"] = _mauve(run, outcomes, run.mauve[name])
    return StrategyFigures(
        strategy=name,
        questions=len(outcomes),
        failed=sum(outcome.error is not None for outcome in outcomes),
        metrics=metrics,
        by_type={group: _figures(values, seed, rows) for group, rows in by_type.items()},
        by_hops={group: _figures(values, seed, rows) for group, rows in by_hops.items()},
        cost=_cost(outcomes, run.memory.strategies.get(name)),
    )


def _figures(values: Values, seed: int, rows: NDArray[np.int64] | None = None) -> dict[str, Figure]:
    return {
        metric: figure(all_of_it if rows is None else all_of_it[rows], seed)
        for metric, all_of_it in values.items()
    }


def _mauve(run: BenchRun, outcomes: Iterable[Outcome], value: float) -> Figure:
    texts, _ = texts_and_references({q.id: q for q in run.questions}, outcomes)
    return Figure(value=value, low=None, high=None, questions=len(texts))


def _groups(keys: Sequence[str | int | None]) -> dict[str, NDArray[np.int64]]:
    present = sorted({key for key in keys if key is not None})
    return {
        str(group): np.array([place for place, key in enumerate(keys) if key == group])
        for group in present
    }


def _pairs(values: Mapping[str, Values], seed: int, whole: str | None) -> tuple[Difference, ...]:
    pairs: list[Difference] = []
    both = (
        list(combinations(values, 2))
        if whole is None
        else [(name, whole) for name in values if name != whole]
    )
    for metric in MAIN:
        compared = [
            difference(metric, one, two, values[one][metric], values[two][metric], seed)
            for one, two in both
        ]
        pairs += adjusted([d for d in compared if d is not None])
    return tuple(pairs)


def _cost(outcomes: Sequence[Outcome], memory_mib: float | None) -> CostFigures:
    """Seconds of the questions that did not raise, 0 where every one did; calls and tokens of
    all: what was asked before it raised is paid for too."""
    done = [outcome for outcome in outcomes if outcome.error is None]
    seconds = [outcome.seconds for outcome in done] or [0.0]
    answering = [o.answer_seconds for o in done if o.answer_seconds is not None]
    return CostFigures(
        median_seconds=median(seconds),
        p95_seconds=_p95(seconds),
        answer_median_seconds=median(answering) if answering else None,
        answer_p95_seconds=_p95(answering) if answering else None,
        calls=_mean(o.usage.calls for o in outcomes),
        prompt_tokens=_mean(o.usage.prompt_tokens for o in outcomes),
        completion_tokens=_mean(o.usage.completion_tokens for o in outcomes),
        memory_mib=memory_mib,
        steps=_steps(o.steps for o in done),
        answer_steps=_steps(o.answer_steps for o in done),
    )


def _steps(traces: Iterable[Sequence[TraceStep]]) -> dict[str, StepFigure]:
    """Steps by name, in the order in which they first came; one that runs twice in a question
    counts once, with the sum of its seconds."""
    seconds: dict[str, list[float]] = {}
    for trace in traces:
        total: dict[str, float] = {}
        for step in trace:
            total[step.name] = total.get(step.name, 0.0) + step.seconds
        for name, spent in total.items():
            seconds.setdefault(name, []).append(spent)
    return {
        name: StepFigure(
            questions=len(spent), median_seconds=median(spent), mean_seconds=fmean(spent)
        )
        for name, spent in seconds.items()
    }


def _mean(values: Iterable[int]) -> float:
    every = list(values)
    return fmean(every) if every else 0.0


def _p95(seconds: Sequence[float]) -> float:
    """Interpolated between the nearest two, as numpy does."""
    return float(np.quantile(seconds, 0.95))
