"""How the translator learns (KT-10; KG-Translator §3.3.3): a LoRA adapter, by questions and clues.

    examples (graph or data set) ─▶ train an adapter ─▶ translate held-out questions

The platform keeps the examples, the curve and the versions (`clew.training`).
"""

import gc
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from clew.results.training import CurvePoint, TrainingFigure
from clew.settings import Settings
from clew.strategies.learning.training import Learned, Record, Training, TrainingRun
from clew.strategies.translator.examples import from_records, run_examples
from clew.strategies.translator.indexes import clue_indexes
from clew.strategies.translator.options import TranslatorOptions
from clew_cypher.corpora import get_corpus
from clew_models.translator import Backbone, ClueIndex, TranslationOptions, load_backbone
from clew_models.translator.examples import TranslationExample
from clew_models.translator.loading import BackendName
from clew_models.translator.training import CHECKPOINTS, TrainingOptions, train

HELP = """Fit the translator's language model to a corpus (a LoRA adapter; KG-Translator §3.3.3).

Questions are made from the triples of the corpus' graph, or come from a data set, and the model
learns to translate them into clues. It runs on a GPU where there is one; on a processor, an
example of the default model takes about a quarter of a second. `translator_adapter` chooses
another version than the one that serves.

Of a data set, those questions count that have an answer and one document that proves it, and
the steps of longer ones (MuSiQue, 2WikiMultihopQA). A question becomes an example where a
sentence of that document, with its answer, can be a clue; the others are left out and counted.

Examples: `clew train translator --corpus mine --examples 2000`; `clew train translator
--corpus bench-musique-1a2b3c4d --data-set ~/musique` (after `clew bench ~/musique`)"""


class TranslatorTrainingOptions(BaseModel):
    """How many questions, and how the adapter is trained by them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: int = Field(
        4000, ge=20, description="Questions to learn from; fewer where there are fewer."
    )
    held_out: int = Field(100, ge=1, description="Questions kept apart, asked before and after.")
    epochs: float = Field(1.0, ge=0.01, description="Passes over the examples.")
    learning_rate: float = Field(5e-4, ge=0, description="Largest learning rate.")
    rank: int = Field(8, ge=1, le=128, description="Rank of the LoRA adapter.")
    batch: int = Field(32, ge=1, description="Examples of one step.")
    save_steps: int = Field(
        10, ge=1, description="Steps between checkpoints, and between looks at held-out questions."
    )
    seed: int = Field(0, description="Draws the examples and their order.")


@dataclass(frozen=True)
class TranslationFigures:
    """Shares of ``questions``: whose first entity was among the α decoded ones, whose first chunk
    was among those that the clues led to, and whose likeliest clue led to it.
    """

    questions: int
    entity: float
    traced: float
    first_clue: float
    chunks: float
    """Chunks that the clues of a question led to, on average."""


def evaluate(
    backbone: Backbone,
    index: ClueIndex,
    examples: Sequence[TranslationExample],
    options: TranslationOptions,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> TranslationFigures:
    """Translate the questions of ``examples`` forward and compare with what proves them.

    Raises ValueError without examples.
    """
    if not examples:
        raise ValueError("There is no example to evaluate with.")
    entity = traced = first = chunks = 0
    for done, example in enumerate(examples, 1):
        translation = backbone.translation(index, example.question, options)
        entities = translation.entities([])
        clues = translation.clues(entities, "forward")
        reached = {chunk for clue in clues for chunk in clue.chunk_ids}
        gold = example.chunk_ids[0]
        entity += any(one.surface == example.clues[0].entity for one in entities)
        traced += gold in reached
        first += bool(clues) and gold in clues[0].chunk_ids
        chunks += len(reached)
        tell(done, len(examples))
    count = len(examples)
    return TranslationFigures(count, entity / count, traced / count, first / count, chunks / count)


def learn(run: TrainingRun, examples: Sequence[Record], held_out: Sequence[Record]) -> Learned:
    """Train an adapter into the run's folder, from its newest checkpoint where there is one.

    Raises JobStopped.
    """
    asked = run.options
    options = TrainingOptions(
        epochs=asked.epochs,
        learning_rate=asked.learning_rate,
        rank=asked.rank,
        batch=asked.batch,
        slice=min(TrainingOptions.slice, asked.batch),
        save_steps=asked.save_steps,
        seed=asked.seed,
    )
    result = train(
        _backbone(run.resources.settings, None, "transformers"),
        from_records(examples),
        from_records(held_out),
        run.folder,
        options,
        run.tell,
        lambda point: run.point(CurvePoint(**asdict(point))),
        run.cancelled,
    )
    gc.collect()
    if result is None:
        raise run.stopped()
    shutil.rmtree(run.folder / CHECKPOINTS, ignore_errors=True)
    return Learned(result.examples, result.left_out, result.seconds, asdict(options))


def measure(run: TrainingRun, held_out: Sequence[Record], folder: Path | None) -> dict[str, float]:
    """Return the figures of the adapter in a folder, or of the model without one."""
    resources = run.resources
    serves = resources.settings.options(TranslatorOptions).backend
    # an engine of vLLM would not give its memory back to the training
    backbone = _backbone(resources.settings, folder, "auto" if serves == "vllm" else serves)
    corpus = get_corpus(resources.store, run.corpus)
    index = clue_indexes(resources, backbone).snapshot(corpus).value
    chosen = resources.settings.options(TranslatorOptions)
    options = TranslationOptions(
        entities=chosen.entities,
        relations=chosen.relations,
        relation_tokens=chosen.relation_tokens,
    )
    return asdict(evaluate(backbone, index, from_records(held_out), options, run.tell))


def _backbone(settings: Settings, adapter: Path | None, backend: BackendName) -> Backbone:
    options = settings.options(TranslatorOptions)
    return load_backbone(
        options.model,
        cache_dir=settings.cache,
        adapter=adapter,
        precision=options.precision,
        device=options.device,
        backend=backend,
    )


TRAINING = Training(
    summary="A LoRA adapter of its language model learns to write the clues of questions.",
    help=HELP,
    options=TranslatorTrainingOptions,
    base_model=lambda settings: settings.options(TranslatorOptions).model,
    figures=(
        TrainingFigure(name="entity", words="right entity among those decoded"),
        TrainingFigure(name="traced", words="right chunk among those traced"),
        TrainingFigure(name="first_clue", words="right chunk by the likeliest clue"),
        TrainingFigure(
            name="chunks", words="chunks traced, on average", share=False, higher_is_better=False
        ),
    ),
    decides="traced",
    examples=run_examples,
    train=learn,
    measure=measure,
    data_sets=True,
)
