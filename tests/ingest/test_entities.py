import pytest

from clew_ingest.parsing.entity_names import (
    aliases_of,
    display_name,
    is_entity_name,
    normalise_name,
    without_honorifics,
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Beatles", "beatles"),
        ("Ed Wood’s", "ed wood"),
        ("  “Glen  or\nGlenda” ", "glen or glenda"),
        ("Beyoncé", "beyonce"),
        ("BEYONCE\u0301", "beyonce"),
        ("Straße", "strasse"),
        ("Saint–Denis", "saint-denis"),
        ("Ed Wood (film)", "ed wood (film)"),
        ("(United Nations)", "united nations"),
        ("Foo (bar", "foo (bar"),
        ("(Foo", "foo"),
        ("Washington, D.C.", "washington, d.c"),
        ("東京", "東京"),
        ("ＡＢＣ", "abc"),
        ("A", "a"),
        ("...", ""),
        ("", ""),
        # marks of notes and of trade are no part of a name
        ("Lovelace¹", "lovelace"),
        ("Ada Lovelace¹²", "ada lovelace"),
        ("Ada¹, Countess of Lovelace", "ada, countess of lovelace"),
        ("Lovelace¹,³’s", "lovelace"),
        ("NATO²", "nato"),
        ("Acme Inc.¹", "acme inc"),
        ("東京¹", "東京"),
        ("Lovelace[12]", "lovelace"),
        ("Lovelace†", "lovelace"),
        ("1815²", "1815"),
        ("Windows™ 11", "windows 11"),
        ("Windows®", "windows"),
        # exponents, charges and indices are part of what they stand at
        ("H₂O", "h2o"),
        ("Ca²⁺", "ca2"),
        ("m²", "m2"),
        ("5 km²", "5 km2"),
        ("x²", "x2"),
        ("E = mc²", "e = mc2"),
        ("10⁶", "10^6"),
        ("10⁻⁶", "10^-6"),
        ("10^6", "10^6"),
        ("x[1]", "x[1]"),
        ("5½", "5 1⁄2"),
        ("§ 5 BGB", "§ 5 bgb"),
    ],
)
def test_spellings_of_a_name_have_one_key(name: str, key: str) -> None:
    assert normalise_name(name) == key
    assert normalise_name(key) == key


def test_a_name_is_shown_without_the_marks_of_notes() -> None:
    assert display_name("Ada\nLovelace¹’s,") == "Ada Lovelace"
    assert display_name("Acme® Inc.†") == "Acme® Inc"
    assert display_name("5 m²") == "5 m²"


def test_a_title_with_a_qualifier_also_goes_by_its_plain_name() -> None:
    assert aliases_of("Ed Wood (film)") == ("ed wood",)
    assert aliases_of("Paris, Texas") == ()
    assert aliases_of("The (film)") == ()
    assert aliases_of("Ed Wood") == ()


def test_a_person_s_form_of_address_is_no_part_of_the_name() -> None:
    assert without_honorifics("Dr. Ada Thorne") == "Ada Thorne"
    assert without_honorifics("Prof. Dr. Otto van der Berg") == "Otto van der Berg"
    assert without_honorifics("Sir Isaac Newton") == "Isaac Newton"
    for kept in ("Dr. Thorne", "Mrs. John Smith", "Pope John Paul", "Professor of Greek"):
        assert without_honorifics(kept) == kept
    assert aliases_of("Dr. Ada Thorne") == ("ada thorne",)
    assert aliases_of("Dr. Ada Thorne (architect)") == ("dr. ada thorne", "ada thorne")


@pytest.mark.parametrize(
    "name",
    [
        *("Acknowledgements", "ACKNOWLEDGMENTS", "1 Introduction", "2.3 Methods", "A. References"),
        *("Table 3", "Fig. 12a", "See also", "Table of contents"),
    ],
)
def test_what_parts_of_a_text_are_called_is_no_name(name: str) -> None:
    assert not is_entity_name(name)


@pytest.mark.parametrize("name", ["Introduction Island", "The Round Table", "Notes on Engines"])
def test_a_name_may_hold_such_a_word(name: str) -> None:
    assert is_entity_name(name)


@pytest.mark.parametrize("name", ["...", "the", "It", "who", "A", "", "x" * 300, "of the"])
def test_punctuation_stop_words_and_paragraphs_are_no_names(name: str) -> None:
    assert not is_entity_name(name)


@pytest.mark.parametrize("name", ["The Who?!x", "1956", "U2", "東", "Bank of England"])
def test_names_are_names(name: str) -> None:
    assert is_entity_name(name)


def test_the_shown_name_keeps_its_case_and_loses_the_possessive() -> None:
    assert display_name("“Ed  Wood’s") == "Ed Wood"
