"""What is asked of a training, and whether it can be done; loads no model."""

import math
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from clew.errors import FIELD_WORDS, InvalidRequest, field_words
from clew.results.evidence import Result
from clew.strategies.catalogue import learner_of, trainable
from clew.strategies.learning.training import Training

TRAIN = "train"
"""The kind of a training's job."""

EXAMPLES, BEFORE, LEARN = "examples", "measure before", "learn"
AFTER, SERVING, DONE = "measure after", "measure serving", "done"
STAGES = {
    EXAMPLES: "Making examples",
    BEFORE: "Asking held-out questions before",
    LEARN: "Training",
    AFTER: "Asking held-out questions after",
    SERVING: "Asking them of the version that serves",
    DONE: "Done",
}
"""What a training does, in order, in words for people."""


class TrainingRequest(Result):
    """A training that is asked for.

    ``method``: what learns. ``options``: of that method's own model; what is left out
    has its default. ``data_set``: whose questions the examples are made from, as `clew bench`
    names it; its documents are in the corpus. None: the corpus' graph makes them.
    """

    method: str
    corpus: str
    options: dict[str, Any] = Field(default_factory=dict)
    data_set: str | None = None


def training_of(method: str) -> Training:
    """Return what a method declares. Raises UnknownStrategy, InvalidRequest (it learns nothing)."""
    learner = learner_of(method)
    if learner is None:
        names = ", ".join(one.name for one in trainable())
        raise InvalidRequest(f"{method} learns nothing.", remedy=f"These can be trained: {names}.")
    declared: Training = learner.trained_by()
    return declared


def checked_options(request: TrainingRequest) -> BaseModel:
    """Return the options of a request as the method's own model. Raises as ``training_of``, and
    InvalidRequest for options that cannot be, or a data set where the method takes none.
    """
    training = training_of(request.method)
    if request.data_set is not None and not training.data_sets:
        raise InvalidRequest(
            f"{request.method} does not learn from data sets.",
            remedy="Leave the data set out: its examples are made from the corpus' graph.",
        )
    try:
        options = training.options.model_validate(request.options)
        for name, value in options:
            if isinstance(value, float) and not math.isfinite(value):
                raise _refused(request, training, f"{name}: {FIELD_WORDS['finite_number']}")
        return options
    except ValidationError as error:
        parts = []
        for item in error.errors(include_url=False, include_input=False):
            name = ".".join(map(str, item["loc"]))
            unknown = item["type"] == "extra_forbidden"
            words = "there is no such option" if unknown else field_words(item)
            parts.append(f"{name}: {words}" if name else words)
        raise _refused(request, training, "; ".join(parts)) from error


def _refused(request: TrainingRequest, training: Training, reason: str) -> InvalidRequest:
    names = ", ".join(training.options.model_fields)
    return InvalidRequest(
        f"{request.method} cannot be trained so: {reason}.",
        remedy=f"Its options are: {names}.",
    )
