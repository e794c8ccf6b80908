"""Where the time goes: the steps of retrieval and of answering, as bars."""

import re
from collections.abc import Mapping, Sequence

from clew.evaluation.figures import RunFigures, StepFigure, StrategyFigures
from clew.evaluation.report.charts import Chart, Panel
from clew.evaluation.report.table import Cell, Column, Table
from clew.evaluation.report.words import duration, plural

STEP_FILLS = 12
"""As many as report.css has colours for; beyond them, the shortest steps share one."""
REST = "other steps"


def steps_chart(figures: RunFigures) -> Chart:
    """Return where the time goes, as bars; missing where no strategy left a trace."""
    title = "Time by step"
    parts = {
        "Retrieval": {s.strategy: _spent(s, s.cost.steps) for s in figures.strategies},
        "Answer": {s.strategy: _spent(s, s.cost.answer_steps) for s in figures.strategies},
    }
    parts = {part: spent for part, spent in parts.items() if any(spent.values())}
    if not parts:
        return Chart("steps", title, missing="No question left a trace of its steps.")
    fills = _fills([steps for spent in parts.values() for steps in spent.values()])

    def panel(part: str, spent: Mapping[str, Mapping[str, float]]) -> Panel:
        points = []
        for strategy, steps in spent.items():
            shown = dict.fromkeys(fills, 0.0)
            for step, seconds in steps.items():
                shown[step if step in shown else REST] += seconds
            points += [
                {
                    "name": strategy,
                    "fill": fills.index(step),
                    "ms": 1000 * seconds,
                    "tip": f"{strategy}, {step}: {duration(seconds)}",
                    "total": duration(sum(shown.values())) if any(steps.values()) else "no steps",
                }
                for step, seconds in shown.items()
                if seconds or not steps
            ]
        said = "; ".join(f"{name} {duration(sum(steps.values()))}" for name, steps in spent.items())
        return Panel(
            part,
            f"{part}: mean time in steps: {said}. The table below has each step.",
            tuple(points),
            "ms a question",
        )

    return Chart(
        id="steps",
        title=title,
        kind="bars",
        caption="Seconds of each step, as means over all questions that did not fail (a step that "
        "ran in few of them counts little), so that a bar's length is the mean time in steps. "
        "Where a strategy searches several times, each step of all its searches is one part.",
        panels=tuple(panel(part, spent) for part, spent in parts.items()),
        fills=tuple(fills),
        table=Table(
            title,
            (
                *(Column(name, number=False) for name in ("Strategy", "Part", "Step")),
                *map(Column, ("Median", "Mean", "Ran in")),
            ),
            tuple(
                (
                    Cell(s.strategy, "strategy"),
                    Cell(part),
                    Cell(name),
                    Cell(step.median_seconds, "seconds"),
                    Cell(step.mean_seconds, "seconds"),
                    Cell(plural(step.questions, "question")),
                )
                for s in figures.strategies
                for part, steps in (("retrieval", s.cost.steps), ("answer", s.cost.answer_steps))
                for name, step in steps.items()
            ),
        ),
    )


def _spent(s: StrategyFigures, steps: Mapping[str, StepFigure]) -> dict[str, float]:
    """Return step → seconds, mean over the strategy's questions that did not fail."""
    done = max(1, s.questions - s.failed)
    spent: dict[str, float] = {}
    for name, step in steps.items():
        # "step 2: embed" of iterative:NAME is one bar with the embed of its other searches
        kind = re.sub(r"^step \d+: ", "", name)
        spent[kind] = spent.get(kind, 0.0) + step.mean_seconds * step.questions / done
    return spent


def _fills(spent: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the steps that have a colour of their own, in their order."""
    total: dict[str, float] = {}
    for steps in spent:
        for name, seconds in steps.items():
            total[name] = total.get(name, 0.0) + seconds
    if len(total) <= STEP_FILLS:
        return list(total)
    longest = sorted(total, key=lambda name: -total[name])[: STEP_FILLS - 1]
    return [*(name for name in total if name in longest), REST]
