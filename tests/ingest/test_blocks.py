import random

import pytest

from clew_ingest.parsing.units import MAX_BLOCK, blocks


def test_paragraphs_are_blocks_and_wrapped_lines_are_joined() -> None:
    text = (
        "A heading\n\nThis paragraph is wrapped at a width\nof some forty letters, as text files\n"
        "often are. It goes on.\n- an item\n- another item"
    )
    assert list(blocks(text)) == [
        "A heading",
        "This paragraph is wrapped at a width of some forty letters, as text files often are. "
        "It goes on.",
        "- an item",
        "- another item",
    ]


def test_fields_and_what_stands_beside_a_rule_are_not_joined() -> None:
    """As the head of a forwarded e-mail was: "message --- From: Ada To: Bo"."""
    lines = [
        "---------- Forwarded message ---------",
        "From: Ada Lovelace <ada@looms.example>",
        "Sent on: Tue, 15 Oct 2024 at 10:00",
        "Cc:",
        "Subject: The looms of the old mill",
        "=======================",
        "We offer seven looms in the first year",
    ]
    assert list(blocks("\n".join(lines))) == lines
    wrapped = ["They found what they had come for in the end", "Note: it was a loom."]
    assert list(blocks("\n".join(wrapped))) == [" ".join(wrapped)]
    folded = [
        "To: Ada Lovelace, Charles Babbage,",
        "Bo Lund, Cy Young and Dora Ames",
        "Cc: Eve Ode",
    ]
    assert list(blocks("\n".join(folded))) == [" ".join(folded[:2]), folded[2]]


@pytest.mark.parametrize("letter", ["x", "word "])
def test_a_block_is_never_longer_than_the_parser_takes(letter: str) -> None:
    text = (letter * 40_000).strip()
    found = list(blocks(text))
    assert max(map(len, found)) <= MAX_BLOCK
    assert "".join(found).replace(" ", "") == text.replace(" ", "")


def test_a_long_paragraph_is_cut_between_sentences_and_an_insertion_moves_few_cuts() -> None:
    numbers = random.Random(5)
    sentences = [
        f"Sentence {numbers.random()} is one of {'very ' * numbers.randrange(9)}many."
        for _ in range(1500)
    ]
    before = list(blocks(" ".join(sentences)))
    assert all(block.endswith("many.") for block in before)
    after = list(blocks(" ".join(["Something new came first.", *sentences])))
    assert len(set(after) - set(before)) <= 5
    assert len(after) > 10


@pytest.mark.parametrize(
    "lines",
    [
        [
            "2024-03-04 10:00:01,123 INFO [main] Started in 3.2 s after the new disk was",
            "2024-03-04 10:00:02,456 ERROR [pool-1] Connection to db-01.example refused",
        ],
        [
            "12/03/2024, 10:16 - Ada Thorne: I think that we bring the boat",
            "12/03/2024, 10:17 - Bo: I do not think that Cy has the time for it",
            "12/03/2024, 10:19 - Cy: I have",
        ],
        ["[13.03.24, 09:01:22] Cy: Good day", "[13.03.24, 09:02:00] Ada: Hello"],
        ["Mar  4 10:00:00 alpha sshd[1]: Accepted key", "Mar  4 10:00:09 alpha cron: run it"],
        ["2024-03-04T10:00:00Z alpha began the backup", "2024-03-04T10:05:00Z beta went down"],
    ],
)
def test_a_line_that_begins_with_a_time_is_one_of_its_own(lines: list[str]) -> None:
    assert list(blocks("\n".join(lines))) == lines


def test_a_time_that_begins_a_wrapped_line_is_none_of_a_log() -> None:
    lines = ["The committee that repairs the roof met in the hall at", "10:30 on 4 March and ended"]
    assert list(blocks("\n".join(lines))) == [" ".join(lines)]
