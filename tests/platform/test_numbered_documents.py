"""Documents that go by a number in a series, as standards, memos and tickets do."""

from collections import deque
from collections.abc import Iterator

import pytest

from clew.resources.resources import Resources
from clew.strategies.searching import search

from .ingested_texts import ingested

FIRST = [
    "Ada",
    "Tom",
    "Ida",
    "Max",
    "Eva",
    "Jon",
    "Lea",
    "Kim",
    "Ben",
    "Zoe",
    "Sam",
    "Amy",
    "Leo",
    "Ivy",
    "Ned",
    "Una",
]
LAST = ["Thorne", "Vale", "Brand", "Reyes", "Harrow", "Moss", "Lind", "Carr", "Dahl", "Penn"]
WRITERS = {101 + 7 * number: f"{FIRST[number % 16]} {LAST[number // 16]}" for number in range(160)}
"""More than passages are ranked, so that one must be looked for to be ranked at all."""


@pytest.fixture(scope="module")
def memos(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    texts = {
        f"memo-{number:05}": f"Memo: {number}\nAuthor: {writer}\nStatus: Final\n\n"
        "This memo describes a rule of the board for parts and for those who buy them. "
        "The rule takes effect when the board has agreed on it."
        for number, writer in WRITERS.items()
    }
    with ingested(resources, corpus_names, texts) as name:
        yield name


@pytest.mark.parametrize("number", list(WRITERS)[5::32])
@pytest.mark.parametrize("question", ["Who wrote MEMO {}?", "What is the status of memo {}?"])
def test_a_document_is_found_by_its_number(
    resources: Resources, memos: str, question: str, number: int
) -> None:
    evidence = search(resources, question.format(number), memos, "chain-ranking", 3)
    assert evidence.chunks[0].title == f"memo-{number:05}"
    assert {seed.name for seed in evidence.seeds} <= {f"memo-{number:05}"}


def test_a_number_that_is_not_there_is_no_other(resources: Resources, memos: str) -> None:
    evidence = search(resources, "Who wrote MEMO 999?", memos, "chain-ranking", 3)
    assert evidence.seeds == ()
    assert evidence.suggestions == ()
