from clew_ingest.parsing.chunking import Chunker, TextChunk, unit_chunks
from clew_ingest.parsing.mentions import Mention
from clew_ingest.parsing.parser import ParsedSentence, ParsedText
from clew_ingest.parsing.units import Unit
from clew_ingest.triples.base import ExtractedTriple


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


def test_what_stands_together_stays_together() -> None:
    spans = [(0, 5, "See a"), (5, 17, ".Template."), (18, 20, "It")]
    parsed = ParsedText(tuple(ParsedSentence(start, end, text, ()) for start, end, text in spans))
    assert [chunk.text for chunk in chunked(99, parsed)] == ["See a.Template. It"]


def stated(head: str, tail: str, sentence: int) -> ExtractedTriple:
    return ExtractedTriple(head, "", "be", tail, "", sentence)


def test_triples_go_with_their_sentence_and_know_its_place_in_the_chunk() -> None:
    texts = ["a b c d.", "e f g h.", "i j."]
    triples = (stated("a", "b", 0), stated("i", "j", 2))
    chunks = chunked(8, ParsedText(block(*texts).sentences, triples), block("k l."))
    assert [[(t.head, t.sentence) for t in chunk.triples] for chunk in chunks] == [
        [("a", 0)],
        [("i", 0)],
    ]


def test_a_triple_of_a_split_sentence_goes_to_the_part_with_both_arguments() -> None:
    text = " ".join(f"w{i}" for i in range(20))
    triples = (stated("w9", "w12", 0), stated("w3", "w19", 0))
    chunks = chunked(8, ParsedText(block(text).sentences, triples))
    assert [[(t.head, t.sentence) for t in chunk.triples] for chunk in chunks] == [
        [("w3", 0)],
        [("w9", 0)],
        [],
    ]


def test_a_unit_within_the_budget_is_one_chunk_and_chunks_know_their_unit() -> None:
    unit = Unit(("a b c.", "d e."), 5, 0, "u1")
    (chunk,) = unit_chunks(unit, [block("a b c."), block("d e.")], 4, 8, count_words)
    assert (chunk.position, chunk.text, chunk.unit, chunk.unit_chunks) == (
        4,
        "a b c.\nd e.",
        "u1",
        1,
    )
    long = Unit(("a b c d e. f g h i j.",), 10, 0, "u2")
    first, second = unit_chunks(long, [block("a b c d e.", "f g h i j.")], 5, 8, count_words)
    assert [(c.position, c.unit, c.unit_chunks) for c in (first, second)] == [
        (5, "u2", 2),
        (6, "u2", 2),
    ]
    assert len({chunk.place, first.place, second.place}) == 3
