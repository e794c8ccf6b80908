"""Questions whose names the evidence writes otherwise: short forms, values, small letters."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import POSSIBLE

from .read_passages import answer_from

PASSAGES = {
    "Rules of Tarrow Rowers": "The annual general meeting is chaired by Osric Vane and takes place "
    "in May. All members sign a non-disclosure agreement with Bela Horn.",
    "Depot": "Building 2 is closed on Fridays, building 4 on Mondays. The terms of reference were "
    "written by Bo Quist. The chief executive officer, Ada Lorn, earns 90,000 crowns.",
    "Security": "After 22:00, if the cameras fail, call the guard, Tove Lind.",
    "Shop": "A bag of five kilograms of flour costs 7.20 euros.",
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
