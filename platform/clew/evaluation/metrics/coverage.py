"""Semantic coverage of clues (SCS): does a clue say why its passage was fetched? Clues are the
quotes of an explanation.

Source: KG-Translator, appendix I.4 and prompt 5 of appendix M (KT-12). A language model is asked,
as there, about clues that led to a passage which proves the answer.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from clew.evaluation.metrics.prompts import COVERAGE
from clew.evaluation.metrics.replies import UNREADABLE, not_replied
from clew.evaluation.run import Coverage
from clew.results.evidence import Evidence
from clew.results.explanation import QuotesCard
from clew_models.language_model import LanguageModel, read_object

MOST_CLUES = 5
"""Clues of one question that are asked about, the likeliest first."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"score": {"type": "integer", "enum": [0, 1]}},
    "required": ["score"],
    "additionalProperties": False,
}


class _Score(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    score: Literal[0, 1]


def leading_clues(evidence: Evidence, gold: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return (clue, passage) of the best quotes that led to a chunk of ``gold`` (ids)."""
    texts = {chunk.id: f"{chunk.title}\n{chunk.text}" for chunk in evidence.chunks}
    proofs = [id_ for id_ in gold if id_ in texts]
    found = []
    quotes = (
        quote
        for card in evidence.explanation
        if isinstance(card, QuotesCard)
        for quote in card.quotes
    )
    for quote in quotes:
        led_to = next((id_ for id_ in proofs if id_ in quote.chunk_ids), None)
        if led_to is not None:
            found.append((quote.text, texts[led_to]))
    return tuple(found[:MOST_CLUES])


def semantic_coverage(
    model: LanguageModel, question: str, clues: Sequence[tuple[str, str]]
) -> Coverage:
    """Return how many of the clues (with the passages they led to) say what the passage is for.

    A reply that is not what was asked for, or a prompt that is refused, leaves its clue out, and
    ``error`` says so. Raises
    LanguageModelUnavailable.
    """
    scores, error = [], None
    for clue, passage in clues:
        asked = COVERAGE.messages(question=question, clue=clue, passage=passage)
        try:
            reply = model.complete(asked, max_tokens=20, json_schema=SCHEMA).text
            scores.append(read_object(reply, _Score).score)
        except UNREADABLE as malformed:
            error = not_replied(model.name, "a score", malformed)
    return Coverage(clues=len(scores), covering=sum(scores), error=error)
