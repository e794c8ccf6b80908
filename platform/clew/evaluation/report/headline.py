"""The sentences at the top: which strategy is best, by how much, and how sure that is."""

from clew.evaluation.figures import Difference, RunFigures
from clew.evaluation.report.charts import turned
from clew.evaluation.report.tables import (
    ANSWERS,
    PATHS,
    known,
    label,
    part,
    quality_metrics,
    same,
)
from clew.evaluation.report.words import (
    interval,
    p_sentence,
    plural,
    share,
    signed,
    signed_interval,
)
from clew.results.words import listed

LISTED = 3
"""Variants up to which those are named that the test does not tell from the whole."""
PRAISE = {PATHS: "finds the most whole paths", ANSWERS: "leads to the best answers"}


def headline(figures: RunFigures) -> tuple[str, ...]:
    """Return a sentence for each thing strategies are judged by, first what decides."""
    failed = [s.strategy for s in figures.strategies if s.questions and s.failed == s.questions]
    metrics = quality_metrics(figures)
    if len(failed) == len(figures.strategies):
        return ("Every strategy failed on every question, so none can be called best.",)
    if not metrics:
        return ("No question of this run could be scored, so no strategy can be called best.",)
    if figures.whole is not None:
        return tuple(_of_parts(figures, metric, figures.whole) for metric in metrics)
    return tuple(_sentence(figures, metric) for metric in metrics)


def _of_parts(figures: RunFigures, metric: str, whole: str) -> str:
    """Return what an ablation study shows by a metric: which parts it can tell the worth of."""
    found = {s.strategy: figure for s in figures.strategies if (figure := known(s.metrics, metric))}
    name = label(metric)
    if whole not in found:
        return f"{whole} has no {name}: there is nothing to compare its variants with."
    value = found[whole]
    known_by = f"{share(value.value)} {interval(value.low, value.high)}"
    tested = sorted((d for d in figures.pairs if d.metric == metric), key=lambda d: d.delta)
    said = [
        f"{part(d.strategy, whole)} {signed(d.delta)} ({p_sentence(d.p_adjusted)})"
        for d in tested
        if d.verdict != "same"
    ]
    alike = [part(d.strategy, whole) for d in tested if d.verdict == "same"]
    on = plural(value.questions, "question")
    if not said:
        return (
            f"{whole} has {name} {known_by} on {on}; that a part makes a difference to it is not "
            f"shown for any of {plural(len(tested), 'variant')}."
        )
    rest = ""
    if alike:
        many = len(alike) > LISTED
        rest = f"; not told apart from it: {plural(len(alike), 'other') if many else listed(alike)}"
    return f"{whole} has {name} {known_by} on {on}; told apart from it: {listed(said)}{rest}."


def _sentence(figures: RunFigures, metric: str) -> str:
    found = {s.strategy: figure for s in figures.strategies if (figure := known(s.metrics, metric))}
    ranked = sorted(found, key=lambda name: -(found[name].value or 0.0))
    best = ranked[0]
    value = found[best]
    known_by = f"{share(value.value)} {interval(value.low, value.high)}"
    name = label(metric)
    if len(ranked) == 1:
        return (
            f"{best} has {name} {known_by} on {plural(value.questions, 'question')}; there is no "
            "other strategy to compare it with."
        )
    top = [o for o in ranked if same(found[o].value or 0.0, value.value or 0.0)]
    if len(top) > 1:
        level = _level(figures, metric, best, ranked[len(top) :])
        return (
            f"{listed(top)} have the same {name}, the highest: {known_by} on "
            f"{plural(value.questions, 'question')}"
            + (f"; that {listed(level)} would do worse is not shown." if level else ".")
        )
    second = ranked[1]
    pair = _pair(figures, metric, best, second)
    praise = PRAISE.get(metric, "finds the most")
    if pair is None:
        return (
            f"{best} {praise}: {name} {known_by}, against {share(found[second].value)} of "
            f"{second}; the difference was not tested."
        )
    bounds = (interval if pair.low >= 0 else signed_interval)(pair.low, pair.high)
    difference = f"{share(pair.delta)} {bounds}"
    if pair.verdict == "same":
        alike = _level(figures, metric, best, ranked[1:])
        return (
            f"{best} has the highest {name}, {known_by}, but the questions do not show that it is "
            f"better than {listed(alike)}: its lead over {second} is {difference} "
            f"(adjusted {p_sentence(pair.p_adjusted)}, {plural(pair.questions, 'question')})."
        )
    return (
        f"{best} {praise}: {name} {known_by}, {difference} more than {second}, the second "
        f"(adjusted {p_sentence(pair.p_adjusted)}, {plural(pair.questions, 'question')})."
    )


def _level(figures: RunFigures, metric: str, best: str, others: list[str]) -> list[str]:
    """Return those that the test does not tell apart from the best."""
    pairs = {other: _pair(figures, metric, best, other) for other in others}
    return [other for other, d in pairs.items() if d is not None and d.verdict == "same"]


def _pair(figures: RunFigures, metric: str, best: str, other: str) -> Difference | None:
    for d in figures.pairs:
        if d.metric == metric and (d.strategy, d.other) == (best, other):
            return d
        if d.metric == metric and (d.strategy, d.other) == (other, best):
            return turned(d)
    return None
