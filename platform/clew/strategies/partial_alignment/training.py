"""How partial-alignment learns (KA-2 to KA-4): from questions made of the corpus' own triples.

    triples ─▶ masked, asked for ─▶ two encoders, L_a + L_c ─▶ ranks of held-out questions

The platform keeps examples, curve and versions (`clew.training`).
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from clew.results.training import CurvePoint, TrainingFigure
from clew.strategies.learning.training import Learned, Record, Training, TrainingRun
from clew.strategies.partial_alignment.encoders import (
    EmbedderEncoders,
    Encoders,
    TrainedEncoders,
    base_model,
)
from clew.strategies.partial_alignment.examples import aligned, make_examples
from clew.strategies.partial_alignment.options import AlignmentOptions
from clew_models.devices import all_threads, device_of

if TYPE_CHECKING:
    from clew_models.partial_alignment.training import FitOptions

HELP = """Align questions with the partial triples of a corpus' graph (KAMR, section 2.3).

Questions are made from its triples: one element is masked and asked for, by the language model
where one is set, else in varied wordings; chains of two triples and three are asked in one
question. No question of yours is needed. On one core a step of 64 questions takes about five
seconds; a GPU is used where there is one.

Example: `clew train partial-alignment --corpus mine`"""
FIGURES = (
    TrainingFigure(name="both", words="mean of the two below"),
    TrainingFigure(name="anchors", words="questions whose own partial triple is the nearest"),
    TrainingFigure(name="elements", words="elements they name, among the nearest ones"),
)


class AlignmentTrainingOptions(BaseModel):
    """How many questions, and how they are learned."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: int = Field(
        6000, ge=20, description="Questions, with those held out; fewer where there are fewer."
    )
    chains: float = Field(
        0.5, ge=0, le=1, description="Share of the questions that name two relations or three."
    )
    held_out: int = Field(400, ge=5, description="Most questions kept apart; 10 % of all.")
    epochs: int = Field(2, ge=1, description="Passes over the questions (paper: 5).")
    batch: int = Field(
        64, ge=2, description="Questions of one step, negatives of each other (paper: 512)."
    )
    slice: int = Field(
        32, ge=1, description="Texts embedded at a time, however large a batch (gradient cache)."
    )
    rate: float = Field(
        5e-4, gt=0, description="Largest learning rate of the adapters (paper, all weights: 2e-5)."
    )
    temperature: float = Field(0.05, gt=0, description="T of both losses.")
    rank: int = Field(32, ge=1, le=256, description="Rank of the adapters.")
    patience: int = Field(
        4, ge=1, description="Looks at held-out questions without progress after which it ends."
    )
    save_steps: int = Field(
        20, ge=1, description="Steps between checkpoints, and between looks at held-out questions."
    )
    seed: int = Field(42, description="Draws the questions, their order and the first weights.")

    def fit_options(self, *, anchors: bool = True, connected: bool = True) -> "FitOptions":
        """Return how it is learned; ``anchors``, ``connected``: whether L_a and L_c count."""
        from clew_models.partial_alignment.training import FitOptions

        return FitOptions(
            epochs=self.epochs,
            batch=self.batch,
            slice=self.slice,
            rate=self.rate,
            temperature=self.temperature,
            anchors=anchors,
            connected=connected,
            patience=self.patience,
            save_steps=self.save_steps,
            seed=self.seed,
        )


def learn(run: TrainingRun, examples: Sequence[Record], held_out: Sequence[Record]) -> Learned:
    """Train into the run's folder, from its checkpoint where there is one. Raises JobStopped."""
    from clew_models.fitting import CHECKPOINT
    from clew_models.partial_alignment.towers import Towers, save_towers
    from clew_models.partial_alignment.training import fit

    started = time.monotonic()
    asked, settings = run.options, run.resources.settings
    chosen = settings.options(AlignmentOptions)
    options = asked.fit_options(anchors=chosen.anchor_loss, connected=chosen.connected_loss)
    device = device_of(chosen.device)
    with all_threads():
        towers: Towers = Towers(settings.embedder, asked.rank, device, asked.seed)
        done = fit(
            towers,
            [aligned(one) for one in examples],
            [aligned(one) for one in held_out],
            run.folder,
            options,
            device=device,
            progress=run.tell,
            point=lambda step, loss, apart: run.point(
                CurvePoint(step=step, loss=loss, held_out=apart)
            ),
            cancelled=run.cancelled,
        )
    if not done:
        raise run.stopped()
    save_towers(towers, run.folder)
    (run.folder / CHECKPOINT).unlink(missing_ok=True)
    return Learned(
        examples=len(examples),
        left_out=0,
        seconds=time.monotonic() - started,
        options={
            **asked.model_dump(mode="json"),
            "anchor_loss": chosen.anchor_loss,
            "connected_loss": chosen.connected_loss,
        },
    )


def measure(run: TrainingRun, held_out: Sequence[Record], folder: Path | None) -> dict[str, float]:
    """Return the figures of the version in a folder, or of the embedder."""
    if folder is None:
        return ranked(EmbedderEncoders(run.resources.embedder), held_out)
    from clew_models.partial_alignment.towers import load_towers

    device = device_of(run.resources.settings.options(AlignmentOptions).device)
    with all_threads():
        return ranked(TrainedEncoders(load_towers(folder, device), folder), held_out)


def ranked(encoders: Encoders, records: Sequence[Record]) -> dict[str, float]:
    """Return how near questions are to what they name, among all that the questions name.

    What else belongs to a question's triples counts neither way.
    """
    examples = [aligned(one) for one in records]
    parts = list(dict.fromkeys(one.unit for one in examples))
    elements = list(dict.fromkeys(text for one in examples for text in one.elements))
    questions = encoders.questions([one.question for one in examples])
    own: list[float] = []
    named: list[float] = []
    for texts, wanted in ((parts, "unit"), (elements, "elements")):
        place = {text: number for number, text in enumerate(texts)}
        scores = questions @ encoders.units(texts).T
        for row, one in zip(scores, examples, strict=True):
            right = {one.unit} if wanted == "unit" else {*one.elements}
            for text in {*one.related} & {*texts} - right:
                row[place[text]] = -1
            best = np.argsort(-row, kind="stable")[: len(right)]
            hit = len({texts[number] for number in best} & right) / len(right)
            (own if wanted == "unit" else named).append(hit)
    anchors, told = float(np.mean(own)), float(np.mean(named))
    return {"both": (anchors + told) / 2, "anchors": anchors, "elements": told}


TRAINING = Training(
    summary="Two encoders learn which parts of triples a question names.",
    help=HELP,
    options=AlignmentTrainingOptions,
    base_model=base_model,
    figures=FIGURES,
    decides="both",
    examples=make_examples,
    train=learn,
    measure=measure,
    loss="loss (nats a question)",
)
