"""Every two strategies against each other: differences with intervals and adjusted p."""

from collections.abc import Sequence
from typing import Any

from clew.evaluation.figures import Difference
from clew.evaluation.report.chart import Chart, Drawn, Panel, Table, known, label, quality_metrics
from clew.evaluation.report.drawing import Tips, colour, draw, plain
from clew.evaluation.report.words import p_sentence, p_value, signed, signed_interval

TITLE = "Which differences are more than chance"
ALL_PAIRS = 6
"""Strategies up to which every pair is drawn: 15 of them."""
WORDS = {"better": "better", "worse": "worse", "same": "not told apart"}


def differences_chart(drawn: Drawn) -> Chart:
    """Return the chart: what decides, as a forest plot; the table has all main metrics."""
    if len(drawn.strategies) < 2:
        return Chart("differences", TITLE, missing="One strategy was run: there are no pairs.")
    pairs = drawn.figures.pairs
    drawn_metrics = [m for m in quality_metrics(drawn.figures) if any(d.metric == m for d in pairs)]
    if not pairs:
        return Chart("differences", TITLE, missing="No two strategies have a metric in common.")
    leaders = {metric: _leader(drawn, metric) for metric in drawn_metrics}
    many = len(drawn.strategies) > ALL_PAIRS

    def best(d: Difference, metric: str) -> bool:
        return leaders[metric] in (d.strategy, d.other)

    return Chart(
        id="differences",
        title=TITLE,
        caption="The first strategy's mean minus the second's, on the questions of both, with its "
        "95 % interval. p: paired randomisation test, two-sided, adjusted (Holm) over the pairs of "
        "the metric. Filled and strong: p below 0.05. Hollow: the two cannot be told apart."
        + (" Drawn is the best against each other; the table has every pair." if many else ""),
        panels=tuple(
            _panel(
                drawn,
                metric,
                [d for d in pairs if d.metric == metric and (not many or best(d, metric))],
            )
            for metric in drawn_metrics
        ),
        table=Table(
            (
                "Metric",
                "Strategy",
                "Against",
                "Difference",
                "95 % interval",
                "p",
                "p adjusted",
                "Questions",
                "Verdict",
            ),
            tuple(
                (
                    label(d.metric),
                    d.strategy,
                    d.other,
                    signed(d.delta),
                    signed_interval(d.low, d.high),
                    p_value(d.p),
                    p_value(d.p_adjusted),
                    str(d.questions),
                    WORDS[d.verdict],
                )
                for d in pairs
            ),
        ),
    )


def _panel(drawn: Drawn, metric: str, pairs: Sequence[Difference]) -> Panel:
    ordered = sorted((_upward(d) for d in pairs), key=lambda d: -d.delta)

    def paint(axes: Any, tips: Tips) -> None:
        reach = max([0.05, *(abs(x) for d in ordered for x in (d.low, d.high))]) * 1.08
        for place, d in enumerate(ordered):
            told = d.verdict != "same"
            axes.errorbar(
                [d.delta],
                [place],
                xerr=[[max(0, d.delta - d.low)], [max(0, d.high - d.delta)]],
                fmt="none",
                ecolor=colour("ink" if told else "line-strong"),
                elinewidth=2.0 if told else 1.1,
            )
            (point,) = axes.plot(
                [d.delta],
                [place],
                marker="o",
                markersize=7,
                color=colour("accent" if told else "surface"),
                markeredgecolor=colour("accent" if told else "line-strong"),
                markeredgewidth=1.3,
            )
            tips.add(
                point,
                f"{d.strategy} minus {d.other}: {signed(d.delta)} "
                f"{signed_interval(d.low, d.high)}, {p_sentence(d.p_adjusted)} adjusted",
            )
            axes.text(
                -reach,
                place - 0.36,
                f"{plain(d.strategy, 26)} – {plain(d.other, 26)}",
                va="center",
                fontsize=10.5,
                fontweight="bold" if told else "normal",
            )
            axes.text(
                reach,
                place - 0.36,
                p_sentence(d.p_adjusted),
                va="center",
                ha="right",
                fontsize=10.5,
                color=colour("ink" if told else "ink-soft"),
            )
        axes.axvline(0, color=colour("line-strong"), linewidth=1, zorder=1)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_ylim(len(ordered) - 0.5, -0.75)
        axes.set_xlim(-reach, reach)
        axes.set_xlabel(f"difference in {label(metric)}")

    words = "; ".join(
        f"{d.strategy} minus {d.other} {signed(d.delta)}, {p_sentence(d.p_adjusted)}"
        for d in ordered
    )
    name = f"chart-differences-{metric.partition('@')[0]}"
    return Panel(
        label(metric), draw(name, f"{label(metric)}: {words}.", 64 + 36 * len(ordered), paint)
    )


def _leader(drawn: Drawn, metric: str) -> str:
    """Return the strategy with the highest figure, the first of equals."""
    found = {s.strategy: f for s in drawn.strategies if (f := known(s.metrics, metric))}
    return max(found, key=lambda name: found[name].value or 0.0)


def _upward(d: Difference) -> Difference:
    """Return the same difference with the better strategy first."""
    return d if d.delta >= 0 else turned(d)


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
