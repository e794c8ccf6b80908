"""The figures of a run in the terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from clew.cli.output import console, table
from clew.evaluation.figures import RunComparison, RunFigures
from clew.evaluation.report.headline import headline
from clew.evaluation.report.table import Cell, Table
from clew.evaluation.report.tables import (
    ablation_table,
    changes_table,
    cost_table,
    failures,
    quality_table,
    run_table,
)
from clew.evaluation.report.words import NONE, plural
from clew.evaluation.request import BenchRunInfo
from clew.evaluation.run import AblationStudy, BenchRun

STYLES = {"best": "bold green", "better": "green", "worse": "bold red", "failed": "bold red"}

WIDE = 104
"""Columns of a terminal that a whole table of an ablation study needs."""
NOT_NARROW = ("Recall@10", "All gold@5", "nDCG@10")
"""What is left out of it where there is less room; the report has it."""


def shown(made: Table) -> RenderableType:
    """Return a table of figures as the terminal shows it; intervals stand under their figures."""
    headings = [f"{c.heading}\n{c.note}" if c.note else c.heading for c in made.columns]
    drawn = table(made.title, headings, [[_text(cell) for cell in row] for row in made.rows])
    for column, of in zip(drawn.columns, made.columns, strict=True):
        column.justify = "right" if of.number else "left"
    return drawn


def figures_tables(run: BenchRun, figures: RunFigures) -> Iterator[RenderableType]:
    """Yield the tables of quality, that of cost, and what else has to be said of a run.

    Of an ablation study, its table takes the place of what is found, and of the cost where no
    language model was asked.
    """
    study = run.options.ablations
    made = " (synthetic questions)" if run.data_set.synthetic else ""
    yield Text(
        f"{run.data_set.name}{made}: {plural(len(run.questions), 'question')}, "
        f"{plural(run.index.counts['documents'], 'document')}; with 95 % intervals, n = questions; "
        + ("▼ ▲: told apart from the whole" if study else "≈: not told apart from the highest")
    )
    if study is not None:
        yield _study_table(ablation_table(figures, study))
    for title, groups in (
        ("What is found", ("retrieval", "triples")),
        ("What comes of it", ("answer", "evidence")),
    ):
        if study is not None and (groups[0] == "retrieval" or run.options.reader is None):
            continue
        quality = quality_table(figures, groups, title)
        if len(quality.columns) > 1:
            yield shown(_labelled(quality, study))
    costs = cost_table(figures, run.warmup_seconds).without("Answer, 95 %", "Warm-up")
    if study is None or any(s.cost.calls for s in figures.strategies):
        yield shown(_labelled(costs, study))
    for sentence in headline(figures):
        yield Text(sentence)
    if run.data_set.refused:
        first = run.data_set.refused[0]
        yield Text(
            f"{plural(len(run.data_set.refused), 'question')} left out, the first ({first.id}): "
            f"{first.reason}",
            "yellow",
        )
    for strategy, errors in failures(run).items():
        count = sum(len(failure.questions) for failure in errors)
        yield Text(
            f"{strategy} raised on {plural(count, 'question')} (counted as missed): "
            f"{errors[0].error}",
            "red",
        )


def _study_table(made: Table) -> RenderableType:
    """Return the table of an ablation study: figures in one line, without their intervals."""
    if console.width < WIDE:
        made = made.without(*NOT_NARROW)
    rows = tuple(tuple(replace(cell, low=None, high=None) for cell in row) for row in made.rows)
    columns = tuple(replace(c, heading=c.heading.replace("@", "\n@")) for c in made.columns)
    drawn = table(
        made.title, [c.heading for c in columns], [[_text(cell) for cell in row] for row in rows]
    )
    for column, of in zip(drawn.columns, columns, strict=True):
        column.justify = "right" if of.number else "left"
        column.no_wrap = of.number
    return drawn


def _labelled(made: Table, study: AblationStudy | None) -> Table:
    """Return a table with the rows of a study named as in the table of the study."""
    labels = {} if study is None else {v.name: v.label for v in study.variants}
    return replace(
        made,
        rows=tuple(
            (replace(row[0], value=labels.get(str(row[0].value), row[0].value)), *row[1:])
            for row in made.rows
        ),
    )


def comparison_tables(comparison: RunComparison) -> Iterator[RenderableType]:
    """Yield how a run did against an earlier one, regressions marked."""
    yield shown(
        changes_table(
            f"Against {comparison.against_id}, on {plural(comparison.questions, 'question')} "
            "of both",
            [difference for difference in comparison.differences if difference.delta],
        ).without("p", "n")
    )
    same = sum(not difference.delta for difference in comparison.differences)
    if same:
        yield Text(f"{plural(same, 'figure')} as before.", "dim")
    for notice in comparison.notices:
        yield Text(notice, "yellow")
    count = len(comparison.regressions)
    if count:
        yield Text(f"{plural(count, 'regression')}.", "bold red")
    else:
        yield Text("No regression.", "green")


def list_table(runs: Sequence[BenchRunInfo]) -> RenderableType:
    """Return the kept runs as a table, newest first."""
    columns = ("run", "began (UTC)", "data set", "questions", "reader", "best Recall@5")
    return table(
        "Runs of the bench",
        columns,
        [
            (
                run.id,
                run.created_at[:16].replace("T", " "),
                run.data_set
                + (" (synthetic)" if run.synthetic else "")
                + (f", {run.ablations} without its parts" if run.ablations else ""),
                run.questions,
                run.reader or "none",
                next(
                    (
                        f"{name.text} {recall.text}"
                        for name, recall, *_ in run_table(run).rows
                        if name.mark == "best" and recall.value is not None
                    ),
                    NONE,
                ),
            )
            for run in runs
        ],
    )


def _text(cell: Cell) -> Text:
    style = STYLES.get(cell.mark, "dim" if cell.value is None else "")
    text = Text(cell.text + cell.sign, style)
    if not cell.interval:
        return text
    # two digits: a line of the terminal is short
    short = f"{cell.low:.2f}–{cell.high:.2f}" if cell.kind == "share" else cell.interval
    return text.append(f"\n{short}", "dim")
