"""The tables of a run: quality, costs, the comparison with an earlier run, failed questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from clew.evaluation.comparing import LATENCY
from clew.evaluation.figures import Difference, Figure, RunFigures
from clew.evaluation.metrics.case import MetricSpec
from clew.evaluation.report.table import Cell, Column, Kind, Mark, Table, cell_of
from clew.evaluation.request import BenchRunInfo, StrategyProgress
from clew.evaluation.run import TRIPLE_BUDGET, AblationStudy, BenchRun
from clew.evaluation.scoring import METRICS

SPECS: dict[str, MetricSpec] = {metric.name: metric for metric in METRICS}
RECALLS = ("recall@5", "recall@2", "recall@1")
FURTHER = ("recall@10", "ndcg@10")
"""Shown of an ablation study beside its main metrics; they are not tested."""
PATHS = f"path_recall@{TRIPLE_BUDGET}"
ANSWERS = "f1"
GROUPS = {
    "retrieval": "Retrieval",
    "triples": "Triples and paths",
    "answer": "Answers",
    "evidence": "Evidence",
    "judge": "Judge",
}
STRATEGY = Column("Strategy", number=False)
_ORDER = {"worse": 0, "better": 1, "same": 2}


@dataclass(frozen=True)
class Failure:
    """An error of a strategy and the questions that it cost."""

    error: str
    questions: tuple[str, ...]


def known(metrics: Mapping[str, Figure], metric: str) -> Figure | None:
    """Return the figure where it has a value."""
    figure = metrics.get(metric)
    return figure if figure is not None and figure.value is not None else None


def has(figures: RunFigures, metric: str) -> bool:
    """Whether a strategy has a value of the metric."""
    return any(known(s.metrics, metric) for s in figures.strategies)


def label(metric: str) -> str:
    """Return a metric's name for people."""
    return SPECS[metric].label if metric in SPECS else metric


def part(variant: str, whole: str) -> str:
    """Return what a variant of an ablation study is called beside the whole method."""
    return variant.removeprefix(f"{whole} (").removesuffix(")")


def same(one: float, other: float) -> bool:
    """Whether two means are equal but for the order in which they were added up."""
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def quality_metrics(figures: RunFigures) -> list[str]:
    """Return what a strategy is judged by here, first what decides: Recall@5 (a smaller cut where
    fewer chunks were asked for), Path Recall, F1 of the answers; those that have values."""
    recall = next((name for name in RECALLS if has(figures, name)), None)
    return [name for name in (recall, PATHS, ANSWERS) if name and has(figures, name)]


def quality_table(
    figures: RunFigures, groups: Iterable[str] = GROUPS, title: str = "Main figures"
) -> Table:
    """Return the main metrics that have a value, of some groups."""
    names = [
        m.name for m in METRICS if m.main and m.group in tuple(groups) and has(figures, m.name)
    ]
    return Table(
        title,
        (
            STRATEGY,
            *(
                Column(
                    label(name),
                    note=f"n = {_questions(figures, name)}",
                    about=SPECS[name].denominator,
                )
                for name in names
            ),
        ),
        tuple(
            (Cell(s.strategy, "strategy"), *(_marked(figures, s.strategy, name) for name in names))
            for s in figures.strategies
        ),
    )


def all_metrics(figures: RunFigures) -> tuple[Table, ...]:
    """Return every metric that has a value: a table a group, metrics in rows."""
    strategies = [s.strategy for s in figures.strategies]
    columns = (Column("Metric", number=False), *map(Column, strategies), Column("n"))
    tables = [
        Table(
            title,
            columns,
            tuple(
                (
                    Cell(m.label, about=m.denominator),
                    *(_marked(figures, name, m.name) for name in strategies),
                    Cell(_questions(figures, m.name)),
                )
                for m in METRICS
                if m.group == group and has(figures, m.name)
            ),
        )
        for group, title in GROUPS.items()
    ]
    return tuple(table for table in tables if table.rows)


