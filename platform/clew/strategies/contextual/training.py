"""How contextual is fitted to a corpus: α, W, L and K, one after the other, by asking questions.

    questions (graph or data set) ─▶ ask them with each value ─▶ the best by nDCG ─▶ the next option

No language model takes part: triples are filtered by the gap, and the context is what they say. The
values are fitted over the backbone `dense`; W, L and K serve the others, too.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from clew.resources.versions import write_whole
from clew.results.training import CurvePoint
from clew.strategies.contextual.fitted import BASE, Fitted, read_fitted, write_fitted
from clew.strategies.contextual.options import ContextualOptions
from clew.strategies.contextual.spec import SPEC
from clew.strategies.contextual.strategy import Contextual
from clew.strategies.learning.gold_chunks import (
    DEPTH,
    FIGURES,
    question_examples,
    rank_figures,
)
from clew.strategies.learning.training import Learned, Record, Training, TrainingRun

HELP = """Fit how much of the graph enriches a question.

The weight of the question beside its context (α), the paths kept a level (W), their length (L) and
the triples that they add (K) are tried one after the other, on questions that are made from the
triples of the corpus' graph, of one passage and of two, or that come from a data set with its gold
passages. All questions are asked once for each of some twenty values; no GPU and no language model
is needed.

Examples: `clew train contextual --corpus mine`; `clew train contextual --corpus
bench-musique-1a2b3c4d --data-set ~/musique` (after `clew bench ~/musique`)"""

VALUES: Mapping[str, Sequence[float]] = {
    "weight": (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    "added": (0, 5, 10, 20, 40),
    "length": (1, 2, 3, 4),
    "width": (1, 3, 10),
}
"""What is tried, in this order; the paper's are among them."""
TRIED = "tried.json"


class ContextualTrainingOptions(BaseModel):
    """How many questions are asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: int = Field(
        200, ge=20, description="Questions to learn from; fewer where there are fewer."
    )
    held_out: int = Field(100, ge=5, description="Questions kept apart, asked before and after.")
    seed: int = Field(0, description="Draws the questions and their order.")


def learn(run: TrainingRun, examples: Sequence[Record], held_out: Sequence[Record]) -> Learned:
    """Try the values, and leave the best in the run's folder. Raises JobStopped.

    What was tried is kept, so that it goes on there. ``held_out`` is not looked at.
    """
    started = time.monotonic()
    trials = _Trials(run, examples)
    best = Fitted.of(run.resources.settings.options(ContextualOptions))
    value = trials.value(best)
    for name, values in VALUES.items():
        for one in values:
            candidate = best.model_copy(update={name: one})
            found = trials.value(candidate)
            if found > value:  # of equals the one that was there
                best, value = candidate, found
    write_fitted(best, run.folder)
    return Learned(
        examples=len(examples),
        left_out=0,
        seconds=time.monotonic() - started,
        options={**run.options.model_dump(mode="json"), **best.model_dump()},
    )


def measure(run: TrainingRun, held_out: Sequence[Record], folder: Path | None) -> dict[str, float]:
    """Return the figures of what a folder holds, or of the settings."""
    options = run.resources.settings.options(ContextualOptions)
    fitted = Fitted.of(options) if folder is None else read_fitted(folder)
    return _figures(run, held_out, fitted, 0, len(held_out))


class _Trials:
    """The nDCG of values over the questions; each is asked for once, a continued run's too."""

    def __init__(self, run: TrainingRun, examples: Sequence[Record]) -> None:
        self._run = run
        self._examples = examples
        self._file = run.folder / TRIED
        kept = json.loads(self._file.read_text()) if self._file.exists() else []
        self._known = {Fitted(**one["values"]): float(one["ndcg"]) for one in kept}
        for step, ndcg in enumerate(self._known.values()):
            self._point(step, ndcg)

    def value(self, fitted: Fitted) -> float:
        if fitted not in self._known:
            trials = 1 + sum(len(values) - 1 for values in VALUES.values())
            done = len(self._known) * len(self._examples)
            found = _figures(
                self._run, self._examples, fitted, done, max(trials * len(self._examples), done)
            )
            self._known[fitted] = found["ndcg"]
            self._point(len(self._known) - 1, found["ndcg"])
            kept = [{"values": k.model_dump(), "ndcg": v} for k, v in self._known.items()]
            write_whole(self._file, json.dumps(kept, indent=1) + "\n")
        return self._known[fitted]

    def _point(self, step: int, ndcg: float) -> None:
        self._run.point(CurvePoint(step=step, loss=1 - ndcg))


def _figures(
    run: TrainingRun, examples: Sequence[Record], fitted: Fitted, done: int, total: int
) -> dict[str, float]:
    """Return how well gold chunks are ranked with these values."""
    own = {f"{SPEC.prefix}_{name}": value for name, value in fitted.model_dump().items()}
    changed = {**own, f"{SPEC.prefix}_trained": False, f"{SPEC.prefix}_model": "none"}
    strategy = Contextual(run.resources.under(**changed), SPEC.backbones[0])
    ranks = []
    for number, example in enumerate(examples, 1):
        if run.cancelled():
            raise run.stopped()
        chunks = strategy.retrieve(example["question"], run.corpus, DEPTH).chunks
        gold = set(example["gold"])
        found = [rank for rank, chunk in enumerate(chunks) if chunk.id in gold]
        ranks.append((found, len(gold)))
        run.tell(min(done + number, total), total)
    return rank_figures(ranks)


TRAINING = Training(
    summary="The weight of a question's context, and how far paths are followed for it.",
    help=HELP,
    options=ContextualTrainingOptions,
    base_model=lambda _: BASE,
    figures=FIGURES,
    decides="ndcg",
    examples=question_examples,
    train=learn,
    measure=measure,
    data_sets=True,
    loss="1 − nDCG of the first 10 passages",
)
