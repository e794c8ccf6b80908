"""The judge's prompts: files beside this one, each with the inputs it declares."""

from clew_models.language_model.prompt import Prompt

JUDGE = Prompt("judge", inputs=("question", "answers", "passages", "answer"), package=__name__)
COVERAGE = Prompt("coverage", inputs=("question", "clue", "passage"), package=__name__)

__all__ = ["COVERAGE", "JUDGE"]
