"""The language model that strategies ask: the one that the settings configure for answering."""

from typing import Literal

from clew.settings import Settings
from clew_models.errors import LanguageModelUnavailable

LANGUAGE_MODEL = "language model"
"""What a strategy that asks one has among its needs."""


def language_model_kind(settings: Settings) -> Literal["openai", "local"]:
    """Return whether strategies ask the endpoint or the local model.

    Raises LanguageModelUnavailable where the settings name neither: the local one is weak, so it
    is never taken unasked.
    """
    kind = settings.iterative_model
    if kind == "auto" and settings.reader == "local":
        kind = "local"
    if kind == "local":
        return "local"
    if settings.llm_model:
        return "openai"
    raise LanguageModelUnavailable(
        "A strategy that searches in steps needs a language model, and none is set.",
        remedy="Set CLEW_LLM_BASE_URL and CLEW_LLM_MODEL (or CLEW_ITERATIVE_MODEL=local: small "
        "and weak), or take the strategy without 'iterative:'.",
    )


def check_language_model(settings: Settings) -> None:
    """Raise what keeps strategies from asking a language model; loads none.

    Raises as ``language_model_kind``, and ModelNotInstalled.
    """
    if language_model_kind(settings) == "local":
        from clew_models.language_model.weights import gguf_file

        gguf_file()
