"""Language models behind one protocol: an OpenAI-compatible endpoint, or weights on this machine.

Nothing heavy is imported before a model is built.
"""

from clew_models.language_model.base import Completion, LanguageModel, Message
from clew_models.language_model.loading import load_language_model
from clew_models.language_model.local import LocalModel
from clew_models.language_model.openai import OpenAIModel
from clew_models.language_model.usage import UsageMeter, metered

__all__ = [
    "Completion",
    "LanguageModel",
    "LocalModel",
    "Message",
    "OpenAIModel",
    "UsageMeter",
    "load_language_model",
    "metered",
]
