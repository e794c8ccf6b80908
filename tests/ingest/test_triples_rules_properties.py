"""What holds for the `rules` triples of any text."""

import random
from typing import Any

import pytest

from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.parsing.mentions import VALUE_TYPES
from clew_ingest.parsing.parser import DEFAULT_PIPELINE, UNUSED_PIPES
from clew_ingest.parsing.spacy_pipeline import load_pipeline
from clew_ingest.triples.arguments import MAX_WORDS
from clew_ingest.triples.rules import extract_triples
from clew_ingest.triples.word_lists import PRONOUNS

PIECES = """
Ada Lovelace|the Royal Society|a small town|Oslo, Norway|he|which|it|the film|"Blue Train"|in 1912
was founded by|is the capital of|who wrote|moved to|and|, the son of|'s daughter|(born 3 May 1901)
because|that|not|three hundred of|of the|;|—|“|)|(1950–1999)|with their|(c. 1300 – 1350)|\n\n|there
is|of many|such as|whose brother|has been|to begin|.|.|.|Dr. J. R. Smith, Jr.|its|5%|where
""".strip().replace("\n", "|").split("|")  # fmt: skip


@pytest.fixture(scope="module")
def pipeline() -> Any:
    """The product's parser."""
    return load_pipeline(DEFAULT_PIPELINE, exclude=UNUSED_PIPES)


def texts(count: int) -> list[str]:
    """Texts of pieces in any order, the same in every run."""
    chance = random.Random(5)
    return [" ".join(chance.choices(PIECES, k=chance.randint(1, 60))) for _ in range(count)]


@pytest.mark.parametrize("title", ["", "Ada Lovelace", "Blue Train (film)"])
def test_what_holds_for_any_text(pipeline: Any, title: str) -> None:
    subject = title.split(" (")[0]
    found = 0
    for document in pipeline.pipe(texts(150)):
        triples = extract_triples(document, title)
        found += len(triples)
        text = " ".join(document.text.split())
        sentences = [span for span in document.sents if span.text.strip()]
        keys = [(normalise_name(t.head), t.predicate, normalise_name(t.tail)) for t in triples]
        assert len(set(keys)) == len(keys)
        for triple in triples:
            for argument in (triple.head, triple.tail):
                assert argument == subject or argument in text
                assert argument.lower() not in PRONOUNS
                assert "\n" not in argument
            assert triple.head_type not in VALUE_TYPES
            assert normalise_name(triple.head) != normalise_name(triple.tail)
            assert triple.predicate == triple.predicate.strip() != ""
            assert triple.sentence in range(len(sentences))
    assert found > 100


def test_the_order_of_the_texts_does_not_matter(pipeline: Any) -> None:
    some = list(pipeline.pipe(texts(40)))
    there = {document.text: extract_triples(document, "Oslo") for document in some}
    back = list(pipeline.pipe([document.text for document in reversed(some)]))
    assert there == {document.text: extract_triples(document, "Oslo") for document in back}


def test_a_sentence_of_two_thousand_words(pipeline: Any) -> None:
    text = "Oslo borders " + " and ".join(["Bergen, which borders Hamar"] * 400) + "."
    document = pipeline(text)
    assert len(document) > 2000
    triples = extract_triples(document, "Oslo")
    assert ("Oslo", "border", "Bergen") in {(t.head, t.predicate, t.tail) for t in triples}


def test_phrases_have_a_sensible_length(pipeline: Any) -> None:
    words = "large old red wooden tall wide long famous stone royal summer house".split()  # noqa: SIM905
    assert len(words) == MAX_WORDS

    def owned(phrase: list[str]) -> list[str]:
        text = f"Oslo owns the {' '.join(phrase)} of the king."
        found = extract_triples(pipeline(text), "Oslo")
        return [triple.tail for triple in found if triple.predicate == "own"]

    assert owned(words) == [" ".join(words)]
    assert owned(["very", *words]) == []
