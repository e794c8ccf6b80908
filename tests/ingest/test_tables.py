"""CSV and TSV as life has them: what parts the columns, and quotes that are none."""

import pytest

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.readers import read
from clew_ingest.reading.tables import delimiter_of


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("Schraube;1,50\nMutter;2,30\nBolzen;0,80\n", ";"),
        ("1,50;2,30\n2,30;1,10\n", ";"),
        ("Konto;Soll, EUR;Haben, EUR\n1000;1,50;2,30\n1200;2,30;4,00\n", ";"),
        ("Name|Sum, EUR\nA, x|1\nB, y|2\n", "|"),
        ("Name\tSum\nA, x\t1\nB, y\t2\n", "\t"),
        ('Name,Note\nAda,"likes; semicolons; much"\nBo,"x; y; z"\n', ","),
        ("id,tags\n1,a|b\n2,c|d\n3,e\n", ","),
        ("Fleet of 2024\n\nTug;Crew\nPetrel;4\n", ";"),
        ("Name\nAda Lovelace\n", ","),
    ],
)
def test_what_parts_the_columns_is_told_by_the_rows(text: str, delimiter: str) -> None:
    assert delimiter_of(text) == delimiter


def test_a_table_may_say_what_parts_its_columns(limits: IngestLimits) -> None:
    (document,) = read(b"sep=;\r\nName;Say\r\nAda;a,b\r\n", "x.csv", limits).documents
    assert document.text == "Name: Ada; Say: a,b."


def test_where_three_columns_are_wanted_they_count() -> None:
    text = "a,b|c|d\ne,f|g|h\n"
    assert (delimiter_of(text, 3), delimiter_of(text, 2)) == ("|", ",")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Ada\t"hello\nBo\tbye\n', ['Name: Ada; Note: "hello.', "Name: Bo; Note: bye."]),
        (
            'Ada\t"hello\nthere"\nBo\t"a\tb"\n',
            ["Name: Ada; Note: hello there.", "Name: Bo; Note: a b."],
        ),
        (
            'Ada\t"x ""y"" z"\nBo\t5" wide\n',
            ['Name: Ada; Note: x "y" z.', 'Name: Bo; Note: 5" wide.'],
        ),
    ],
)
def test_a_quote_that_does_not_end_swallows_no_rows(
    text: str, expected: list[str], limits: IngestLimits
) -> None:
    data = f"Name\tNote\n{text}".encode()
    assert read(data, "x.tsv", limits).documents[0].text.split("\n\n") == expected
