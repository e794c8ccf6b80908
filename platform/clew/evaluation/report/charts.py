"""What the charts of a report draw: points with their intervals, and the same as a table.

The page draws them with Observable Plot (``charts.js``), in the colours of ``report.css``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import numpy as np

from clew.evaluation.figures import Difference, Figure, RunFigures, StrategyFigures
from clew.evaluation.report.table import Cell, Column, Table, cell_of
from clew.evaluation.report.tables import (
    ANSWERS,
    STRATEGY,
    has,
    known,
    label,
    pairs_table,
    part,
    quality_metrics,
)
from clew.evaluation.report.words import duration, p_sentence, plural
from clew.evaluation.run import CUTS, BenchRun

CURVES = {"recall": "Recall@k", "all_gold": "All gold in the first k"}
ALL_PAIRS = 6
"""Strategies up to which every pair is drawn: 15 of them."""
MOST_GROUPS = 12
"""Groups that are drawn; the table has them all."""
Point = dict[str, Any]
"""``tip``: what is said of it; ``s``: its strategy's place in the run. The rest as the chart's
kind needs it: ``x``, ``y``, bounds ``low`` and ``high``."""


@dataclass(frozen=True)
class Panel:
    """A picture. ``description``: what is read in its place; ``axis``: what is along x."""

    title: str
    description: str
    points: tuple[Point, ...]
    axis: str = ""


@dataclass(frozen=True)
class Chart:
    """A chart with its table; ``kind``: how charts.js draws it; ``fills``: the steps of its bars.

    ``missing``: why there is none; the rest is then empty.
    """

    id: str
    title: str
    kind: Literal["curves", "times", "differences", "groups", "bars"] = "curves"
    caption: str = ""
    panels: tuple[Panel, ...] = ()
    table: Table | None = None
    fills: tuple[str, ...] = ()
    missing: str | None = None


def quality_charts(figures: RunFigures, run: BenchRun) -> tuple[Chart, ...]:
    """Return the charts of what is found, in the report's order."""
    return (
        recall_chart(figures),
        latency_chart(figures, run),
        differences_chart(figures),
        hops_chart(figures),
        types_chart(figures),
    )


def recall_chart(figures: RunFigures) -> Chart:
    """Return Recall@k and all-gold@k against k; missing where no question has gold."""
    title = "How much is found in the first k"
    families = {
        family: [f"{family}@{k}" for k in CUTS if has(figures, f"{family}@{k}")]
        for family in CURVES
    }
    names = [name for family in families.values() for name in family]
    if not names:
        return Chart("recall", title, missing="No question of this run has gold to be found.")
    return Chart(
        id="recall",
        title=title,
        caption="Means over the questions; the bands are 95 % intervals. Left: the share of a "
        "question's gold that is in the first k. Right: the share of questions whose gold is all "
        "in the first k, which an answer from several documents needs.",
        panels=tuple(
            Panel(
                CURVES[family],
                f"{CURVES[family]} of {plural(len(figures.strategies), 'strategy', 'strategies')} "
                f"at k = {', '.join(_k(name) for name in cuts)}. The table below has the figures.",
                tuple(
                    _mean(place, f"{s.strategy}, {label(name)}:", f, k=_k(name))
                    for place, s in enumerate(figures.strategies)
                    for name in cuts
                    if (f := known(s.metrics, name))
                ),
                "k",
            )
            for family, cuts in families.items()
            if cuts
        ),
        table=Table(
            title,
            (STRATEGY, *(Column(label(name)) for name in names)),
            tuple(
                (Cell(s.strategy, "strategy"), *(cell_of(s.metrics.get(name)) for name in names))
                for s in figures.strategies
            ),
        ),
    )


