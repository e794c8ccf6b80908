"""Prompts: files beside this one, each with the inputs it declares."""

from clew.answering.prompts.template import Prompt

ANSWER_SYSTEM = Prompt("answer.system.md", inputs=())
ANSWER_USER = Prompt("answer.user.md", inputs=("passages", "question"))

__all__ = ["ANSWER_SYSTEM", "ANSWER_USER", "Prompt"]
