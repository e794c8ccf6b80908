"""Builds the language model that the settings name."""

from pathlib import Path
from typing import Literal

from clew_models.errors import LanguageModelUnavailable
from clew_models.language_model.base import LanguageModel
from clew_models.language_model.local import LocalModel
from clew_models.language_model.openai import OpenAIModel
from clew_models.language_model.packed_model import PackedWeights
from clew_models.language_model.weights import packed_weights


def load_language_model(
    kind: Literal["openai", "local"],
    *,
    cache_dir: Path,
    model: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout_s: float = 60.0,
    retries: int = 2,
    threads: int = 0,
    weights: PackedWeights | None = None,
) -> LanguageModel:
    """Return the model behind an endpoint (``openai``) or SmolLM2 on this machine (``local``).

    ``cache_dir``: where packed weights are kept; ``threads``: of the local model, 0: one a core;
    ``weights``: of the local model, where they are loaded already. Raises
    LanguageModelUnavailable where ``model`` is missing for an endpoint, and ModelNotInstalled
    where the local weights are not installed.
    """
    if kind == "local":
        return LocalModel(weights or load_weights(cache_dir=cache_dir, threads=threads))
    if not model:
        raise LanguageModelUnavailable(
            "No model name is set for the language-model endpoint.",
            remedy="Set llm_model (and llm_base_url), or reader = 'extractive'.",
            lasting=True,
        )
    return OpenAIModel(
        model, base_url=base_url, api_key=api_key, timeout_s=timeout_s, retries=retries
    )


def load_weights(*, cache_dir: Path, threads: int = 0) -> PackedWeights:
    """Return the weights of the default model, which are packed on first use (some seconds).

    ``cache_dir``: where they are kept; ``threads``: cores that they use, 0 for all there are.
    Raises ModelNotInstalled, ModelError.
    """
    return PackedWeights(packed_weights(cache_dir), threads)
