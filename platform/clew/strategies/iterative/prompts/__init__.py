"""The prompts of iterative: files beside this one, each with the inputs it declares."""

from clew_models.language_model.prompt import Prompt

NEXT_QUERY = Prompt("next_query", inputs=("passages", "queries", "question"), package=__name__)

__all__ = ["NEXT_QUERY"]
