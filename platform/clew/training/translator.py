"""A training run of the translator (KT-10), from its examples to a version that serves.

    examples (graph or data set) ─▶ held-out part ─▶ evaluate ─▶ train ─▶ evaluate ─▶ manifest

All that a run needs to go on lies in its folder: the request, the examples, the checkpoints. One
that was interrupted is found again by its request.
"""

import gc
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from clew.settings import Settings
from clew.strategies.clue_indexes import clue_indexes
from clew.training.curve import write_curve
from clew.training.evaluating import TranslationFigures, evaluate
from clew.training.example_files import fingerprint
from clew.training.run_examples import Tell, run_examples
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
REQUEST, BEFORE = "request.json", "before.json"


@dataclass(frozen=True)
class TranslatorTraining:
    """What is asked for: the corpus whose graph is learned, how many examples, and how to train.

    ``data_set``: whose single-hop questions make the examples, as `clew bench` names it; its
    documents are in the corpus. None: the graph itself makes them. ``held_out``: examples that are
    kept apart, and asked before and after.
    """

    corpus: str
    data_set: str | None = None
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

    Raises UnknownCorpus, InvalidDataSet, InvalidRequest where there are too few examples.
    """
    settings = components.settings
    corpus = get_corpus(components.store, request.corpus)
    folder = _folder(settings, request)
    made = run_examples(components, request, folder, tell)
    examples, held_out = made.examples, made.held_out
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
            **made.source,
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
