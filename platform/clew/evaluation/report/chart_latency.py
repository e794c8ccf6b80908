"""Quality against the time a question takes."""

from collections.abc import Mapping
from statistics import median
from typing import Any

import numpy as np

from clew.evaluation.report.chart import (
    ANSWERS,
    Chart,
    Drawn,
    Panel,
    Table,
    bars,
    known,
    label,
    quality_metrics,
)
from clew.evaluation.report.drawing import Tips, colour, draw
from clew.evaluation.report.words import NONE, duration, with_interval
from clew.evaluation.run import BenchRun

TITLE = "Quality against time"
MOST_TICKS = 7
WIDE = 6
"""Ratio of the ends of an axis from which a decade has three labels."""
Times = Mapping[str, tuple[float, float]]
"""Strategy → median and 95th percentile of seconds."""


def latency_chart(drawn: Drawn, run: BenchRun) -> Chart:
    """Return the chart: retrieval metrics against the retrieval's time, those of answers against
    retrieval and answer together."""
    metrics = quality_metrics(drawn.figures)
    times = {metric: _times(run, answers=metric == ANSWERS) for metric in metrics}
    shown = [metric for metric in metrics if times[metric]]
    if not shown:
        reason = "every strategy failed on every question" if metrics else "nothing could be scored"
        return Chart("latency", TITLE, missing=f"There are no points to draw: {reason}.")
    never = [s.strategy for s in drawn.strategies if s.strategy not in times[shown[0]]]
    return Chart(
        id="latency",
        title=TITLE,
        caption="Up and to the left is better. A point is at the median time of a question; the "
        "line to its right ends at the 95th percentile, the upright one is the 95 % interval of "
        "the metric. Times are of questions that did not fail"
        + (
            "; F1 is drawn against retrieval and answer together."
            if ANSWERS in shown and len(shown) > 1
            else "."
        )
        + (f" Not drawn, since it always failed: {', '.join(never)}." if never else ""),
        panels=tuple(_panel(drawn, metric, times[metric]) for metric in shown),
        table=Table(
            (
                "Strategy",
                *(
                    head
                    for m in shown
                    for head in (label(m), f"median s, {_of(m)}", f"95th percentile s, {_of(m)}")
                ),
            ),
            tuple(
                (
                    s.strategy,
                    *(
                        cell
                        for m in shown
                        for cell in (
                            with_interval(s.metrics.get(m)),
                            *(f"{seconds:.4f}" for seconds in times[m].get(s.strategy, ())),
                        )
                    ),
                )
                if all(s.strategy in times[m] for m in shown)
                else (s.strategy, *(NONE for _ in range(3 * len(shown))))
                for s in drawn.strategies
            ),
        ),
    )


def _of(metric: str) -> str:
    return "retrieval and answer" if metric == ANSWERS else "retrieval"


def _times(run: BenchRun, *, answers: bool) -> Times:
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


def _panel(drawn: Drawn, metric: str, times: Times) -> Panel:
    def paint(axes: Any, tips: Tips) -> None:
        axes.set_xscale("log")
        for s in drawn.strategies:
            figure = known(s.metrics, metric)
            if figure is None or s.strategy not in times:
                continue
            style = drawn.styles[s.strategy]
            middle, p95 = times[s.strategy]
            value, below, above = bars(figure)
            axes.errorbar(
                [middle * 1000],
                [value],
                yerr=[[below], [above]],
                xerr=[[0], [max(0.0, p95 - middle) * 1000]],
                fmt="none",
                ecolor=colour(style.variable),
                elinewidth=1.2,
                alpha=0.55,
            )
            (point,) = axes.plot(
                [middle * 1000],
                [value],
                marker=style.marker,
                markersize=9,
                color=colour(style.variable),
                markeredgecolor=colour("surface"),
                markeredgewidth=0.8,
            )
            tips.add(
                point,
                f"{s.strategy}: {label(metric)} {with_interval(figure)}; median "
                f"{duration(middle)}, 95th percentile {duration(p95)}",
            )
        _log_ticks(axes)
        axes.set_xlabel(f"ms, {_of(metric)} (log axis)")
        low, high = axes.get_ylim()
        axes.set_ylim(max(-0.02, low - 0.02), min(1.02, high + 0.02))

    points = "; ".join(
        f"{s.strategy} {with_interval(s.metrics.get(metric))} at {duration(times[s.strategy][0])}"
        for s in drawn.strategies
        if s.strategy in times
    )
    title = f"{label(metric)} against the time of {_of(metric)}"
    return Panel(
        title, draw(f"chart-latency-{metric.partition('@')[0]}", f"{title}: {points}.", 290, paint)
    )


def _log_ticks(axes: Any) -> None:
    """Label round numbers: 1, 2 and 5 of each decade; finer ones where little is in view."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    low, high = axes.get_xlim()
    if high < WIDE * low:
        ticks = [t for t in MaxNLocator(5).tick_values(low, high) if low <= t <= high]
    else:
        ladder = [m * 10.0**power for power in range(-4, 8) for m in (1, 2, 5)]
        ticks = [t for t in ladder if low <= t <= high]
        ticks = ticks[:: 1 + (len(ticks) - 1) // MOST_TICKS]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