def latency_chart(figures: RunFigures, run: BenchRun) -> Chart:
    """Return quality against time: retrieval metrics against the retrieval's time, those of
    answers against retrieval and answer together."""
    title = "Quality against time"
    metrics = quality_metrics(figures)
    times = {metric: _times(run, answers=metric == ANSWERS) for metric in metrics}
    shown = [metric for metric in metrics if times[metric]]
    if not shown:
        reason = "every strategy failed on every question" if metrics else "nothing could be scored"
        return Chart("latency", title, missing=f"There are no points to draw: {reason}.")
    never = [s.strategy for s in figures.strategies if s.strategy not in times[shown[0]]]

    def cells(s: StrategyFigures, metric: str) -> tuple[Cell, ...]:
        if s.strategy not in times[metric]:
            return (Cell(None),) * 3
        middle, p95 = times[metric][s.strategy]
        return cell_of(s.metrics.get(metric)), Cell(middle, "ms"), Cell(p95, "ms")

    def panel(metric: str) -> Panel:
        points = []
        for place, s in enumerate(figures.strategies):
            figure = known(s.metrics, metric)
            if figure is None or s.strategy not in times[metric]:
                continue
            middle, p95 = times[metric][s.strategy]
            spent = f"median {duration(middle)}, 95th percentile {duration(p95)}"
            point = _mean(place, f"{s.strategy}: {label(metric)}", figure, after=f"; {spent}")
            points.append(point | {"ms": 1000 * middle, "until": 1000 * max(middle, p95)})
        heading = f"{label(metric)} against the time of {_of(metric)}"
        said = "; ".join(point["tip"] for point in points)
        return Panel(heading, f"{heading}. {said}.", tuple(points), f"ms, {_of(metric)} (log axis)")

    return Chart(
        id="latency",
        title=title,
        kind="times",
        caption="Up and to the left is better. A point is at the median time of a question; the "
        "line to its right ends at the 95th percentile, the upright one is the 95 % interval of "
        "the metric. Times are of questions that did not fail"
        + (
            "; F1 is drawn against retrieval and answer together."
            if ANSWERS in shown and len(shown) > 1
            else "."
        )
        + (f" Not drawn, since it always failed: {', '.join(never)}." if never else ""),
        panels=tuple(map(panel, shown)),
        table=Table(
            title,
            (
                STRATEGY,
                *(
                    Column(heading)
                    for m in shown
                    for heading in (
                        label(m),
                        f"median ms, {_of(m)}",
                        f"95th percentile ms, {_of(m)}",
                    )
                ),
            ),
            tuple(
                (Cell(s.strategy, "strategy"), *(cell for m in shown for cell in cells(s, m)))
                for s in figures.strategies
            ),
        ),
    )


def differences_chart(figures: RunFigures) -> Chart:
    """Return the pairs of strategies by what decides, as a forest plot; the table has all main
    metrics. Of many strategies only the best is drawn against each other."""
    title = "Which differences are more than chance"
    if len(figures.strategies) < 2:
        return Chart("differences", title, missing="One strategy was run: there are no pairs.")
    if not figures.pairs:
        return Chart("differences", title, missing="No two strategies have a metric in common.")
    many = len(figures.strategies) > ALL_PAIRS and figures.whole is None

    def panel(metric: str) -> Panel:
        values = {
            s.strategy: f.value for s in figures.strategies if (f := known(s.metrics, metric))
        }
        leader = max(values, key=lambda name: values[name] or 0.0)
        pairs = [
            d if d.delta >= 0 or figures.whole is not None else turned(d)
            for d in figures.pairs
            if d.metric == metric and (not many or leader in (d.strategy, d.other))
        ]
        points = tuple(
            {
                "pair": f"{d.strategy} – {d.other}"
                if figures.whole is None
                else part(d.strategy, figures.whole),
                "x": d.delta,
                "low": d.low,
                "high": d.high,
                "told": d.verdict != "same",
                "p": p_sentence(d.p_adjusted),
                "tip": f"{d.strategy} minus {d.other}: {Cell(d.delta, 'signed', d.low, d.high)}, "
                f"{p_sentence(d.p_adjusted)} adjusted",
            }
            for d in sorted(pairs, key=lambda d: -d.delta)
        )
        said = "; ".join(str(point["tip"]) for point in points)
        return Panel(
            label(metric), f"{label(metric)}: {said}.", points, f"difference in {label(metric)}"
        )

    return Chart(
        id="differences",
        title=title,
        kind="differences",
        caption="The first strategy's mean minus the second's, on the questions of both, with its "
        "95 % interval. p: paired randomisation test, two-sided, adjusted (Holm) over the pairs of "
        "the metric. Filled and strong: p below 0.05. Hollow: the two cannot be told apart."
        + (" Drawn is the best against each other; the table has every pair." if many else ""),
        panels=tuple(
            panel(m) for m in quality_metrics(figures) if any(d.metric == m for d in figures.pairs)
        ),
        table=pairs_table(figures.pairs),
    )


def hops_chart(figures: RunFigures) -> Chart:
    """Return the main metrics by hop count."""
    groups = {s.strategy: s.by_hops for s in figures.strategies}
    return _groups_chart(figures, groups, "hops", "By hop count", "how many hops it needs")


def types_chart(figures: RunFigures) -> Chart:
    """Return the main metrics by question type."""
    groups = {s.strategy: s.by_type for s in figures.strategies}
    return _groups_chart(figures, groups, "types", "By question type", "of what type it is")


