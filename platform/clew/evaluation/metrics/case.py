"""What a metric of the bench is given, and what is known of each metric."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from clew.answering.citations import NUMBERS, SENTENCE_END
from clew.evaluation.metrics.ranking import distinct
from clew.evaluation.run import AnswerRecord, Outcome
from clew.results.data_set import BenchQuestion
from clew_cypher.lean_import import hidden


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
    # nltk, of which it takes a stemmer that is not used, would load both: 75 % of the import
    with hidden("sklearn"), hidden("scipy.stats"):
        from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL", "rougeLsum"], use_stemmer=False)


Group = Literal["retrieval", "triples", "answer", "evidence", "judge"]


@dataclass(frozen=True)
class Case:
    """A question with what a strategy made of it.

    ``depth``: chunks that were asked for. ``reader``: whether a reader was asked.
    """

    question: BenchQuestion
    outcome: Outcome
    depth: int
    reader: bool

    @property
    def answered(self) -> bool:
        """False where the strategy raised: nothing else of the outcome counts then."""
        return self.outcome.error is None

    @property
    def answer(self) -> AnswerRecord | None:
        """The reader's answer where it says that the evidence holds one."""
        answer = self.outcome.answer
        return answer if self.answered and answer is not None and answer.supported else None

    @cached_property
    def ranking(self) -> list[str]:
        """The keys that were found, best first, each once."""
        return distinct(chunk.key for chunk in self.outcome.ranking) if self.answered else []

    @cached_property
    def short(self) -> str:
        """The answer in a few words; "" where the evidence does not say or there is no answer."""
        return self.answer.short if self.answer is not None else ""

    @cached_property
    def text(self) -> str:
        """The answer's text without its citation numbers; "" where there is none."""
        return without_citations(self.answer.text) if self.answer is not None else ""

    @cached_property
    def rouge(self) -> RougeScores:
        """Both ROUGE scores of the text."""
        return rouge(self.text, self.question.answers)


@dataclass(frozen=True)
class MetricSpec:
    """A metric: ``label`` for people, ``denominator``: what its figure is the mean over.

    ``main``: strategies and runs are tested on it. ``score``: its value for a question, None where
    the question does not count; ``score`` itself is None for what has no value for one question.
    """

    name: str
    label: str
    group: Group
    denominator: str
    main: bool
    score: Callable[[Case], float | None] | None


def without_citations(text: str) -> str:
    """Return the text without citation numbers such as ``[1]``."""
    return NUMBERS.sub("", text)
