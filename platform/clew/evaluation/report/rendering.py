"""Puts the report together: figures, tables, charts and the page they stand in."""

from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from clew.evaluation.figures import RunComparison, RunFigures
from clew.evaluation.report.chart_steps import steps_chart
from clew.evaluation.report.charts import quality_charts
from clew.evaluation.report.facts import facts_of
from clew.evaluation.report.headline import headline
from clew.evaluation.report.questions import question_data, safe_json
from clew.evaluation.report.tables import (
    ablation_table,
    absent_metrics,
    all_metrics,
    changes_table,
    cost_table,
    failures,
    quality_table,
)
from clew.evaluation.report.words import plural
from clew.evaluation.run import BenchRun
from clew.results.words import listed

if TYPE_CHECKING:
    from jinja2 import Environment

SCRIPTS = ("vendor/d3.min.js", "vendor/plot.umd.min.js", "charts.js", "report.js")


def render_report(
    run: BenchRun, figures: RunFigures, comparison: RunComparison | None = None
) -> str:
    """Return the report as one HTML page, to be written as UTF-8; it fetches nothing.

    The same arguments give the same text. ``?theme=dark`` or ``light`` overrides the system's.
    Scripts and styles are inline; texts of the run are shown as text, whatever is in them.

    ``figures``: as ``summarise`` makes them of the run. ``comparison``: as ``compare_runs``.
    """
    differences = () if comparison is None else comparison.differences
    charts = (*quality_charts(figures, run), steps_chart(figures))
    drawn = [
        {"id": c.id, "kind": c.kind, "panels": [asdict(panel) for panel in c.panels]}
        for c in charts
    ]
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            run=run,
            figures=figures,
            comparison=comparison,
            headline=headline(figures),
            charts=charts,
            places={name: place for place, name in enumerate(run.options.strategies)},
            table=quality_table(figures),
            study=run.options.ablations,
            ablations=run.options.ablations and ablation_table(figures, run.options.ablations),
            groups=all_metrics(figures),
            absent=absent_metrics(figures),
            costs=cost_table(figures, run.warmup_seconds),
            failures=failures(run),
            changed=changes_table(
                "What changed since the earlier run",
                [d for d in differences if d.verdict != "same"],
            ),
            unchanged=changes_table(
                "What did not change", [d for d in differences if d.verdict == "same"]
            ),
            facts=facts_of(run),
            style=_file("report.css"),
            scripts=[_file(name) for name in SCRIPTS],
            chart_data=safe_json(drawn),
            data=question_data(run),
        )
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
