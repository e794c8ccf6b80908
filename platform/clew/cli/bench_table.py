"""The figures of a run as tables of the terminal."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from clew.cli.output import table
from clew.evaluation.figures import Difference, Figure, RunComparison, RunFigures, StrategyFigures
from clew.evaluation.report.words import (
    duration,
    p_sentence,
    p_value,
    share,
    signed,
    signed_interval,
)
from clew.evaluation.request import BenchRunInfo
from clew.evaluation.run import BenchRun
from clew.evaluation.scoring import METRICS

LABELS = {metric.name: metric.label for metric in METRICS}
GROUPS = {metric.name: metric.group for metric in METRICS}
MAIN = [metric.name for metric in METRICS if metric.main]
STYLES = {"better": "green", "worse": "bold red", "same": ""}


def figures_tables(run: BenchRun, figures: RunFigures) -> Iterator[RenderableType]:
    """Yield the tables of quality, that of cost, and what else has to be said of a run."""
    shown = [name for name in MAIN if any(_value(s, name) is not None for s in figures.strategies)]
    made = " (synthetic questions)" if run.data_set.synthetic else ""
    yield Text(
        f"{run.data_set.name}{made}: {len(run.questions)} questions, "
        f"{run.index.counts['documents']:,} documents; with 95 % intervals, n = questions"
    )
    for title, names in (
        ("What is found", [name for name in shown if GROUPS[name] in ("retrieval", "triples")]),
        ("What comes of it", [name for name in shown if GROUPS[name] in ("answer", "evidence")]),
    ):
        if names:
            yield _quality(title, figures, names)
    yield _costs(figures)
    if figures.pairs:
        yield Text(_conclusion(figures, shown))
    if run.data_set.refused:
        first = run.data_set.refused[0]
        yield Text(
            f"{len(run.data_set.refused)} questions were left out, the first ({first.id}): "
            f"{first.reason}",
            "yellow",
        )
    for strategy in figures.strategies:
        if strategy.failed:
            error = next(
                o.error for o in run.outcomes if o.strategy == strategy.strategy and o.error
            )
            yield Text(
                f"{strategy.strategy} raised on {strategy.failed} questions (counted as missed): "
                f"{error}",
                "red",
            )


def comparison_tables(comparison: RunComparison) -> Iterator[RenderableType]:
    """Yield how a run did against an earlier one, regressions marked."""
    yield table(
        f"Against {comparison.against_id}, on {comparison.questions} questions of both",
        ("strategy", "metric", "now", "then", "difference [95 %]", "p", ""),
        [_difference(difference) for difference in comparison.differences if difference.delta],
    )
    same = sum(not difference.delta for difference in comparison.differences)
    if same:
        yield Text(f"{same} figures are what they were.", "dim")
    for notice in comparison.notices:
        yield Text(notice, "yellow")
    count = len(comparison.regressions)
    if count:
        yield Text(f"{count} regression{'s' if count > 1 else ''}.", "bold red")
    else:
        yield Text("No regression.", "green")


def list_table(runs: Sequence[BenchRunInfo]) -> RenderableType:
    """Return the kept runs as a table, newest first."""
    rows = []
    for run in runs:
        known = {
            name: values["recall@5"]
            for name, values in run.main.items()
            if values.get("recall@5") is not None
        }
        best = max(known, key=lambda name: known[name] or 0.0) if known else None
        rows.append(
            (
                run.id,
                run.created_at[:16].replace("T", " "),
                run.data_set + (" (synthetic)" if run.synthetic else ""),
                run.questions,
                run.reader or "none",
                "–" if best is None else f"{best} {share(known[best])}",
            )
        )
    columns = ("run", "began (UTC)", "data set", "questions", "reader", "best Recall@5")
    return table("Runs of the bench", columns, rows)


def _quality(title: str, figures: RunFigures, names: Sequence[str]) -> RenderableType:
    best = {name: max(_value(s, name) or 0.0 for s in figures.strategies) for name in names}
    counts = {
        name: max(s.metrics[name].questions for s in figures.strategies if name in s.metrics)
        for name in names
    }
    return table(
        title,
        ("strategy", *(f"{LABELS[name]}\nn = {counts[name]}" for name in names), "failed"),
        [
            (
                strategy.strategy,
                *(_figure(strategy.metrics.get(name), best[name]) for name in names),
                Text(str(strategy.failed), "bold red" if strategy.failed else "dim"),
            )
            for strategy in figures.strategies
        ],
    )


def _costs(figures: RunFigures) -> RenderableType:
    return table(
        "Cost of a question",
        ("strategy", "median ms", "95 % ms", "answer ms", "LLM calls", "tokens", "MiB"),
        [
            (
                strategy.strategy,
                f"{1000 * cost.median_seconds:.1f}",
                f"{1000 * cost.p95_seconds:.1f}",
                "–" if answer is None else f"{1000 * answer:.0f}",
                f"{cost.calls:.1f}",
                f"{cost.prompt_tokens:.0f}+{cost.completion_tokens:.0f}",
                "–" if cost.memory_mib is None else f"{cost.memory_mib:.0f}",
            )
            for strategy in figures.strategies
            for cost in (strategy.cost,)
            for answer in (cost.answer_median_seconds,)
        ],
    )


def _conclusion(figures: RunFigures, shown: Sequence[str]) -> str:
    """Say which strategy is best on the first metric that was compared, and how sure that is."""
    compared = [
        name for name in ("recall@5", *shown) if any(p.metric == name for p in figures.pairs)
    ]
    name = compared[0]
    order = sorted(figures.strategies, key=lambda s: -(_value(s, name) or 0.0))
    first, second = order[0].strategy, order[1].strategy
    pair = next(
        p for p in figures.pairs if p.metric == name and {p.strategy, p.other} == {first, second}
    )
    sure = "significant" if pair.verdict != "same" else "not significant"
    return (
        f"Best {LABELS[name]}: {first}, {abs(pair.delta):.3f} before {second} "
        f"({sure}: {p_sentence(pair.p_adjusted)}, paired randomisation, Holm)."
    )


def _value(strategy: StrategyFigures, name: str) -> float | None:
    return strategy.metrics[name].value if name in strategy.metrics else None


def _figure(figure: Figure | None, best: float) -> Text:
    if figure is None or figure.value is None:
        return Text("–", "dim")
    text = Text(share(figure.value), "bold green" if figure.value == best else "")
    if figure.low is not None and figure.high is not None:
        text.append(f"\n{figure.low:.2f}–{figure.high:.2f}", "dim")
    return text


def _difference(found: Difference) -> tuple[object, ...]:
    latency = found.metric not in LABELS
    ends = Text(p_value(found.p_adjusted)), Text(found.verdict, STYLES[found.verdict])
    if latency:
        return (
            found.strategy,
            "median time",
            duration(found.value),
            duration(found.other_value),
            f"{1000 * found.delta:+.1f} ms [{1000 * found.low:+.1f}, {1000 * found.high:+.1f}]",
            *ends,
        )
    return (
        found.strategy,
        LABELS[found.metric],
        share(found.value),
        share(found.other_value),
        f"{signed(found.delta)} {signed_interval(found.low, found.high)}",
        *ends,
    )
