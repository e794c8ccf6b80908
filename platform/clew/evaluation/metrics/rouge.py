"""ROUGE-L and ROUGE-LSum by Google's rouge-score, without stemming.

Source: Lin 2004, sections 3.1 and 3.2; RAS, appendix D.2 (ROUGE-LSum for long answers).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from clew.answering.citations import SENTENCE_END


@dataclass(frozen=True)
class RougeScores:
    """F-measures from 0 to 1, each of the reference that suits the text best."""

    rouge_l: float
    rouge_lsum: float


def rouge(text: str, references: Sequence[str]) -> RougeScores:
    """Return ROUGE-L and ROUGE-LSum of a text, F = 2PR / (P + R), best over the references.

    P = LCS / words of the text, R = LCS / words of the reference, LCS the longest common
    subsequence; LSum takes the union of the LCS of each sentence. rouge-score reads a line as a
    sentence, so sentences (as citations are cut from) are put on lines of their own.
    Words are runs of a-z and 0-9 in lower case: other scripts have none and score 0. Denominator:
    the question. Raises ValueError where there is no reference.
    """
    if not references:
        raise ValueError("The question has no reference to compare with.")
    if not text.strip():
        return RougeScores(rouge_l=0.0, rouge_lsum=0.0)
    prediction = _one_sentence_a_line(text)
    scores = [_scorer().score(_one_sentence_a_line(r), prediction) for r in references]
    return RougeScores(
        rouge_l=max(float(score["rougeL"].fmeasure) for score in scores),
        rouge_lsum=max(float(score["rougeLsum"].fmeasure) for score in scores),
    )


def _one_sentence_a_line(text: str) -> str:
    return "\n".join(SENTENCE_END.split(" ".join(text.split())))


@cache
def _scorer() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL", "rougeLsum"], use_stemmer=False)
