"""Which first rows of tables name their columns, and that all formats agree on it."""

from collections.abc import Callable

import pytest

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.readers import read
from clew_ingest.reading.table_headers import is_header, names_columns

Maker = Callable[..., bytes]
SOLD = [["", "2022", "2023", "2024"], ["Heat sold", "61", "58", "97"], ["Staff", "1990", "79", "8"]]
READ = ["Heat sold; 2022: 61; 2023: 58; 2024: 97.", "Staff; 2022: 1990; 2023: 79; 2024: 8."]


def rows(written: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.split(";")] for row in written.split("/")]


@pytest.mark.parametrize(
    "written",
    [
        "; 2022; 2023; 2024 / Heat; 61; 58; 97",
        "; 2023; 2022 / Revenue; 1200; 1350 / Costs; 1100; 1150",
        "Item; 2022; 2023; 2024 / Revenue; 1200; 1350; 1500",
        "Item; 2022; 2023; % / Revenue; 12; 13; 8",
        "; Q1; Q2; Q3 / Heat; 1; 2; 3",
        "; 2022-23; 2023-24 / Heat; 61; 58",
        "In euros; 31.12.2024; 31.12.2023 / Cash; 12; 9",
        "; 01-2024; 02-2024 / Rain; 12; 9",
        "; Unit; 2022; 2023 / Heat; GWh; 61; 58",
        "; 1; 2; 3 / Rain; 5; 5; 6",
        "; ; 2022; 2023 / ; Heat; 61; 58 / ; Cold; 1; 2",
        "Name; Born / Ada; 1815",
        "Task; Done / Paint; ☒ / Sweep; ☐",
    ],
)
def test_words_or_periods_above_values_name_columns(written: str) -> None:
    assert is_header(rows(written))
    assert names_columns(rows(written))


@pytest.mark.parametrize(
    "written",
    [
        "Heat; 61; 58; 97 / Revenue; 7; 8; 12",
        "Ada; 1815; 1852 / Bo; 1791; 1871",
        "War; 1066; 1204 / Plague; 1347; 1351",
        "Hall; 2020; 2021 / Barn; 2021; 2023",
        "2022; 61 / 2023; 58",
        "1; 2; 3 / 4; 5; 6",
        "; 12; 19; 31 / Total; 62; 3; 4",
        "; 2022; 1950; 2024 / Heat; 61; 58; 97",
        "; 2022; 2023; 2024",
        "Founded; 1909 / Staff; 88",
    ],
)
def test_data_name_no_columns(written: str) -> None:
    assert not is_header(rows(written))


def test_years_name_columns_in_each_format(
    limits: IngestLimits, xlsx: Maker, set_pdf: Maker
) -> None:
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in SOLD)
    marked = "\n".join(f"| {' | '.join(row)} |" for row in SOLD)
    files = {
        "a.csv": "\n".join(";".join(row) for row in SOLD).encode(),
        "a.xlsx": xlsx({"Sheet": [[SOLD[0][0], 2022, 2023, 2024], *SOLD[1:]]}),
        "a.html": f"<table>{cells}</table>".encode(),
        "a.md": marked.replace("\n", "\n|---|---|---|---|\n", 1).encode(),
        "ruled.pdf": set_pdf([set_cells()], rules=grid()),
        "bare.pdf": set_pdf([set_cells()]),
    }
    found = {name: read(data, name, limits).documents[0].text for name, data in files.items()}
    assert found == dict.fromkeys(files, "\n\n".join(READ))


def set_cells() -> list[tuple[int, int, int, list[str]]]:
    return [
        (76 + 100 * column, 496 - 20 * row, 10, [cell])
        for row, cells in enumerate(SOLD)
        for column, cell in enumerate(cells)
        if cell
    ]


def grid() -> str:
    across = "".join(f"72 {y} m 472 {y} l S\n" for y in (510, 490, 470, 450))
    return across + "".join(f"{x} 450 m {x} 510 l S\n" for x in (72, 172, 272, 372, 472))


def test_a_page_that_says_what_its_headings_are_is_believed(limits: IngestLimits) -> None:
    row = "<tr><td>Ada</td><td>3</td><td>4</td></tr>"
    page = f"<table><tr>{{}}<th>1.5 m</th><th>7</th></tr>{row}</table>"
    for corner in ("<th></th>", "<td></td>", "<td> <br></td>"):
        text = read(page.format(corner).encode(), "a.html", limits).documents[0].text
        assert text == "Ada; 1.5 m: 3; 7: 4."


def test_a_document_that_says_which_row_is_its_header_is_believed(
    limits: IngestLimits, docx: Maker
) -> None:
    from io import BytesIO
    from zipfile import ZipFile

    def row(cells: list[str], marked: str = "") -> str:
        words = (f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in cells)
        return f"<w:tr><w:trPr>{marked}</w:trPr>{''.join(words)}</w:tr>"

    body = f"<w:tbl>{row(['Of', '7'], '<w:tblHeader/>')}{row(['Ada', '3'])}</w:tbl></w:body>"
    made = BytesIO()
    with ZipFile(BytesIO(docx(["Looms"]))) as old, ZipFile(made, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b"</w:body>", body.encode()))
    assert read(made.getvalue(), "a.docx", limits).documents[0].text == "Of: Ada; 7: 3."


def test_an_empty_table_has_no_names() -> None:
    """As a grid is on which nothing is written; a PDF with one could not be read."""
    assert not is_header([["", ""], ["", ""]])
    assert not names_columns([["", ""], ["", ""]])
