"""PDFs as programs set them: running heads, tables, columns, headings, words that lines part."""

import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from pdfminer.psparser import LIT

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.parted_words import joined_words
from clew_ingest.reading.pdf_letters import name_letters
from clew_ingest.reading.pdf_text import PdfText, read_pdf_text
from clew_ingest.reading.readers import read as read_file

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


def test_large_items_of_a_list_are_no_heading(set_pdf: Maker) -> None:
    """As those of slides are, exported as a PDF."""
    items = [(72, 700, 30, [r"\267 First goal", r"\267 Second goal"]), (72, 100, 10, [f"{PROSE}."])]
    found = read(set_pdf([items]))
    assert {place.heading for _, place in found.paragraphs} == {""}
    assert [text.strip() for text, _ in found.paragraphs if text] == [
        *("First goal", "Second goal", f"{PROSE}.")
    ]


def test_an_accent_that_is_set_over_a_letter_is_part_of_it(set_pdf: Maker) -> None:
    """TeX sets "ö" so; names lost their letters, "Schr¨odinger"."""
    over = r"BT /F1 10 Tf 72 500 Td [(Schr\310) 444 (odinger, na\310) 300 (\365) -50 (ve,)] TJ ET "
    beside = r"BT /F1 10 Tf 72 400 Td (D\302accord.) Tj ET "
    assert texts(set_pdf([[]], rules=over + beside)) == ["Schrödinger, naïve,", "D´accord."]


def test_a_pdf_of_letters_that_no_font_names_has_no_text(set_pdf: Maker) -> None:
    """It was read as "(cid:1)(cid:2)"."""
    data = set_pdf([[]], rules=r"BT /F1 10 Tf 72 500 Td (\001\002 \003) Tj ET ")
    with pytest.raises(UnreadableSource, match="No text") as told:
        read_file(data, "a.pdf", IngestLimits())
    assert "text recognition" in told.value.remedy


@pytest.mark.parametrize(
    ("codes", "named"),
    [
        ([*range(97, 123), 28, 252, 255], {28: "fi", 252: "ü", 255: "ß"}),
        ([*range(97, 123), 11, 12, 25], {11: "ff", 12: "fi", 25: "ß"}),
        ([97, 12], {}),
    ],
)
def test_letters_that_tex_only_numbered_are_named(codes: list[int], named: dict[int, str]) -> None:
    font = SimpleNamespace(cid2unicode={}, unicode_map=None)
    name_letters(font, {"Encoding": {"Differences": [0, *(LIT(f"a{code}") for code in codes)]}})
    assert font.cid2unicode == named


def test_a_table_beside_prose_in_another_column_keeps_its_rows(set_pdf: Maker) -> None:
    prose = [
        (72, 500 - 12 * line, 10, ["The mill stood by the river for years"]) for line in range(8)
    ]
    cells = [
        (320 + 70 * column, 488 - 12 * row, 10, [cell])
        for row, three in enumerate(
            (("Series", "Boxes", "Share"), ("Letters", "60", "50%"), ("Bills", "9", "8%"))
        )
        for column, cell in enumerate(three)
    ]
    found = texts(set_pdf([[*prose, *cells]]))
    assert [text for text in found if "Series" in text] == [
        "Series: Letters; Boxes: 60; Share: 50%.",
        "Series: Bills; Boxes: 9; Share: 8%.",
    ]


def test_lines_of_a_table_of_contents_are_left_out(set_pdf: Maker) -> None:
    contents = [f"{number} Chapter . . . . . . . . . {number}" for number in (1, 2)]
    page = [(72, 600, 12, contents), (72, 500, 12, [f"{PROSE}."])]
    assert texts(set_pdf([page])) == [f"{PROSE}."]


def test_pictures_have_no_text(set_pdf: Maker) -> None:
    assert read(set_pdf([[]], rules="72 510 m 372 510 l S\n")) == PdfText("", [], [])


