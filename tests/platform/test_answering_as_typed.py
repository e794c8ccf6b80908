"""Questions as people type them, and whose names and dates the evidence writes otherwise."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import POSSIBLE
from clew.comprehension.dates import dates_of
from clew.comprehension.respelling import respelt
from clew.comprehension.typed_questions import plain

from .read_passages import answer_from

PASSAGES = {
    "Rules of Tarrow Rowers": "The annual general meeting is chaired by Osric Vane and takes place "
    "on 3 May. All members sign a non-disclosure agreement with Bela Horn.",
    "Depot": "Building 2 is closed on Fridays, building 4 on Mondays. The terms of reference were "
    "written by Bo Quist. The chief executive officer, Ada Lorn, earns 90,000 crowns.",
    "Security": "After 22:00, if the cameras fail, call the guard, Tove Lind.",
    "Shop": "A bag of five kilograms of flour costs 7.20 euros.",
    "On-call rota": "The week of 2025-10-27: Ansel Krantz. On 07/11/2025 Pia Rowe has the "
    "telephone. The office of Trask is on the second floor.",
    "Minutes": "AOB: Mr Duvas asks for six lockers. The church, St Botulf's, has a tower "
    "of 54 m. "
    "Each month 1.940 EUR are paid for the barbecue, which Owen Trask lights.",
    "Yard": "Søren Thygebæk founded the yard in 1902. The small machine takes fourteen kilograms. "
    "The room Heron costs 38 euros, the room Puffin 62 euros.",
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
        ("Who has the telephone on 7.11.2025?", "Pia Rowe"),
        ("who has the telephone on the seventh of november", "Pia Rowe"),
        ("How tall is the tower of Saint Botulf's?", "54 m"),
        ("Who lights the BBQ?", "Owen Trask"),
        ("When did Soren Thygebaek found the yard?", "1902"),
        ("when was the yard fouded", "1902"),
        ("Which room costs thirty-eight euros?", "Heron"),
        ("who leads skarvøya grid", "Ana Müller"),
        ("WHO WROTE THE TERMS OF REFERENCE?", "Bo Quist"),
    ],
)
def test_what_is_named_otherwise_is_found(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    """Most were refused, as no passage has such a name; none was told as likely."""
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
        ("Excuse me, could you please tell me when it opens? Thanks a lot!", "when it opens?"),
        ("Does anybody know to whom it belongs", "to whom it belongs"),
        ("I'd like to know about boats", "I'd like to know about boats"),
        ("Do you know Ada Lorn?", "Do you know Ada Lorn?"),
        ("Who sang Thank You?", "Who sang Thank You?"),
        ("A new lock costs what?", "A new lock costs what?"),
        ("NATO: who leads it?", "NATO: who leads it?"),
        ("Hi", "Hi"),
        (" - ", "-"),
    ],
)
def test_a_question_is_freed_of_what_only_leads_up_to_it(typed: str, meant: str) -> None:
    assert plain(typed) == meant


@pytest.mark.parametrize(
    ("name", "days"),
    [
        ("23.11.2025", [(2025, 11, 23)]),
        ("sunday nov 16th", [(0, 11, 16)]),
        ("3/4/25", [(2025, 4, 3), (2025, 3, 4)]),
        ("june 2026", [(2026, 6, 0)]),
        ("3.4", []),
        ("freezer 4", []),
        ("march hare", []),
        ("31/31", []),
    ],
)
def test_a_name_is_a_date_only_as_a_whole(name: str, days: list[tuple[int, int, int]]) -> None:
    assert dates_of(name) == days


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("Why do we pay 1940 euros?", "Why do we pay 1.940 euros?"),
        ("What takes 14 kilograms?", "What takes fourteen kilograms?"),
        ("What was any other business?", "What was AOB?"),
        ("Who is on duty on 27/10/25?", "Who is on duty on 2025-10-27?"),
        ("who mends the lokers", "who mends the lockers"),
        ("Who meets on 2025-05-03?", "Who meets on 3 May 2025?"),
        ("How is the skarvøya-grid?", "How is the skarvøya grid?"),
        ("Which non disclosure agreement?", "Which non-disclosure agreement?"),
        ("What is the sky-driver?", "What is the sky-driver?"),
    ],
)
def test_a_question_is_read_in_the_words_of_the_evidence(
    reader: ExtractiveReader, question: str, written: str
) -> None:
    read = reader.opened(answer_from(reader, question, PASSAGES).evidence.chunks)
    assert respelt(question, read.view, read.is_usual) == written


@pytest.mark.parametrize(
    "question",
    [
        "Which two rooms?",
        "the founder of it",
        "All orders being paid?",
        "Who approved OSTEO-BRIDGE?",
        "What is the three P30s?",
        "Which room costs forty euros?",
        "How tall is Saint Vitus?",
        "Who has it on 3.12.2025?",
    ],
)
def test_what_the_evidence_has_in_no_form_stays_as_it_is_asked(
    reader: ExtractiveReader, question: str
) -> None:
    chunks = answer_from(reader, question, PASSAGES).evidence.chunks
    read = reader.opened(chunks)
    assert respelt(question, read.view, read.is_usual) == question
