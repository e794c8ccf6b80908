"""Puts the report together: figures, charts, tables and the page they stand in."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from clew.evaluation.figures import RunComparison, RunFigures
from clew.evaluation.report.chart import Chart, Drawn, LegendItem
from clew.evaluation.report.chart_differences import differences_chart
from clew.evaluation.report.chart_groups import hops_chart, types_chart
from clew.evaluation.report.chart_latency import latency_chart
from clew.evaluation.report.chart_recall import recall_chart
from clew.evaluation.report.chart_steps import steps_chart
from clew.evaluation.report.drawing import marker
from clew.evaluation.report.facts import facts_of
from clew.evaluation.report.headline import headline
from clew.evaluation.report.questions import question_data
from clew.evaluation.report.tables import (
    absent_metrics,
    all_metrics,
    changes,
    cost_table,
    failures,
    main_figures,
)
from clew.evaluation.report.theme import strategy_styles, theme_css
from clew.evaluation.report.words import listed, plural
from clew.evaluation.run import BenchRun

if TYPE_CHECKING:
    from jinja2 import Environment


def render_report(
    run: BenchRun, figures: RunFigures, comparison: RunComparison | None = None
) -> str:
    """Return the report as one HTML page, to be written as UTF-8; it fetches nothing.

    The same arguments give the same text. ``?theme=dark`` or ``light`` overrides the system's.
    Scripts and styles are inline; texts of the run are shown as text, whatever is in them.

    ``figures``: as ``summarise`` makes them of the run. ``comparison``: as ``compare_runs``.
    """
    styles = strategy_styles(run.options.strategies)
    drawn = Drawn(figures, styles)
    legend = tuple(LegendItem(name, marker=f"marker-{place}") for place, name in enumerate(styles))
    symbols = [
        marker(item.marker, styles[item.name].variable, styles[item.name].marker) for item in legend
    ]
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            run=run,
            figures=figures,
            comparison=comparison,
            headline=headline(figures),
            charts=_charts(drawn, run),
            legend=legend,
            symbols=symbols,
            markers={item.name: item.marker for item in legend},
            table=main_figures(figures),
            groups=all_metrics(figures),
            absent=absent_metrics(figures),
            costs=cost_table(figures, run),
            failures=failures(run),
            changes=() if comparison is None else changes(comparison),
            facts=facts_of(run),
            theme=theme_css(),
            style=_file("report.css"),
            script=_file("report.js"),
            data=question_data(run),
        )
    )


def _charts(drawn: Drawn, run: BenchRun) -> tuple[Chart, ...]:
    return (
        recall_chart(drawn),
        latency_chart(drawn, run),
        differences_chart(drawn),
        hops_chart(drawn),
        types_chart(drawn),
        steps_chart(drawn),
    )


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("clew.evaluation", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(plural=plural, listed=lambda names: listed(list(names)))
    return environment


@cache
def _file(name: str) -> str:
    return (files("clew.evaluation.report") / name).read_text(encoding="utf-8")
