"""The design system: every pair of text and ground has the contrast that WCAG AA asks for."""

import re
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "web" / "clew_web" / "static" / "css"
PAIRS = (
    ("ink", "paper"),
    ("ink", "surface"),
    ("ink", "surface-sunken"),
    ("ink", "mark"),
    ("ink-soft", "paper"),
    ("ink-soft", "surface"),
    ("ink-soft", "surface-sunken"),
    ("accent", "paper"),
    ("accent", "surface"),
    ("accent-ink", "accent"),
    ("accent-strong", "accent-wash"),
    ("entity", "entity-wash"),
    ("good", "good-wash"),
    ("warn", "warn-wash"),
    ("bad", "bad-wash"),
    ("bad", "surface"),
    ("surface", "bad"),
)


def themes() -> list[dict[str, str]]:
    blocks = re.findall(r"\{[^{}]*--paper[^{}]*\}", (CSS / "tokens.css").read_text())
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_as_defined() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_light_and_dark_are_there_and_dark_is_said_the_same_twice() -> None:
    light, dark, chosen_dark = themes()
    assert dark == chosen_dark
    assert light.keys() == dark.keys()


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("pair", PAIRS, ids=" on ".join)
def test_text_can_be_read(theme: int, pair: tuple[str, str]) -> None:
    colours = themes()[theme]
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 4.5


def test_colours_are_defined_in_one_place() -> None:
    sheets = list(CSS.glob("*.css"))
    assert len(sheets) > 2
    for sheet in sheets:
        used = set(re.findall(r"var\(--([\w-]+)\)", sheet.read_text()))
        defined = set(re.findall(r"--([\w-]+):", (CSS / "tokens.css").read_text()))
        assert used <= defined, sheet.name
        if sheet.name not in ("tokens.css", "docs.css"):
            assert not re.findall(r"#[0-9a-f]{3,8}\b", sheet.read_text()), sheet.name
