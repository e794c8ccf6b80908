"""Documents that go by a number in a series, as standards, memos and tickets do."""

from collections import deque
from collections.abc import Iterator

import pytest

from clew.resources.resources import Resources
from clew.strategies.searching import search

from .ingested_texts import ingested

FIRST = ["Ada", "Tom", "Ida", "Max", "Eva", "Jon"]
LAST = ["Thorne", "Vale", "Brand", "Reyes", "Harrow"]
WRITERS = {
    101 + 7 * number: f"{FIRST[number % 6]} {LAST[number // 6]}" for number in range(len(FIRST) * 5)
}


@pytest.fixture(scope="module")
def memos(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    texts = {
        f"memo-0{number}": f"Memo: {number}\nAuthor: {writer}\nStatus: Final\n\n"
        "This memo describes a rule of the board for parts and for those who buy them. "
        "The rule takes effect when the board has agreed on it."
        for number, writer in WRITERS.items()
    }
    with ingested(resources, corpus_names, texts) as name:
        yield name


@pytest.mark.parametrize("number", list(WRITERS)[::6])
@pytest.mark.parametrize("question", ["Who wrote MEMO {}?", "What is the status of memo {}?"])
def test_a_document_is_found_by_its_number(
    resources: Resources, memos: str, question: str, number: int
) -> None:
    evidence = search(resources, question.format(number), memos, "chain-ranking", 3)
    assert evidence.chunks[0].title == f"memo-0{number}"
    assert {seed.name for seed in evidence.seeds} <= {f"memo-0{number}"}


def test_a_number_that_is_not_there_is_no_other(resources: Resources, memos: str) -> None:
    evidence = search(resources, "Who wrote MEMO 999?", memos, "chain-ranking", 3)
    assert evidence.seeds == ()
    assert evidence.suggestions == ()
