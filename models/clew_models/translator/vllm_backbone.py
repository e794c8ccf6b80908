"""The translator's language model in an engine of vLLM (KT-6), with its adapter merged.

The adapter is merged into the weights and the whole is written to the cache directory, once: then
both backends compute with the same numbers, and an adapter costs nothing at each step.
"""

import contextlib
import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from clew_models.constrained_decoding.beam_search import Floats
from clew_models.constrained_decoding.engine_tree import EngineModel, Request, ScoringEngine
from clew_models.constrained_decoding.prefix_nodes import TreeModel
from clew_models.constrained_decoding.vllm_engine import load_engine, vllm_device
from clew_models.errors import ModelError
from clew_models.language_model.weights import made_once, without_progress_bars
from clew_models.translator.backbone import Backbone, Precision, chosen_precision, loaded_model
from clew_models.translator.prompts import ClueForm
from clew_models.translator.vocabulary import Vocabulary


class VllmBackbone(Backbone):
    """A model in an engine, which is ``model``; shared by threads."""

    def _made_trees(self, form: ClueForm) -> TreeModel:
        # the engine finds the opening of the prompts again by itself
        return EngineModel(_EngineOfSettings(self.model))


class _EngineOfSettings:
    """An engine whose errors name the translator's settings."""

    def __init__(self, engine: ScoringEngine) -> None:
        self._engine = engine

    def next_scores(self, requests: Sequence[Request]) -> list[Floats]:
        with _named("translator_backend"):
            return self._engine.next_scores(requests)


@contextlib.contextmanager
def _named(*settings: str) -> Iterator[None]:
    """Say in an error's remedy how the settings are called that it speaks of."""
    try:
        yield
    except ModelError as error:
        error.remedy = f"{error.remedy} (Settings: {', '.join(settings)}.)"
        raise


def load_vllm_backbone(
    folder: Path,
    name: str,
    *,
    cache_dir: Path,
    adapter: Path | None,
    precision: Precision,
    device: str,
    memory_share: float,
) -> VllmBackbone:
    """Start an engine with the model of ``folder``. Raises ModelNotInstalled."""
    from transformers import AutoTokenizer

    with _named("translator_backend", "translator_device", "translator_vllm_memory"):
        computed_by = vllm_device(device)
    precision = chosen_precision(precision, computed_by)
    weights = folder if adapter is None else merged_weights(folder, adapter, precision, cache_dir)
    with _named("translator_backend", "translator_vllm_memory"):
        engine = load_engine(
            weights, tokenizer=folder, precision=precision, memory_share=memory_share
        )
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    return VllmBackbone(
        model=engine,
        vocabulary=Vocabulary(tokenizer),
        name=name,
        device=computed_by,
        bytes=None if computed_by == "cpu" else int(memory_share * _device_memory()),
    )


def _device_memory() -> int:
    import torch

    return int(torch.cuda.mem_get_info()[1])


def merged_weights(folder: Path, adapter: Path, precision: Precision, cache_dir: Path) -> Path:
    """Return a directory with the model of ``folder`` and the adapter in it, made once.

    Another adapter, model or precision is another directory; a changed file counts as another.
    """
    files = [
        (file.name, file.stat().st_size, file.stat().st_mtime_ns)
        for source in (folder, adapter)
        for file in sorted(source.glob("*"))
        if file.suffix in (".json", ".safetensors")
    ]
    seen = json.dumps([str(folder.resolve()), str(adapter.resolve()), precision, files])
    key = blake2b(seen.encode(), digest_size=8).hexdigest()

    def make(target: Path) -> None:
        import torch

        merged: Any = loaded_model(folder, adapter).to(getattr(torch, precision))
        with without_progress_bars():
            merged.save_pretrained(target)

    return made_once(cache_dir / "language-models" / f"{adapter.name}-{key}", make)
