"""Questions as people type them, and whose names and dates the evidence writes otherwise."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import POSSIBLE
from clew.comprehension.typed_questions import plain

from .read_passages import answer_from

PASSAGES = {
    "Rules of Tarrow Rowers": "The annual general meeting is chaired by Osric Vane and takes place "
    "in May. All members sign a non-disclosure agreement with Bela Horn.",
    "Depot": "Building 2 is closed on Fridays, building 4 on Mondays. The terms of reference were "
    "written by Bo Quist. The chief executive officer, Ada Lorn, earns 90,000 crowns.",
    "Security": "After 22:00, if the cameras fail, call the guard, Tove Lind.",
    "Shop": "A bag of five kilograms of flour costs 7.20 euros.",
    "On-call rota": "The week of 2025-10-27: Ansel Krantz. On 07/11/2025 Pia Rowe has the "
    "telephone. The office of Trask is on the second floor.",
    "Skarvøya grid": "The fee of the Skarvøya grid rises by 4 percent. It is led by Ana Müller.",
}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Who chairs the AGM?", "Osric Vane"),
        ("With whom do members sign the NDA?", "Bela Horn"),
        ("Who wrote the TOR?", "Bo Quist"),
        ("What does the CEO earn?", "90,000 crowns"),
        ("When is B2 closed?", "Fridays"),
        ("Who do I call at 10pm if the cameras fail?", "Tove Lind"),
        ("How much does a 5kg bag of flour cost?", "7.20 euros"),
        ("On which floor is the office of Mrs Trask?", "second floor"),
        ("May I ask who wrote the terms of reference?", "Bo Quist"),
        ("Who has the telephone on 7 November?", "Pia Rowe"),
        ("who leads skarvøya grid", "Ana Müller"),
        ("WHO WROTE THE TERMS OF REFERENCE?", "Bo Quist"),
    ],
)
def test_what_is_named_otherwise_is_found(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    """All were refused, as no passage has such a name."""
    answer = answer_from(reader, question, PASSAGES)
    assert (answer.short, answer.confidence > POSSIBLE) == (right, True)


@pytest.mark.parametrize(
    "question",
    ["Who chairs the BBC?", "What does the CFO earn?", "When is B7 closed?", "Who runs Skarvik?"],
)
def test_a_name_that_no_passage_has_in_any_form_is_told_of_nothing(
    reader: ExtractiveReader, question: str
) -> None:
    assert not answer_from(reader, question, PASSAGES).supported


@pytest.mark.parametrize(
    "question",
    [
        "Please tell me who wrote the terms of reference",
        "May I ask who wrote the terms of reference?",
        "Do we know who wrote the terms of reference?",
        "Hi, who wrote the terms of reference? Thanks!",
        "Dear Team, who wrote the terms of reference?",
        "Good morning who wrote the terms of reference",
        "URGENT: who wrote the terms of reference?",
        "1. Who wrote the terms of reference?",
        '"who wrote the terms of reference?"',
        "Who Wrote The Terms Of Reference?",
        "Author of the terms of reference?",
    ],
)
def test_what_leads_up_to_a_question_and_its_capitals_name_nothing(
    reader: ExtractiveReader, question: str
) -> None:
    answer = answer_from(reader, question, PASSAGES)
    assert (answer.short, answer.confidence > POSSIBLE) == ("Bo Quist", True)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Hello, Dolly! was written by whom?", "Hello, Dolly! was written by whom?"),
        ("Dear Ada, a novel, is by whom?", "Dear Ada, a novel, is by whom?"),
        ("Hey Jude was written by whom?", "Hey Jude was written by whom?"),
        ("“Spione” was made by whom?", "“Spione” was made by whom?"),
        ("2. liga rules", "2. liga rules"),
        ("2. who won it", "who won it"),
        ("2001 was made by whom?", "2001 was made by whom?"),
        ("a) what is it?", "what is it?"),
        ("A new lock costs what?", "A new lock costs what?"),
        ("NATO: who leads it?", "NATO: who leads it?"),
        ("Hi", "Hi"),
        (" - ", "-"),
    ],
)
def test_a_question_is_freed_of_what_only_leads_up_to_it(typed: str, meant: str) -> None:
    assert plain(typed) == meant
