"""A training run of the translator (KT-10), from its examples to a version that serves.

    examples (graph or data set) ─▶ held-out part ─▶ evaluate ─▶ train ─▶ evaluate ─▶ manifest

All that a run needs to go on lies in its folder: the request, the examples, the checkpoints. One
that was interrupted is found again by its request.
"""

import gc
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import InvalidRequest
from clew.settings import Settings
from clew.strategies.clue_indexes import clue_indexes
from clew.training.curve import write_curve
from clew.training.evaluating import TranslationFigures, evaluate
from clew.training.example_files import fingerprint, read_examples, write_examples
from clew.training.graph_examples import graph_examples
from clew.training.store import (
    MANIFEST,
    TrainedModel,
    new_version,
    version_folder,
    write_manifest,
)
from clew_cypher.corpora import get_corpus
from clew_models.translator import Backbone, TranslationOptions, load_backbone
from clew_models.translator.examples import TranslationExample
from clew_models.translator.training import CHECKPOINTS, TrainingOptions, TrainingResult, train

if TYPE_CHECKING:
    from clew.components import Components

KIND = "translator"
REQUEST, EXAMPLES, HELD_OUT, BEFORE = (
    "request.json",
    "examples.jsonl",
    "held_out.jsonl",
    "before.json",
)
FEWEST = 20
"""Examples below which there is nothing to be learned."""

Tell = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class TranslatorTraining:
    """What is asked for: the corpus whose graph makes the examples, how many, and how to train.

    ``held_out``: examples that are kept apart, and asked before and after.
    """

    corpus: str
    examples: int = 4000
    held_out: int = 100
    seed: int = 0
    options: TrainingOptions = field(default_factory=TrainingOptions)


@dataclass(frozen=True)
class TrainedVersion:
    """A finished run: where it lies, and its figures before and after."""

    folder: Path
    model: TrainedModel


def train_translator(
    components: "Components",
    request: TranslatorTraining,
    tell: Tell = lambda stage, done, total: None,
) -> TrainedVersion:
    """Do a training run, or go on with the same one where it was interrupted.

    Raises UnknownCorpus, InvalidRequest where the graph makes too few examples.
    """
    settings = components.settings
    corpus = get_corpus(components.store, request.corpus)
    folder = _folder(settings, request)
    examples, held_out = _examples(components, request, folder, tell)
    before = _figures(components, request, held_out, None, tell, folder / BEFORE)

    backbone = _backbone(settings, None)
    result = train(
        backbone,
        examples,
        held_out,
        folder,
        request.options,
        lambda step, total, loss: tell("train", step, total),
    )
    del backbone
    gc.collect()
    after = _figures(components, request, held_out, folder, tell)
    write_curve(result.points, folder / "curve.svg", f"translator {folder.name}")
    model = TrainedModel(
        kind=KIND,
        version=folder.name,
        base_model=settings.translator_model,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        data={
            "corpus": corpus.name,
            "revision": corpus.revision,
            "examples": result.examples,
            "left_out": result.left_out,
            "held_out": len(held_out),
            "fingerprint": fingerprint(examples),
        },
        options=asdict(request.options),
        figures={
            "before": asdict(before),
            "after": asdict(after),
            "held_out_loss": _last_loss(result),
            "seconds": round(result.seconds),
        },
    )
    write_manifest(folder, model)
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
    return TrainedVersion(folder, model)


def _folder(settings: Settings, request: TranslatorTraining) -> Path:
    """Return the folder of the unfinished run of this request, or a new one."""
    asked = json.dumps(asdict(request) | {"model": settings.translator_model}, sort_keys=True)
    home = settings.home / "models" / KIND
    for folder in sorted(home.iterdir(), reverse=True) if home.is_dir() else []:
        known = folder / REQUEST
        if not (folder / MANIFEST).exists() and known.exists() and known.read_text() == asked:
            return folder
    folder = version_folder(settings, KIND, new_version())
    folder.mkdir(parents=True)
    (folder / REQUEST).write_text(asked)
    return folder


def _examples(
    components: "Components", request: TranslatorTraining, folder: Path, tell: Tell
) -> tuple[list[TranslationExample], list[TranslationExample]]:
    """Return the examples to learn from and those kept apart; of no chunk are there both."""
    if (folder / EXAMPLES).exists():
        return read_examples(folder / EXAMPLES), read_examples(folder / HELD_OUT)
    wanted = request.examples + request.held_out
    tell("examples", 0, wanted)
    found = graph_examples(
        components.store, request.corpus, wanted, request.seed, components.embedder.embed
    )
    held_out = found[: min(request.held_out, len(found) // 5)]
    apart = {chunk for example in held_out for chunk in example.chunk_ids}
    examples = [one for one in found[len(held_out) :] if apart.isdisjoint(one.chunk_ids)]
    if len(examples) < FEWEST:
        shutil.rmtree(folder)
        raise InvalidRequest(
            f"The graph of {request.corpus!r} makes {len(examples)} examples; it takes {FEWEST}.",
            remedy="Ingest more documents, with triples (an extractor other than 'none').",
        )
    write_examples(held_out, folder / HELD_OUT)
    write_examples(examples, folder / EXAMPLES)
    tell("examples", len(found), wanted)
    return examples, held_out


def _figures(
    components: "Components",
    request: TranslatorTraining,
    held_out: Sequence[TranslationExample],
    adapter: Path | None,
    tell: Tell,
    known: Path | None = None,
) -> TranslationFigures:
    if known is not None and known.exists():
        return TranslationFigures(**json.loads(known.read_text()))
    settings = components.settings
    backbone = _backbone(settings, adapter)
    indexes = clue_indexes(components.store, settings, backbone)
    index = indexes.snapshot(get_corpus(components.store, request.corpus)).value
    options = TranslationOptions(
        entities=settings.translator_entities,
        relations=settings.translator_relations,
        relation_tokens=settings.translator_relation_tokens,
    )
    stage = "evaluate after" if adapter else "evaluate before"
    figures = evaluate(
        backbone, index, held_out, options, lambda done, total: tell(stage, done, total)
    )
    if known is not None:
        known.write_text(json.dumps(asdict(figures)))
    return figures


def _backbone(settings: Settings, adapter: Path | None) -> Backbone:
    return load_backbone(
        settings.translator_model,
        cache_dir=settings.cache,
        adapter=adapter,
        precision=settings.translator_precision,
        device=settings.translator_device,
    )


def _last_loss(result: TrainingResult) -> float | None:
    losses = [point.loss for point in result.points if point.held_out]
    return losses[-1] if losses else None
