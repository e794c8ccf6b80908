"""Prompts of the extractors: files beside this one, each with the inputs it declares."""

from clew_models.language_model.prompt import Prompt

TRIPLES = Prompt("triples", inputs=("document",), package=__name__)
TEXTUAL_TRIPLETS = Prompt("textual_triplets", inputs=("document",), package=__name__)

__all__ = ["TEXTUAL_TRIPLETS", "TRIPLES", "Prompt"]
