"""Builds the reader that the settings name."""

from typing import Literal

from clew.answering.annotation import Annotator
from clew.answering.base import Reader
from clew.answering.extractive import ExtractiveReader
from clew.answering.language_model_reader import LanguageModelReader
from clew.errors import InvalidSetting
from clew.settings import Settings
from clew_models.embedding.base import Embedder
from clew_models.language_model import LanguageModel


def build_reader(
    settings: Settings, embedder: Embedder, *, annotator: Annotator | None = None
) -> Reader:
    """Return the reader of ``settings.reader``; ``auto``: openai where configured, else extractive.

    ``annotator``: a loaded parse to share. Raises InvalidSetting, ModelNotInstalled.
    """
    kind = settings.reader
    if kind == "auto":
        kind = "openai" if settings.llm_model else "extractive"
    if kind == "extractive":
        return ExtractiveReader(
            embedder,
            annotator or Annotator(settings.parser),
            threshold=settings.answer_threshold,
        )
    model = configured_model(settings, kind)
    return LanguageModelReader(model, name=kind, max_tokens=settings.llm_max_tokens)


def configured_model(settings: Settings, kind: Literal["openai", "local"]) -> LanguageModel:
    """Return the language model of the settings; raises as ``load_language_model``."""
    from clew_models.language_model import load_language_model

    return load_language_model(
        kind,
        cache_dir=settings.cache,
        model=settings.llm_model,
        base_url=settings.llm_base_url,
        api_key=_api_key(settings),
        timeout_s=settings.llm_timeout_s,
        retries=settings.llm_retries,
        threads=settings.llm_threads,
    )


def _api_key(settings: Settings) -> str | None:
    if settings.llm_api_key is not None:
        return settings.llm_api_key.get_secret_value()
    if settings.llm_api_key_file is None:
        return None
    try:
        return settings.llm_api_key_file.read_text().strip()
    except OSError as error:
        raise InvalidSetting(
            f"The API key file {settings.llm_api_key_file} cannot be read: {error}.",
            remedy="Set llm_api_key_file to a file that this user may read.",
        ) from error
