"""The questions of the sample corpus, read from the JSON Lines files beside this module."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

_FOLDER = Path(__file__).parent

ARTICLES: Path = _FOLDER / "articles"
"""The folder of the articles, one Markdown file each, ready for `clew ingest`."""

QuestionType = Literal["bridge", "number", "date", "comparison", "yes-no"]


@dataclass(frozen=True)
class SampleQuestion:
    """A question that no single article answers.

    ``aliases``: other wordings of ``answer`` that count as right. ``hops``: articles needed.
    ``articles``: names of the files, without ``.md``, that together prove the answer.
    ``bridges``: the names that lead from one to the next; none stands in the question, unless
    the question compares two things. ``path``: the proof in a sentence.
    """

    id: str
    question: str
    answer: str
    aliases: tuple[str, ...]
    type: QuestionType
    hops: int
    articles: tuple[str, ...]
    bridges: tuple[str, ...]
    path: str


@dataclass(frozen=True)
class UnanswerableQuestion:
    """A question the articles do not answer, though ``articles`` come close; ``path`` says how."""

    id: str
    question: str
    articles: tuple[str, ...]
    path: str


def questions() -> list[SampleQuestion]:
    """Return the questions that the articles answer, in their fixed order."""
    return [SampleQuestion(**row) for row in _rows("questions.jsonl")]


def unanswerable_questions() -> list[UnanswerableQuestion]:
    """Return questions to which "the evidence does not say" is the right answer."""
    return [UnanswerableQuestion(**row) for row in _rows("unanswerable.jsonl")]


def _rows(name: str) -> list[dict[str, Any]]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        for row in rows
    ]


DEMO_QUESTION: SampleQuestion = next(row for row in questions() if row.id == "q33")
"""The question `make demo` asks: two articles, a short name for an answer."""
