"""Which of three or more, and by how much two things differ."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import LIKELY, POSSIBLE

from .read_passages import answer_from

PASSAGES = {
    "Lake Ondrel": "Lake Ondrel is a lake in Tarn. It covers 96 square kilometres and is 212 "
    "metres deep.",
    "Lake Pavrin": "Lake Pavrin spreads over 118 square kilometres. Its deepest place lies at 64 "
    "metres.",
    "Lake Suthmere": "Lake Suthmere was dammed up by ice. It is 238 metres deep and has an area of "
    "41 square kilometres.",
    "Mount Thessen": "Mount Thessen is a mountain of 3,127 metres. Edda Lorvik climbed it first.",
    "Mount Carrigal": "Mount Carrigal rises to 2,914 metres above the sea.",
    "Pellham": "Pellham offers to mend the roof for £2,150, and needs four days.",
    "Lindqvist": "Lindqvist would mend the roof for 2,480 pounds within six days.",
    "Redstart": "Redstart asks £2,310 for the roof.",
    "Ardley Viaduct": "The Ardley Viaduct is built of granite. It was completed in 1871.",
    "Tesh Valley Line": "The Tesh Valley Line is a railway in Tarn. It opened on 4 May 1874.",
}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which of the lakes Ondrel, Pavrin and Suthmere is the deepest?", "Suthmere"),
        ("Which lake is the shallowest: Suthmere, Ondrel or Pavrin?", "Pavrin"),
        (
            "Of Lake Ondrel, Lake Pavrin and Lake Suthmere, which has the largest area?",
            "Lake Pavrin",
        ),
        ("Who is the cheapest, Pellham, Lindqvist or Redstart?", "Pellham"),
        ("How much higher is Mount Thessen than Mount Carrigal?", "213 metres"),
        ("How much deeper is Lake Suthmere than Lake Ondrel?", "26 metres"),
        ("How much more does Lindqvist ask for the roof than Pellham?", "£330"),
        (
            "How many years after the Ardley Viaduct was completed did the Tesh Valley Line open?",
            "3 years",
        ),
    ],
)
def test_several_values_are_compared_and_two_subtracted(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    answer = answer_from(reader, question, PASSAGES)
    assert answer.short == right


@pytest.mark.parametrize(
    "question",
    [
        # the other way round, and what is told of one alone
        "How much higher is Mount Carrigal than Mount Thessen?",
        "How much older is Mount Thessen than Lake Ondrel?",
        "How many years before the Ardley Viaduct was completed did the Tesh Valley Line open?",
    ],
)
def test_a_difference_that_is_not_told_is_no_value_of_one_of_the_two(
    reader: ExtractiveReader, question: str
) -> None:
    """ "How much higher is A than B?" was answered by A's height, as probable."""
    answer = answer_from(reader, question, PASSAGES)
    assert not answer.supported or answer.confidence < POSSIBLE


def test_how_many_of_several_is_no_choice_between_them(reader: ExtractiveReader) -> None:
    question = "How many of the lakes Ondrel, Pavrin and Suthmere are deeper than 200 metres?"
    assert answer_from(reader, question, PASSAGES).short not in {"Ondrel", "Pavrin", "Suthmere"}


LISTS = {
    "Rosalind Ekberry": "Rosalind Ekberry was an architect, born in Selm. Lake Tarn lies there.",
    "Lake Ondrel": "Lake Ondrel is a lake. It feeds on rain. On its shores lie the towns Sarrow, "
    "Kell and Mirfold.",
    "Grey duck": "The grey duck breeds on lakes. It feeds on snails, small fish and water beetles.",
    "Nyberg": "Nyberg is a shipping firm in Lydd. Its fleet consists of the ferries Aurora, "
    "Bellona and Cressida and the freighters Dunlin and Egret.",
}


def test_what_a_passage_lists_is_counted(reader: ExtractiveReader) -> None:
    """ "How many …?" was refused where no number is written."""
    question = "How many kinds of food does the grey duck feed on?"
    answer = answer_from(reader, question, LISTS, "Grey duck", "Rosalind Ekberry")
    assert answer.short == "3"
    assert POSSIBLE < answer.confidence < LIKELY


def test_a_list_of_which_a_part_was_found_is_not_counted(reader: ExtractiveReader) -> None:
    answer = answer_from(reader, "How many ships are in the fleet of Nyberg?", LISTS, "Nyberg")
    assert answer.short != "3"


def test_a_title_within_the_name_of_another_thing_is_no_thing_of_its_own(
    reader: ExtractiveReader,
) -> None:
    """The port of Tarnholm, and its inhabitants, were compared with two universities."""
    told = {
        "Tarnholm Polytechnic": "Tarnholm Polytechnic has about 14,000 students in six faculties.",
        "Essering University": "Essering University is the oldest. About 23,000 students are "
        "enrolled.",
        "Tarnholm": "Tarnholm is the largest port of Tessen, with 310,000 inhabitants.",
    }
    question = "Which has more students, Essering University or Tarnholm Polytechnic?"
    assert answer_from(reader, question, told).short == "Essering University"
