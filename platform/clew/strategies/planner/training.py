"""How a planner learns (RA-5 to RA-8): a graph language model, by plans and answers, mixed.

    chains of the graph, or a data set ─▶ searched, labelled ─▶ LoRA and graph encoder ─▶ what it
                                                                writes of held-out examples

The platform keeps examples, curve and versions (`clew.training`).
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from clew.comprehension.normalisation import normalise_answer
from clew.errors import UnknownStrategy
from clew.resources.graph_models import vectors_of, write
from clew.results.training import CurvePoint, TrainingFigure
from clew.strategies.learning.training import Learned, Record, Training, TrainingRun
from clew.strategies.planner.examples import from_record, make_examples
from clew.strategies.planner.options import PlannerOptions
from clew.strategies.planner.planning import Action
from clew.strategies.planner.trained import SUBQUERY_TOKENS, base_model, text_model, untrained
from clew_models.devices import all_threads, device_of

if TYPE_CHECKING:
    from clew_models.graph_llm.model import GraphLanguageModel

HELP = """Train a language model to plan, and to answer from a question's graph (RAS, section 3.4).

Questions of two hops and of three are made from the corpus' graph, or come from a data set, and
are searched for as they will be; the model learns to say what is next, and what the answer is. It
reads the graph as a token before the text. On a processor an example of the default model takes
several seconds; a GPU is used where there is one.

`planner_model=trained` lets the version plan, and the reader `graph` answers with it.

Examples: `clew train planner --corpus mine --examples 800`; `clew train planner --corpus
bench-musique-1a2b3c4d --data-set ~/musique` (after `clew bench ~/musique`)"""
ANSWER_TOKENS = 32
FIGURES = (
    TrainingFigure(name="right", words="mean of the three below"),
    TrainingFigure(name="actions", words="plans with the right action"),
    TrainingFigure(name="names", words="sub-queries that hold the name that was found"),
    TrainingFigure(name="answers", words="right answers"),
)


class PlannerTrainingOptions(BaseModel):
    """How many examples, what is trained of the model, and how."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: int = Field(
        1000, ge=20, description="Plans and answers to learn from; fewer where there are fewer."
    )
    held_out: int = Field(
        80, ge=5, description="Most examples kept apart, which are asked before and after."
    )
    three_hops: float = Field(
        0.2, ge=0, le=1, description="Share of the chains made from the graph that have three hops."
    )
    unaided: int = Field(
        200,
        ge=0,
        description="Questions that the base model is asked without any search, for "
        "those that need none.",
    )
    retriever: str = Field("guided-pagerank", description="The strategy that the examples ask.")
    triples: int = Field(
        8, ge=1, le=50, description="Triples of a round that the model reads, at most."
    )
    encoder: Literal["graph-transformer", "gat", "gcn", "none"] = Field(
        "graph-transformer",
        description="What makes the graph's token (paper: Graph Transformer); none: an ablation.",
    )
    layers: int = Field(2, ge=1, le=8, description="Layers of the encoder (paper: 2 to 5).")
    heads: int = Field(4, ge=1, le=16, description="Its heads (paper: 4 to 12).")
    dimension: int = Field(
        256, ge=8, le=2048, description="Its dimension, a multiple of the heads."
    )
    rank: int = Field(
        16, ge=0, le=128, description="Rank of the LoRA adapter (paper: 4 to 32); 0: an ablation."
    )
    tasks: Literal["both", "plan", "answer"] = Field(
        "both", description="What is learned; one alone is the ablation 'no multi-task'."
    )
    epochs: int = Field(1, ge=1, description="Passes over the examples (paper: 2).")
    batch: int = Field(16, ge=1, description="Examples of one step (paper: 4).")
    rate: float = Field(5e-4, gt=0, description="Largest learning rate (paper: 1e-5).")
    save_steps: int = Field(
        10, ge=1, description="Steps between checkpoints, and between looks at held-out examples."
    )
    seed: int = Field(0, description="Draws the questions, their order and the first weights.")

    @field_validator("retriever")
    @classmethod
    def _is_a_strategy(cls, name: str) -> str:
        from clew.strategies.catalogue import spec_of  # which names this method, too

        try:
            spec_of(name)
        except UnknownStrategy as error:
            raise ValueError(error.message) from error
        return name

    @model_validator(mode="after")
    def _trains_something(self) -> "PlannerTrainingOptions":
        if self.rank == 0 and self.encoder == "none":
            raise ValueError("without adapter (rank 0) and encoder nothing is trained")
        if self.dimension % self.heads:
            raise ValueError("the dimension must be a multiple of the heads")
        return self


