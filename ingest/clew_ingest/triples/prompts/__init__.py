"""Prompts of the extractors: files beside this one, each with the inputs it declares."""

from clew_ingest.triples.prompts.template import Prompt

TRIPLES = Prompt("triples", inputs=("document",))
TEXTUAL_TRIPLETS = Prompt("textual_triplets", inputs=("document",))

__all__ = ["TEXTUAL_TRIPLETS", "TRIPLES", "Prompt"]