SCAN = "q 600 0 0 780 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q\n"
"""Draws a picture over a whole page."""


@pytest.mark.parametrize(
    ("drawn", "unread"),
    [
        (SCAN, "pages 2–3 and 5"),
        (SCAN.replace("600 0 0 780", "60 0 0 78"), ""),
        (r"BT /F1 10 Tf 72 300 Td (\001\002 \003) Tj ET ", "pages 2–3 and 5"),
        ("72 510 m 372 510 l S\n", ""),
    ],
)
def test_pages_of_which_nothing_can_be_read_are_told(
    drawn: str, unread: str, set_pdf: Maker
) -> None:
    """Scans between pages of text were left out without a word."""
    written = [(72, 600, 12, [f"{PROSE}."])]
    data = set_pdf([written, [], [], written, []], rules=drawn)
    (document,) = read_file(data, "a.pdf", IngestLimits()).documents
    assert document.left_out.partition(":")[0] == (unread and f"Nothing was read of {unread}")


def test_a_line_of_control_characters_is_no_line(set_pdf: Maker) -> None:
    page = [(72, 600, 12, [PROSE, "\x03", "and ground the corn."])]
    assert texts(set_pdf([page])) == [f"{PROSE} and ground the corn."]


def set_lines(left: int, base: int, lines: list[str], size: int = 10) -> str:
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 {size} Tf {left} {base} Td {size + 2} TL {shown} ET\n"


def test_what_a_page_draws_as_a_form_is_read_in_its_place(set_pdf: Maker) -> None:
    form = set_lines(72, 640, [f"{PROSE}, and ground the", "corn of nine villages."])
    page = [(72, 680, 10, ["The mill:"]), (72, 600, 10, ["It burnt down."])]
    assert texts(set_pdf([page], rules="q /X1 Do Q\n", form=form)) == [
        "The mill:",
        f"{PROSE}, and ground the corn of nine villages.",
        "It burnt down.",
    ]


@pytest.mark.parametrize(
    ("annotation", "filled"),
    [
        ("/Subtype /Widget /Rect [100 0 712 792] /AP << /N 7 0 R >>", ["Name: Ada Lovelace"]),
        ("/Subtype /FreeText /Rect [100 0 712 792] /AP << /N 7 0 R >>", ["Name:", "Ada Lovelace"]),
        ("/Subtype /Widget /Rect [100 0 712 792] /AP << /N 7 0 R >> /F 2", ["Name:"]),
        ("/Subtype /Widget /Rect [100 0 712 792] /AP << /N << /On 7 0 R >> >>", ["Name:"]),
        ("/Subtype /Popup /Rect [100 0 712 792] /AP << /N 7 0 R >>", ["Name:"]),
        ("/Subtype /Widget", ["Name:"]),
    ],
)
def test_what_is_filled_in_and_written_onto_a_page_is_read(
    annotation: str, filled: list[str], set_pdf: Maker
) -> None:
    box = f"/MediaBox [0 0 612 792] /Annots [<< {annotation} >>]"
    page = [(72, 600, 10, ["Name:"]), (72, 500, 10, [f"{PROSE}."])]
    form = set_lines(4, 600, ["Ada Lovelace"])
    assert texts(set_pdf([page], box=box, form=form)) == [*filled, f"{PROSE}."]


