"""Dates of questions, as documents may write them."""

from collections import deque
from collections.abc import Iterator

import pytest

from clew.comprehension.dates import dates_in, with_dates
from clew.resources.resources import Resources
from clew.strategies.searching import search

from .ingested_texts import ingested


@pytest.mark.parametrize(
    ("question", "more"),
    [
        ("What was decided on Oct 2, 2024?", "2024-10-02 October 2"),
        ("At the Jan 22 2025 meeting", "2025-01-22 January 22"),
        ("on 8 November 2023?", "2023-11-08 November 8"),
        ("the 1st of May, 2024", "2024-05-01 May 1"),
        ("SEPT. 4, 2019", "2019-09-04 September 4"),
        ("Who met in March 2020?", "2020-03 March"),
        ("the minutes of 2024-10-02", "2024-10-02 October 2"),
    ],
)
def test_a_date_has_other_spellings(question: str, more: str) -> None:
    assert with_dates(question) == f"{question} {more}"


@pytest.mark.parametrize(
    "question",
    [
        "What happened in 2024?",
        "on 31 June 2020",
        "RFC 747-2024",
        "May I park here?",
        "",
        "1999-99",
    ],
)
def test_what_is_no_date_stays(question: str) -> None:
    assert with_dates(question) == question


def test_days_and_months_of_a_text() -> None:
    text = "From 2 May 2024 to June 2024, not 2024; then 2024-07-01, Jul 1 2024 and 2024-08."
    assert sorted(dates_in(text)) == ["2024-05-02", "2024-06", "2024-07-01", "2024-08"]


@pytest.fixture(scope="module")
def minutes(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    days = [f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in (2, 10)]
    days.remove("2024-10-10")
    texts = {
        f"Board meeting {day}": f"The board of the harbour met. Item {number} was discussed: the "
        f"quay, the crane and the new office. The board agreed on item {number}."
        for number, day in enumerate(days, 30)
    }
    with ingested(resources, corpus_names, texts) as name:
        yield name


@pytest.mark.parametrize("strategy", ["bm25", "chain-ranking"])
@pytest.mark.parametrize(
    ("asked", "day"), [("Oct 2, 2024", "2024-10-02"), ("the 10th of February 2024", "2024-02-10")]
)
def test_minutes_are_found_by_their_date(
    resources: Resources, minutes: str, strategy: str, asked: str, day: str
) -> None:
    question = f"What did the board agree on in the meeting of {asked}?"
    found = search(resources, question, minutes, strategy, 3)
    assert found.chunks[0].title == f"Board meeting {day}"


def test_a_date_names_a_title_whatever_the_text_says(resources: Resources, minutes: str) -> None:
    question = "Which crane did the harbour buy for the new quay on 10 March 2024?"
    found = search(resources, question, minutes, "chain-ranking", 2)
    assert "Board meeting 2024-03-10" in [chunk.title for chunk in found.chunks]
