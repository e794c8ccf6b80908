"""How graph-network learns (QS-5, QS-6): from questions made of the graph, then from labelled ones.

    questions (graph or data set) ─▶ neighbourhoods ─▶ NT-Xent with hard negatives ─▶ held-out ranks

The platform keeps examples, curve and versions (`clew.training`). Pre-training is a training from
the graph; fine-tuning is one from a data set that begins at the version which serves.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from clew.results.training import CurvePoint
from clew.strategies.graph_network.arrays import network_arrays
from clew.strategies.graph_network.examples import make_examples, network_examples
from clew.strategies.graph_network.networks import (
    SWITCHES,
    base_model,
    loaded,
    serving_folder,
    switches,
)
from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.learning.gold_chunks import FIGURES, rank_figures
from clew.strategies.learning.training import Learned, Record, Training, TrainingRun
from clew_cypher.corpora import get_corpus
from clew_models.devices import all_threads, device_of
from clew_models.graph_network import NetworkOptions
from clew_models.graph_network.examples import NetworkExample

if TYPE_CHECKING:
    from clew_models.graph_network.network import GraphNetwork

HELP = """Fit the network over the levels of a corpus' graph (QSGNN §3.3).

Without a data set it is pre-trained: questions of one hop and two (`--three-hops`: of three)
are made from the triples of the graph, worded by the language model of the settings where one is
set; those whose answer is not unique are left out and counted. With one it is fine-tuned on its
questions and gold passages, from the version that serves. On a processor a step of 16 questions
takes about a second; a GPU is used where there is one.

Examples: `clew train graph-network --corpus mine`; `clew train graph-network --corpus
bench-musique-1a2b3c4d --data-set ~/musique` (after `clew bench ~/musique`)"""


class NetworkTrainingOptions(BaseModel):
    """How many questions, how they are learned, and what an untrained network is made of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: int = Field(
        4000, ge=20, description="Questions, with those held out; fewer where there are fewer."
    )
    two_hops: float = Field(
        0.7, ge=0, le=1, description="Share of the questions made from the graph with two hops."
    )
    three_hops: float = Field(0.0, ge=0, le=1, description="Share of them with three hops.")
    held_out: int = Field(
        200, ge=5, description="Most questions kept apart; 5 % of those made from the graph."
    )
    epochs: int = Field(3, ge=1, description="Passes over the questions (paper: 5, then 3).")
    batch: int = Field(16, ge=1, description="Questions of one step.")
    rate: float = Field(1e-4, gt=0, description="Largest learning rate (paper: 1e-4, then 5e-4).")
    count_rate: float = Field(
        200.0, gt=0, description="Times that rate, for how much marks and messages count."
    )
    temperature: float = Field(0.1, gt=0, description="τ of the NT-Xent loss (paper: 1).")
    negatives: int = Field(
        30, ge=1, description="Hard negatives of the current network for each question (paper: 30)."
    )
    start: Literal["serving", "untrained"] = Field(
        "serving",
        description="What it begins at; untrained: the options below count, and the ablation 'w/o "
        "pre-training' is one with a data set.",
    )
    layers: int = Field(3, ge=1, le=6, description="Layers of an untrained network (paper: 2).")
    dimension: int = Field(
        128, ge=8, le=1024, description="Dimension n of an untrained network (paper: 128)."
    )
    neighbour_temperature: float = Field(
        0.2, gt=0, description="τ of its softmax over neighbours (paper: 1)."
    )
    form: Literal["residual", "paper"] = Field(
        "residual", description="Its update: Eq. 2 and 3 as they stand, or added to what was."
    )
    save_steps: int = Field(
        25, ge=1, description="Steps between checkpoints, and between looks at held-out questions."
    )
    seed: int = Field(0, description="Draws the questions, their order and the first weights.")

    @model_validator(mode="after")
    def _shares_of_a_whole(self) -> Self:
        if self.two_hops + self.three_hops > 1:
            raise ValueError(
                f"two_hops and three_hops are shares of the same questions, and make "
                f"{self.two_hops + self.three_hops:g} together: at most 1."
            )
        return self


