"""Recall@k and all-gold@k against k, with 95 % bands."""

from typing import Any

from clew.evaluation.report.chart import Chart, Drawn, Panel, Table, has, known, label
from clew.evaluation.report.drawing import Tips, colour, draw
from clew.evaluation.report.words import with_interval
from clew.evaluation.run import CUTS

TITLE = "How much is found in the first k"
CURVES = {"recall": "Recall@k", "all_gold": "All gold in the first k"}


def recall_chart(drawn: Drawn) -> Chart:
    """Return the chart; missing where no question has gold."""
    metrics = {
        family: [f"{family}@{k}" for k in CUTS if has(drawn.figures, f"{family}@{k}")]
        for family in CURVES
    }
    if not any(metrics.values()):
        return Chart("recall", TITLE, missing="No question of this run has gold to be found.")
    return Chart(
        id="recall",
        title=TITLE,
        caption="Means over the questions; the bands are 95 % intervals. Left: the share of a "
        "question's gold that is in the first k. Right: the share of questions whose gold is all "
        "in the first k, which an answer from several documents needs.",
        panels=tuple(_panel(drawn, family, names) for family, names in metrics.items() if names),
        table=Table(
            ("Strategy", *(label(name) for names in metrics.values() for name in names)),
            tuple(
                (
                    s.strategy,
                    *(
                        with_interval(s.metrics.get(name))
                        for names in metrics.values()
                        for name in names
                    ),
                )
                for s in drawn.strategies
            ),
        ),
    )


def _panel(drawn: Drawn, family: str, names: list[str]) -> Panel:
    places = range(len(names))

    def paint(axes: Any, tips: Tips) -> None:
        for row, s in enumerate(drawn.strategies):
            style = drawn.styles[s.strategy]
            # side by side, or equal values would hide each other
            aside = min(0.05, 0.25 / len(drawn.strategies)) * (
                row - (len(drawn.strategies) - 1) / 2
            )
            points = [(place, known(s.metrics, name)) for place, name in enumerate(names)]
            there = [(place, f) for place, f in points if f is not None]
            xs = [place + aside for place, _ in there]
            axes.plot(xs, [f.value for _, f in there], color=colour(style.variable), linewidth=1.6)
            axes.fill_between(
                xs,
                [f.value if f.low is None else f.low for _, f in there],
                [f.value if f.high is None else f.high for _, f in there],
                color=colour(style.variable),
                alpha=0.08,
                linewidth=0,
            )
            for place, f in there:
                (point,) = axes.plot(
                    [place + aside],
                    [f.value],
                    marker=style.marker,
                    markersize=6,
                    color=colour(style.variable),
                    markeredgecolor=colour("surface"),
                    markeredgewidth=0.7,
                )
                tips.add(point, f"{s.strategy}, {label(names[place])}: {with_interval(f)}")
        axes.set_xticks(places, [name.partition("@")[2] for name in names])
        axes.set_xlabel("k")
        axes.set_ylim(-0.02, 1.02)
        axes.grid(visible=False, axis="x")

    description = (
        f"{CURVES[family]} of {len(drawn.strategies)} strategies at k = "
        f"{', '.join(name.partition('@')[2] for name in names)}. The table below has the figures."
    )
    return Panel(CURVES[family], draw(f"chart-{family}", description, 290, paint))
