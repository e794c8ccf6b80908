"""The judge's prompts: files beside this one, each with the inputs it declares."""

from clew.answering.prompts import Prompt

JUDGE_SYSTEM = Prompt("judge.system.md", inputs=(), package=__name__)
JUDGE_USER = Prompt(
    "judge.user.md", inputs=("question", "answers", "passages", "answer"), package=__name__
)

__all__ = ["JUDGE_SYSTEM", "JUDGE_USER"]
