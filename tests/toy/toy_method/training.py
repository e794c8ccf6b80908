"""toy-method learns a number: the mean of the lengths of its examples."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from clew.results.training import CurvePoint, TrainingFigure
from clew.strategies.learning.training import Examples, Learned, Training, TrainingRun


class ToyTraining(BaseModel):
    """How the toy is trained."""

    steps: int = Field(3, ge=1, le=10, description="How often the toy counts.")


def examples(run: TrainingRun) -> Examples:
    return Examples([{"length": n} for n in range(20)], [{"length": 9}, {"length": 11}])


def train(
    run: TrainingRun, learned: Sequence[Mapping[str, Any]], held_out: Sequence[Mapping[str, Any]]
) -> Learned:
    mean = sum(one["length"] for one in learned) / len(learned)
    for step in range(run.options.steps):
        run.point(CurvePoint(step=step, loss=1 / (step + 1)))
        run.tell(step + 1, run.options.steps)
    (run.folder / "toy.json").write_text(json.dumps({"mean": mean}))
    return Learned(len(learned), 0, 0.1, {"steps": run.options.steps})


def measure(
    run: TrainingRun, held_out: Sequence[Mapping[str, Any]], folder: Path | None
) -> Mapping[str, float]:
    mean = 0.0 if folder is None else json.loads((folder / "toy.json").read_text())["mean"]
    wanted = sum(one["length"] for one in held_out) / len(held_out)
    return {"error": abs(wanted - mean)}


TRAINING = Training(
    summary="Learn how long the toy's examples are.",
    options=ToyTraining,
    base_model=lambda settings: "toy",
    figures=(
        TrainingFigure(name="error", words="error in letters", share=False, higher_is_better=False),
    ),
    decides="error",
    examples=examples,
    train=train,
    measure=measure,
)
