"""Amounts as texts write them: "2.5 million", "1.2 km", "four days"."""

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s*([^\W\d_]+)?\s*([^\W\d_]+)?")
_WORDS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
_UNITS = {
    "metre": {
        **dict.fromkeys(("m", "metre", "meter"), 1.0),
        **dict.fromkeys(("km", "kilometre", "kilometer"), 1e3),
        **dict.fromkeys(("cm", "centimetre", "centimeter"), 1e-2),
        **dict.fromkeys(("mm", "millimetre", "millimeter"), 1e-3),
        **dict.fromkeys(("mi", "mile"), 1609.344),
        **dict.fromkeys(("ft", "foot", "feet"), 0.3048),
        **dict.fromkeys(("in", "inch", "inche"), 0.0254),
        **dict.fromkeys(("yd", "yard"), 0.9144),
    },
    "gram": {
        **dict.fromkeys(("g", "gram", "gramme"), 1.0),
        **dict.fromkeys(("kg", "kilogram"), 1e3),
        **dict.fromkeys(("t", "ton", "tonne"), 1e6),
        **dict.fromkeys(("lb", "pound"), 453.592),
        **dict.fromkeys(("oz", "ounce"), 28.3495),
    },
    "byte": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "byte": 1.0},
    "second": {
        "second": 1.0,
        "minute": 60.0,
        "hour": 3600.0,
        "day": 86_400.0,
        "week": 604_800.0,
        "month": 2_629_746.0,
        "year": 31_556_952.0,
    },
}
"""What units of one kind are of its first one; a plural's "s" is left out."""


def amount_in(text: str) -> tuple[float, str] | None:
    """Return the first number of a text with its scale, in the base unit of its unit where that is
    known, and that unit, "" where none is; None without a number. A word for a number counts where
    a unit follows.
    """
    found = _NUMBER.search(text)
    if found is None:
        return _spelt(text.casefold().split())
    number = float(found.group(1).replace(",", "").rstrip("."))
    words = [word.casefold() for word in found.groups()[1:] if word]
    if words and words[0] in _SCALES:
        number *= _SCALES[words.pop(0)]
    for base, units in _UNITS.items():
        if words and (size := units.get(words[0], units.get(words[0].removesuffix("s")))):
            return number * size, base
    return number, ""


def _spelt(words: Sequence[str]) -> tuple[float, str] | None:
    """Return the amount whose number is a word, where its unit is known."""
    for at, word in enumerate(words):
        if word in _WORDS:
            amount = amount_in(" ".join((str(_WORDS.index(word) + 1), *words[at + 1 :])))
            return amount if amount is not None and amount[1] else None
    return None
