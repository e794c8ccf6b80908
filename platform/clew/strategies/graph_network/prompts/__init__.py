"""The prompt of graph-network's training: files beside this one, with the inputs it declares."""

from clew_models.language_model.prompt import Prompt

CHAIN = Prompt("chain", inputs=("facts", "first", "unnamed"), package=__name__)

__all__ = ["CHAIN"]
