"""Builds the language model that the settings name."""

from pathlib import Path
from typing import Literal

from clew_models.errors import LanguageModelUnavailable
from clew_models.language_model.base import LanguageModel
from clew_models.language_model.local import LocalModel
from clew_models.language_model.openai import OpenAIModel


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
) -> LanguageModel:
    """Return the model behind an endpoint (``openai``) or SmolLM2 on this machine (``local``).

    ``cache_dir``: where converted weights are kept; ``threads``: of the local model, 0: one a
    core. Raises LanguageModelUnavailable where ``model`` is missing for an endpoint, and
    ModelNotInstalled where the local weights are not installed.
    """
    if kind == "local":
        return LocalModel(cache_dir=cache_dir, threads=threads)
    if not model:
        raise LanguageModelUnavailable(
            "No model name is set for the language-model endpoint.",
            remedy="Set llm_model (and llm_base_url), or reader = 'extractive'.",
        )
    return OpenAIModel(
        model, base_url=base_url, api_key=api_key, timeout_s=timeout_s, retries=retries
    )
