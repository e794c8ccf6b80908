"""The judge's prompts: files beside this one, each with the inputs it declares."""

from clew.answering.prompts import Prompt

# Prompt looks for files beside the reader's prompts.
_HERE = "../../evaluation/metrics/prompts/"
JUDGE_SYSTEM = Prompt(_HERE + "judge.system.md", inputs=())
JUDGE_USER = Prompt(_HERE + "judge.user.md", inputs=("question", "answers", "passages", "answer"))

__all__ = ["JUDGE_SYSTEM", "JUDGE_USER"]
