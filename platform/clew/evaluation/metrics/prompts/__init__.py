"""The judge's prompts: files beside this one, each with the inputs it declares."""

from clew.answering.prompts import Prompt

JUDGE_SYSTEM = Prompt("judge.system.md", inputs=(), package=__name__)
JUDGE_USER = Prompt(
    "judge.user.md", inputs=("question", "answers", "passages", "answer"), package=__name__
)

COVERAGE_SYSTEM = Prompt("coverage.system.md", inputs=(), package=__name__)
COVERAGE_USER = Prompt("coverage.user.md", inputs=("question", "clue", "passage"), package=__name__)

__all__ = ["COVERAGE_SYSTEM", "COVERAGE_USER", "JUDGE_SYSTEM", "JUDGE_USER"]
