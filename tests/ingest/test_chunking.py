import pytest

from clew_ingest.chunking import MAX_BLOCK, Chunker, TextChunk, blocks
from clew_ingest.mentions import Mention
from clew_ingest.parsing import ParsedSentence, ParsedText


def count_words(text: str) -> int:
    return sum(1 + len(word) // 20 for word in text.split())


def block(*sentences: str) -> ParsedText:
    parsed, start = [], 0
    for text in sentences:
        parsed.append(ParsedSentence(start, start + len(text), text, ()))
        start += len(text) + 1
    return ParsedText(tuple(parsed))


def chunked(budget: int, *parsed: ParsedText) -> list[TextChunk]:
    chunker = Chunker(budget, count_words)
    chunks = [chunk for text in parsed for chunk in chunker.add(text)]
    return chunks + list(chunker.finish())


def test_chunks_hold_whole_sentences_up_to_the_budget() -> None:
    chunks = chunked(8, block("a b c d.", "e f g h.", "i j."), block("k l m n o."))
    assert [chunk.text for chunk in chunks] == ["a b c d. e f g h.", "i j.\nk l m n o."]
    assert [chunk.position for chunk in chunks] == [0, 1]
    for chunk in chunks:
        assert count_words(chunk.text) <= 8
        for sentence in chunk.sentences:
            assert sentence.text in chunk.text


def test_a_sentence_over_the_budget_is_split_between_words() -> None:
    long = " ".join(f"w{i}" for i in range(20))
    chunks = chunked(8, block(long))
    assert " ".join(chunk.text for chunk in chunks) == long
    assert [count_words(chunk.text) for chunk in chunks] == [8, 8, 4]


def test_a_split_never_goes_through_a_mention_and_keeps_its_place() -> None:
    text = "a b c d e f New York City g h"
    start = text.index("New")
    mention = Mention(start, start + 13, "New York City", "new york city", "GPE", "tail")
    parsed = ParsedText((ParsedSentence(0, len(text), text, (mention,)),))
    chunks = chunked(8, parsed)
    assert [chunk.text for chunk in chunks] == ["a b c d e f", "New York City g h"]
    moved = chunks[1].sentences[0].mentions[0]
    assert chunks[1].text[moved.start : moved.end] == "New York City"


def test_a_word_over_the_budget_is_split_between_letters() -> None:
    word = "x" * 1000
    chunks = chunked(10, block(word))
    assert "".join(chunk.text for chunk in chunks) == word
    assert all(count_words(chunk.text) <= 10 for chunk in chunks)


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


@pytest.mark.parametrize("letter", ["x", "word "])
def test_a_block_is_never_longer_than_the_parser_takes(letter: str) -> None:
    text = (letter * 40_000).strip()
    found = list(blocks(text))
    assert max(map(len, found)) <= MAX_BLOCK
    assert "".join(found).replace(" ", "") == text.replace(" ", "")
