"""The language model that translates: any causal model of transformers, with an adapter or not.

transformers computes it here, ONNX Runtime too where it is the default model, and an engine of vLLM
in `vllm_backbone.py`; `loading.py` chooses.
"""

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from clew_models.constrained_decoding.prefix_nodes import TreeModel
from clew_models.constrained_decoding.prefix_tree import PrefixModel
from clew_models.devices import gains_by_bfloat16
from clew_models.errors import ModelNotInstalled
from clew_models.language_model.causal_model import TransformersModel
from clew_models.language_model.lora import without_deprecations
from clew_models.language_model.weights import without_progress_bars
from clew_models.loading_lock import loading_alone
from clew_models.translator.clue_index import ClueIndex
from clew_models.translator.prompts import ClueForm
from clew_models.translator.translation import Translation, TranslationOptions
from clew_models.translator.vocabulary import Vocabulary
from clew_models.version_files import version_files

Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True, eq=False)
class Backbone:
    """A model with its tokenizer; shared by threads.

    ``name``: the model and its adapter, as traces show them. ``device``: what the model lies on,
    'cpu' or 'cuda'; ``bytes``: what it takes there, None where only the process' growth tells.
    """

    model: Any
    vocabulary: Vocabulary
    name: str
    device: str = "cpu"
    bytes: int | None = None
    _trees: dict[ClueForm, TreeModel] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def translation(
        self, index: ClueIndex, question: str, options: TranslationOptions
    ) -> Translation:
        """Return the translation of a question."""
        return Translation(self._trees_of(options.form), self.vocabulary, index, question, options)

    def _trees_of(self, form: ClueForm) -> TreeModel:
        with self._lock:
            if form not in self._trees:
                self._trees[form] = self._made_trees(form)
            return self._trees[form]

    def _made_trees(self, form: ClueForm) -> TreeModel:
        return PrefixModel(TransformersModel(self.model), self.vocabulary.opening(form))


class PackedBackbone(Backbone):
    """The default model, packed, whose weights others use too; ``model``: a PackedModel."""

    def _made_trees(self, form: ClueForm) -> TreeModel:
        return PrefixModel(self.model, self.vocabulary.opening(form))


@loading_alone
def loaded_model(folder: Path, adapter: Path | None, precision: Precision = "float32") -> Any:
    """Load a model of transformers with ``adapter``, merged into it in float32 all the same.

    Raises ModelNotInstalled where the adapter is not whole, or another model's.
    """
    import torch
    from transformers import AutoModelForCausalLM

    wanted = getattr(torch, precision)
    with without_progress_bars():
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=wanted if adapter is None else torch.float32
        )
        if adapter is not None:
            loaded = _with_adapter(loaded, adapter)
        # the buffers too, which are float32 however a model is loaded
        return loaded.to(wanted)


ADAPTER_REMEDY = "Train one with `clew train translator`, or set translator_adapter to 'none'."


def check_adapter(adapter: Path) -> None:
    """Raise ModelNotInstalled where there is no adapter."""
    if not (adapter / "adapter_config.json").is_file():
        raise ModelNotInstalled(f"There is no adapter in {adapter}.", remedy=ADAPTER_REMEDY)


def _with_adapter(model: Any, adapter: Path) -> Any:
    """Raises ModelNotInstalled where the adapter is not whole, or another model's."""
    from peft import PeftModel

    with version_files("adapter", adapter, ADAPTER_REMEDY), without_deprecations():
        try:
            return PeftModel.from_pretrained(model, adapter).merge_and_unload()
        except RuntimeError as error:
            if "state_dict" not in str(error):  # what PyTorch calls weights that do not fit
                raise
            raise ValueError("its weights do not fit the model's") from error


def chosen_precision(wanted: Precision, device: str) -> Precision:
    """Return what 'auto' is on a device."""
    if wanted != "auto":
        return wanted
    return "bfloat16" if gains_by_bfloat16(device) else "float32"
