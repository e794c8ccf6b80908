"""The prompts of planner: files beside this one, each with the inputs it declares."""

from clew_models.language_model.prompt import Prompt

PLAN = Prompt("plan", inputs=("history", "question"), package=__name__)

__all__ = ["PLAN"]