def ablation_table(figures: RunFigures, study: AblationStudy) -> Table:
    """Return the whole method and its variants, as papers print them: what is found, or what comes
    of it where nothing is to be found.

    A metric is marked where the variant is told from the whole method by it; the difference is in
    what a strategy is judged by first, the variant less the whole method.
    """
    decides = next(iter(quality_metrics(figures)), RECALLS[0])
    there = [m for m in METRICS if (m.main or m.name in FURTHER) and has(figures, m.name)]
    found = [m.name for m in there if m.group in ("retrieval", "triples")]
    shown = found or [m.name for m in there]
    against = {(d.strategy, d.metric): d for d in figures.pairs}
    labels = {v.name: v.label for v in study.variants}
    shows = {v.name: v.shows for v in study.variants}

    def value(name: str, metrics: Mapping[str, Figure], metric: str) -> Cell:
        figure, d = known(metrics, metric), against.get((name, metric))
        mark: Mark = d.verdict if d is not None and d.verdict != "same" else ""
        return Cell(None if figure is None else figure.value, "share", mark=mark)

    rows = []
    for s in figures.strategies:
        d, about = against.get((s.strategy, decides)), shows.get(s.strategy, "")
        rows.append(
            (
                Cell(labels.get(s.strategy, s.strategy), about=about),
                *(value(s.strategy, s.metrics, metric) for metric in shown),
                Cell(None) if d is None else Cell(d.delta, "signed", d.low, d.high),
                Cell(None) if d is None else Cell(d.p_adjusted, "p"),
                Cell(s.cost.median_seconds if s.failed < s.questions else None, "ms"),
            )
        )
    return Table(
        f"{study.strategy} without its parts",
        (
            Column("Variant", number=False),
            *(Column(label(metric), about=SPECS[metric].denominator) for metric in shown),
            Column(f"Δ {label(decides)}", about="The variant less the whole method."),
            Column("p", about="Paired randomisation test, Holm-adjusted over the variants."),
            Column("Median ms", about="Of a retrieval."),
        ),
        tuple(rows),
    )


def absent_metrics(figures: RunFigures) -> tuple[str, ...]:
    """Return the labels of the main metrics that no question has what it needs for."""
    return tuple(m.label for m in METRICS if m.main and not has(figures, m.name))


def cost_table(figures: RunFigures, warmup_seconds: Mapping[str, float]) -> Table:
    """Return what strategies cost; columns of answers only where a reader was asked."""
    answered = any(s.cost.answer_median_seconds is not None for s in figures.strategies)
    headings = (
        *("Median", "95 %", "Answer, median", "Answer, 95 %", "LLM calls"),
        *("Tokens in", "Tokens out", "Memory", "Warm-up", "Failed"),
    )
    rows = []
    for s in figures.strategies:
        cost, worked = s.cost, s.failed < s.questions
        rows.append(
            (
                Cell(s.strategy, "strategy"),
                Cell(cost.median_seconds if worked else None, "seconds"),
                Cell(cost.p95_seconds if worked else None, "seconds"),
                Cell(cost.answer_median_seconds, "seconds"),
                Cell(cost.answer_p95_seconds, "seconds"),
                Cell(cost.calls, "count"),
                Cell(cost.prompt_tokens, "count"),
                Cell(cost.completion_tokens, "count"),
                Cell(cost.memory_mib, "mib"),
                Cell(warmup_seconds.get(s.strategy), "seconds"),
                failed_cell(s.failed, s.questions),
            )
        )
    table = Table("Cost of a question", (STRATEGY, *map(Column, headings)), tuple(rows))
    return table if answered else table.without("Answer, median", "Answer, 95 %")


def failed_cell(failed: int, questions: int) -> Cell:
    """Return how many questions a strategy raised on."""
    return Cell(f"{failed} of {questions}", mark="failed" if failed else "")


def pairs_table(pairs: Sequence[Difference]) -> Table:
    """Return every two strategies against each other."""
    said = {"better": "better", "worse": "worse", "same": "not told apart"}
    return Table(
        "Differences",
        (
            *(Column(name, number=False) for name in ("Metric", "Strategy", "Against")),
            *map(Column, ("Difference", "p", "p adjusted", "Questions")),
            Column("Verdict", number=False),
        ),
        tuple(
            (
                Cell(label(d.metric)),
                Cell(d.strategy, "strategy"),
                Cell(d.other, "strategy"),
                Cell(d.delta, "signed", d.low, d.high),
                Cell(d.p, "p"),
                Cell(d.p_adjusted, "p"),
                Cell(d.questions, "count"),
                Cell(said[d.verdict]),
            )
            for d in pairs
        ),
    )


