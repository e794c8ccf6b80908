"""What a metric of the bench is given, and what is known of each metric."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from clew.answering.citations import NUMBERS
from clew.evaluation.data_sets.base import BenchQuestion
from clew.evaluation.metrics.ranking import distinct
from clew.evaluation.metrics.rouge import RougeScores, rouge
from clew.evaluation.run import AnswerRecord, Outcome

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
