"""Chooses what computes the translator's language model, and loads it."""

from pathlib import Path
from typing import Literal

from clew_models.devices import device_of, module_bytes, module_device
from clew_models.errors import ModelNotInstalled
from clew_models.language_model.packed_model import PackedModel, PackedWeights, load_adapter
from clew_models.language_model.weights import converted_weights, packed_weights
from clew_models.loading_lock import loading_alone
from clew_models.memory import give_back
from clew_models.translator.backbone import (
    Backbone,
    PackedBackbone,
    Precision,
    check_adapter,
    chosen_precision,
    loaded_model,
)
from clew_models.translator.vllm_backbone import load_vllm_backbone
from clew_models.translator.vocabulary import Vocabulary

DEFAULT = "SmolLM2-135M-Instruct"
BackendName = Literal["auto", "onnx", "transformers", "vllm"]
Backend = Literal["onnx", "transformers", "vllm"]


def chosen_backend(
    model: str, *, backend: BackendName, device: str, precision: Precision
) -> Backend:
    """Return what computes a model; this is the one rule.

    'auto' is ONNX Runtime for the default model on a processor, unless bfloat16 is asked for: a
    fifth of the memory, and no torch in the process. Everything else is transformers. Raises
    ModelNotInstalled where ONNX Runtime is asked for what it cannot compute.
    """
    packed = model == DEFAULT and precision != "bfloat16" and device != "cuda"
    if backend == "onnx" and not packed:
        raise ModelNotInstalled(
            f"ONNX Runtime computes {DEFAULT} alone, on a processor, in float32.",
            remedy="Set translator_backend to 'auto', or to 'transformers'.",
        )
    if backend != "auto":
        return backend
    return "onnx" if packed and device_of(device) == "cpu" else "transformers"


@loading_alone
def load_backbone(
    model: str = DEFAULT,
    *,
    cache_dir: Path,
    adapter: Path | None = None,
    precision: Precision = "auto",
    device: str = "auto",
    backend: BackendName = "auto",
    vllm_memory: float = 0.5,
    threads: int = 0,
    weights: PackedWeights | None = None,
) -> Backbone:
    """Load a model for translation.

    ``model``: the default's name, or a directory with a causal model of transformers.
    ``adapter``: a directory with a LoRA adapter (PEFT). ``precision``: with transformers, 'auto'
    takes bfloat16 where the processor or GPU computes with it, which halves the time. ``device``:
    'auto' takes a GPU where there is one. ``backend``: what computes, see `chosen_backend`;
    training needs transformers. ``vllm_memory``: the share of the GPU's memory that vLLM takes.
    ``threads``: torch's for the whole process, 0 leaves them as they are. ``weights``: of the
    default model, where ONNX Runtime computes and they are loaded already. Raises
    ModelNotInstalled.
    """
    name = model if model == DEFAULT else Path(model).name
    name = f"{name} + {adapter.name}" if adapter else name
    backend = chosen_backend(model, backend=backend, device=device, precision=precision)
    if adapter is not None:
        check_adapter(adapter)
    if backend == "onnx":
        base = weights or PackedWeights(packed_weights(cache_dir))
        lora = load_adapter(adapter, base.shape) if adapter else None
        return PackedBackbone(PackedModel(base, lora), Vocabulary(base.tokenizer), name)
    folder = converted_weights(cache_dir) if model == DEFAULT else Path(model)
    if not (folder / "config.json").is_file():
        raise ModelNotInstalled(
            f"There is no language model in {folder}.",
            remedy=f"Set translator_model to {DEFAULT!r} or to a directory with a causal model.",
        )
    if backend == "vllm":
        return load_vllm_backbone(
            folder,
            name,
            cache_dir=cache_dir,
            adapter=adapter,
            precision=precision,
            device=device,
            memory_share=vllm_memory,
        )
    import torch
    from transformers import AutoTokenizer

    if threads:
        torch.set_num_threads(threads)
    device = device_of(device)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    loaded = loaded_model(folder, adapter, chosen_precision(precision, device))
    loaded = loaded.to(device=device).eval()
    give_back()
    return Backbone(
        model=loaded,
        vocabulary=Vocabulary(tokenizer),
        name=name,
        device=module_device(loaded),
        bytes=module_bytes(loaded),
    )
