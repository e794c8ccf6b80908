"""What made questions say: a description stands where a name would, in English."""

import random
import re

import pytest

from clew.strategies.learning import graph_questions, masked_questions
from clew.strategies.learning.graph_questions import AskedTriple
from clew.strategies.learning.masked_questions import NamedTriple
from clew.strategies.learning.wordings import (
    Head,
    RelationQuestions,
    relation_questions,
    statement_question,
)
from clew_cypher.export.training import StatedTriple

FILM = Head("Ed Wood")


@pytest.mark.parametrize(
    ("phrase", "asked"),
    [
        ("the director of film {h}", "What is the birth date of the director of film Ed Wood?"),
        (
            "the person who directed {h}",
            "What is the birth date of the person who directed Ed Wood?",
        ),
        ("the filmmaker behind {h}", "What is the birth date of the filmmaker behind Ed Wood?"),
        ("{h}'s director", "What is Ed Wood's director's birth date?"),
        (
            "{h}'s director of photography",
            "What is the birth date of Ed Wood's director of photography?",
        ),
    ],
)
def test_of_stands_before_what_ends_in_a_clause_or_an_of_phrase(phrase: str, asked: str) -> None:
    assert FILM.described(phrase).asked("What is {h}'s birth date?") == asked
    assert FILM.asked("What is {h}'s birth date?") == "What is Ed Wood's birth date?"


def test_a_description_of_a_description() -> None:
    star = FILM.described("the star of {h}")
    assert star.described("{h}'s father").words == "the father of the star of Ed Wood"
    death = star.described("{h}'s {n}", n="father").asked("What was the cause of {h}'s death?")
    assert death == "What was the cause of the death of the father of the star of Ed Wood?"
    mother = FILM.described("{h}'s star").described("{h}'s mother")
    assert mother.asked("{h}'s {n}?", n="spouse") == "Ed Wood's star's mother's spouse?"


def relation(question: str) -> RelationQuestions:
    return next(one for one in relation_questions() if question in one.questions)


DIRECTED = relation("Who directed {h}?")
STARRED = relation("Who starred in {h}?")
MARRIED = relation("Who was {h} married to?")
CAUSE = relation("What did {h} die of?")
RIGHT = {
    f"What was the cause of {words}?"
    for words in (
        "the death of the star of Ed Wood",
        "the death of an actor who starred in Ed Wood",
        "the death of the lead of Ed Wood",
    )
}


def triple(head: str, tail: str, text: str = "") -> StatedTriple:
    return StatedTriple("", "", head, "", "", tail, "PERSON", "", "", text, "")


def drawn(chain: list[AskedTriple]) -> set[str]:
    return {graph_questions.chain_question(chain, random.Random(seed)) for seed in range(200)}


def test_a_graphs_chain_is_asked_in_english() -> None:
    first = AskedTriple(triple("Ed Wood", "Johnny Depp"), STARRED)
    asked = drawn([first, AskedTriple(triple("Johnny Depp", "a stroke"), CAUSE)])
    assert {words for words in asked if words.startswith("What was the cause")} == RIGHT
    plain = drawn([AskedTriple(triple("Ed Wood", "Tim Burton"), MARRIED)])
    assert "Who was Ed Wood's husband?" in plain


def test_a_knowledge_bases_chain_is_asked_in_english() -> None:
    chain = [
        NamedTriple("Ed Wood", "starring", "Johnny Depp", of_base=True),
        NamedTriple("Johnny Depp", "kelvination", "Drusk", of_base=True),
    ]
    asked = {
        masked_questions.chain_question(chain, random.Random(seed)).casefold()
        for seed in range(600)
    }
    assert "the kelvination of the star of ed wood?" in asked
    assert "i want to know the kelvination of the lead of ed wood." in asked
    assert "i want to know ed wood's lead's kelvination." in asked
    wrong = re.compile("(?:star|starring|lead|actor|member) of ed wood's|starred in ed wood's")
    assert not [words for words in asked if wrong.search(words)]


def test_the_words_of_a_sentence_are_no_possessive() -> None:
    said = "Ed Wood's director was at last Tim Burton."
    assert statement_question(triple("Ed Wood", "Tim Burton", said), random.Random(1)) is None
    said = "Ed Wood was directed by Tim Burton."
    asked = statement_question(triple("Ed Wood", "Tim Burton", said), random.Random(1))
    assert asked is not None
    assert "{h} was directed by" in asked
