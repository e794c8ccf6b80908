"""Compares a run with an earlier one, question by question, and says what else is not alike."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InvalidRequest
from clew.evaluation.figures import Difference, RunComparison
from clew.evaluation.run import BenchRun
from clew.evaluation.scoring import score_run
from clew.evaluation.statistics import (
    SIGNIFICANT,
    paired_randomisation,
    resampled_interval,
)
from clew.evaluation.summary import MAIN, adjusted, difference
from clew.results.data_set import BenchQuestion

LATENCY = "seconds"
"""The median seconds of a retrieval; lower is better."""
TOLERANCE = 1.10
"""Medians whose ratio is within this count as the same: two runs of the same code differ so."""
SHORTEST_S = 1e-6
PASSING = frozenset({"load_average"})
"""What is recorded of a machine and changes by itself."""

Array = NDArray[np.float64]


def compare_runs(run: BenchRun, against: BenchRun) -> RunComparison:
    """Return how each strategy of both runs did now and then, on the questions of both.

    A question is in both where id, text and everything that is right about it are equal. Compared
    are the main metrics and 'seconds'; p is adjusted by Holm over all tests of the comparison. In
    a Difference ``strategy`` and ``other`` are the same: ``value`` is of ``run``, ``other_value``
    of ``against``.

    'seconds': medians, on the questions on which neither raised; p is of the ratios of the pairs;
    'worse' or 'better' only where the medians also differ by more than a tenth.

    Raises InvalidRequest where the runs have no question or no strategy in common.
    """
    strategies = [s for s in run.options.strategies if s in against.options.strategies]
    if not strategies:
        raise InvalidRequest(
            f"The runs have no strategy in common: {_listed(run)} and {_listed(against)}.",
            remedy="Compare with a run of one of the same strategies.",
        )
    shared = shared_questions(run, against)
    if not shared:
        raise InvalidRequest(
            f"The runs have no question in common: {run.id!r} is of {run.data_set.name!r}, "
            f"{against.id!r} of {against.data_set.name!r}.",
            remedy="Compare with a run on the same data set.",
        )
    now, then = score_run(run, MAIN), score_run(against, MAIN)
    seconds, seconds_then = _seconds(run), _seconds(against)
    rows, rows_then = (np.array(places) for places in zip(*shared, strict=True))
    seed = run.options.seed
    found: list[Difference | None] = []
    for name in strategies:
        found += [
            difference(
                metric, name, name, now[name][metric][rows], then[name][metric][rows_then], seed
            )
            for metric in MAIN
        ]
        found.append(_latency(name, seconds[name][rows], seconds_then[name][rows_then], seed))
    differences = adjusted([one for one in found if one is not None])
    return RunComparison(
        run_id=run.id,
        against_id=against.id,
        questions=len(shared),
        notices=(*_not_alike(run, against, len(shared)), *_all_slower(differences)),
        differences=tuple(_latency_verdict(d) if d.metric == LATENCY else d for d in differences),
    )


def _listed(run: BenchRun) -> str:
    return ", ".join(run.options.strategies)


def shared_questions(run: BenchRun, against: BenchRun) -> list[tuple[int, int]]:
    """Return the places of the same questions in both runs."""
    places = {question.id: place for place, question in enumerate(against.questions)}
    return [
        (place, places[question.id])
        for place, question in enumerate(run.questions)
        if question.id in places and _same(question, against.questions[places[question.id]])
    ]


def _same(one: BenchQuestion, other: BenchQuestion) -> bool:
    grouped_by = {"type", "hops"}
    return one.model_dump(exclude=grouped_by) == other.model_dump(exclude=grouped_by)


def _seconds(run: BenchRun) -> Mapping[str, Array]:
    """Strategy → seconds of the retrieval of each question, NaN where it raised."""
    order = {question.id: place for place, question in enumerate(run.questions)}
    seconds = {name: np.full(len(order), np.nan) for name in run.options.strategies}
    for outcome in run.outcomes:
        if outcome.error is None:
            seconds[outcome.strategy][order[outcome.question_id]] = outcome.seconds
    return seconds


def _latency(strategy: str, now: Array, then: Array, seed: int) -> Difference | None:
    both = ~np.isnan(now) & ~np.isnan(then)
    if not both.any():
        return None
    one, two = now[both], then[both]

    def of_medians(rows: NDArray[np.int64]) -> Array:
        delta: Array = np.median(one[rows], axis=1) - np.median(two[rows], axis=1)
        return delta

    low, high = resampled_interval(of_medians, len(one), seed)
    # of ratios, not of seconds: a single slow question would outweigh all others
    logs = [np.log(np.maximum(side, SHORTEST_S)) for side in (one, two)]
    p = paired_randomisation(logs[0], logs[1], seed)
    value, other_value = float(np.median(one)), float(np.median(two))
    return Difference(
        metric=LATENCY,
        strategy=strategy,
        other=strategy,
        value=value,
        other_value=other_value,
        delta=value - other_value,
        low=low,
        high=high,
        p=p,
        p_adjusted=p,
        questions=len(one),
        verdict="same",
    )


def _latency_verdict(found: Difference) -> Difference:
    verdict = "same"
    if found.p_adjusted < SIGNIFICANT:
        if found.value > TOLERANCE * found.other_value:
            verdict = "worse"
        elif found.other_value > TOLERANCE * found.value:
            verdict = "better"
    return found.model_copy(update={"verdict": verdict})


def _all_slower(differences: list[Difference]) -> Iterator[str]:
    """Say where all strategies took longer: more likely the machine than each of them."""
    ratios = [d.value / d.other_value for d in differences if d.metric == LATENCY and d.other_value]
    if ratios and min(ratios) > TOLERANCE:
        yield (
            f"Everything took {min(ratios):.1f} to {max(ratios):.1f} times as long as then: the "
            "machine may have been busier. Times compare within a run; repeat both on an idle one."
        )


def _not_alike(run: BenchRun, against: BenchRun, shared: int) -> Iterator[str]:
    """Yield a sentence for each thing that differs and may be why the figures do."""
    for which, one in (("this", run), ("the other", against)):
        if shared < len(one.questions):
            yield f"Of {len(one.questions)} questions of {which} run, {shared} are in both."
    for which, one, other in (("this", run, against), ("the other", against, run)):
        if only := [s for s in one.options.strategies if s not in other.options.strategies]:
            yield f"Only {which} run has: {', '.join(only)}."
    if run.data_set.fingerprint != against.data_set.fingerprint:
        yield (
            f"The data sets differ: {_data_set(run)} against {_data_set(against)}; "
            "other documents are other competitors for the same questions."
        )
    options = ("reader", "depth", "top_k", "seed", "judge")
    yield from _changed(
        "The option",
        _some(run.options.model_dump(), options),
        _some(against.options.model_dump(), options),
    )
    yield from _changed("The setting", run.settings, against.settings)
    yield from _changed("The variant", _variants(run, against), _variants(against, run))
    yield from _changed("The version of", run.versions, against.versions)
    for name in sorted(run.trained.keys() | against.trained.keys()):
        now, then = run.trained.get(name), against.trained.get(name)
        if now != then:
            yield (
                f"The trained version of {name!r}: {repr(now) if now else 'none'}, against "
                f"{repr(then) if then else 'none'}."
            )
    yield from _changed("The corpus' count of", run.index.counts, against.index.counts)
    machine = [{k: v for k, v in r.machine.items() if k not in PASSING} for r in (run, against)]
    if machine[0] != machine[1]:
        yield "The machines differ, so seconds compare them too."
        yield from _changed("The machine's", machine[0], machine[1])


def _variants(run: BenchRun, other: BenchRun) -> dict[str, Any]:
    """Variant → its settings, of those that the other run has, too."""
    study = run.options.ablations
    variants = () if study is None else study.variants
    return {v.name: v.settings for v in variants if v.name in other.options.strategies}


def _data_set(run: BenchRun) -> str:
    return f"{run.data_set.name!r} ({run.data_set.documents} documents)"


def _some(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names}


def _changed(what: str, now: Mapping[str, Any], then: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(now.keys() | then.keys()):
        if now.get(name) != then.get(name):
            yield f"{what} {name!r}: {_shown(now, name)}, against {_shown(then, name)}."


def _shown(values: Mapping[str, Any], name: str) -> str:
    return repr(values[name]) if name in values else "not recorded"
