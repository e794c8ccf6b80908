"""Values of workbooks as their formats show them: hand-computed from ECMA-376, 18.8.31."""

from datetime import date, datetime

import pytest

from clew_ingest.reading.number_formats import shown


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.125, "0.0%", "12.5%"),
        (0.5, "0%", "50%"),
        (1234.5, '"$"#,##0.00', "$1,234.50"),
        (-1234.5, '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', "-$1,234.50"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (12.5, '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-', "12.50 €"),
        (12, "[$USD] 0.00", "USD 12.00"),
        (7, "000", "007"),
        (123456789, "000-00-0000", "123-45-6789"),
        (5551234567, "(###) ###-####", "(555) 123-4567"),
        (1234567, "#,##0", "1,234,567"),
        (1234567, '#,##0,"k"', "1,235k"),
        (999.995, "0.00", "1000.00"),
        (0, "#,##0", "0"),
        (0.4, "#.##", "0.4"),
        (-5, "+0;-0;0", "-5"),
        (12, '0" pcs"', "12 pcs"),
        (0.1 + 0.2, "General", "0.3"),
        (3.0, "General", "3"),
        (12345, "0.00E+00", "12345"),
        (5551234, "[<=9999999]###-####;(###) ###-####", "5551234"),
        (5, ";;;", "5"),
        (1e20, "0", "1e+20"),
        (True, "0", "True"),
        ("007", "0", "007"),
        (None, "0", ""),
        (datetime(2020, 5, 1), "dd.mm.yyyy", "2020-05-01"),
        (datetime(2020, 5, 1), "[$-409]mmmm\\ yyyy;@", "2020-05"),
        (date(2020, 5, 1), "yyyy", "2020"),
        (datetime(2020, 5, 1, 8, 30), "yyyy-mm-dd h:mm", "2020-05-01 08:30:00"),
    ],
)
def test_a_value_is_read_as_its_format_shows_it(
    value: object, number_format: str, text: str
) -> None:
    assert shown(value, number_format) == text
