"""How runs of the bench are shown: names, the best strategy, and words for stages and numbers."""

from dataclasses import dataclass

from markupsafe import Markup

from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, BenchRunInfo
from clew_web.ui.blueprint import ui

RECALL = "recall@5"
F1 = "f1"

STAGES = {
    "load": "reading the data set",
    "index": "indexing",
    "warm up": "warming up",
    "ask": "asking",
    "check": "checking what was cited",
    "judge": "judging the answers",
}
UNITS = {"index": " documents", "ask": " retrievals"}


@dataclass(frozen=True)
class ShownStrategy:
    """A strategy's line in the list of runs; None where the run could not say."""

    name: str
    recall: float | None
    f1: float | None
    median_seconds: float | None
    best: bool


@dataclass(frozen=True)
class ShownRun:
    """A kept run with its strategies in their order; the best has the highest Recall@5 (F1 where
    there is none), the quicker one of equals."""

    info: BenchRunInfo
    strategies: tuple[ShownStrategy, ...]


def described(info: BenchRunInfo) -> ShownRun:
    """Return a run as the list shows it."""
    recall, f1 = ({name: main.get(key) for name, main in info.main.items()} for key in (RECALL, F1))
    best = _best(recall, info) or _best(f1, info)
    return ShownRun(
        info=info,
        strategies=tuple(
            ShownStrategy(
                name=name,
                recall=recall[name],
                f1=f1[name],
                median_seconds=info.median_seconds.get(name),
                best=name == best,
            )
            for name in info.main
        ),
    )


def _best(scores: dict[str, float | None], info: BenchRunInfo) -> str | None:
    known = {name: score for name, score in scores.items() if score is not None}
    if not known:
        return None
    return min(known, key=lambda name: (-known[name], info.median_seconds.get(name, 0.0)))


@ui.app_template_filter("data_set")
def data_set(name: str) -> str:
    """Show a data set's name: 'Sample corpus', 'Corpus papers'; others as they are."""
    if name == SAMPLE:
        return "Sample corpus"
    if name.startswith(CORPUS_PREFIX):
        return f"Corpus {name.removeprefix(CORPUS_PREFIX)}"
    return name


@ui.app_template_filter("breakable")
def breakable(name: str) -> Markup:
    """Let a long name such as iterative:guided-pagerank break after its colon."""
    return Markup(":<wbr>").join(name.split(":"))


@ui.app_template_filter("share")
def share(value: float | None) -> str:
    """Show a figure between 0 and 1 with three digits, as its report does."""
    return "–" if value is None else f"{value:.3f}"


@ui.app_template_filter("quick")
def quick(seconds: float | None) -> str:
    """Show the duration of a retrieval: 8.4 ms, 120 ms, 1.5 s."""
    if seconds is None:
        return "–"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"


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
