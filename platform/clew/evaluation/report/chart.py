"""What a chart of the report is, and what several charts have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose

from clew.evaluation.figures import Figure, RunFigures, StrategyFigures
from clew.evaluation.metrics.case import MetricSpec
from clew.evaluation.report.theme import StrategyStyle
from clew.evaluation.run import TRIPLE_BUDGET
from clew.evaluation.scoring import METRICS

SPECS: dict[str, MetricSpec] = {metric.name: metric for metric in METRICS}
RECALLS = ("recall@5", "recall@2", "recall@1")
PATHS = f"path_recall@{TRIPLE_BUDGET}"
ANSWERS = "f1"


@dataclass(frozen=True)
class Table:
    """Figures in rows; the first cell of a row names it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class LegendItem:
    """A name with what stands for it: a strategy's marker, or a step's fill."""

    name: str
    marker: str = ""
    fill: str = ""


@dataclass(frozen=True)
class Panel:
    """A picture of a chart: ``svg``: made by ``drawing``."""

    title: str
    svg: str


@dataclass(frozen=True)
class Chart:
    """A chart with its table. ``missing``: why there is none; the rest is then empty."""

    id: str
    title: str
    caption: str = ""
    panels: tuple[Panel, ...] = ()
    table: Table | None = None
    steps: tuple[LegendItem, ...] = ()
    missing: str | None = None


@dataclass(frozen=True)
class Drawn:
    """What charts are drawn of: the figures, and each strategy's style."""

    figures: RunFigures
    styles: dict[str, StrategyStyle]

    @property
    def strategies(self) -> Sequence[StrategyFigures]:
        """In the order of the run."""
        return self.figures.strategies


def has(figures: RunFigures, metric: str) -> bool:
    """Whether a strategy has a value of the metric."""
    return any(known(s.metrics, metric) for s in figures.strategies)


def known(metrics: dict[str, Figure], metric: str) -> Figure | None:
    """Return the figure where it has a value."""
    figure = metrics.get(metric)
    return figure if figure is not None and figure.value is not None else None


def quality_metrics(figures: RunFigures) -> list[str]:
    """Return what a strategy is judged by here, first what decides: Recall@5 (a smaller cut where
    fewer chunks were asked for), Path Recall, F1 of the answers; those that have values."""
    recall = next((name for name in RECALLS if has(figures, name)), None)
    return [name for name in (recall, PATHS, ANSWERS) if name and has(figures, name)]


def same(one: float, other: float) -> bool:
    """Whether two means are equal but for the order in which they were added up."""
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def label(metric: str) -> str:
    """Return a metric's name for people."""
    return SPECS[metric].label if metric in SPECS else metric


def bars(figure: Figure) -> tuple[float, float, float]:
    """Return value, and how far the interval reaches below and above it."""
    value = figure.value or 0.0
    low = value if figure.low is None else figure.low
    high = value if figure.high is None else figure.high
    return value, max(0.0, value - low), max(0.0, high - value)
