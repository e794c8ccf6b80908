"""Sheets of several tables, with captions, merged cells, names that are missing or the same."""

import io
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.read_document import Place, PlaceFrom
from clew_ingest.reading.readers import read

Maker = Callable[..., bytes]
STAFF = [["Name", "Age"], ["Ada", "36"], ["Bo", "40"]]
LONGER = [*STAFF, ["Cy", "5"], ["Di", "6"]]
STAFF_READ = ["Name: Ada; Age: 36.", "Name: Bo; Age: 40."]
WARES = [["Product", "Price", "Stock"], ["Pen", "3", "4"], ["Ink", "5", "6"]]
WARES_READ = ["Product: Pen; Price: 3; Stock: 4.", "Product: Ink; Price: 5; Stock: 6."]


def texts(data: bytes, name: str) -> list[str]:
    return read(data, name, IngestLimits()).documents[0].text.split("\n\n")


def workbook(
    rows: Sequence[Sequence[Any]], merged: str = "", bold: str = "", **formats: str
) -> bytes:
    """Return an XLSX; ``merged``: areas that are one cell each; ``bold``: cells."""
    made = Workbook()
    sheet = made.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for area in merged.split():
        sheet.merge_cells(area)
    for cell in bold.split():
        sheet[cell].font = Font(bold=True)
    for cell, number_format in formats.items():
        sheet[cell].number_format = number_format
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([*STAFF, [], *WARES], [*STAFF_READ, *WARES_READ]),
        (
            [["Staff"], *STAFF, [], ["Wares"], *WARES],
            ["Staff.", *STAFF_READ, "Wares.", *WARES_READ],
        ),
        (
            [
                ["Name", "Town", "Job"],
                ["Ada", "Oslo", "x"],
                [],
                ["Bo", "Rome", "y"],
                ["Cy", "Bern"],
            ],
            [
                "Name: Ada; Town: Oslo; Job: x.",
                "Name: Bo; Town: Rome; Job: y.",
                "Name: Cy; Town: Bern.",
            ],
        ),
        ([*STAFF, [], ["Source: the office"]], [*STAFF_READ, "Source: the office."]),
        ([*STAFF, [], ["Total", "76"]], [*STAFF_READ, "Name: Total; Age: 76."]),
        ([*STAFF, [], ["Asked", "Ada"], ["Of", "Bo"]], [*STAFF_READ, "Asked; Ada.", "Of; Bo."]),
        (
            [[*a, "", *b] for a, b in zip(LONGER, [*WARES, [], []], strict=True)],
            [*STAFF_READ, "Name: Cy; Age: 5.", "Name: Di; Age: 6.", *WARES_READ],
        ),
        (
            [
                ["Staff", "", "", "Wares"],
                *([*a, "", *b] for a, b in zip(STAFF, WARES, strict=True)),
            ],
            ["Staff.", *STAFF_READ, "Wares.", *WARES_READ],
        ),
        (
            [["Name", "Age", "", "Town", "River"], ["Ada", "36", "", "Paris", "Seine"]],
            ["Name: Ada; Age: 36; Town: Paris; River: Seine."],
        ),
        (
            [["Name", "Paid", "Paid"], ["Ada", "1", "2"], ["Bo", "3", "4"]],
            ["Name: Ada; Paid: 1; Paid: 2.", "Name: Bo; Paid: 3; Paid: 4."],
        ),
        ([["Name", "", "Age"], ["Ada", "x", "36"]], ["Name: Ada; x; Age: 36."]),
    ],
)
def test_each_table_of_a_sheet_has_names_of_its_own(
    rows: list[list[str]], expected: list[str]
) -> None:
    """A second table was read with the names of the first one's columns."""
    assert texts(workbook(rows), "x.xlsx") == expected
    assert texts("\n".join(",".join(row) for row in rows).encode(), "x.csv") == expected


def test_bold_letters_show_which_row_names_the_columns() -> None:
    rows: list[list[Any]] = [
        ["Name", "Town"],
        ["Ada", "Oslo"],
        [],
        ["Yard", "River"],
        ["Seld", "Wend"],
    ]
    assert texts(workbook(rows, bold="A1 B1 A4 B4"), "x.xlsx") == [
        "Name: Ada; Town: Oslo.",
        "Yard: Seld; River: Wend.",
    ]


def test_a_merged_cell_stands_in_each_row_and_over_each_column_that_it_spans() -> None:
    rows: list[list[Any]] = [
        ["Sales of the yard", None, None],
        ["Region", "Tugs", None, "Seat"],
        [None, 2019, 2020, None],
        ["North", 1, 2, "Oslo"],
        [None, 3, 4, "Bergen"],
    ]
    data = workbook(rows, merged="A1:D1 A2:A3 B2:C2 D2:D3 A4:A5")
    assert texts(data, "x.xlsx") == [
        "Sales of the yard.",
        "Region: North; Tugs 2019: 1; Tugs 2020: 2; Seat: Oslo.",
        "Region: North; Tugs 2019: 3; Tugs 2020: 4; Seat: Bergen.",
    ]


def test_numbers_are_read_as_the_workbook_shows_them() -> None:
    rows: list[list[Any]] = [["Item", "Share", "Price", "Code"], ["Pen", 0.125, 3.5, 42]]
    data = workbook(rows, B2="0.0%", C2="[$€-407] #,##0.00", D2="00000")
    assert texts(data, "x.xlsx") == ["Item: Pen; Share: 12.5%; Price: € 3.50; Code: 00042."]


def test_a_sheet_of_several_is_known_to_its_rows(xlsx: Maker) -> None:
    document = read(xlsx({"Staff": STAFF, "Wares": WARES}), "x.xlsx", IngestLimits()).documents[0]
    assert document.text.split("\n\n") == ["Staff", *STAFF_READ, "Wares", *WARES_READ]
    assert document.places == (
        PlaceFrom(0, Place(heading="Staff")),
        PlaceFrom(3, Place(heading="Wares")),
    )


def test_groups_of_columns_are_known_by_the_names_that_come_again_below_them() -> None:
    """CSV cannot say how many columns a group spans: only the first of each had its name."""
    rows = "Region;2023;;2024;\n;Q1;Q2;Q1;Q2\nNorth;1,5;2,5;3,5;4,5\nSouth;1;2;3;\n"
    assert texts(rows.encode(), "a.csv") == [
        "Region: North; 2023 Q1: 1,5; 2023 Q2: 2,5; 2024 Q1: 3,5; 2024 Q2: 4,5.",
        "Region: South; 2023 Q1: 1; 2023 Q2: 2; 2024 Q1: 3.",
    ]
    values = "Part;Pump;;Valve;\n;red;old;blue;new\nPrice;1;2;3;4\nWeight;1;2;3;4\n"
    assert "Pump old" not in " ".join(texts(values.encode(), "a.csv"))
