"""What follows from two dates, or from what something amounted to at two times."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import POSSIBLE
from clew.comprehension.dates import moments_in

from .read_passages import answer_from

PASSAGES = {
    "Hallow Court: minutes, 3 December 2024": "The roof of the gatehouse was repaired between 4 "
    "and 21 June. The windows were replaced from 2 September to 18 October. The court now has 61 "
    "members. Rent rises from 6.40 to 6.90 euros per square metre on 1 March.",
    "Orlan Strike": "The Orlan strike was a dispute in the docks of Orlan. It began on 3 May 1912, "
    "when 800 dockers walked out, and ended on 28 June 1912 with higher wages.",
    "Tarrow Herald": "The Tarrow Herald was a weekly paper. Its first number came out on 5 January "
    "1871; the last appeared on 30 March 1946. Circulation was 1,900 copies in 1880 and 5,400 in "
    "1920.",
    "Museum of Kites": "The Museum of Kites was founded in 1934 by Bela Orne. The café opened in "
    "1961, the north wing in 1975. Marta Quill, born on 9 May 1968, became its director on 1 "
    "October 2013. In 2022 it had 14,300 visitors, in 2023 it had 12,850.",
    "Selm Viaduct": "The Selm Viaduct was built from 1887 to 1894. The budget had been 210,000 "
    "crowns, but the final cost was 255,500 crowns.",
}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Was the gatehouse roof repaired before the windows were replaced?", "yes"),
        ("Were the windows replaced before the gatehouse roof was repaired?", "no"),
        ("did the north wing of the museum open after the café", "yes"),
        ("Was the Museum of Kites founded before 1930?", "no"),
        (
            "Did the Tarrow Herald first come out before or after the Orlan strike began?",
            "before",
        ),
        ("How long did the Orlan strike last?", "56 days"),
        ("For how many years did the Tarrow Herald appear?", "75 years"),
        ("How old was Marta Quill when she became director?", "45"),
        ("Were there more visitors to the Museum of Kites in 2023 than in 2022?", "no"),
        ("In which year did the Museum of Kites have more visitors, 2022 or 2023?", "2022"),
        ("How many fewer visitors did the Museum of Kites have in 2023 than in 2022?", "1,450"),
        ("By how much did the Herald's circulation grow between 1880 and 1920?", "3,500"),
        ("By how much does the rent at Hallow Court go up in March?", "€0.50"),
        ("How much more did the Selm Viaduct cost than planned?", "45,500 crowns"),
        ("Did visitors to the Museum of Kites change between 2022 and 2023?", "yes"),
    ],
)
def test_two_dates_or_amounts_are_put_in_order_or_subtracted(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    """None of them was answered so, most by one of the two amounts or not at all."""
    assert answer_from(reader, question, PASSAGES).short == right


@pytest.mark.parametrize(
    ("told", "right"),
    [
        ("The show opened on 12 February and closed on 3 March.", "20 days"),
        ("The show opened on 12 February 2023 and closed on 29 February 2023.", "17 days"),
        ("The show opened in March 2021 and closed in May 2022.", "14 months"),
        ("The show opened on 1 May 2019 and closed on 30 April 2022.", "3 years"),
    ],
)
def test_a_span_is_told_in_the_unit_that_fits(
    reader: ExtractiveReader, told: str, right: str
) -> None:
    assert answer_from(reader, "How long did the show run?", {"Show": told}).short == right


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which lasted longer, the Orlan Strike or the Tarn Strike?", "Orlan Strike"),
        ("Did the Tarn Strike last longer than the Orlan Strike?", "no"),
    ],
)
def test_what_lasted_longer_is_told_by_both_beginnings_and_ends(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    told = {
        **PASSAGES,
        "Tarn Strike": "The Tarn strike was a dispute in the mills of Tarn. It began on 2 March "
        "1921 and ended on 19 March 1921.",
    }
    assert answer_from(reader, question, told).short == right


@pytest.mark.parametrize(
    "question",
    [
        # one of the two is not told
        "Was the lift at Hallow Court repaired before the windows were replaced?",
        "By how much did the rent at the Museum of Kites go up in 2023?",
        "Were there more visitors to the Museum of Kites in 2024 than in 2023?",
        "How long did the printers' strike at the Tarrow Herald last?",
        "How many fewer copies did the Tarrow Herald print in 1950 than in 1920?",
    ],
)
def test_what_lacks_one_of_its_two_values_is_not_stated(
    reader: ExtractiveReader, question: str
) -> None:
    answer = answer_from(reader, question, PASSAGES)
    assert not answer.supported or answer.confidence < POSSIBLE, answer.short


def test_a_change_that_is_told_itself_is_told(reader: ExtractiveReader) -> None:
    told = {"Report": "Thanks to the new lamps the school's use of power fell by 18 percent."}
    answer = answer_from(reader, "By how much did the school's use of power fall?", told)
    assert answer.short.removeprefix("by ") == "18 percent"


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How much did the summer fair raise?", "£3,120"),
        ("How long was the Marlow?", "64 metres long"),
        ("How much more do I pay for a child's coat?", "£2.50"),
    ],
)
def test_what_sounds_like_a_change_or_a_span_and_is_none(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    told = {
        "Marlow": "The Marlow was a steamer, 64 metres long, laid down in 1901 and broken up in "
        "1934.",
        "School": "The summer fair in 2013 raised £3,120, the winter fair £1,050.",
        "Cloakroom": "A coat costs £4; for a child's coat you pay an extra £2.50.",
    }
    assert answer_from(reader, question, told).short == right


def test_what_is_to_be_done_before_something_is_no_order_of_events(
    reader: ExtractiveReader,
) -> None:
    told = {
        "Keys": "The keys were changed on 3 May 2021. Visitors must sign the book before they "
        "leave; the book was begun on 4 June 2022."
    }
    assert answer_from(reader, "Do visitors have to sign before they leave?", told).short == "yes"


def test_why_something_fell_between_two_times_is_no_comparison(reader: ExtractiveReader) -> None:
    told = {
        "Sales": "Sales fell from 40,000 in 2019 to 31,000 in 2021 because the harbour was closed."
    }
    answer = answer_from(reader, "Why did sales fall between 2019 and 2021?", told)
    assert "harbour was closed" in answer.short
    assert answer.confidence >= POSSIBLE


def test_what_lasts_by_a_rule_is_not_counted_from_dates(reader: ExtractiveReader) -> None:
    told = {
        "Fen newt": "The fen newt was described in 1908 and protected in 1974. It lives up to nine "
        "years."
    }
    assert "nine" in answer_from(reader, "How long does the fen newt live?", told).short


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Until what time can I get lunch on a Friday?", "13:15"),
        ("Who approves holidays of our new CTO?", "Ines Moll"),
    ],
)
def test_days_are_held_in_either_number_and_short_forms_of_roles_are_no_names(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    """Their answers were refused, without the "names" Friday and CTO in their passages."""
    told = {
        "Canteen": "Lunch is served from 11:30 to 13:45; on Fridays lunch ends at 13:15.",
        "Holidays": "Holidays of the new head of technology are approved by Ines Moll.",
    }
    assert right in answer_from(reader, question, told).short


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("built 1887 to 1894", [(1887,), (1894,)]),
        ("on 2 July, and from 5 August", [(0, 7, 2), (0, 8, 5)]),
        ("since March 2023, on 12 November 2024", [(2023, 3), (2024, 11, 12)]),
        ("sold more in october than in september", [(0, 10), (0, 9)]),
        ("2,015 catalogues for £1995 in 2024", [(2024,)]),
        ("we may go; they march on", []),
        ("on 31 June or 29 February", [(0, 2, 29)]),
    ],
)
def test_times_are_found_in_their_order(text: str, told: list[tuple[int, ...]]) -> None:
    assert [numbers for _, _, numbers in moments_in(text)] == told
