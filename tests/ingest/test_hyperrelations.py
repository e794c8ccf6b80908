import pytest

from clew_ingest.parsing.parser import mask_mentions

SENTENCE = "Emily Rapp Black (born July 12, 1974) is an American memoirist."


def test_the_papers_example() -> None:
    spans = [
        (SENTENCE.index(name), SENTENCE.index(name) + len(name))
        for name in ("American", "Emily Rapp Black", "July 12, 1974")
    ]
    assert mask_mentions(SENTENCE, spans) == "## (born ##) is an ## memoirist."


def test_a_sentence_without_mentions_is_its_own_hyperrelation() -> None:
    assert mask_mentions(SENTENCE, []) == SENTENCE


def test_overlapping_spans_are_one_mention() -> None:
    assert mask_mentions("New York City sleeps", [(0, 8), (4, 13)]) == "## sleeps"


def test_a_span_outside_the_sentence_is_refused() -> None:
    with pytest.raises(ValueError, match="does not lie"):
        mask_mentions("short", [(0, 6)])
