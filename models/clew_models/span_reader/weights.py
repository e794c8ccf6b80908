"""Where the span model's weights come from: the embedder's package, and what was trained here."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew_models.embedding.minilm import model_directory
from clew_models.errors import ModelNotInstalled
from clew_models.span_reader.graph import OUTPUTS, Weights

SHIPPED = Path(__file__).with_name("trained.safetensors")
"""The layers, the segments and the head, in half precision."""


PAGES = SHIPPED.with_name("pages.safetensors")
"""The same of the model that reads pages for how something is done, and for yes or no."""


def base_weights(part: str = "") -> dict[str, NDArray[np.float32]]:
    """Return MiniLM's weights under BertModel's names, those that begin with ``part``. Raises
    ModelNotInstalled.
    """
    from safetensors import safe_open

    with safe_open(model_directory() / "model.safetensors", framework="numpy") as stored:
        names = [name for name in stored.keys() if name.startswith(part)]  # noqa: SIM118
        return {name: np.asarray(stored.get_tensor(name), np.float32) for name in names}


def trained_weights(path: Path | None = None) -> dict[str, NDArray[np.float32]]:
    """Return what a training left in ``path``; None: what is shipped.

    Raises ModelNotInstalled where nothing is there.
    """
    from safetensors.numpy import load_file

    path = path or SHIPPED
    if not path.exists():
        raise ModelNotInstalled(
            f"The span model's weights {path} are missing.",
            remedy="Train it with tests/benchmarks/span_reader_training.py.",
        )
    return {name: np.asarray(array, np.float32) for name, array in load_file(path).items()}


def whole_head(arrays: Weights) -> Weights:
    """Return what was trained with a head of OUTPUTS: what an older one lacks tells nothing."""
    missing = OUTPUTS - len(arrays["head.bias"])
    return {
        **arrays,
        "head.weight": np.pad(arrays["head.weight"], ((0, missing), (0, 0))),
        "head.bias": np.pad(arrays["head.bias"], (0, missing)),
    }


def save_trained(arrays: Weights, path: Path) -> None:
    """Write what was trained, in half precision."""
    from safetensors.numpy import save_file

    halves = {name: np.ascontiguousarray(array, np.float16) for name, array in arrays.items()}
    save_file(halves, path)


def all_weights(path: Path | None = None) -> Weights:
    """Return the whole model that is shipped, or that of ``path``."""
    return {**base_weights(), **trained_weights(path)}
