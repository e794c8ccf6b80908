"""Triples as lines: what a model is taught to write, and what is read of what it wrote."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from clew_ingest.errors import IngestCancelled
from clew_ingest.triples.base import ChunkText
from clew_ingest.triples.lines import as_lines, read_lines
from clew_ingest.triples.model_extraction import CHUNKS, ModelExtraction

TITLE, TEXT = "Ada Lovelace", "She was born in London, and wrote about the Analytical Engine."


def test_what_is_taught_is_read_back() -> None:
    """Title and sentence both hold names."""
    taught = [("Ada Lovelace", "bear in", "London"), ("Ada Lovelace", "write", "Analytical Engine")]
    read, dropped = read_lines(as_lines(taught), TITLE, TEXT, 3)
    assert [(one.head, one.predicate, one.tail) for one in read] == taught
    assert not dropped
    assert {one.sentence for one in read} == {3}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Ada Lovelace bear in London", "not three fields"),
        ("Ada Lovelace | bear in | London | 1815", "not three fields"),
        ("Ada Lovelace | | London", "relation is empty"),
        ("Ada Lovelace | be | ada lovelace", "head and tail are the same"),
        ("Charles Babbage | bear in | London", "head is not in the text"),
        ("Ada Lovelace | bear in | Paris", "tail is not in the text"),
        ("the | bear in | London", "head names nothing"),
    ],
)
def test_what_is_no_triple_of_the_text_is_dropped_and_counted(line: str, reason: str) -> None:
    """The good line beside it is kept."""
    read, dropped = read_lines(f"{line}\nAda Lovelace | bear in | London\n", TITLE, TEXT)
    assert [one.tail for one in read] == ["London"]
    assert dropped == {reason: 1}


def test_a_line_that_is_repeated_counts_once() -> None:
    """Small models repeat themselves."""
    read, dropped = read_lines("London | be | Engine\n" * 3, TITLE, TEXT)
    assert len(read) == 1
    assert dropped == {"repeated": 2}


def test_a_separator_in_a_name_does_not_break_its_line() -> None:
    """Titles of web pages hold bars."""
    assert as_lines([("Ada | Home", "be", "London")]) == "Ada Home | be | London"


class Echo:
    """Writes of each sentence a triple of its first and last word; keeps how often it is asked."""

    version = "echo"

    def __init__(self) -> None:
        self.calls = 0

    def write(
        self,
        sentences: Sequence[tuple[str, str]],
        *,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[str]:
        """See TextToTriples."""
        self.calls += 1
        words = [text.rstrip(".").split() for _, text in sentences]
        return [f"{one[0]} | meet | {one[-1]}" for one in words]


def chunk(number: int) -> ChunkText:
    """A chunk of two sentences, with blank text between."""
    sentences = (f"Anna{number} met Ben{number}.", " ", f"Cleo{number} met Dora{number}.")
    return ChunkText("Meetings", " ".join(sentences), sentences)


def test_chunks_are_written_together_and_keep_their_order() -> None:
    """Each triple has the place of its sentence; a blank one is not asked about."""
    model = Echo()
    found = list(ModelExtraction(model).extract(map(chunk, range(CHUNKS + 1))))
    assert model.calls == 2
    assert [[(one.head, one.tail, one.sentence) for one in each.triples] for each in found] == [
        [(f"Anna{number}", f"Ben{number}", 0), (f"Cleo{number}", f"Dora{number}", 2)]
        for number in range(CHUNKS + 1)
    ]
    assert all(each.ttrs == (None, None) for each in found)


def test_a_cancelled_extraction_says_so() -> None:
    """Nothing half-written is taken for a result."""

    def chunks() -> Iterator[ChunkText]:
        yield chunk(0)

    with pytest.raises(IngestCancelled):
        list(ModelExtraction(Echo()).extract(chunks(), cancelled=lambda: True))
