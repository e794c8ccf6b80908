"""The prompt of hyde: files beside this one, with the input it declares."""

from clew_models.language_model.prompt import Prompt

PASSAGE = Prompt("passage", inputs=("question",), package=__name__)

__all__ = ["PASSAGE"]
