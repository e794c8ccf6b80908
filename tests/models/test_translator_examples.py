"""How the relation of a training example is chosen (KT-10, F.1)."""

from collections.abc import Sequence

import numpy as np
import pytest

from clew_models.translator.examples import Fact, best_targets, relation_targets
from clew_models.translator.masks import masked_place, stated_place

TEXT = "Ed Wood is a 1994 American film directed by Tim Burton and starring Johnny Depp."
MASKED = "## is a ## ## film directed by ## and starring ##."


def by_words(texts: Sequence[str]) -> np.ndarray:
    """Vectors in which texts that share words are near each other."""
    vectors = np.zeros((len(texts), 512), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in text.lower().replace("?", "").split():
            vectors[row, sum(map(ord, word)) % 512] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Ed Wood", "##"),
        ("Tim Burton", "##"),
        ("Johnny Depp", "##"),
        ("Depp", "##"),
        ("film", "film"),
        ("American film", "## film"),
        ("directed by Tim Burton", "directed by ##"),
        ("starring", "starring"),
    ],
)
def test_words_of_a_text_have_a_place_in_its_mask(words: str, expected: str) -> None:
    place = masked_place(TEXT, MASKED, words)
    assert place is not None
    assert MASKED[slice(*place)] == expected


def test_the_place_is_that_of_the_mention_and_not_of_any_mask() -> None:
    assert masked_place(TEXT, MASKED, "Tim Burton") == (
        MASKED.index("by ##") + 3,
        MASKED.index("by ##") + 5,
    )
    assert masked_place(TEXT, MASKED, "Ed Wood") == (0, 2)


@pytest.mark.parametrize(
    ("text", "masked", "words"),
    [(TEXT, MASKED, "Bela Lugosi"), (TEXT, "another ## sentence", "film"), (TEXT, MASKED, "")],
)
def test_what_is_not_there_has_no_place(text: str, masked: str, words: str) -> None:
    assert masked_place(text, masked, words) is None


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("film directed by ##", "film directed by"),
        (" film directed by ## and", "film directed by Tim Burton and"),
        ("## is a ## ##", "is a"),
        ("is a ## ## film", "is a 1994 American film"),
        ("# and starring", "and starring"),
        ("## and starring ##.", "and starring Johnny Depp."),
        ("## ##", None),
        ("born in", None),
        ("", None),
    ],
)
def test_a_relation_stands_for_words_of_its_sentence(piece: str, expected: str | None) -> None:
    place = stated_place(TEXT, MASKED, piece)
    assert (TEXT[slice(*place)] if place else None) == expected


def test_a_relation_of_another_sentence_stands_for_nothing() -> None:
    assert stated_place("Ada.", MASKED, "film directed by") is None


def relation(question: str, tail: str, text: str = TEXT, masked: str = MASKED) -> str | None:
    (target,) = relation_targets([Fact(question, "Ed Wood", tail, text, masked)], by_words)
    return target.relation if target else None


def test_the_relation_ends_where_the_tail_begins_and_is_of_the_hyperrelation() -> None:
    found = relation("Who directed the film by ... directed by", "Tim Burton")
    assert found is not None
    assert found in MASKED
    assert found.rstrip().endswith("directed by")


def test_the_window_most_similar_to_the_question_is_taken() -> None:
    text = "Alpha beta gamma delta epsilon zeta eta theta iota kappa Ada lambda."
    masked = "Alpha beta gamma delta epsilon zeta eta theta iota kappa ## lambda."
    short = relation("Ed Wood theta iota kappa Ada", "Ada", text, masked)
    long = relation("beta gamma delta epsilon zeta eta theta iota kappa Ada", "Ada", text, masked)
    assert short is not None
    assert long is not None
    assert len(short) < len(long)
    assert long == "beta gamma delta epsilon zeta eta theta iota kappa "


def test_a_tail_that_begins_the_sentence_leaves_what_follows() -> None:
    found = relation(
        "Who is the star of Ed Wood", "Depp", "Depp starred in Ed Wood.", "## starred in ##."
    )
    assert found == " starred in ##."


@pytest.mark.parametrize("tail", ["Bela Lugosi", ""])
def test_a_sentence_without_the_tail_gives_no_example(tail: str) -> None:
    assert relation("Who?", tail) is None


def test_of_the_facts_of_a_question_the_most_similar_is_taken() -> None:
    other = ("Ed Wood met Tim Burton in Poughkeepsie.", "## met ## in ##.")
    question = "Ed Wood film directed by"
    facts = [
        Fact(question, "Ed Wood", "Tim Burton", *other),
        Fact(question, "Ed Wood", "Tim Burton", TEXT, MASKED),
        Fact(question, "Johnny Depp", "Tim Burton", TEXT, MASKED),
        Fact(question, "Ed Wood", "nobody", TEXT, MASKED),
    ]
    best, none = best_targets([facts, facts[3:]], by_words)
    assert none is None
    assert best is not None
    assert (best.fact, best.clue.entity, best.clue.hyperrelation) == (1, "Ed Wood", MASKED)
    assert 0 < best.similarity <= 1
    alone = relation_targets([facts[1]], by_words)
    assert alone == [best.clue]


def test_a_tail_is_a_whole_word_before_it_is_a_part_of_one() -> None:
    text, masked = "In 1935 Publix had 35 stores in Boise.", "In ## ## had ## stores in ##."
    assert masked_place(text, masked, "35") == (13, 15)
    assert masked_place(text, masked, "tore") == (17, 21)
    found = relation("Ed Wood had", "35", text, masked)
    assert found is not None
    assert found.endswith("had ")


def test_facts_keep_their_order() -> None:
    facts = [
        Fact("Who directed it", "Ed Wood", "Tim Burton", TEXT, MASKED),
        Fact("Who", "Ed Wood", "nobody", TEXT, MASKED),
        Fact("Who is starring in it", "Ed Wood", "Johnny Depp", TEXT, MASKED),
    ]
    targets = relation_targets(facts, by_words)
    assert targets[1] is None
    assert targets[2] is not None
    assert targets[2].relation.endswith("starring ")
