"""Amounts as texts write them: scales, units, signs and parts."""

import pytest

from clew.comprehension.amounts import amount_in, counted_in, each_time, in_digits


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2.5 million", (2_500_000.0, "")),
        ("900,000 inhabitants", (900_000.0, "")),
        ("12,34,567", (1_234_567.0, "")),
        ("1.2 km", (1200.0, "metre")),
        ("1,5 km", (1500.0, "metre")),
        ("800 metres", (800.0, "metre")),
        ("-430 m", (-430.0, "metre")),
        ("10-430 m", (10.0, "")),
        ("about 3 tonnes", (3e6, "gram")),
        ("750 W", (750.0, "watt")),
        ("1.2 kW", (1200.0, "watt")),
        ("5 mW", (0.005, "watt")),
        ("2 l", (2.0, "litre")),
        ("90 min", (5400.0, "second")),
        ("€2.5m", (2_500_000.0, "€")),
        ("€900k", (900_000.0, "€")),
        ("3 bn dollars", (3e9, "$")),
        ("400 euros", (400.0, "€")),
        ("USD 450", (450.0, "$")),
        ("450 Swiss francs", (450.0, "franc")),
        ("450 CHF", (450.0, "franc")),
        ("5 pounds", (2267.96, "gram")),
        ("twenty-three thousand residents", None),
        ("thirty-six months", (94_670_856.0, "second")),
        ("61 square miles", (pytest.approx(157_989_274.7), "metre²")),
        ("2 ha", (20_000.0, "metre²")),
        ("18 cubic metres", (18_000.0, "litre")),
        ("six litres of water per second", (6.0, "litre/second")),
        ("36 km/h", (pytest.approx(10.0), "metre/second")),
        ("21 knots", (pytest.approx(10.80, abs=0.01), "metre/second")),
        ("4.5 %", (4.5, "percent")),
        ("3 per cent", (3.0, "percent")),
        ("three and a half hours", (12_600.0, "second")),
        ("three quarters of an hour", (2_700.0, "second")),
        ("half an hour", (1_800.0, "second")),
        ("a two-year guarantee", (63_113_904.0, "second")),
        ("two full years", (63_113_904.0, "second")),
        ("one hour and 38 minutes", (5_880.0, "second")),
        ("the second of three", None),
        ("3 m", (3.0, "metre")),
        ("four days", (345_600.0, "second")),
        ("nine", None),
    ],
)
def test_amounts_are_read_with_scale_and_unit(text: str, amount: tuple[float, str] | None) -> None:
    assert amount_in(text) == amount


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1 hour 45 minutes", 6300.0),
        ("1 hour, 20 minutes and 5 seconds", 4805.0),
        ("2 h 5 min", 7500.0),
        ("-1 km 500 m", -1500.0),
        ("5 km and 3 km", 5000.0),
        ("5 km in 20 minutes", 5000.0),
    ],
)
def test_parts_of_an_amount_are_added(text: str, amount: float) -> None:
    found = amount_in(text)
    assert found is not None
    assert found[0] == amount


def test_feet_and_inches() -> None:
    found = amount_in("6 ft 2 in")
    assert found is not None
    assert found[0] == pytest.approx(74 * 0.0254)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("nearly twenty-three thousand residents", 23_000),
        ("twelve hundred", 1200),
        ("four operas", 4),
        ("six dozen pages", 72),
        ("a dozen languages", 12),
        ("one hundred and five rooms", 105),
    ],
)
def test_numbers_in_words_count(text: str, number: float) -> None:
    assert counted_in(text) == (number, "")


def test_ordinals_and_scales_behind_digits_stay() -> None:
    for text in ("six litres per second", "2.5 million", "the twenty-first century", "€2.5m"):
        assert in_digits(text).endswith(text.split(" ", 1)[-1])


def test_pounds_are_money_where_sums_are_looked_for() -> None:
    assert amount_in("nineteen thousand two hundred pounds", money=True) == (19_200.0, "£")
    assert amount_in("£0.4 million", money=True) == (400_000.0, "£")


def test_how_long_a_sum_is_paid_for() -> None:
    assert each_time(" a month, in advance.") == each_time(" per month") == 2_629_746
    assert each_time("/year") == 31_556_952
    assert each_time(" of water per hour.") == 3600
    assert each_time(" a head") is None
    assert each_time(", VAT included") is None
    assert each_time(" and dry") is None