def _groups_chart(
    figures: RunFigures,
    groups: Mapping[str, Mapping[str, dict[str, Figure]]],
    id_: str,
    title: str,
    what: str,
) -> Chart:
    """Return the main metrics by groups of questions: ``groups`` are strategy → group → figures."""
    names = list(dict.fromkeys(name for by_group in groups.values() for name in by_group))

    def scored(metric: str) -> list[str]:
        """The groups that are drawn: those in which a question counts for the metric."""
        return [
            name
            for name in names[:MOST_GROUPS]
            if any(known(by.get(name, {}), metric) for by in groups.values())
        ]

    metrics = [metric for metric in quality_metrics(figures) if scored(metric)]
    if not names:
        return Chart(id_, title, missing=f"No question of this run says {what}.")
    if not metrics:
        return Chart(id_, title, missing="No group has a question that could be scored.")
    if len(names) == 1:
        only = f"{names[0]} hops" if id_ == "hops" else f"the type “{names[0]}”"
        return Chart(
            id_,
            title,
            missing=f"All questions that say {what} have {only}: there is nothing to set apart.",
        )

    def panel(metric: str) -> Panel:
        points = []
        for name in scored(metric):
            found = [known(by.get(name, {}), metric) for by in groups.values()]
            count = max(f.questions for f in found if f)
            unit = f" {'hop' if name == '1' else 'hops'}" if id_ == "hops" else ""
            for place, figure in enumerate(found):
                if figure is not None:
                    said = f"{figures.strategies[place].strategy}, {name}: {label(metric)}"
                    after = f", {plural(figure.questions, 'question')}"
                    point = _mean(place, said, figure, after=after)
                    points.append(point | {"group": f"{name}{unit}", "n": count})
        description = (
            f"{label(metric)} {title.lower()} ({', '.join(scored(metric))}), of "
            f"{len(figures.strategies)} strategies. The table below has the figures."
        )
        return Panel(label(metric), description, tuple(points))

    return Chart(
        id=id_,
        title=title,
        kind="groups",
        caption="Points are means over the group's questions, lines their 95 % intervals; small "
        "groups have wide ones."
        + (
            " Left out: groups in which no question counts."
            if any(scored(m) != names[:MOST_GROUPS] for m in metrics)
            else ""
        )
        + (
            f" Drawn are the first {MOST_GROUPS} of {len(names)} groups."
            if len(names) > MOST_GROUPS
            else ""
        ),
        panels=tuple(map(panel, metrics)),
        table=Table(
            title,
            (
                Column("Hops" if id_ == "hops" else "Type", number=False),
                STRATEGY,
                *(Column(label(m)) for m in metrics),
                Column("Questions"),
            ),
            tuple(
                (
                    Cell(name),
                    Cell(strategy, "strategy"),
                    *(cell_of(by.get(name, {}).get(m)) for m in metrics),
                    Cell(_most_questions(by.get(name, {}), metrics), "count"),
                )
                for name in names
                for strategy, by in groups.items()
            ),
        ),
    )


def _most_questions(found: Mapping[str, Figure], metrics: Sequence[str]) -> int:
    """Return how many questions count for one of the metrics: for each it may be others."""
    return max((found[metric].questions for metric in metrics if metric in found), default=0)


def turned(d: Difference) -> Difference:
    """Return the same difference seen from the other side."""
    verdict = {"better": "worse", "worse": "better", "same": "same"}[d.verdict]
    return d.model_copy(
        update={
            "strategy": d.other,
            "other": d.strategy,
            "value": d.other_value,
            "other_value": d.value,
            "delta": -d.delta,
            "low": -d.high,
            "high": -d.low,
            "verdict": verdict,
        }
    )


def _k(metric: str) -> str:
    return metric.partition("@")[2]


def _of(metric: str) -> str:
    return "retrieval and answer" if metric == ANSWERS else "retrieval"


def _mean(place: int, said: str, figure: Figure, after: str = "", **more: str) -> Point:
    """Return a mean as a point; ``said`` and ``after`` stand around its figure in the tip."""
    value = figure.value
    return {
        "s": place,
        "value": value,
        "low": value if figure.low is None else figure.low,
        "high": value if figure.high is None else figure.high,
        "tip": f"{said} {cell_of(figure)}{after}",
        **more,
    }


def _times(run: BenchRun, *, answers: bool) -> Mapping[str, tuple[float, float]]:
    """Return strategy → median and 95th percentile of seconds."""
    seconds: dict[str, list[float]] = {}
    for outcome in run.outcomes:
        if outcome.error is None and not (answers and outcome.answer_seconds is None):
            extra = (outcome.answer_seconds or 0.0) if answers else 0.0
            seconds.setdefault(outcome.strategy, []).append(outcome.seconds + extra)
    return {
        name: (median(spent), float(np.quantile(spent, 0.95)))
        for name, spent in seconds.items()
        if median(spent) > 0
    }
