"""What is told of a thing, and asked of another one that is near: its namesake of another number,
another place, another work."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import find
from clew.answering.found import CHANGED, Finding
from clew.answering.sureness import LIKELY

from .read_passages import chunks_of

PAGES = {
    "Harrow 5.1 release notes": "Harrow 5.1 has a new calendar. The size of an attachment was "
    "raised from 20 MB to 50 MB. The oldest version of Ruby is 3.2.",
    "Harrow 5.0 release notes": "Harrow 5.0 has a new editor. The size limit of attachments is "
    "20 MB. The oldest version of Ruby is 3.0. The release manager was Noor Lehto.",
    "Support": "Harrow 4 is not supported. Harrow 5 is supported for two years.",
    "Rooms": "The tank in K-201 holds 80 litres and is filled each Tuesday by Airwell.",
    "Darkroom": "The enlarger stands in K-202. Films are dried there, too.",
    "Office in Karrow": "The office in Karrow was opened in May 2022. Its manager is Ana Reyes.",
    "Staff": "Six people repair the bridges of Selm. They meet on Mondays.",
    "Winter Quay": "Winter Quay is a novel by Ida Marsh of 1997. It sold 300,000 copies. A sequel, "
    "Summer Quay, came out in 2004.",
    "Summer Quay": "Summer Quay is a novel by Ida Marsh of 2004. It is the sequel of Winter Quay.",
    "Milo Stern": "Milo Stern (1950–2018) was an actor. He was awarded the Silver Oar for the best "
    "actor in 2011.",
    "Silver Oar": "The Silver Oar is the film prize of Karrow, given each March since 1985.",
    "Greta Falk": "Greta Falk is a former sculptor from Norland. She was born in Ostby.",
    "Norland": "Norland is a country. Ida Marsh was born in Selm as the first woman from Norland.",
    "Ferry": "The ferry takes 90 guests and 31 cars. The water in the tank is kept at 65 °C.\n"
    "Yearly price: 4,100 euros.\nMr Boyd has been a customer since June with 75 berths.",
    "On call": "Who is on call gets 400 euros for the week.",
}
"""Near things: of "Harrow 5.1" and "Harrow 5.0", of K-201 and K-202, each has a passage."""


def found(reader: ExtractiveReader, question: str, *titles: str) -> Finding | None:
    return find(question, reader.opened(chunks_of(PAGES, titles)))


@pytest.mark.parametrize(
    ("question", "titles", "right"),
    [
        (
            "What is the size limit of attachments in Harrow 5.1?",
            ("Harrow 5.1 release notes", "Harrow 5.0 release notes"),
            "50 MB",
        ),
        (
            "Which version of Ruby do I need for Harrow 5.1?",
            ("Harrow 5.1 release notes", "Harrow 5.0 release notes"),
            "3.2",
        ),
        ("How many cars does the ferry take?", ("Ferry",), "31 cars"),
        ("How many berths does Mr Boyd have?", ("Ferry",), "75"),
        ("At what temperature is the water in the tank kept?", ("Ferry",), "65 °C"),
    ],
)
def test_it_is_read_of_the_thing_that_is_asked_about(
    reader: ExtractiveReader, question: str, titles: tuple[str, ...], right: str
) -> None:
    finding = found(reader, question, *titles)
    assert finding is not None
    assert finding.short.removesuffix(" berths") == right
    assert finding.confidence > CHANGED


@pytest.mark.parametrize(
    ("question", "titles", "near"),
    [
        (
            "Who was the release manager of Harrow 5.1?",
            ("Harrow 5.1 release notes", "Harrow 5.0 release notes"),
            "Noor Lehto",
        ),
        ("How many litres does the tank in K-202 hold?", ("Rooms", "Darkroom"), "80 litres"),
    ],
)
def test_a_namesake_of_another_number_answers_nothing(
    reader: ExtractiveReader, question: str, titles: tuple[str, ...], near: str
) -> None:
    finding = found(reader, question, *titles)
    assert finding is None or finding.short != near


def test_what_a_thing_is_a_part_of_is_no_namesake(reader: ExtractiveReader) -> None:
    finding = found(reader, "How long is Harrow 5.1 supported?", "Support")
    assert finding is not None
    assert finding.short.endswith("two years")


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("Who manages the office in Selm?", ("Staff", "Office in Karrow")),
        ("How many copies did Summer Quay sell?", ("Winter Quay", "Summer Quay")),
    ],
)
def test_what_is_told_of_another_place_or_work_is_possible_at_most(
    reader: ExtractiveReader, question: str, titles: tuple[str, ...]
) -> None:
    finding = found(reader, question, *titles)
    assert finding is None or finding.confidence <= CHANGED


def test_a_name_behind_what_somebody_is_is_no_description(reader: ExtractiveReader) -> None:
    finding = found(reader, "Where was the sculptor Greta Falk born?", "Greta Falk", "Norland")
    assert finding is not None
    assert [step["asked"] for step in finding.steps] == ["Where was the sculptor Greta Falk born?"]


def test_who_asks_is_nobody_that_the_evidence_lacks(reader: ExtractiveReader) -> None:
    finding = found(reader, "How much do I get for a week on call?", "On call")
    assert finding is not None
    assert finding.short == "400 euros"
    assert finding.confidence > CHANGED


def test_what_one_has_to_do_with_the_other_is_not_asked_of_both(reader: ExtractiveReader) -> None:
    question = "Did Milo Stern win the Silver Oar for the best actor in 2011?"
    finding = found(reader, question, "Milo Stern", "Silver Oar")
    assert finding is not None
    assert finding.short == "yes"


def test_no_since_nothing_says_so_of_both_is_not_stated_plainly(reader: ExtractiveReader) -> None:
    question = "Were Milo Stern and Greta Falk both actors?"
    finding = found(reader, question, "Milo Stern", "Greta Falk")
    assert finding is not None
    assert finding.short == "no"
    assert CHANGED < finding.confidence < LIKELY
