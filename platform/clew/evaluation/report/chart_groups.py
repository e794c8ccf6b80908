"""The main metrics by hop count and by question type."""

from collections.abc import Mapping
from typing import Any

from clew.evaluation.figures import Figure
from clew.evaluation.report.chart import (
    Chart,
    Drawn,
    Panel,
    Table,
    bars,
    known,
    label,
    quality_metrics,
)
from clew.evaluation.report.drawing import Tips, colour, draw, plain
from clew.evaluation.report.words import plural, with_interval

Groups = Mapping[str, Mapping[str, dict[str, Figure]]]
"""Strategy → group → figures."""
MOST = 12
"""Groups that are drawn; the table has them all."""


def hops_chart(drawn: Drawn) -> Chart:
    """Return the chart by hop count."""
    groups = {s.strategy: s.by_hops for s in drawn.strategies}
    return _chart(drawn, groups, "hops", "By hop count", "hops", "how many hops it needs")


def types_chart(drawn: Drawn) -> Chart:
    """Return the chart by question type."""
    groups = {s.strategy: s.by_type for s in drawn.strategies}
    return _chart(drawn, groups, "types", "By question type", "type", "of what type it is")


def _chart(drawn: Drawn, groups: Groups, id_: str, title: str, word: str, what: str) -> Chart:
    names = list(dict.fromkeys(name for by_group in groups.values() for name in by_group))
    metrics = [
        metric
        for metric in quality_metrics(drawn.figures)
        if any(known(by.get(name, {}), metric) for by in groups.values() for name in names)
    ]
    if not names:
        return Chart(id_, title, missing=f"No question of this run says {what}.")
    if not metrics:
        return Chart(id_, title, missing="No group has a question that could be scored.")
    if len(names) == 1:
        only = f"{names[0]} hops" if word == "hops" else f"the type “{plain(names[0], 60)}”"
        return Chart(
            id_,
            title,
            missing=f"All questions that say {what} have {only}: there is nothing to set apart.",
        )
    left_out = any(_scored(groups, names[:MOST], m) != names[:MOST] for m in metrics)
    return Chart(
        id=id_,
        title=title,
        caption="Points are means over the group's questions, lines their 95 % intervals; small "
        "groups have wide ones."
        + (" Left out: groups in which no question counts." if left_out else "")
        + (f" Drawn are the first {MOST} of {len(names)} groups." if len(names) > MOST else ""),
        panels=tuple(
            _panel(drawn, groups, _scored(groups, names[:MOST], m), m, id_, title) for m in metrics
        ),
        table=Table(
            (word.capitalize(), "Strategy", *(label(m) for m in metrics), "Questions"),
            tuple(
                (
                    name,
                    strategy,
                    *(with_interval(by.get(name, {}).get(m)) for m in metrics),
                    str(_questions(by.get(name, {}), metrics[0])),
                )
                for name in names
                for strategy, by in groups.items()
            ),
        ),
    )


def _scored(groups: Groups, names: list[str], metric: str) -> list[str]:
    """Return the groups in which a question counts for the metric."""
    return [n for n in names if any(known(by.get(n, {}), metric) for by in groups.values())]


def _questions(metrics: Mapping[str, Figure], metric: str) -> int:
    figure = metrics.get(metric)
    return figure.questions if figure is not None else 0


def _panel(
    drawn: Drawn, groups: Groups, names: list[str], metric: str, id_: str, title: str
) -> Panel:
    lane = 9
    band = lane * len(drawn.strategies) + 14
    counts = {
        name: max((_questions(by.get(name, {}), metric) for by in groups.values()), default=0)
        for name in names
    }

    def paint(axes: Any, tips: Tips) -> None:
        for place, name in enumerate(names):
            for row, s in enumerate(drawn.strategies):
                figure = known(groups[s.strategy].get(name, {}), metric)
                if figure is None:
                    continue
                style = drawn.styles[s.strategy]
                y = place * band + row * lane
                value, below, above = bars(figure)
                axes.errorbar(
                    [value],
                    [y],
                    xerr=[[below], [above]],
                    fmt="none",
                    ecolor=colour(style.variable),
                    elinewidth=1.2,
                    alpha=0.6,
                )
                (point,) = axes.plot(
                    [value], [y], marker=style.marker, markersize=6, color=colour(style.variable)
                )
                tips.add(
                    point,
                    f"{s.strategy}, {name}: {label(metric)} {with_interval(figure)}, "
                    f"{plural(figure.questions, 'question')}",
                )
            if place:
                axes.axhline(place * band - 11, color=colour("line"), linewidth=0.8)
        middle = lane * (len(drawn.strategies) - 1) / 2
        axes.set_yticks(
            [place * band + middle for place in range(len(names))],
            [f"{_shown(name, id_)}\nn = {counts[name]}" for name in names],
        )
        axes.set_ylim(len(names) * band - 11, -11)
        axes.set_xlim(-0.03, 1.03)
        axes.grid(visible=False, axis="y")

    description = (
        f"{label(metric)} {title.lower()} ({', '.join(plain(name, 40) for name in names)}), of "
        f"{len(drawn.strategies)} strategies. The table below has the figures."
    )
    height = max(150, 46 + band * len(names))
    return Panel(
        label(metric), draw(f"chart-{id_}-{metric.partition('@')[0]}", description, height, paint)
    )


def _shown(name: str, id_: str) -> str:
    if id_ != "hops":
        return plain(name, 20)
    return f"{plain(name, 12)} hop{'' if name == '1' else 's'}"
