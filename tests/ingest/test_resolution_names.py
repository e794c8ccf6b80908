import random
import string

import pytest

from clew_ingest.resolution.names import signature
from clew_ingest.resolution.types import agreement


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ("J. R. R. Tolkien", "JRR Tolkien", "PERSON"),
        ("J. R. R. Tolkien", "J.R.R. Tolkien", "PERSON"),
        ("Beyoncé Knowles", "BEYONCE KNOWLES", "PERSON"),
        ("Henry VIII", "Henry the Eighth", "PERSON"),
        ("World War II", "World War 2", "EVENT"),
        ("World War Two", "World War 2", "EVENT"),
        ("the 21st Amendment", "21 Amendment", "LAW"),
        ("Simon & Garfunkel", "Simon and Garfunkel", "ORG"),
        ("Spider-Man", "Spider Man", "WORK_OF_ART"),
        ("U.S. Steel", "US Steel", "ORG"),
        ("U. S. Steel", "US Steel", "ORG"),
        ("The Beatles", "Beatles", "ORG"),
        ("St. Petersburg", "Saint Petersburg", "GPE"),
        ("Portland, OR", "Portland, Oregon", "GPE"),
        ("USA", "the United States of America", "GPE"),
        ("Royal Theatre", "Royal Theater", "FAC"),
        ("10,000 Maniacs", "10000 Maniacs", "ORG"),
        ("rack-x-12", "RACK X-12", "CODE"),
    ],
)
def test_spellings_of_one_name_have_one_signature(one: str, other: str, type_: str) -> None:
    assert signature(one, type_) == signature(other, type_)


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ("Henry V", "Henry VI", "PERSON"),
        ("World War I", "World War II", "EVENT"),
        ("Apollo 11", "Apollo 13", "PRODUCT"),
        ("Martin Luther King Jr.", "Martin Luther King Sr.", "PERSON"),
        ("Mercury (planet)", "Mercury (element)", ""),
        ("Springfield, Illinois", "Springfield, Ohio", "GPE"),
        ("Main St", "Main Saint", "FAC"),
        ("C. S. Lewis", "C. D. Lewis", "PERSON"),
        ("RACK-X-12", "RACK-10-12", "CODE"),
        ("A-one-12", "A-1-12", "CODE"),
        ("ST-10-2", "SAINT-10-2", "CODE"),
        ("INV-007", "INV-7", "CODE"),
    ],
)
def test_what_tells_names_apart_is_kept(one: str, other: str, type_: str) -> None:
    assert signature(one, type_) != signature(other, type_)


def test_a_hyphen_in_an_identifier_may_be_left_out() -> None:
    one, other = signature("C-1107", "CODE"), signature("C1107", "CODE")
    assert (one.joined, one.numbers) == (other.joined, other.numbers)


def test_titles_legal_forms_generations_regions_and_brackets_are_parts_of_their_own() -> None:
    doyle = signature("Sir Arthur Conan Doyle", "PERSON")
    assert (doyle.words, doyle.titles) == (("arthur", "conan", "doyle"), ("sir",))
    king = signature("Dr. Martin Luther King, Jr.", "PERSON")
    assert (king.words, king.generation, king.titles) == (
        ("martin", "luther", "king"),
        "jr",
        ("dr",),
    )
    tiffany = signature("Tiffany & Co.", "ORG")
    assert (tiffany.words, tiffany.legal) == (("tiffany",), "co")
    portland = signature("Portland, Oregon", "GPE")
    assert (portland.words, portland.region) == (("portland",), "or")
    planet = signature("Mercury (planet)")
    assert (planet.words, planet.qualifier) == (("mercury",), "planet")
    assert signature("Henry V", "PERSON").numbers == ("5",)


def test_a_title_that_is_the_whole_name_stays() -> None:
    assert signature("Prince", "PERSON").words == ("prince",)
    assert signature("Prince of Wales", "PERSON").words == ("prince", "of", "wales")
    assert signature("General Motors", "ORG").words == ("general", "motors")


def test_the_type_decides_what_a_comma_and_capitals_mean() -> None:
    assert signature("Lock, Stock and Barrel", "WORK_OF_ART").region == ""
    assert signature("Crosby, Stills, Nash", "").region == ""
    assert signature("AC Milan", "ORG").words == ("ac", "milan")
    assert signature("AC Green", "PERSON").words == ("a", "c", "green")
    assert signature("ADA LOVELACE", "PERSON").words == ("ada", "lovelace")
    assert signature("Vitamin C", "PRODUCT").numbers == ()


def test_a_roman_number_does_not_begin_a_name() -> None:
    assert signature("I, Robot", "WORK_OF_ART").words == ("i", "robot")
    assert signature("X Files", "WORK_OF_ART").numbers == ()


@pytest.mark.parametrize("name", ["", "   ", "...", "()", "(", ",", "-", "\x00"])
def test_what_is_no_name_has_no_letters(name: str) -> None:
    assert not any(c.isalnum() for word in signature(name, "PERSON").words for c in word)


def test_any_text_has_a_signature() -> None:
    generator = random.Random(5)
    letters = string.printable + "é–’“”東京&(),."
    for _ in range(2000):
        text = "".join(generator.choices(letters, k=generator.randrange(30)))
        for type_ in ("PERSON", "ORG", "GPE", "", "DATE"):
            sign = signature(text, type_)
            assert sign == signature(text, type_)
            assert all(sign.words)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("GPE", "LOC", "agree"),
        ("FAC", "GPE", "agree"),
        ("PERSON", "PERSON", "agree"),
        ("ORG", "GPE", "doubtful"),
        ("WORK_OF_ART", "ORG", "doubtful"),
        ("", "PERSON", "unknown"),
        ("", "", "unknown"),
        ("PERSON", "ORG", "never"),
        ("PERSON", "GPE", "never"),
        ("DATE", "CARDINAL", "never"),
        ("MADE_UP", "MADE_UP", "agree"),
    ],
)
def test_which_types_agree(one: str, other: str, expected: str) -> None:
    assert agreement(one, other) == expected
    assert agreement(other, one) == expected
