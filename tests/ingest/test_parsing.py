"""KT-1 to KT-3 on sentences whose parse was checked by hand, with the real pipeline."""

import pytest

from clew_ingest.errors import ParserNotInstalled
from clew_ingest.parsing.parser import ParsedSentence, Parser
from clew_ingest.parsing.process import ParsingProcess


@pytest.fixture(scope="module")
def parser() -> Parser:
    parser = Parser()
    parser.load()
    return parser


def sentence(parser: Parser, text: str) -> ParsedSentence:
    (parsed,) = parser.parse([text])
    assert len(parsed.sentences) == 1
    return parsed.sentences[0]


def test_subjects_are_heads_and_other_mentions_tails(parser: Parser) -> None:
    found = sentence(parser, "Marie Curie moved to Paris in 1891.")
    assert found.heads == {"marie curie": "PERSON"}
    assert found.tails == {"paris": "GPE", "1891": "DATE"}
    assert found.hyperrelation == "## moved to ## in ##."


def test_a_passive_subject_is_a_head(parser: Parser) -> None:
    found = sentence(parser, "Alan Turing was born in London.")
    assert found.heads == {"alan turing": "PERSON"}
    assert found.tails == {"london": "GPE"}


def test_a_subject_of_an_excluded_type_is_a_tail(parser: Parser) -> None:
    found = sentence(parser, "Germans elected Angela Merkel.")
    assert found.heads == {}
    assert found.tails == {"germans": "NORP", "angela merkel": "PERSON"}


def test_an_entity_is_head_or_tail_of_a_sentence_and_never_both(parser: Parser) -> None:
    found = sentence(parser, "Google said that nobody sued Google.")
    assert found.heads == {"google": "ORG"}
    assert found.tails == {}
    assert found.hyperrelation == "## said that nobody sued ##."


def test_sentences_are_spans_of_the_text_and_mentions_spans_of_the_sentence(
    parser: Parser,
) -> None:
    text = " Ada Lovelace wrote notes.  Charles Babbage built an engine in London. "
    (parsed,) = parser.parse([text])
    assert [s.text for s in parsed.sentences] == [
        "Ada Lovelace wrote notes.",
        "Charles Babbage built an engine in London.",
    ]
    for found in parsed.sentences:
        assert text[found.start : found.end] == found.text
        assert found.mentions
        for mention in found.mentions:
            assert found.text[mention.start : mention.end].startswith(mention.surface)


def test_texts_come_back_in_order_and_empty_ones_have_no_sentences(parser: Parser) -> None:
    parsed = parser.parse(["One came.", "", "  ", "Two went."])
    assert [[s.text for s in text.sentences] for text in parsed] == [
        ["One came."],
        [],
        [],
        ["Two went."],
    ]


def test_questions_are_read_by_the_same_pipeline(parser: Parser) -> None:
    found = parser.question_mentions("Did Marie Curie live in Paris before 1891?")
    assert found == ["Marie Curie", "Paris"]


def test_triples_come_where_titles_are_given_each_with_its_sentence(parser: Parser) -> None:
    text = "It rained.  \n\n Marie Curie was born in Warsaw. She won the Nobel Prize."
    (parsed,) = parser.parse([text], ["Marie Curie"])
    assert parser.parse([text])[0].triples == ()
    assert parser.parse([text])[0].sentences == parsed.sentences
    found = {(t.head, t.predicate, t.tail): parsed.sentences[t.sentence].text
             for t in parsed.triples if t.sentence is not None}  # fmt: skip
    assert found == {
        ("Marie Curie", "bear in", "Warsaw"): "Marie Curie was born in Warsaw.",
        ("Marie Curie", "win", "Nobel Prize"): "She won the Nobel Prize.",
    }


def test_a_text_without_its_title_is_refused(parser: Parser) -> None:
    with pytest.raises(ValueError, match="2 texts came with 1 titles"):
        parser.parse(["One.", "Two."], ["A title"])


def test_the_child_process_parses_the_same(parser: Parser) -> None:
    texts = ["Marie Curie moved to Paris in 1891. She won prizes.", "Nothing here."]
    titles = ["Marie Curie", ""]
    with ParsingProcess("en_core_web_sm", 60) as process:
        assert process.parse(texts) == parser.parse(texts)
        assert process.parse(texts, titles) == parser.parse(texts, titles)


def test_a_missing_pipeline_says_what_to_do() -> None:
    with pytest.raises(ParserNotInstalled, match="CLEW_PARSER"):
        Parser("no_such_pipeline").load()
    with (
        ParsingProcess("no_such_pipeline", 60) as process,
        pytest.raises(ParserNotInstalled, match="CLEW_PARSER"),
    ):
        process.parse(["text"])
