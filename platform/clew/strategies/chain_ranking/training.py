"""How chain-ranking learns: the weights of its signs, from questions and the passages that answer.

    questions (graph or data set) ─▶ signs of each ─▶ fit the weights ─▶ rank held-out questions

Questions made from the graph ask for a triple, or for a chain of two over passages; gold are the
passages that state them. The platform keeps examples, curve and versions (`clew.training`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from clew.results.training import CurvePoint
from clew.strategies.chain_ranking.arrays import chain_arrays
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.chain_ranking.question import asked, features_of
from clew.strategies.chain_ranking.spec import SPEC
from clew.strategies.chain_ranking.weights import (
    BASE,
    read_weights,
    round_weights,
    write_weights,
)
from clew.strategies.learning.gold_chunks import (
    FIGURES,
    question_examples,
    rank_figures,
)
from clew.strategies.learning.training import (
    Learned,
    Record,
    Training,
    TrainingRun,
)
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import find_seeds
from clew_models.chain_ranking import ChainWeights
from clew_models.chain_ranking.fit import ROUNDS, TURNS, ChainExample, fit, loss_of
from clew_models.chain_ranking.kernel import score, with_repeats

if TYPE_CHECKING:
    from clew.resources.resources import Resources

HELP = """Fit the weights of chain-ranking to a corpus.

Questions are made from the triples of the corpus' graph, of one passage and of two, or come from a
data set with its gold passages. The weights stay near the round numbers where the questions do not
say otherwise. It takes about as long as asking the questions three times; no GPU is needed.

Examples: `clew train chain-ranking --corpus mine`; `clew train chain-ranking --corpus
bench-musique-1a2b3c4d --data-set ~/musique` (after `clew bench ~/musique`)"""


class ChainTrainingOptions(BaseModel):
    """How many questions, and how near to the round numbers the weights stay."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: int = Field(
        300, ge=20, description="Questions to learn from; fewer where there are fewer."
    )
    held_out: int = Field(100, ge=5, description="Questions kept apart, asked before and after.")
    strength: float = Field(
        10.0, ge=0, description="How strongly the weights are held to the round numbers."
    )
    seed: int = Field(0, description="Draws the questions and their order.")


def learn(run: TrainingRun, examples: Sequence[Record], held_out: Sequence[Record]) -> Learned:
    """Fit the weights and leave them in the run's folder. Raises JobStopped."""
    started = time.monotonic()

    def told(done: int, total: int) -> None:
        run.tell(done, total)
        if run.cancelled():
            raise run.stopped()

    def turned(turn: int, loss: float) -> None:
        run.point(CurvePoint(step=turn, loss=loss))
        if run.cancelled():
            raise run.stopped()

    made = signs(run.resources, run.corpus, examples, told)
    watched = signs(run.resources, run.corpus, held_out, told)
    start = round_weights(run.resources.settings.options(ChainOptions))
    run.point(CurvePoint(step=0, loss=loss_of(watched, start), held_out=True))
    weights = fit(made, start, strength=run.options.strength, tell=turned)
    last = CurvePoint(step=ROUNDS * TURNS, loss=loss_of(watched, weights), held_out=True)
    run.point(last)
    write_weights(weights, run.folder)
    used = sum(bool(one.gold.any()) for one in made)
    return Learned(
        examples=used,
        left_out=len(made) - used,
        seconds=time.monotonic() - started,
        options=run.options.model_dump(mode="json"),
    )


def measure(run: TrainingRun, held_out: Sequence[Record], folder: Path | None) -> dict[str, float]:
    """Return the figures of the weights in a folder, or of the round numbers."""
    options = run.resources.settings.options(ChainOptions)
    weights = round_weights(options) if folder is None else read_weights(folder)
    return figures(signs(run.resources, run.corpus, held_out, run.tell), weights)


def figures(examples: Sequence[ChainExample], weights: ChainWeights) -> dict[str, float]:
    """Return how well gold passages are ranked, as means over questions."""
    asked_for = []
    for one in examples:
        scored = score(one.features, weights)
        final = with_repeats(scored.scores, one.features.group, weights.repeat)
        ranks = np.flatnonzero(one.gold[np.argsort(-final, kind="stable")])
        asked_for.append((ranks.tolist(), one.wanted))
    return rank_figures(asked_for)


def signs(
    resources: "Resources",
    corpus: str,
    examples: Sequence[Record],
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> list[ChainExample]:
    """Return the signs of questions, as they are computed to answer them."""
    options = resources.settings.options(ChainOptions)
    found = []
    for done, example in enumerate(examples, 1):
        question: Mapping[str, Any] = example
        retrieval = Retrieval(resources, SPEC.name, question["question"], corpus, 1)
        arrays = chain_arrays(resources).snapshot(retrieval.corpus).value
        seeds = find_seeds(retrieval, options.dense_weight)
        features = features_of(arrays, asked(retrieval, arrays, seeds, options), options)
        gold = np.isin(arrays.graph.chunk_ids[features.pool], question["gold"])
        found.append(ChainExample(features, gold, wanted=len(question["gold"])))
        tell(done, len(examples))
    return found


TRAINING = Training(
    summary="The weights of its signs learn which passages answer questions.",
    help=HELP,
    options=ChainTrainingOptions,
    base_model=lambda _: BASE,
    figures=FIGURES,
    decides="ndcg",
    examples=question_examples,
    train=learn,
    measure=measure,
    data_sets=True,
    loss="loss (nats a question)",
)
