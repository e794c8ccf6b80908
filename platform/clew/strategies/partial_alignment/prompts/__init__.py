"""The prompt of partial-alignment: files beside this one, with the inputs it declares."""

from clew_models.language_model.prompt import Prompt

MASKED = Prompt("masked", inputs=("triple", "answer"), package=__name__)

__all__ = ["MASKED"]