def test_what_is_filled_into_a_form_stands_with_what_names_it(set_pdf: Maker) -> None:
    """Boxes to tick, and values that no stream draws, were lost; others stood by themselves."""

    def field(kind: str, x: int, y: int, width: int, more: str) -> str:
        place = f"/Rect [{x} {y} {x + width} {y + 12}]"
        return f"<< /Subtype /Widget /FT /{kind} {place} {more} >> "

    fields = (
        field("Tx", 200, 600, 90, "/V (Ada Lovelace)")
        + field("Tx", 100, 580, 60, "/V (London)")
        + field("Ch", 330, 580, 80, "/Parent << /V (W) /Opt [[(E) (EC1)] [(W) (W1J)]] >>")
        + field("Tx", 200, 560, 90, "/V (secret) /Ff 8192")
        + field("Btn", 200, 540, 10, "/AS /Yes /AP << /N << /Yes 7 0 R /Off 7 0 R >> >>")
        + field("Btn", 330, 540, 10, "/AS /Off /AP << /N << /Yes 7 0 R /Off 7 0 R >> >>")
        + field("Btn", 450, 540, 60, "/Ff 65536 /AP << /N << >> >>")
    )
    labels = [
        (72, 602, 10, ["Full name"]),
        (72, 582, 10, ["Town: ____________"]),
        (250, 582, 10, ["Postcode:"]),
        (72, 562, 10, ["Password"]),
        (72, 542, 10, ["Membership"]),
        (230, 542, 10, ["Full member"]),
        (360, 542, 10, ["Associate"]),
        (72, 480, 10, [f"{PROSE}."]),
    ]
    found = texts(set_pdf([labels], box=f"/MediaBox [0 0 612 792] /Annots [{fields}]"))
    assert [part for text in found for part in text.rstrip(".").split("; ")] == [
        "Full name: Ada Lovelace",
        "Town: London",
        "Postcode: W1J",
        "Password",
        "Membership",
        "[x] Full member",
        "[ ] Associate",
        PROSE,
    ]


def test_what_is_filled_in_stands_in_the_cells_of_a_ruled_table(set_pdf: Maker) -> None:
    across = "".join(f"72 {y} m 372 {y} l S\n" for y in (510, 490, 470, 450))
    down = "".join(f"{x} 450 m {x} 510 l S\n" for x in (72, 222, 372))
    labels = [
        (76 + 150 * column, 496 - 20 * row, 10, [cell])
        for row, two in enumerate((("Task", "Who"), ("Paint the hall",), ("Sweep",)))
        for column, cell in enumerate(two)
    ]
    box = (
        "/MediaBox [0 0 612 792] /Annots [<< /Subtype /Widget /Rect [0 0 612 792] "
        "/AP << /N 7 0 R >> >>]"
    )
    form = set_lines(226, 476, ["Ada"]) + set_lines(112, 456, ["away"])
    form += set_lines(226, 456, ["Bo"])
    assert texts(set_pdf([labels], rules=across + down, box=box, form=form)) == [
        "Task: Paint the hall; Who: Ada.",
        "Task: Sweep away; Who: Bo.",
    ]


def sideways(matrix: str, left: int, base: int, lines: list[str]) -> str:
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 10 Tf 12 TL {matrix} {left} {base} Tm {shown} ET\n"


@pytest.mark.parametrize(
    ("matrix", "left", "base"),
    [("0 1 -1 0", 300, 100), ("0 -1 1 0", 300, 700), ("-1 0 0 -1", 500, 400)],
)
def test_lines_that_stand_on_their_side_are_lines(
    matrix: str, left: int, base: int, set_pdf: Maker
) -> None:
    """Each of their letters was a line by itself."""
    lines = [f"{PROSE} and ground", "the corn of nine villages."]
    whole = " ".join(lines)
    turned = sideways(matrix, left, base, lines)
    assert texts(set_pdf([[]], rules=turned)) == [whole]
    upright = [
        (72, 600, 10, [f"{PROSE}, said Ada.", "It burnt down in the long night, said Bo."] * 2)
    ]
    told = f"{PROSE}, said Ada. It burnt down in the long night, said Bo."
    assert texts(set_pdf([upright], rules=turned)) == [f"{told} {told}", whole]


def test_what_is_stamped_aslant_over_a_page_is_no_text(set_pdf: Maker) -> None:
    stamp = sideways("0.7 0.7 -0.7 0.7", 200, 300, ["Draft"])
    assert texts(set_pdf([[(72, 600, 10, [f"{PROSE}."])]], rules=stamp)) == [f"{PROSE}."]