def learn(run: TrainingRun, examples: Sequence[Record], held_out: Sequence[Record]) -> Learned:
    """Train into the run's folder, from its checkpoint where there is one. Raises JobStopped."""
    from clew_models.fitting import CHECKPOINT
    from clew_models.graph_llm.encoder import EncoderOptions
    from clew_models.graph_llm.model import GraphModelOptions, save_graph_model
    from clew_models.graph_llm.training import FitOptions, encoded, fit

    started = time.monotonic()
    asked, settings = run.options, run.resources.settings
    encoder = None
    if asked.encoder != "none":
        encoder = EncoderOptions(
            asked.encoder,
            asked.layers,
            asked.heads,
            asked.dimension,
            run.resources.embedder.dimension,
        )
    options = FitOptions(
        epochs=asked.epochs,
        batch=asked.batch,
        rate=asked.rate,
        save_steps=asked.save_steps,
        seed=asked.seed,
    )
    read = [from_record(one) for one in (*examples, *held_out)]
    vectors = vectors_of(run.resources, read) if encoder else {}
    wanted = [one for one in read[: len(examples)] if asked.tasks in ("both", one.task)]
    with all_threads():
        model = untrained(
            settings, GraphModelOptions(asked.rank, asked.triples, encoder), asked.seed
        )
        learned = encoded(model, wanted, options.max_tokens)
        done = fit(
            model,
            learned,
            encoded(model, read[len(examples) :], options.max_tokens),
            vectors,
            run.folder,
            options,
            progress=run.tell,
            point=lambda step, loss, apart: run.point(
                CurvePoint(step=step, loss=loss, held_out=apart)
            ),
            cancelled=run.cancelled,
        )
    if not done:
        raise run.stopped()
    save_graph_model(model, settings.options(PlannerOptions).base, run.folder)
    (run.folder / CHECKPOINT).unlink(missing_ok=True)
    return Learned(
        examples=len(learned),
        left_out=len(examples) - len(learned),
        seconds=time.monotonic() - started,
        options=asked.model_dump(mode="json"),
    )


def measure(run: TrainingRun, held_out: Sequence[Record], folder: Path | None) -> dict[str, float]:
    """Return the figures of the version in a folder, or of the causal model as it is."""
    settings = run.resources.settings
    with all_threads():
        if folder is None:
            return figures_of(run, text_model(settings), held_out)
        from clew_models.graph_llm.model import load_graph_model

        device = device_of(settings.options(PlannerOptions).device)
        model = load_graph_model(folder, cache_dir=settings.cache, device=device)
        return figures_of(run, model, held_out)


def figures_of(
    run: TrainingRun, model: "GraphLanguageModel", held_out: Sequence[Record]
) -> dict[str, float]:
    """Return the shares of what a model writes that is right; 0 where none of a kind is asked."""
    right: dict[str, list[bool]] = {"actions": [], "names": [], "answers": []}
    for done, record in enumerate(held_out, 1):
        example = from_record(record)
        if record["task"] == "answer":
            text = write(run.resources, model, example, max_tokens=ANSWER_TOKENS).text
            right["answers"].append(normalise_answer(text) == normalise_answer(example.target))
        else:
            first = not example.rounds
            one = write(
                run.resources,
                model,
                example,
                labels=(Action.NO_RETRIEVAL if first else Action.SUFFICIENT, Action.SUBQ),
                ending=(Action.NO_RETRIEVAL, Action.SUFFICIENT),
                max_tokens=SUBQUERY_TOKENS if record["name"] else 1,
            )
            right["actions"].append(one.label == record["kind"])
            if record["name"]:
                name = normalise_answer(record["name"])
                right["names"].append(name in normalise_answer(one.text))
        run.tell(done, len(held_out))
    shares = {name: sum(found) / max(len(found), 1) for name, found in right.items()}
    asked = [shares[name] for name, found in right.items() if found]
    return {"right": sum(asked) / max(len(asked), 1), **shares}


TRAINING = Training(
    summary="A language model with a graph encoder learns to plan what is asked next.",
    help=HELP,
    options=PlannerTrainingOptions,
    base_model=base_model,
    figures=FIGURES,
    decides="right",
    examples=make_examples,
    train=learn,
    measure=measure,
    data_sets=True,
)
