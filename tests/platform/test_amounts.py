"""Amounts as texts write them: scales, units, signs and parts."""

import pytest

from clew.comprehension.amounts import amount_in


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
