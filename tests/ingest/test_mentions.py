import pytest

from clew_ingest.parsing.mentions import (
    NEVER_HEADS,
    capitalised_spans,
    mention_role,
    question_mentions,
)


@pytest.mark.parametrize("dependency", ["nsubj", "nsubjpass"])
def test_a_subject_is_a_head(dependency: str) -> None:
    assert mention_role("PERSON", dependency) == "head"


@pytest.mark.parametrize("dependency", ["pobj", "dobj", "compound", "conj", "csubj", "agent"])
def test_whatever_is_no_subject_is_a_tail(dependency: str) -> None:
    assert mention_role("PERSON", dependency) == "tail"


@pytest.mark.parametrize("type_", sorted(NEVER_HEADS))
def test_the_papers_excluded_types_are_never_heads(type_: str) -> None:
    assert mention_role(type_, "nsubj") == "tail"


def test_the_excluded_types_are_the_papers_nine() -> None:
    assert {
        "DATE", "QUANTITY", "PERCENT", "TIME", "LANGUAGE", "MONEY", "ORDINAL", "NORP", "CARDINAL",
    } == NEVER_HEADS  # fmt: skip


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Where was the director of Ed Wood born?", ["Ed Wood"]),
        ("Who won the Battle of the Bulge?", ["Battle of the Bulge"]),
        ("Did Ludwig van Beethoven meet Goethe?", ["Ludwig van Beethoven", "Goethe"]),
        ("Was Scott Derrickson or Ed Wood older?", ["Scott Derrickson", "Ed Wood"]),
        ("The Exies or Circus Diablo?", ["Exies", "Circus Diablo"]),
        ("in 1999 nothing happened", []),
        ("the 2010 FIFA World Cup", ["2010 FIFA World Cup"]),
        ("How much do I get, and which Python do I need? I’m new.", ["Python"]),
        (
            "Was Elizabeth I in I Am Legend, or on Form I-9?",
            ["Elizabeth I", "I Am Legend", "Form I-9"],
        ),
        (
            "On 07/11/2025 Pia Rowe saw the 2010 FIFA World Cup",
            ["Pia Rowe", "2010 FIFA World Cup"],
        ),
        ("May I go? Can I? Might I, or must Elizabeth I?", ["Elizabeth I"]),
        ("the fee of skarvøya grid, tunquelén's president, a café in müllheim, año", []),
        ("Who met Émile Zola in Öhringen, or Élise?", ["Émile Zola", "Öhringen", "Élise"]),
        ("What is the pH in an iPhone 4 that uses 3 kWh?", ["pH", "iPhone 4", "3 kWh"]),
        ("where did O'Brien meet l'Oréal and d'Artagnan", ["O'Brien", "Oréal", "Artagnan"]),
    ],
)
def test_capitalised_spans(text: str, spans: list[str]) -> None:
    assert capitalised_spans(text) == spans


def test_a_question_names_a_person_without_the_form_of_address() -> None:
    found = question_mentions("Where did Dr. Ada Thorne meet Mrs. Vale?", [])
    assert found == ["Ada Thorne", "Mrs. Vale"]


def test_a_questions_mentions_are_once_each_and_longest_first() -> None:
    question = 'Who directed "glen or glenda", the film by Ed Wood’s company in 1953?'
    found = question_mentions(question, [("Ed Wood’s", "PERSON"), ("1953", "DATE")])
    assert found == ["glen or glenda", "Ed Wood"]
