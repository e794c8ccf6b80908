"""The single-hop questions of a data set, which training examples are made from (F.1)."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.results.data_set import BenchQuestion, DataSet


@dataclass(frozen=True)
class SingleHop:
    """A question that one document answers; ``gold``: its key, ``answers``: the right one first.

    The same question on the same document is the same hop, whatever other answers are known.
    """

    question: str
    answers: tuple[str, ...] = field(compare=False)
    gold: str


@dataclass(frozen=True)
class AskedQuestion:
    """A question of a data set as single hops: itself, or the steps it consists of."""

    question: str
    hops: tuple[SingleHop, ...]


def single_hop_questions(data_set: DataSet) -> list[AskedQuestion]:
    """Return the questions with one gold document and an answer, and those with steps."""
    return [
        AskedQuestion(question.question, hops)
        for question in data_set.questions
        if (hops := tuple(_hops(question)))
    ]


def _hops(question: BenchQuestion) -> Iterator[SingleHop]:
    if len(question.gold) == 1 and question.answers:
        yield SingleHop(question.question, question.answers, *question.gold)
        return
    for step in question.steps:
        same = step is question.steps[-1] and step.answer in question.answers
        answers = (step.answer, *question.answers) if same else (step.answer,)
        yield SingleHop(step.question, tuple(dict.fromkeys(answers)), step.gold)
