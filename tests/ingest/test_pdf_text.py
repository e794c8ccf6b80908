"""PDFs as programs set them: running heads, tables, columns, headings, words that lines part."""

import time
from collections.abc import Callable

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.parted_words import joined_words
from clew_ingest.reading.pdf_text import PdfText, read_pdf_text

Maker = Callable[..., bytes]
PROSE = "The mill stood by the river for more than two hundred years"


def read(data: bytes) -> PdfText:
    return read_pdf_text(data, IngestLimits())


def texts(data: bytes) -> list[str]:
    return [" ".join(text.split()) for text, _ in read(data).paragraphs]


def test_what_stands_on_every_page_is_left_out(set_pdf: Maker) -> None:
    pages = [
        [
            (72, 770, 8, ["Lease 2024/117 - confidential"]),
            (72, 600, 12, [f"{PROSE}, said {name}."]),
            (280, 20, 8, [f"Page {number} of 3"]),
        ]
        for number, name in enumerate(("Ada", "Bo", "Cy"), 1)
    ]
    assert texts(set_pdf(pages)) == [f"{PROSE}, said {name}." for name in ("Ada", "Bo", "Cy")]


def test_a_line_at_the_head_of_one_page_stays(set_pdf: Maker) -> None:
    pages = [[(72, 770, 8, [f"{name} came."]), (72, 600, 12, [PROSE])] for name in ("Ada", "Bo")]
    assert texts(set_pdf(pages)) == ["Ada came.", PROSE, "Bo came.", PROSE]


def test_a_page_of_which_all_stands_in_its_margin_is_kept(set_pdf: Maker) -> None:
    assert texts(set_pdf([[(72, 770, 12, ["Draft"])]] * 2)) == ["Draft", "Draft"]


def test_rows_of_a_table_without_rules_stay_together(set_pdf: Maker) -> None:
    """pdfminer reads the columns one after the other: which year was which was lost."""
    rows = [("Year", "Mean", "Ice"), ("1947", "3.1", "71"), ("1963", "4.0", "58")]
    placed = [
        (72 + 120 * column, 500 - 16 * row, 10, [cell])
        for column in range(3)
        for row, cell in enumerate(cells[column] for cells in rows)
    ]
    assert texts(set_pdf([[(72, 600, 10, [f"{PROSE}."]), *placed]])) == [
        f"{PROSE}.",
        "Year: 1947; Mean: 3.1; Ice: 71.",
        "Year: 1963; Mean: 4.0; Ice: 58.",
    ]


def test_rows_of_a_ruled_table_have_the_names_of_its_columns(set_pdf: Maker) -> None:
    across = "".join(f"72 {y} m 372 {y} l S\n" for y in (510, 490, 470, 450))
    down = "".join(f"{x} 450 m {x} 510 l S\n" for x in (72, 222, 372))
    cells = [
        (76 + 150 * column, 496 - 20 * row, 10, [cell])
        for row, two in enumerate((("Task", "Who"), ("Paint the hall", "Ada"), ("Sweep", "Bo")))
        for column, cell in enumerate(two)
    ]
    assert texts(set_pdf([cells], rules=across + down)) == [
        "Task: Paint the hall; Who: Ada.",
        "Task: Sweep; Who: Bo.",
    ]


def test_columns_of_prose_are_no_table(set_pdf: Maker) -> None:
    left = ["The mill stood by the river for more than", "two hundred years and ground the corn"]
    right = ["of nine villages until the railway came", "and carried it to the town of Wend."]
    page = [(40, 600, 12, left), (320, 600, 12, right)]
    assert texts(set_pdf([page])) == [" ".join([*left, *right])]


def test_headings_are_told_by_their_size_and_the_largest_is_the_title(set_pdf: Maker) -> None:
    first = [
        (72, 650, 24, ["The mill"]),
        (72, 600, 16, ["Who built it"]),
        (72, 570, 10, [f"{PROSE}."]),
    ]
    second = [(72, 600, 16, ["Who burnt it"]), (72, 570, 10, [f"{PROSE}."])]
    found = read(set_pdf([first, second]))
    assert found.title == "The mill"
    assert [(place.page, place.heading) for _, place in found.paragraphs] == [
        (1, ""),
        *[(1, "Who built it")] * 2,
        *[(2, "Who burnt it")] * 2,
    ]


def test_no_title_is_made_of_letters_that_headings_have_too(set_pdf: Maker) -> None:
    pages = [[(72, 600, 16, [name]), (72, 570, 10, [f"{PROSE}."])] for name in ("One", "Two")]
    assert read(set_pdf(pages)).title == ""


def test_a_sentence_goes_on_in_the_next_column_and_on_the_next_page(set_pdf: Maker) -> None:
    pages = [
        [(72, 600, 12, [f"{PROSE} and", "burnt down in the long night of the great storm, on"])],
        [(72, 700, 12, ["25 January 1990."])],
    ]
    whole = f"{PROSE} and burnt down in the long night of the great storm, on 25 January 1990."
    assert texts(set_pdf(pages)) == [whole]


def test_lines_of_a_table_of_contents_are_left_out(set_pdf: Maker) -> None:
    contents = [f"{number} Chapter . . . . . . . . . {number}" for number in (1, 2)]
    page = [(72, 600, 12, contents), (72, 500, 12, [f"{PROSE}."])]
    assert texts(set_pdf([page])) == [f"{PROSE}."]


def test_pictures_have_no_text(set_pdf: Maker) -> None:
    assert read(set_pdf([[]], rules="72 510 m 372 510 l S\n")) == PdfText("", [])


def test_a_line_of_control_characters_is_no_line(set_pdf: Maker) -> None:
    page = [(72, 600, 12, [PROSE, "\x03", "and ground the corn."])]
    assert texts(set_pdf([page])) == [f"{PROSE} and ground the corn."]


def test_words_that_a_line_parts_are_joined() -> None:
    assert joined_words("the man-\nagement said", typeset=True) == "the management said"
    assert joined_words("a well-\nknown man, well-known", typeset=True) == (
        "a well-known man, well-known"
    )
    assert joined_words("Jean-\nPaul came", typeset=True) == "Jean-Paul came"
    assert joined_words("multi-\nline-\ntext", typeset=True) == "multiline-\ntext"
    assert joined_words("fol\u2010\nlowing", typeset=False) == "following"
    assert joined_words("a well-\nknown man", typeset=False) == "a well-known man"
    assert joined_words("the man-\nagement of management", typeset=False) == (
        "the management of management"
    )


def test_a_run_of_letters_takes_no_minutes_to_be_looked_through() -> None:
    run = "x" * 200_000
    started = time.monotonic()
    assert joined_words(f"{run} the man-\nagement", typeset=True) == f"{run} the management"
    assert time.monotonic() - started < 5
