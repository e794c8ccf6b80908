"""Language models behind one protocol: an OpenAI-compatible endpoint, or weights on this machine.

Nothing heavy is imported before a model is built.
"""

from clew_models.language_model.base import Completion, LanguageModel, Message
from clew_models.language_model.loading import load_language_model
from clew_models.language_model.local import LocalModel
from clew_models.language_model.openai import OpenAIModel
from clew_models.language_model.replies import (
    CUT_SHORT,
    begins_as_json,
    read_object,
    whole_characters,
    without_thoughts,
)
from clew_models.language_model.usage import UsageMeter, metered

__all__ = [
    "CUT_SHORT",
    "Completion",
    "LanguageModel",
    "LocalModel",
    "Message",
    "OpenAIModel",
    "UsageMeter",
    "begins_as_json",
    "load_language_model",
    "metered",
    "read_object",
    "whole_characters",
    "without_thoughts",
]
