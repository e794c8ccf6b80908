"""Hebrew and Arabic in PDFs, which hold what is shown, from the left."""

import pytest

from clew_ingest.reading.right_to_left import as_read


@pytest.mark.parametrize(
    "read",
    [
        "שלום עולם",
        "המספנה בנתה שלוש גוררות בשנת 2019.",
        "מ-12.5 עד 2020 (כולל) נבנו שלוש.",
        "חברת Seld Shipyard נוסדה.",
        "مرحبا بالعالم، هذا نص عربي.",
    ],
)
def test_a_line_from_the_right_is_read_in_its_order(read: str) -> None:
    """What was shown from the left was read from the left, and no name in it was found."""
    assert as_read(shown(read)) == read


def shown(read: str) -> str:
    """Return a line from the right as it is shown: words and numbers of the other direction stand
    from the left, brackets are mirrored.
    """
    turned = read[::-1].translate(str.maketrans("()", ")("))
    for upright in ("Seld Shipyard", "2019", "2020", "12.5"):
        turned = turned.replace(upright[::-1], upright)
    return turned


def test_numbers_beside_each_other_are_read_from_the_right() -> None:
    assert as_read("2020 2019 םינש") == "שנים 2019 2020"


def test_a_word_from_the_right_within_a_line_from_the_left_is_turned() -> None:
    assert as_read("The word םולש means peace, says Ada.") == "The word שלום means peace, says Ada."
    assert as_read("No such letter (at all).") == "No such letter (at all)."


def test_letters_in_the_forms_that_are_printed_are_those_that_are_written() -> None:
    assert as_read("ﻲﺑﺮﻋ") == "عربي"
    assert as_read("مﻼﺳ") == "سلام"


@pytest.mark.parametrize("shown", ["", "٠١", "\u05b0", "،", "The year ٢٠١٩."])
def test_what_has_no_letter_from_the_right_stays(shown: str) -> None:
    assert as_read(shown) == shown
