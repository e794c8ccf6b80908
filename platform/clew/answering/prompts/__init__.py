"""Prompts of readers: files beside this one, each with the inputs it declares."""

from clew_models.language_model.prompt import Prompt

ANSWER = Prompt("answer", inputs=("passages", "question"), package=__name__)
STANDALONE = Prompt("standalone", inputs=("history", "question"), package=__name__)
GRAPH_ANSWER = Prompt("graph_answer", inputs=("history", "question"), package=__name__)

__all__ = ["ANSWER", "GRAPH_ANSWER", "STANDALONE"]
