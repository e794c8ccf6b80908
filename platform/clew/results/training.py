"""What trainings make: versions of models with their figures, and the curve of how they learned."""

from typing import Any

from pydantic import Field

from clew.results.evidence import Result


class CurvePoint(Result):
    """The loss at one step of a training: of the training data, or of held-out data."""

    step: int
    loss: float
    held_out: bool = False


class TrainingFigure(Result):
    """A figure that a method is measured by, in words for people.

    ``share``: it is a part of one, shown as per cent.
    """

    name: str
    words: str
    share: bool = True
    higher_is_better: bool = True


class TrainingProgress(Result):
    """Where a training stands; the losses are the newest ones of its curve."""

    version: str
    stage: str
    done: int = 0
    total: int = 0
    loss: float | None = None
    held_out_loss: float | None = None


class TrainedModel(Result):
    """A version: what it is, what it was trained on and how, and its figures before and after.

    ``kind``: the method. ``data``: where the examples are from, how many, and their fingerprint.
    ``figures``: ``before`` of the base model, ``after`` of this version, and ``serving`` of the
    version that served when it was measured, all by the same held-out questions. ``general``:
    it may serve any corpus.
    """

    kind: str
    version: str
    base_model: str
    created_at: str
    data: dict[str, Any]
    options: dict[str, Any]
    figures: dict[str, Any] = Field(default_factory=dict)
    general: bool = False


class ModelVersion(TrainedModel):
    """A version as users see it: what it says of itself, and where it stands among the others.

    ``corpus``: whose questions it may answer; None: of every corpus. ``shipped``: it comes with
    the method. ``serves``: it answers the questions of its corpus now (a general one: of the
    corpora that have none of their own). ``stale``: in what way its corpus moved on; None where
    it did not. ``corpus_deleted``: the corpus that it was trained on is gone; one of that name is
    another one. ``promotion``: why it was promoted after its training, or was not.
    """

    corpus: str | None
    shipped: bool
    serves: bool
    stale: str | None
    corpus_deleted: bool = False
    promotion: str = ""
    folder: str
    decides: TrainingFigure
    shown: tuple[TrainingFigure, ...]


class ModelDetail(ModelVersion):
    """A version with its learning curve."""

    curve: tuple[CurvePoint, ...]
