"""Citations as they are shown: from 1, in order, each quote once, with its place."""

from collections.abc import Iterator, Sequence

import pytest

from clew.answering.numbering import Verbatim, in_order
from clew.results.evidence import Answer, Citation, Evidence, ScoredChunk

CHUNKS = tuple(
    ScoredChunk(
        id=f"c{number}",
        document_id=f"d{number}",
        title=f"T{number}",
        text="Ada wrote notes.\nBabbage built engines.",
        score=1 / number,
        pages=(3, 4),
        headings=("Letters",),
    )
    for number in range(1, 6)
)


def cited(number: int, quote: str) -> Citation:
    return Citation(
        number=number,
        chunk_id=f"c{number}",
        document_id=f"d{number}",
        title=f"T{number}",
        quote=quote,
    )


def answer(text: str, *citations: Citation) -> Answer:
    return Answer(
        question="Who?",
        text=text,
        short="",
        supported=True,
        confidence=0.9,
        citations=citations,
        reader="a reader",
        evidence=Evidence(question="Who?", corpus="c", strategy="s", chunks=CHUNKS),
    )


def shown(pieces: Sequence[str], whole: Answer) -> tuple[str, Answer]:
    def read() -> Iterator[str | Answer]:
        yield from pieces
        yield whole

    *written, final = in_order(read())
    assert isinstance(final, Answer)
    return "".join(str(piece) for piece in written), final


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_citations_are_numbered_as_they_are_read(size: int) -> None:
    text = "Ada [4] and Babbage [2, 4], not [x] or a[0]; then [5]."
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    quotes = [cited(2, "Babbage built engines."), cited(4, "Ada wrote notes."), cited(5, "Ada")]
    written, final = shown(pieces, answer(text, *quotes))
    assert written == final.text == "Ada [1] and Babbage [2][1], not [x] or a[3]; then [4]."
    assert [(one.number, one.chunk_id) for one in final.citations] == [
        (1, "c4"),
        (2, "c2"),
        (4, "c5"),
    ]


def test_a_quote_stands_once() -> None:
    lines = ["Ada.", "\n“Ada wrote notes.” [3]", "\n“Ada  wrote notes.” [1]", "\n“She did.” [3]"]
    quotes = [cited(3, "Ada wrote notes."), cited(1, "Ada  wrote notes."), cited(3, "She did.")]
    written, final = shown(lines, answer("".join(lines), *quotes))
    assert written == final.text == "Ada.\n“Ada wrote notes.” [1]\n“She did.” [1]"
    assert [(one.number, one.quote) for one in final.citations] == [
        (1, "Ada wrote notes."),
        (1, "She did."),
    ]


def test_brackets_of_a_document_are_no_citations() -> None:
    quote = "Ports [80, 443] are open; it halves [12]."
    pieces = [Verbatim("Probably [80, 443]."), f"\n“{quote}” [2]", "\n“She did [2].” [5]"]
    whole = answer("".join(pieces), cited(2, quote), cited(5, "She did [2]."))
    written, final = shown(pieces, whole)
    assert written == final.text
    assert final.text == f"Probably [80, 443].\n“{quote}” [1]\n“She did [2].” [2]"
    assert [(one.number, one.chunk_id) for one in final.citations] == [(1, "c2"), (2, "c5")]


def test_a_quote_of_several_lines_stands_once_in_the_pieces_and_the_text() -> None:
    quote = "\n“Press Start.\nWait.” [3]"
    pieces = [Verbatim("Under “A”:"), quote, Verbatim("\n\nUnder “A”:"), quote]
    written, final = shown(pieces, answer("".join(pieces), cited(3, "Press Start.\nWait.")))
    assert written == final.text == "Under “A”:\n“Press Start.\nWait.” [1]\n\nUnder “A”:"


def test_a_text_that_is_not_its_pieces_is_numbered_as_they_were() -> None:
    written, final = shown(
        ["Ada [4] and"], answer("Ada [4] and [2].", cited(2, "x"), cited(4, "y"))
    )
    assert (written, final.text) == ("Ada [1] and", "Ada [1] and [2].")


def test_a_quote_has_its_page_and_heading() -> None:
    _, final = shown(["[1]"], answer("[1]", cited(1, "Babbage built engines.")))
    (one,) = final.citations
    assert (one.page, one.heading) == (4, "Letters")


def test_an_older_corpus_has_no_places() -> None:
    bare = answer("[1]", cited(1, "Ada wrote notes."))
    chunks = tuple(c.model_copy(update={"pages": (), "headings": ()}) for c in CHUNKS)
    evidence = bare.evidence.model_copy(update={"chunks": chunks})
    _, final = shown(["[1]"], bare.model_copy(update={"evidence": evidence}))
    assert (final.citations[0].page, final.citations[0].heading) == (None, "")


def test_what_cites_nothing_is_left_as_it_is() -> None:
    written, final = shown(["Nothing [", "says so."], answer("Nothing [says so."))
    assert written == final.text == "Nothing [says so."
