"""What a question means behind others: asked of the reader's language model, or by rules.

question, history ─▶ endpoint, where it writes the answers ─▶ a question that stands alone
                 └─▶ rules over the parse (comprehension) ─┘
"""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clew.answering.base import reader_name
from clew.answering.prompts import STANDALONE
from clew.answering.sureness import said_in
from clew.comprehension.annotation import Annotator
from clew.comprehension.follow_up import AskedBefore, standing_alone, without_citations
from clew.resources.language_models import READER
from clew.results.evidence import Progress, TraceStep, Turn
from clew.strategies.base import Tell
from clew_models.language_model import without_thoughts

if TYPE_CHECKING:
    from clew.resources.resources import Resources

NAME = "follow-up"
RULES = "rules"
TURNS = 6
"""So many of the last turns are looked at."""
CHARACTERS = 600
QUESTION_TOKENS = 120


def understood(
    resources: "Resources", question: str, history: Sequence[Turn], reader: str | None, tell: Tell
) -> tuple[str, tuple[TraceStep, ...]]:
    """Return the question as one that stands alone, and how that was found: nothing without
    ``history``. ``reader``: who will write the answer. Raises LanguageModelUnavailable.
    """
    if not history:
        return question, ()
    started = time.perf_counter()
    turns = [
        Turn(
            question=" ".join(turn.question.split())[:CHARACTERS],
            answer=" ".join(without_citations(said_in(turn.answer)).split())[:CHARACTERS],
        )
        for turn in history[-TURNS:]
    ]
    detail: dict[str, Any] = {"asked": question}
    alone = None
    if reader_name(resources.settings, reader) == "openai":
        alone = _by_model(resources, question, turns, detail)
    if alone is None:
        alone = _by_rules(resources, question, turns)
        detail["by"] = RULES
    detail["understood"] = alone
    step = TraceStep(name=NAME, seconds=time.perf_counter() - started, detail=detail)
    tell(step)
    if alone != question:
        tell(Progress(text=f"Asking: {alone}"))
    return alone, (step,)


def _by_model(
    resources: "Resources", question: str, turns: Sequence[Turn], detail: dict[str, Any]
) -> str | None:
    """Return what the model writes; None where that is no question that could be asked."""
    model = resources.language_model(READER)
    said = "\n".join(f"Question: {turn.question}\nAnswer: {turn.answer}" for turn in turns)
    completion = model.complete(
        STANDALONE.messages(history=said, question=" ".join(question.split())),
        max_tokens=QUESTION_TOKENS,
    )
    detail |= {
        "by": model.name,
        "prompt_tokens": completion.prompt_tokens,
        "completion_tokens": completion.completion_tokens,
    }
    reply = without_thoughts(completion.text)
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    written = lines[0].removeprefix("Question:").strip().strip('"“”') if len(lines) == 1 else ""
    fits = len(written.encode()) <= resources.settings.question_limit_bytes
    if not fits or not any(character.isalnum() for character in written):
        detail["reply"] = completion.text[:200]
        return None
    return written


def _by_rules(resources: "Resources", question: str, turns: Sequence[Turn]) -> str:
    """… where the questions before may lean on those before them."""
    annotator = Annotator(resources.parser.pipeline)
    texts = [question, *(text for turn in turns for text in (turn.question, turn.answer or "-"))]
    parsed = annotator.annotate(texts)
    before: list[AskedBefore] = []
    for turn, asked, answered in zip(turns, parsed[1::2], parsed[2::2], strict=True):
        meant = standing_alone(asked, turn.question, before)
        if meant != turn.question:
            asked = annotator.annotate([meant])[0]
        if asked:
            before.append(AskedBefore(asked[-1], answered[0] if turn.answer and answered else None))
    alone = standing_alone(parsed[0], question, before)
    return alone if len(alone.encode()) <= resources.settings.question_limit_bytes else question