def learn(run: TrainingRun, examples: Sequence[Record], held_out: Sequence[Record]) -> Learned:
    """Train into the run's folder, from its checkpoint where there is one. Raises JobStopped."""
    from clew_models.fitting import CHECKPOINT
    from clew_models.graph_network.network import save_network
    from clew_models.graph_network.training import FitOptions, fit

    started = time.monotonic()
    asked = run.options
    options = FitOptions(
        epochs=asked.epochs,
        batch=asked.batch,
        rate=asked.rate,
        count_rate=asked.count_rate,
        temperature=asked.temperature,
        negatives=asked.negatives,
        save_steps=asked.save_steps,
        seed=asked.seed,
    )
    learned = network_examples(run, examples)
    watched = network_examples(run, held_out)
    with all_threads():
        network = _start(run)
        done = fit(
            network,
            learned,
            watched,
            run.folder,
            options,
            device=_device(run),
            progress=run.tell,
            point=lambda step, loss, apart: run.point(
                CurvePoint(step=step, loss=loss, held_out=apart)
            ),
            cancelled=run.cancelled,
        )
    if not done:
        raise run.stopped()
    save_network(network, run.folder)
    (run.folder / CHECKPOINT).unlink(missing_ok=True)
    used = sum(bool(one.gold.any()) for one in learned)
    return Learned(
        examples=used,
        left_out=len(learned) - used,
        seconds=time.monotonic() - started,
        options=asked.model_dump(mode="json"),
    )


def measure(run: TrainingRun, held_out: Sequence[Record], folder: Path | None) -> dict[str, float]:
    """Return the figures of the version in a folder, or of an untrained network."""
    examples = network_examples(run, held_out)
    with all_threads():
        network = _untrained(run) if folder is None else _version(run, folder)
        return ranked(network, examples, _device(run))


def ranked(
    network: "GraphNetwork", examples: Sequence[NetworkExample], device: str
) -> dict[str, float]:
    """Return how a network ranks the gold chunks of ``examples``."""
    from clew_models.graph_network.training import scores_of

    scores = scores_of(network, [one.part for one in examples], device)
    asked_for = []
    for one, found in zip(examples, scores, strict=True):
        order = np.argsort(-found, kind="stable")
        asked_for.append((np.flatnonzero(one.gold[order]).tolist(), one.wanted))
    return rank_figures(asked_for)


def _start(run: TrainingRun) -> "GraphNetwork":
    """Return what a training begins at; it is trained in place, so it is never a shared one.

    One that goes on has the form that it began with, whatever serves now: its weights are those of
    its checkpoint.
    """
    from clew_models.fitting import CHECKPOINT
    from clew_models.graph_network.network import (
        OPTIONS,
        GraphNetwork,
        load_options,
        save_options,
    )

    if (run.folder / CHECKPOINT).exists() and (run.folder / OPTIONS).exists():
        return GraphNetwork(load_options(run.folder)).to(_device(run))
    folder = None
    if run.options.start == "serving":
        folder = serving_folder(run.resources, run.corpus)
    network = _untrained(run) if folder is None else _version(run, folder)
    save_options(network.options, run.folder)
    return network


def _version(run: TrainingRun, folder: Path) -> "GraphNetwork":
    options = run.resources.settings.options(NetworkMethodOptions)
    arrays = network_arrays(run.resources).snapshot(get_corpus(run.resources.store, run.corpus))
    return loaded(folder, arrays.value, switches(options), _device(run), 0)


def _untrained(run: TrainingRun) -> "GraphNetwork":
    from clew_models.graph_network.network import untrained_network

    asked = run.options
    chosen = run.resources.settings.options(NetworkMethodOptions)
    corpus = get_corpus(run.resources.store, run.corpus)
    options = NetworkOptions(
        dimension=asked.dimension,
        layers=asked.layers,
        temperature=asked.neighbour_temperature,
        form=asked.form,
    ).without(name for name in SWITCHES if not getattr(chosen, name))
    arrays = network_arrays(run.resources).snapshot(corpus).value
    return untrained_network(arrays, options, asked.seed).to(_device(run))


def _device(run: TrainingRun) -> str:
    return device_of(run.resources.settings.options(NetworkMethodOptions).device)


TRAINING = Training(
    summary="A network over the graph learns which passages answer questions.",
    help=HELP,
    options=NetworkTrainingOptions,
    base_model=base_model,
    figures=FIGURES,
    decides="ndcg",
    examples=make_examples,
    train=learn,
    measure=measure,
    data_sets=True,
    loss="loss (nats a passage)",
)
