"""Which language model is asked, for what: decided here and nowhere else."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from clew.resources.connecting import secret
from clew_models.errors import LanguageModelUnavailable

if TYPE_CHECKING:
    from clew.settings import Settings
    from clew_models.language_model import LanguageModel
    from clew_models.language_model.packed_model import PackedWeights

Kind = Literal["openai", "local"]


@dataclass(frozen=True)
class Role:
    """What a language model is asked for.

    ``who``: who asks, as an error names it. ``setting``: the setting that chooses (auto, openai or
    local), None where only the endpoint will do; ``otherwise``: what else a person can do where
    there is none. ``like_reader``: auto is the local model where that writes the answers.
    """

    who: str
    setting: str | None = None
    otherwise: str = ""
    like_reader: bool = False


READER = Role("The reader 'openai'", otherwise="or reader = 'extractive'")
JUDGE = Role("The judge of the bench", otherwise="or measure without it")
EXTRACTION = Role("The extractor 'llm'", "extractor_model", "or take the extractor 'rules'")


def kind_of(settings: "Settings", role: Role) -> Kind:
    """Return whether a role is the endpoint's or the local model's; loads nothing.

    Raises LanguageModelUnavailable where the settings name neither: the local one is weak, so it
    is never taken unasked.
    """
    asked = settings.value(role.setting) if role.setting else "openai"
    if asked == "local" or (asked == "auto" and role.like_reader and settings.reader == "local"):
        return "local"
    if settings.llm_model:
        return "openai"
    local = (
        f" (or CLEW_{role.setting.upper()}=local: small and weak)"
        if role.setting is not None
        else ""
    )
    otherwise = f", {role.otherwise}" if role.otherwise else ""
    raise LanguageModelUnavailable(
        f"{role.who} needs a language model, and none is set.",
        remedy=f"Set CLEW_LLM_BASE_URL and CLEW_LLM_MODEL{local}{otherwise}.",
        lasting=True,
    )


def check(settings: "Settings", role: Role) -> None:
    """Raise what keeps a role from being filled: as ``kind_of``, and ModelNotInstalled."""
    if kind_of(settings, role) == "local":
        from clew_models.language_model.weights import gguf_file

        gguf_file()


def name_of(settings: "Settings", role: Role) -> str:
    """Return the name of the model that a role asks; raises as ``kind_of``."""
    from clew_models.language_model.local import NAME

    return NAME if kind_of(settings, role) == "local" else settings.llm_model or ""


def load(
    settings: "Settings", kind: Kind, weights: "PackedWeights | None" = None
) -> "LanguageModel":
    """Return a language model of the settings, loaded; raises as ``load_language_model``.

    ``weights``: of the local model.
    """
    from clew_models.language_model import load_language_model

    return load_language_model(
        kind,
        cache_dir=settings.cache,
        model=settings.llm_model,
        base_url=settings.llm_base_url,
        api_key=secret(settings.llm_api_key, settings.llm_api_key_file, "llm_api_key_file"),
        timeout_s=settings.llm_timeout_s,
        retries=settings.llm_retries,
        threads=settings.llm_threads,
        weights=weights,
    )
