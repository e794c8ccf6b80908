"""The prompts of contextual: files beside this one, each with the inputs it declares."""

from clew_models.language_model.prompt import Prompt

FILTER = Prompt("filter", inputs=("triples", "question"), package=__name__)
CONTEXT = Prompt("context", inputs=("triples", "question"), package=__name__)

__all__ = ["CONTEXT", "FILTER"]
