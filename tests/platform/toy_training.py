"""A method that learns in milliseconds: what it measures is what its options say."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from clew.errors import InvalidRequest
from clew.results.training import CurvePoint, TrainingFigure
from clew.strategies.base import StrategySpec
from clew.strategies.learning.training import Examples, Learned, Record, Training, TrainingRun

BASE, UNTRAINED = "toy-base", 0.4
HELD_OUT = 5
on_step: list[Callable[[int], None]] = []
"""Called with each step that is done."""


class ToyOptions(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    score: float = Field(0.5, ge=0, le=1, description="What it will measure.")
    steps: int = Field(3, ge=1, description="Steps to train.")
    examples: int = Field(25, ge=0, description="Examples to make.")


def examples(run: TrainingRun) -> Examples:
    count = run.options.examples
    run.tell(count, count)
    if run.data_set is not None and not run.data_set.questions:
        raise InvalidRequest("The data set is empty.")
    made = [{"question": f"{run.corpus} {number}"} for number in range(count)]
    return Examples(made[HELD_OUT:], made[:HELD_OUT], {"note": "counted"})


def train(run: TrainingRun, learned: Sequence[Record], held_out: Sequence[Record]) -> Learned:
    state = run.folder / "state.json"
    done = json.loads(state.read_text()) if state.exists() else 0
    for step in range(done + 1, run.options.steps + 1):
        if run.cancelled():
            raise run.stopped()
        run.tell(step, run.options.steps)
        run.point(CurvePoint(step=step, loss=1 / step, held_out=False))
        run.point(CurvePoint(step=step, loss=2 / step, held_out=True))
        run.point(CurvePoint(step=step, loss=math.nan))  # of a step that diverged: no point
        for called in on_step:
            called(step)
        state.write_text(json.dumps(step))
    (run.folder / "weights.json").write_text(json.dumps(run.options.score))
    return Learned(len(learned), 0, 0.25, run.options.model_dump())


def measure(run: TrainingRun, held_out: Sequence[Record], folder: Path | None) -> dict[str, float]:
    run.tell(len(held_out), len(held_out))
    score = UNTRAINED if folder is None else json.loads((folder / "weights.json").read_text())
    return {"score": score, "size": 3.0}


TRAINING = Training(
    summary="Learns nothing, quickly.",
    options=ToyOptions,
    base_model=lambda settings: BASE,
    figures=(
        TrainingFigure(name="score", words="right"),
        TrainingFigure(name="size", words="size", share=False, higher_is_better=False),
    ),
    decides="score",
    examples=examples,
    train=train,
    measure=measure,
    data_sets=True,
)
SPEC = StrategySpec(
    name="toy",
    summary="For tests.",
    paper="none",
    loader=f"{__name__}:nothing",
    training=f"{__name__}:TRAINING",
)
GENERAL = Training(**{**TRAINING.__dict__, "general": True, "data_sets": False})
GENERAL_SPEC = StrategySpec(
    name="toy-general",
    summary="For tests; its versions serve every corpus.",
    paper="none",
    loader=f"{__name__}:nothing",
    training=f"{__name__}:GENERAL",
)
