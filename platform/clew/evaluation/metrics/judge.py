"""A language model's marks for an answer: correctness, faithfulness, relevance (KC-10).

Source: KG-CQR, appendix A.1 (GPT-score). Differs from the paper, which prints neither prompt nor
scale: all three marks are asked for at once, from 1 to 5, and mapped to 0 … 1.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from clew.evaluation.metrics.prompts import JUDGE
from clew.evaluation.metrics.replies import UNREADABLE, not_replied
from clew.evaluation.run import JudgeMarks
from clew_models.language_model import LanguageModel, Message, read_object

LOWEST, HIGHEST = 1, 5
NOT_IN_THE_DOCUMENTS = "(The documents do not hold the answer: it is right to say so.)"

_MARK: dict[str, Any] = {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"correctness": _MARK, "faithfulness": _MARK, "relevance": _MARK},
    "required": ["correctness", "faithfulness", "relevance"],
    "additionalProperties": False,
}


class Marks(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(strict=True, extra="forbid")

    correctness: int = Field(ge=LOWEST, le=HIGHEST)
    faithfulness: int = Field(ge=LOWEST, le=HIGHEST)
    relevance: int = Field(ge=LOWEST, le=HIGHEST)


def judge(
    model: LanguageModel,
    question: str,
    answers: Sequence[str],
    answer_text: str,
    context: Sequence[str],
) -> JudgeMarks:
    """Return the model's marks, (mark - 1) / 4 each.

    ``answers``: the right ones, () where the documents do not say. ``context``: the texts that the
    answer was written from, best first. A reply that is not the JSON that was asked for, or a
    prompt that is refused, gives a JudgeMarks whose ``error`` says so. Raises
    LanguageModelUnavailable.
    """
    try:
        completion = model.complete(
            messages(question, answers, answer_text, context), max_tokens=100, json_schema=SCHEMA
        )
        marks = read_object(completion.text, Marks)
    except UNREADABLE as error:
        return JudgeMarks(error=not_replied(model.name, "the marks it was asked for", error))
    return JudgeMarks(
        correctness=_share(marks.correctness),
        faithfulness=_share(marks.faithfulness),
        relevance=_share(marks.relevance),
    )


def messages(
    question: str, answers: Sequence[str], answer_text: str, context: Sequence[str]
) -> list[Message]:
    """Return the conversation that asks for the marks; passages are numbered from 1."""
    passages = "\n\n".join(f"[{n}] {text}" for n, text in enumerate(context, start=1))
    return JUDGE.messages(
        question=question,
        answers="\n".join(f"- {a}" for a in answers) or NOT_IN_THE_DOCUMENTS,
        passages=passages or "(none)",
        answer=answer_text,
    )


def _share(mark: int) -> float:
    return (mark - LOWEST) / (HIGHEST - LOWEST)
