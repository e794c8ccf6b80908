"""The tables of the report: main figures, all metrics, costs, failed questions, the comparison."""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.evaluation.comparing import LATENCY
from clew.evaluation.figures import Difference, RunComparison, RunFigures
from clew.evaluation.report.chart import SPECS, Table, known, label, same
from clew.evaluation.report.words import (
    MINUS,
    count,
    duration,
    interval,
    mib,
    p_value,
    share,
    signed,
    signed_interval,
)
from clew.evaluation.run import BenchRun
from clew.evaluation.scoring import METRICS

GROUPS = {
    "retrieval": "Retrieval",
    "triples": "Triples and paths",
    "answer": "Answers",
    "evidence": "Evidence",
    "judge": "Judge",
}


@dataclass(frozen=True)
class Column:
    """A metric as a column; ``questions``: its denominator here, '54' or '50–54'."""

    name: str
    label: str
    denominator: str
    questions: str


@dataclass(frozen=True)
class Cell:
    """A figure. ``best``: the highest of its metric, unless all are equal; ``level``: not told
    apart from the best, where that was tested."""

    value: str
    interval: str
    best: bool = False
    level: bool = False


@dataclass(frozen=True)
class FigureTable:
    """Strategies in rows, metrics in columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class MetricGroup:
    """Metrics in rows, strategies in columns."""

    title: str
    rows: tuple[tuple[Column, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Failure:
    """An error of a strategy and the questions that it cost."""

    error: str
    questions: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A line of the comparison with an earlier run."""

    strategy: str
    metric: str
    then: str
    now: str
    delta: str
    interval: str
    p: str
    p_adjusted: str
    questions: int
    verdict: str


def main_figures(figures: RunFigures) -> FigureTable:
    """Return the main metrics that have a value."""
    names = [m.name for m in METRICS if m.main and _valued(figures, m.name)]
    return FigureTable(
        columns=tuple(_column(figures, name) for name in names),
        rows=tuple(
            (s.strategy, tuple(_cell(figures, s.strategy, name) for name in names))
            for s in figures.strategies
        ),
    )


def all_metrics(figures: RunFigures) -> tuple[MetricGroup, ...]:
    """Return every metric that has a value, by group."""
    groups = []
    for group, title in GROUPS.items():
        names = [m.name for m in METRICS if m.group == group and _valued(figures, m.name)]
        rows = tuple(
            (
                _column(figures, name),
                tuple(_cell(figures, s.strategy, name) for s in figures.strategies),
            )
            for name in names
        )
        if rows:
            groups.append(MetricGroup(title, rows))
    return tuple(groups)


def absent_metrics(figures: RunFigures) -> tuple[str, ...]:
    """Return the labels of the main metrics that no question has what it needs for."""
    return tuple(m.label for m in METRICS if m.main and not _valued(figures, m.name))


def cost_table(figures: RunFigures, run: BenchRun) -> Table:
    """Return what strategies cost; columns of answers only where a reader was asked."""
    answers = any(s.cost.answer_median_seconds is not None for s in figures.strategies)
    head = ["Strategy", "Retrieval, median", "95th percentile"]
    if answers:
        head += ["Answer, median", "95th percentile"]
    head += ["LLM calls", "Tokens in", "Tokens out", "Memory, peak", "Warm-up", "Failed"]
    rows = []
    for s in figures.strategies:
        failed_all = s.failed == s.questions
        row = [
            s.strategy,
            duration(None if failed_all else s.cost.median_seconds),
            duration(None if failed_all else s.cost.p95_seconds),
        ]
        if answers:
            row += [duration(s.cost.answer_median_seconds), duration(s.cost.answer_p95_seconds)]
        row += [
            count(s.cost.calls),
            count(s.cost.prompt_tokens),
            count(s.cost.completion_tokens),
            mib(s.cost.memory_mib),
            duration(run.warmup_seconds.get(s.strategy)),
            f"{s.failed} of {s.questions}",
        ]
        rows.append(tuple(row))
    return Table(tuple(head), tuple(rows))


def failures(run: BenchRun) -> dict[str, tuple[Failure, ...]]:
    """Return strategy → its errors, the most frequent first; only strategies that failed."""
    texts = {question.id: question.question for question in run.questions}
    found: dict[str, dict[str, list[str]]] = {}
    for outcome in run.outcomes:
        if outcome.error is not None:
            by_error = found.setdefault(outcome.strategy, {})
            by_error.setdefault(outcome.error, []).append(texts[outcome.question_id])
    return {
        strategy: tuple(
            Failure(error, tuple(questions))
            for error, questions in sorted(by_error.items(), key=lambda item: -len(item[1]))
        )
        for strategy, by_error in found.items()
    }


def changes(comparison: RunComparison) -> tuple[Change, ...]:
    """Return the lines of a comparison: what got worse first, then what got better."""
    order = {"worse": 0, "better": 1, "same": 2}
    return tuple(_change(d) for d in sorted(comparison.differences, key=lambda d: order[d.verdict]))


def _change(d: Difference) -> Change:
    if d.metric == LATENCY:
        return Change(
            strategy=d.strategy,
            metric="Median time of a retrieval",
            then=duration(d.other_value),
            now=duration(d.value),
            delta=_signed_duration(d.delta),
            interval=f"[{_signed_duration(d.low)}, {_signed_duration(d.high)}]",
            p=p_value(d.p),
            p_adjusted=p_value(d.p_adjusted),
            questions=d.questions,
            verdict=d.verdict,
        )
    return Change(
        strategy=d.strategy,
        metric=label(d.metric),
        then=share(d.other_value),
        now=share(d.value),
        delta=signed(d.delta),
        interval=signed_interval(d.low, d.high),
        p=p_value(d.p),
        p_adjusted=p_value(d.p_adjusted),
        questions=d.questions,
        verdict=d.verdict,
    )


def _signed_duration(seconds: float) -> str:
    text = duration(abs(seconds))
    if text == duration(0.0):
        return text
    return f"{MINUS if seconds < 0 else '+'}{text}"


def _valued(figures: RunFigures, name: str) -> bool:
    return any(known(s.metrics, name) for s in figures.strategies)


def _column(figures: RunFigures, name: str) -> Column:
    counts = sorted(
        {figure.questions for s in figures.strategies if (figure := known(s.metrics, name))}
    )
    return Column(
        name=name,
        label=label(name),
        denominator=SPECS[name].denominator,
        questions=_range(counts),
    )


def _range(counts: Sequence[int]) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"


def _cell(figures: RunFigures, strategy: str, name: str) -> Cell:
    found = {
        s.strategy: figure.value or 0.0
        for s in figures.strategies
        if (figure := known(s.metrics, name))
    }
    figure = next(s for s in figures.strategies if s.strategy == strategy).metrics.get(name)
    if strategy not in found or figure is None:
        return Cell(share(None), "")
    highest = max(found.values())
    leaders = {s for s, value in found.items() if same(value, highest)}
    if len(leaders) == len(found):
        return Cell(share(figure.value), interval(figure.low, figure.high))
    level = any(
        d.metric == name
        and d.verdict == "same"
        and strategy in (d.strategy, d.other)
        and leaders & {d.strategy, d.other}
        for d in figures.pairs
    )
    best = strategy in leaders
    return Cell(share(figure.value), interval(figure.low, figure.high), best, level and not best)