def test_a_chart_that_is_drawn_as_a_form_is_none_of_the_text(set_pdf: Maker) -> None:
    steps = "".join(set_lines(100 + 40 * step, 400, [f"{step}.5"]) for step in range(5))
    page = [(72, 680, 10, [f"{PROSE}."])]
    chart = set_lines(150, 380, ["Epochs"]) + steps
    assert texts(set_pdf([page], rules="q /X1 Do Q\n", form=chart)) == [f"{PROSE}."]


def moved(pages: list[list[tuple[int, int, int, list[str]]]], by: int) -> list[list[object]]:
    return [
        [(left + by, base + by, size, lines) for left, base, size, lines in page] for page in pages
    ]


@pytest.mark.parametrize(
    ("box", "by"),
    [
        ("/MediaBox [0 0 612 792]", 0),
        ("/MediaBox [-200 -200 412 592]", -200),
        ("/MediaBox [500 500 1112 1292]", 500),
        ("/MediaBox [0 0 900 1200] /CropBox [150 150 762 942]", 150),
    ],
)
def test_a_page_is_what_is_seen_of_its_sheet(box: str, by: int, set_pdf: Maker) -> None:
    """Running heads and ruled tables were looked for at the corner of the sheet, 0, 0."""
    across = "".join(
        f"{72 + by} {y + by} m {372 + by} {y + by} l S\n" for y in (510, 490, 470, 450)
    )
    down = "".join(f"{x + by} {450 + by} m {x + by} {510 + by} l S\n" for x in (72, 222, 372))
    cells = [
        (76 + 150 * column, 496 - 20 * row, 10, [cell])
        for row, two in enumerate((("Task", "Who"), ("Paint the hall", "Ada"), ("Sweep", "Bo")))
        for column, cell in enumerate(two)
    ]
    pages = [
        [(72, 770, 8, ["Lease 2024/117"]), *cells, (72, 400, 10, [f"{PROSE}, said {name}."])]
        for name in ("Ada", "Bo", "Cy")
    ]
    table = ["Task: Paint the hall; Who: Ada.", "Task: Sweep; Who: Bo."]
    marks = [(72, 850, 8, ["book.indb 12"])] if "Crop" in box else []
    assert texts(
        set_pdf(moved([[*marks, *page] for page in pages], by), rules=across + down, box=box)
    ) == [text for name in ("Ada", "Bo", "Cy") for text in (*table, f"{PROSE}, said {name}.")]


def test_letters_that_are_printed_as_one_are_several(set_pdf: Maker) -> None:
    page = [(72, 600, 12, ["The O\\256ce of Sir Ru\\257ord"])]
    assert texts(set_pdf([page])) == ["The Ofice of Sir Ruflord"]


def test_a_hyphen_that_only_a_line_end_shows_is_no_part_of_a_word(set_pdf: Maker) -> None:
    lines = ["The mill stood by the river and its man\\255", "age\\255ment burnt it down."]
    assert texts(set_pdf([[(72, 600, 12, lines)]])) == [
        "The mill stood by the river and its management burnt it down."
    ]


def test_numbers_above_the_line_are_none_of_what_stands_before_them(set_pdf: Maker) -> None:
    line = (
        "BT /F1 10 Tf 72 600 Td (In 2019) Tj /F1 6 Tf 4 Ts (1) Tj /F1 10 Tf 0 Ts ( it had 5 m) Tj "
        "/F1 6 Tf 4 Ts (2) Tj /F1 10 Tf 0 Ts ( of H) Tj /F1 6 Tf -2 Ts (2) Tj /F1 10 Tf 0 Ts (O.) "
        "Tj ET\n"
    )
    assert texts(set_pdf([[]], rules=line)) == ["In 2019¹ it had 5 m² of H2O."]


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
