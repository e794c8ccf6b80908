"""How runs of the bench are shown: their tables, names, and words for stages."""

from typing import Any

from markupsafe import Markup

from clew.errors import UnknownBenchRun
from clew.evaluation.report.table import Table
from clew.evaluation.report.tables import progress_table, run_table
from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, StrategyProgress
from clew_web.bench import figures_of
from clew_web.ui.blueprint import ui

STAGES = {
    "load": "reading the data set",
    "index": "indexing",
    "warm up": "warming up",
    "ask": "asking",
    "check": "checking what was cited",
    "judge": "judging the answers",
}
UNITS = {"index": " documents", "ask": " retrievals"}

ui.add_app_template_filter(run_table, "run_table")


@ui.app_template_filter("so_far")
def so_far(strategies: list[dict[str, Any]]) -> Table:
    """Return the figures so far of a run that goes on, from its job's progress."""
    return progress_table([StrategyProgress.model_validate(one) for one in strategies])


@ui.app_template_filter("data_set")
def data_set(name: str) -> str:
    """Show a data set's name: 'Sample corpus', 'Corpus papers'; others as they are."""
    if name == SAMPLE:
        return "Sample corpus"
    if name.startswith(CORPUS_PREFIX):
        return f"Corpus {name.removeprefix(CORPUS_PREFIX)}"
    return name


@ui.app_template_filter("is_kept_run")
def is_kept_run(run_id: str) -> bool:
    """Return whether a run that a job made is still kept."""
    try:
        figures_of(run_id)
    except UnknownBenchRun:
        return False
    return True


@ui.app_template_filter("breakable")
def breakable(name: str) -> Markup:
    """Let a long name of a strategy in steps break after its colon."""
    return Markup(":<wbr>").join(name.split(":"))


@ui.app_template_filter("remaining")
def remaining(seconds: float) -> str:
    """Show a duration that is a guess: under a minute left, about 3 minutes left."""
    if seconds < 60:
        return "under a minute left"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"about {minutes} minute{'' if minutes == 1 else 's'} left"
    return f"about {round(seconds / 3600)} hours left"


@ui.app_template_filter("bench_stage")
def bench_stage(stage: str) -> str:
    """Return the words for what a run is doing."""
    return STAGES.get(stage, stage)


@ui.app_template_filter("bench_unit")
def bench_unit(stage: str) -> str:
    """Return what a stage counts, with a space in front; "" where it counts steps."""
    return UNITS.get(stage, "")
