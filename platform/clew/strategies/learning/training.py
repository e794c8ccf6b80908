"""What a method that learns declares, and what its training is given. Imports nothing heavy.

A method declares where its examples come from, how it is trained, and how it is measured; the
platform (`clew.training`) does the rest: job, resume, curve, versions, promotion.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from clew.errors import JobStopped
from clew.results.training import CurvePoint, TrainingFigure

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.results.data_set import DataSet
    from clew.settings import Settings

Record = Mapping[str, Any]
"""An example as JSON has it; what is in it is the method's own affair."""

FEWEST = 20
"""Examples below which there is nothing to be learned."""


@dataclass(frozen=True)
class TrainingRun:
    """A run as the method sees it.

    ``options``: of the method's own model. ``folder``: where the version comes to lie, and where
    the training may keep what it goes on from. ``data_set``: what examples are made from; None:
    the graph of ``corpus``. ``tell``: how much of the stage is done, and how much there is; raises
    JobStopped where the run was told to stop, except while ``train`` learns. ``point``: a point of
    the learning curve. ``cancelled``: what ``train`` looks at to keep what it has and then raise
    JobStopped itself.
    """

    resources: "Resources"
    corpus: str
    folder: Path
    options: Any
    data_set: "DataSet | None" = None
    tell: Callable[[int, int], None] = lambda done, total: None
    point: Callable[[CurvePoint], None] = lambda point: None
    cancelled: Callable[[], bool] = lambda: False

    def stopped(self) -> JobStopped:
        """Return what to raise where the run was told to stop and can go on later."""
        return JobStopped(
            "The training was stopped.",
            remedy="What it has done is kept: the same training goes on from there.",
        )


@dataclass(frozen=True)
class Examples:
    """What a run learns from, and what it keeps apart to be measured by.

    ``source``: what the manifest says of where they come from, as JSON.
    """

    learned: Sequence[Record]
    held_out: Sequence[Record]
    source: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Learned:
    """What a training did: examples used and left out, how long it took, and all its options."""

    examples: int
    left_out: int
    seconds: float
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Training:
    """A method's declaration; its spec names it as ``module:NAME``.

    ``summary``: what is learned, in a line; ``help``: more of it, for the command line.
    ``options``: with descriptions and bounds, which commands, REST and the page's form are made
    from. ``base_model``: the name of the model that a version belongs to: it serves where that is
    still the one of the settings. ``figures``: in the order in which they are shown; the one called
    ``decides`` says whether a new version serves. ``data_sets``: examples can be made from a
    labelled data set too. ``general``: its versions may serve every corpus. ``loss``: what the
    curve shows, with the unit.

    ``examples`` makes them (once; the platform keeps them) and raises InvalidRequest where there
    are too few. ``train`` learns from the first and watches the second, and leaves the version in
    the run's folder; called again after an interruption, it goes on. ``measure`` returns the
    figures of the version in a folder, or of the base model for None.
    """

    summary: str
    options: type[BaseModel]
    base_model: Callable[["Settings"], str]
    figures: tuple[TrainingFigure, ...]
    decides: str
    examples: Callable[[TrainingRun], Examples]
    train: Callable[[TrainingRun, Sequence[Record], Sequence[Record]], Learned]
    measure: Callable[[TrainingRun, Sequence[Record], Path | None], Mapping[str, float]]
    help: str = ""
    data_sets: bool = False
    general: bool = False
    loss: str = "loss (nats a token)"

    @property
    def deciding(self) -> TrainingFigure:
        """The figure that says whether a new version serves."""
        return next(figure for figure in self.figures if figure.name == self.decides)