def changes_table(title: str, differences: Sequence[Difference]) -> Table:
    """Return a comparison with an earlier run: what got worse first, then what got better."""
    rows = []
    for d in sorted(differences, key=lambda d: _ORDER[d.verdict]):
        timed = d.metric == LATENCY
        kind: Kind = "seconds" if timed else "share"
        rows.append(
            (
                Cell(d.strategy, "strategy"),
                Cell("Median time" if timed else label(d.metric)),
                Cell(d.verdict, "verdict", mark=d.verdict),
                Cell(d.other_value, kind),
                Cell(d.value, kind),
                Cell(d.delta, "signed_seconds" if timed else "signed", d.low, d.high),
                Cell(d.p, "p"),
                Cell(d.p_adjusted, "p"),
                Cell(d.questions, "count"),
            )
        )
    return Table(
        title,
        (
            *(Column(name, number=False) for name in ("Strategy", "Metric", "Verdict")),
            *map(Column, ("Then", "Now", "Difference", "p", "p adjusted", "n")),
        ),
        tuple(rows),
    )


def run_table(info: BenchRunInfo) -> Table:
    """Return a kept run as lists show it; the best strategy's name is marked.

    The best has the highest Recall@5 (F1 where there is none), the quicker one of equals.
    """
    best = None
    for metric in (ANSWERS, RECALLS[0]):
        values = {
            name: v for name, main in info.main.items() if (v := main.get(metric)) is not None
        }
        if values:
            best = min(values, key=lambda n: (-values[n], info.median_seconds.get(n, 0.0)))
    return Table(
        "Strategies",
        (STRATEGY, *map(Column, ("Recall@5", "F1", "Median"))),
        tuple(
            (
                Cell(name, "strategy", mark="best" if name == best else ""),
                Cell(main.get(RECALLS[0]), "share"),
                Cell(main.get(ANSWERS), "share"),
                Cell(info.median_seconds.get(name), "seconds"),
            )
            for name, main in info.main.items()
        ),
    )


def progress_table(strategies: Sequence[StrategyProgress]) -> Table:
    """Return what is known of the strategies of a run that goes on."""
    return Table(
        "So far",
        (STRATEGY, *map(Column, ("Asked", "Failed", "Recall@5", "F1", "Median"))),
        tuple(
            (
                Cell(s.strategy, "strategy"),
                Cell(s.questions, "count"),
                Cell(s.failed, "count", mark="failed" if s.failed else ""),
                Cell(s.recall_at_5, "share"),
                Cell(s.f1, "share"),
                Cell(s.median_seconds, "seconds"),
            )
            for s in strategies
        ),
    )


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


def _questions(figures: RunFigures, name: str) -> str:
    """Return a metric's denominator here: '54', or '50–54' where strategies differ."""
    counts = {f.questions for s in figures.strategies if (f := known(s.metrics, name))}
    return "–".join(str(count) for count in sorted({min(counts), max(counts)}))


def _marked(figures: RunFigures, strategy: str, name: str) -> Cell:
    found = {s.strategy: f for s in figures.strategies if (f := known(s.metrics, name))}
    if strategy not in found:
        return cell_of(None)
    if figures.whole is not None:
        return cell_of(found[strategy])  # only the whole method was tested against
    highest = max(f.value or 0.0 for f in found.values())
    leaders = {s for s, f in found.items() if same(f.value or 0.0, highest)}
    mark: Mark = ""
    if len(leaders) < len(found):
        if strategy in leaders:
            mark = "best"
        elif any(
            d.metric == name
            and d.verdict == "same"
            and strategy in (d.strategy, d.other)
            and leaders & {d.strategy, d.other}
            for d in figures.pairs
        ):
            mark = "level"
    return cell_of(found[strategy], mark)
