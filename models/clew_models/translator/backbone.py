"""The language model that translates: any causal model of transformers, with an adapter or not.

Two backends compute it: transformers (this file), or an engine of vLLM (`vllm_backbone.py`).
"""

import contextlib
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from clew_models.constrained_decoding.prefix_nodes import TreeModel
from clew_models.constrained_decoding.prefix_tree import PrefixModel
from clew_models.errors import ModelNotInstalled
from clew_models.language_model.weights import converted_weights, without_progress_bars
from clew_models.translator.clue_index import ClueIndex
from clew_models.translator.prompts import ClueForm
from clew_models.translator.translation import Translation, TranslationOptions
from clew_models.translator.vocabulary import Vocabulary

DEFAULT = "SmolLM2-135M-Instruct"
Precision = Literal["auto", "float32", "bfloat16"]
BackendName = Literal["transformers", "vllm"]


@dataclass(frozen=True, eq=False)
class Backbone:
    """A model with its tokenizer; shared by threads.

    ``name``: the model and its adapter, as traces show them.
    """

    model: Any
    vocabulary: Vocabulary
    name: str
    _trees: dict[ClueForm, TreeModel] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def translation(
        self, index: ClueIndex, question: str, options: TranslationOptions
    ) -> Translation:
        """Return the translation of a question."""
        return Translation(self._trees_of(options.form), self.vocabulary, index, question, options)

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text, without special tokens."""
        return self.vocabulary.tokenize(texts)

    def _trees_of(self, form: ClueForm) -> TreeModel:
        with self._lock:
            if form not in self._trees:
                self._trees[form] = self._made_trees(form)
            return self._trees[form]

    def _made_trees(self, form: ClueForm) -> TreeModel:
        return PrefixModel(self.model, self.vocabulary.opening(form))


def load_backbone(
    model: str = DEFAULT,
    *,
    cache_dir: Path,
    adapter: Path | None = None,
    precision: Precision = "auto",
    device: str = "auto",
    backend: BackendName = "transformers",
    vllm_memory: float = 0.5,
) -> Backbone:
    """Load a model for translation.

    ``model``: the default's name, or a directory with a causal model of transformers.
    ``adapter``: a directory with a LoRA adapter (PEFT), merged into the weights. ``precision``:
    'auto' takes bfloat16 where the processor or GPU computes with it, which halves the time.
    ``device``: 'auto' takes a GPU where there is one. ``backend``: what computes; training needs
    transformers. ``vllm_memory``: the share of the GPU's memory that vLLM takes. Raises
    ModelNotInstalled.
    """
    import torch
    from transformers import AutoTokenizer

    folder = converted_weights(cache_dir) if model == DEFAULT else Path(model)
    if not (folder / "config.json").is_file():
        raise ModelNotInstalled(
            f"There is no language model in {folder}.",
            remedy=f"Set translator_model to {DEFAULT!r} or to a directory with a causal model.",
        )
    name = model if model == DEFAULT else folder.name
    name = f"{name} + {adapter.name}" if adapter else name
    if backend == "vllm":
        from clew_models.translator.vllm_backbone import load_vllm_backbone

        return load_vllm_backbone(
            folder,
            name,
            cache_dir=cache_dir,
            adapter=adapter,
            precision=precision,
            device=device,
            memory_share=vllm_memory,
        )
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = getattr(torch, chosen_precision(precision, device))
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    return Backbone(
        model=loaded_model(folder, adapter).to(device=device, dtype=dtype).eval(),
        vocabulary=Vocabulary(tokenizer),
        name=name,
    )


def loaded_model(folder: Path, adapter: Path | None) -> Any:
    """Load a model of transformers in float32, with ``adapter`` merged into it."""
    import torch
    from transformers import AutoModelForCausalLM

    with without_progress_bars():
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
        return loaded if adapter is None else _with_adapter(loaded, adapter)


def _with_adapter(model: Any, adapter: Path) -> Any:
    from peft import PeftModel

    if not (adapter / "adapter_config.json").is_file():
        raise ModelNotInstalled(
            f"There is no adapter in {adapter}.",
            remedy="Train one with `clew train translator`, or set translator_adapter to 'none'.",
        )
    with without_deprecations():
        return PeftModel.from_pretrained(model, adapter).merge_and_unload()


@contextlib.contextmanager
def without_deprecations() -> Iterator[None]:
    """Hide what peft is told of its use of transformers; users can do nothing about it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is_gradient_checkpointing")
        yield


def chosen_precision(wanted: Precision, device: str) -> Precision:
    """Return what 'auto' is on a device."""
    import torch

    if wanted != "auto":
        return wanted
    if device != "cpu":
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    return "bfloat16" if torch.ops.mkldnn._is_mkldnn_bf16_supported() else "float32"
