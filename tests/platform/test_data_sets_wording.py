"""How a sentence becomes a question: what is masked, what is asked, which sentences will not do."""

import pytest

from clew.evaluation.data_sets.masking import (
    GAP,
    STAND_IN,
    gives_away,
    is_apart,
    masked,
    spans_of,
    stands_alone,
)
from clew.evaluation.data_sets.wording import asked, one_hop, two_hop
from clew_cypher.export.entity_chains import ChainEntity, ChainSentence


def entity(name: str, type_: str = "ORG", *aliases: str) -> ChainEntity:
    return ChainEntity(name.lower(), name.lower(), name, type_, aliases, (name,), 2)


def sentence(text: str, *entities: ChainEntity) -> ChainSentence:
    ids = frozenset(entity.id for entity in entities)
    return ChainSentence(text, entities, "c", "d", "T", text, ids)


YARD = entity("Seld Shipyard")
SELD = entity("Seld", "LOC")
FERRAND = entity("Victor Ferrand", "PERSON")
YEAR = entity("1881", "DATE")


def test_a_name_is_masked_with_its_article_and_not_inside_a_longer_one() -> None:
    found = sentence("The Seld Shipyard on the Seld was founded by Victor Ferrand.", YARD, SELD)
    spans = spans_of(found)
    assert spans is not None
    assert masked(found, spans, {SELD.id: STAND_IN}) == (
        "The Seld Shipyard on X was founded by Victor Ferrand."
    )
    assert masked(found, spans, {YARD.id: STAND_IN, SELD.id: GAP}) == (
        "X on ____ was founded by Victor Ferrand."
    )


def test_names_that_overlap_make_a_sentence_unusable() -> None:
    assert spans_of(sentence("Seld Shipyard Group grew.", YARD, entity("Shipyard Group"))) is None


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Victor Ferrand founded the Seld Shipyard in 1881.", True),
        ("Victor Ferrand sold it when he left the Seld Shipyard.", False),  # it: no thing before
        ("Victor Ferrand left the Seld Shipyard when he was old.", True),
        ("He founded the Seld Shipyard with Victor Ferrand.", False),
        ("Born near the Seld Shipyard, he knew Victor Ferrand well.", False),
        ("In 1881 they founded the Seld Shipyard for Victor Ferrand.", False),
        ("The ship was built by the Seld Shipyard in 1905.", False),
        ("The engineer Victor Ferrand founded the Seld Shipyard.", True),
        ("Victor Ferrand, founder of the Seld Shipyard (d. 1920).", False),
        ("Was Victor Ferrand the founder of the Seld Shipyard?", False),
        ("Victor Ferrand ( ; French: ) founded the Seld Shipyard.", False),
        ("victor founded the Seld Shipyard with Victor Ferrand.", False),
        ("Victor Ferrand resigned.", False),
        (f"Victor Ferrand said {'a word and ' * 20}left.", False),
    ],
)
def test_a_usable_sentence_is_understood_alone(text: str, alone: bool) -> None:
    found = sentence(text, YARD, FERRAND, YEAR)
    assert stands_alone(found, spans_of(found) or []) is alone


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("Ferrand owned the Seld Shipyard, and sold it.", True),
        ("Ferrand owned Seld Shipyard.", True),
        ("Ferrand knew the Seld Shipyard Museum.", False),
        ("Ferrand was a Seld Shipyard engineer.", False),
        ("Ferrand is Seld Shipyard-based.", False),
        ('Ferrand knew Seld Shipyard "Old" Works.', False),
        ("Ferrand sold Seld Shipyard branches.", False),
        ("Ferrand bought the Seld Shipyard's cranes.", True),
        ("Ferrand met the Seld Shipyard' owner.", False),
        ("Ferrand left as the Seld Shipyard closed.", True),
        ("Ferrand knew the Seld Shipyard in Corvay.", True),
        ("Ferrand sold the yard (formerly Seld Shipyard) at last.", False),
        ("Ferrand met Seld Shipyard. based firms.", False),
    ],
)
def test_a_name_within_another_or_in_brackets_is_not_taken_out(text: str, apart: bool) -> None:
    found = sentence(text, YARD)
    (span,) = spans_of(found) or []
    assert is_apart(text, span) is apart


@pytest.mark.parametrize(
    ("text", "noun", "question"),
    [
        ("____ founded X in 1881.", "person", "Who founded X in 1881"),
        ("____ built the Aurelia.", "organisation", "Which organisation built the Aurelia"),
        ("____ is a port of X.", "place", "What is a port of X"),
        ("____ (1880–) was old.", "person", "Who is missing in ‘____ (1880–) was old.’"),
        ("X was founded by ____.", "person", "Who is missing in ‘X was founded by ____.’"),
        ("____ are near X.", "place", "Which place is missing in ‘____ are near X.’"),
        ("____ is an album by X.", "person", None),
        ("____ is a painter from X.", "person", "Who is a painter from X"),
    ],
)  # fmt: skip
def test_the_question_takes_the_form_of_the_sentence(
    text: str, noun: str, question: str | None
) -> None:
    assert asked(text, noun) == question


def test_a_question_of_two_hops_says_what_is_known_of_x_first() -> None:
    assert two_hop("X built the Aurelia.", "Who founded X") == (
        "X built the Aurelia. Who founded X?"
    )
    assert one_hop("Who founded the yard") == "Who founded the yard?"


def test_a_part_of_a_name_or_an_alias_gives_it_away() -> None:
    assert gives_away("Which Ferrand founded X?", FERRAND)
    assert gives_away("Did Café Müller open?", entity("Anna Muller", "PERSON"))
    assert gives_away("Who led the works?", entity("Seld Yard", "ORG", "the seld works"))
    assert not gives_away("Who founded the yard of the ship?", FERRAND)
