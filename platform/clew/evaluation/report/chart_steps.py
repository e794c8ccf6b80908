"""Where the time goes: the steps of retrieval and of answering, as bars."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from clew.evaluation.figures import StepFigure, StrategyFigures
from clew.evaluation.report.chart import Chart, Drawn, LegendItem, Panel, Table
from clew.evaluation.report.drawing import Tips, colour, draw, plain
from clew.evaluation.report.theme import STEPS
from clew.evaluation.report.words import duration, plural

TITLE = "Time by step"
REST = "other steps"
Spent = Mapping[str, Mapping[str, float]]
"""Strategy → step → seconds, mean over the strategy's questions that did not fail."""


def steps_chart(drawn: Drawn) -> Chart:
    """Return the chart; missing where no strategy left a trace."""
    kinds = {
        "Retrieval": {s.strategy: _spent(s, s.cost.steps) for s in drawn.strategies},
        "Answer": {s.strategy: _spent(s, s.cost.answer_steps) for s in drawn.strategies},
    }
    kinds = {kind: spent for kind, spent in kinds.items() if any(spent.values())}
    if not kinds:
        return Chart("steps", TITLE, missing="No question left a trace of its steps.")
    fills = _fills(kinds.values())
    return Chart(
        id="steps",
        title=TITLE,
        caption="Seconds of each step, as means over all questions that did not fail (a step that "
        "ran in few of them counts little), so that a bar's length is the mean time in steps. "
        "Where a strategy searches several times, each step of all its searches is one part.",
        panels=tuple(_panel(kind, spent, fills) for kind, spent in kinds.items()),
        steps=tuple(LegendItem(name, fill=fill) for name, fill in fills.items()),
        table=_table(drawn),
    )


def _spent(s: StrategyFigures, steps: Mapping[str, StepFigure]) -> dict[str, float]:
    done = max(1, s.questions - s.failed)
    spent: dict[str, float] = {}
    for name, step in steps.items():
        # "step 2: embed" of iterative:NAME is one bar with the embed of its other searches
        kind = re.sub(r"^step \d+: ", "", name)
        spent[kind] = spent.get(kind, 0.0) + step.mean_seconds * step.questions / done
    return spent


def _fills(kinds: Iterable[Spent]) -> dict[str, str]:
    """Return step → variable of its fill; beyond the colours, the shortest share one."""
    total: dict[str, float] = {}
    for spent in kinds:
        for steps in spent.values():
            for name, seconds in steps.items():
                total[name] = total.get(name, 0.0) + seconds
    if len(total) > len(STEPS):
        longest = sorted(total, key=lambda name: -total[name])[: len(STEPS) - 1]
        names = [*(name for name in total if name in longest), REST]
    else:
        names = list(total)
    return {name: f"t{place}" for place, name in enumerate(names)}


def _panel(kind: str, spent: Spent, fills: Mapping[str, str]) -> Panel:
    names = list(spent)
    rows = {
        name: {
            step: sum(
                seconds
                for other, seconds in steps.items()
                if other == step or (step == REST and other not in fills)
            )
            for step in fills
        }
        for name, steps in spent.items()
    }
    totals = {name: sum(row.values()) for name, row in rows.items()}

    def paint(axes: Any, tips: Tips) -> None:
        for place, name in enumerate(names):
            start = 0.0
            for step, fill in fills.items():
                seconds = rows[name][step]
                if not seconds:
                    continue
                (bar,) = axes.barh(
                    [place],
                    [seconds * 1000],
                    left=start * 1000,
                    height=0.62,
                    color=colour(fill),
                    edgecolor=colour("ink-soft"),
                    linewidth=0.5,
                )
                tips.add(bar, f"{name}, {step}: {duration(seconds)}")
                start += seconds
            axes.annotate(
                duration(start) if start else "no steps",
                (start * 1000, place),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                color=colour("ink-soft"),
            )
        axes.set_yticks(range(len(names)), [plain(name, 26) for name in names])
        axes.set_ylim(len(names) - 0.45, -0.55)
        axes.set_xlim(0, max(totals.values()) * 1000 * 1.22 or 1)
        axes.set_xlabel("ms a question")
        axes.grid(visible=False, axis="y")

    words = "; ".join(f"{name} {duration(seconds)}" for name, seconds in totals.items())
    return Panel(
        kind,
        draw(
            f"chart-steps-{kind.lower()}",
            f"{kind}: mean time in steps: {words}. The table below has each step.",
            70 + 27 * len(names),
            paint,
        ),
    )


def _table(drawn: Drawn) -> Table:
    return Table(
        ("Strategy", "Part", "Step", "Median", "Mean", "Ran in"),
        tuple(
            (
                s.strategy,
                part,
                name,
                duration(step.median_seconds),
                duration(step.mean_seconds),
                plural(step.questions, "question"),
            )
            for s in drawn.strategies
            for part, steps in (("retrieval", s.cost.steps), ("answer", s.cost.answer_steps))
            for name, step in steps.items()
        ),
    )
