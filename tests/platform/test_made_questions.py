"""Questions made from sentences: grammatical enough to be read, and answered where they say."""

import random

import pytest

from clew.strategies.learning.made_questions import MadeQuestion, made_questions
from clew_ingest.parsing.parser import DEFAULT_PIPELINE
from clew_ingest.parsing.spacy_pipeline import load_pipeline

PASSAGES = [
    (
        "Clara Horn",
        "Clara Horn (12 May 1871 – 3 June 1940) was a Swedish engineer who designed bridges. "
        "She was born in Uppsala. Horn married the painter Nils Berg in 1899.",
    ),
    (
        "Night Train (film)",
        "Night Train is a 1952 American drama film directed by Robert Hale and starring Ann Moore. "
        "It was released in London on 4 March 1952. The film won three awards.",
    ),
]


@pytest.fixture(scope="module")
def questions() -> list[MadeQuestion]:
    pipeline = load_pipeline(DEFAULT_PIPELINE)
    found: list[MadeQuestion] = []
    for seed in range(12):  # wordings are drawn
        documents = pipeline.pipe([text for _, text in PASSAGES])
        titles = [title for title, _ in PASSAGES]
        found += made_questions(titles, documents, random.Random(seed))
    return found


def asked(questions: list[MadeQuestion]) -> dict[str, str]:
    result = {}
    for question in questions:
        title, text = PASSAGES[question.passage]
        span = (title if question.in_title else text)[question.start : question.end]
        result[question.question] = span
    return result


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where was Clara Horn born?", "Uppsala"),
        ("In what year did Clara Horn die?", "1940"),
        ("When was Clara Horn born?", "12 May 1871"),
        ("What is the nationality of Clara Horn?", "Swedish"),
        ("Who directed Night Train?", "Robert Hale"),
        ("the director of Night Train", "Robert Hale"),
    ],
)
def test_what_is_asked(questions: list[MadeQuestion], question: str, answer: str) -> None:
    assert asked(questions).get(question) == answer


def test_no_question_holds_its_answer(questions: list[MadeQuestion]) -> None:
    assert len({question.kind for question in questions}) >= 7
    for question, answer in asked(questions).items():
        assert answer.strip() == answer != ""
        assert answer.casefold() not in question.casefold(), question


def test_the_same_seed_makes_the_same_questions() -> None:
    pipeline = load_pipeline(DEFAULT_PIPELINE)

    def once() -> list[MadeQuestion]:
        documents = pipeline.pipe([text for _, text in PASSAGES])
        return list(made_questions([title for title, _ in PASSAGES], documents, random.Random(5)))

    assert once() == once()
