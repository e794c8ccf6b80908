"""Amounts as texts write them: "2.5 million", "€900k", "1.2 km", "1 hour 45 minutes"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from text_to_num import find_numbers

from clew.comprehension.lexicon import MONEY_WORDS
from clew.comprehension.values import CURRENCIES

_UNIT = r"[^\W\d_]+(?:/[^\W\d_]+)?"
_APART = ",'’ \u00a0\u202f"
"""What stands between the thousands of a number."""
DIGITS = (
    rf"\d{{1,3}}(?:[{_APART}]\d{{3}})+(?!\d)(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2}(?!\.?\d)"
    r"|\d{1,2}(?:,\d\d)+,\d{3}(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?"
)
"""A number as it is written: "1,250.50", "1’250", "1.250,50", "12,34,567", "12,5"."""
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")
_SIGNS = "".join(sorted(CURRENCIES))
_AMOUNT = re.compile(
    rf"(?P<before>[{_SIGNS}]|\b[A-Z]{{3}}(?= ?[-−]?\d)|)\s*(?:(?<![^\W_])(?P<minus>[-−]))?"
    rf"(?P<digits>{DIGITS})\s*(?P<word>{_UNIT})?\s*(?P<next>{_UNIT}|[{_SIGNS}])?"
)
_WRITTEN_OUT = (
    (re.compile(r"\b(?:square|sq\.?)\s+([^\W\d_]+)", re.IGNORECASE), r"\1²"),
    (re.compile(r"\b(?:cubic|cu\.?)\s+([^\W\d_]+)", re.IGNORECASE), r"\1³"),
    (re.compile(r"\s*(?:%|\bper ?cent\b)", re.IGNORECASE), " percent"),
    (
        re.compile(
            r"(?<=[^\W\d_²³])(?:\s+of\s+[^\W\d_]+)?\s+(?:per|an?|each|every)\s+(?=[^\W\d_])"
        ),
        "/",
    ),
)
"""Units of several words by one: "square miles" by "miles²", "litres of water per second" by
"litres/second"."""
_PARTS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\b(\d+) and a half\b"), lambda found: f"{found[1]}.5"),
    (re.compile(r"\b(?:(\d+) quarters|a quarter) of an? "), lambda f: f"{int(f[1] or 1) / 4} "),
    (re.compile(r"\bhalf an? ", re.IGNORECASE), lambda _: "0.5 "),
    (re.compile(r"\b(\d+|a) dozen\b", re.I), lambda f: f"{12 * int(f[1].replace('a', '1'))}"),
    (re.compile(r"(?<=\d )(?:full|whole|calendar|working|consecutive) "), lambda _: ""),
)
"""Parts of units, and several: "three and a half hours", "six dozen", "two full years"."""
_JOINED = re.compile(r"(?<=\w)-(?=([^\W\d_]+))")
"""What joins a number to its unit: "a two-year guarantee"."""
_EACH = re.compile(
    r"(?:\s+of\s+[^\W\d_]+)?(?:\s+(?:per|an?|each|every)\s+|\s*/\s*)([^\W\d_]+)",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\w'’-]+|[^\w\s]")
_AND = re.compile(r"[\s,]*(?:and\s*)?")
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
_SCALES_OF_MONEY = {"m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}
SCALES = (*_SCALES, *_SCALES_OF_MONEY)
"""Words that multiply the number before them, the last ones beside a currency."""
_CURRENCY = {
    name: sign
    for sign, names in {
        "$": "dollar usd",
        "€": "euro eur",
        "£": "gbp quid pound",
        "¥": "yen jpy",
        "₹": "rupee inr",
        "franc": "chf",
    }.items()
    for name in names.split()
}
_POWERS = {"²": 2, "³": 3}
_UNITS = {
    "metre": {
        "metre meter m": 1.0,
        "kilometre kilometer km": 1e3,
        "centimetre centimeter cm": 1e-2,
        "millimetre millimeter mm": 1e-3,
        "mile mi": 1609.344,
        "foot feet ft": 0.3048,
        "inch inches in": 0.0254,
        "yard yd": 0.9144,
    },
    "gram": {
        "gram gramme g": 1.0,
        "kilogram kg": 1e3,
        "milligram mg": 1e-3,
        "tonne ton t": 1e6,
        "pound lb": 453.592,
        "ounce oz": 28.3495,
    },
    "litre": {
        "litre liter l": 1.0,
        "millilitre milliliter ml": 1e-3,
        "centilitre centiliter cl": 1e-2,
        "decilitre deciliter dl": 1e-1,
    },
    "byte": {
        "byte": 1.0,
        "kilobyte kb": 1e3,
        "megabyte mb": 1e6,
        "gigabyte gb": 1e9,
        "terabyte tb": 1e12,
    },
    "watt": {"watt w": 1.0, "kilowatt kw": 1e3, "megawatt MW": 1e6, "milliwatt mW": 1e-3},
    "joule": {
        "joule": 1.0,
        "kilojoule kj": 1e3,
        "Wh": 3.6e3,
        "kwh": 3.6e6,
        "mwh": 3.6e9,
        "gwh": 3.6e12,
        "twh": 3.6e15,
    },
    "hertz": {"hertz hz": 1.0, "kilohertz khz": 1e3, "megahertz mhz": 1e6, "gigahertz ghz": 1e9},
    "second": {
        "second sec s": 1.0,
        "minute min": 60.0,
        "hour hr h": 3600.0,
        "day d": 86_400.0,
        "week wk": 604_800.0,
        "fortnight": 1_209_600.0,
        "month": 2_629_746.0,
        "year yr": 31_556_952.0,
        "decade": 315_569_520.0,
    },
    "metre²": {"hectare ha": 1e4, "acre": 4046.856},
    "metre/second": {"mph": 0.44704, "kph kmh": 1 / 3.6, "knot kn kt": 0.514444},
    "percent": {"percent": 1.0},
}
"""What units of one kind are of its first one; a plural's "s" is left out."""
_KNOWN = {
    name: (base, size)
    for base, units in _UNITS.items()
    for names, size in units.items()
    for name in names.split()
}


_VALUE = re.compile(rf"(?:{DIGITS})\s*(?P<unit>[^\W\d_]+)")
_NO_UNITS = frozenset({"am", "pm", "st", "nd", "rd", "th"})


@dataclass(frozen=True)
class _Word:
    """A word of a text, as text2num takes it."""

    written: str
    start: int
    end: int

    def text(self) -> str:
        return self.written

    def not_a_number_part(self) -> bool:
        return False

    def nt_separated(self, previous: "_Word") -> bool:
        return False


def amount_in(text: str, *, money: bool = False) -> tuple[float, str] | None:
    """Return the first amount of a text with its scale, in the base unit of its unit where that is
    known, and that unit, or its currency, "" where none is; None without a number. What follows in
    smaller units is added: "6 ft 2 in". A word for a number counts where a unit follows.

    ``money``: sums are looked for: "pounds" are no weight.
    """
    spelt = in_digits(text)
    found = _first_amount(spelt, money=money)
    if spelt == text or (found is not None and found[1]):
        return found
    return _first_amount(text, money=money)


def each_time(text: str) -> float | None:
    """Return the seconds for which an amount is that stands before a text, " a month, in …" or " of
    water per hour"; None where it says nothing of it.
    """
    found = _EACH.match(text)
    unit, seconds = unit_of(found[1]) if found else ("", 0.0)
    return seconds if unit == "second" else None


def counted_in(text: str, *, money: bool = False) -> tuple[float, str] | None:
    """Return the first amount of a text of which it is known that it counts: "four operas"."""
    return _first_amount(in_digits(text), money=money)


def in_digits(text: str) -> str:
    """Return a text with the numbers in words as digits; none that follow digits, "2.5 million"."""
    text = _JOINED.sub(lambda found: " " if unit_of(found[1])[0] else "-", text)
    for start, end, value, ordinal in reversed(numbers_in_words(text)):
        if not ordinal:
            text = f"{text[:start]}{value:.0f}{text[end:]}"
    for written, part in _PARTS:
        text = written.sub(part, text)
    return text


def numbers_in_words(text: str) -> list[tuple[int, int, float, bool]]:
    """Return where numbers stand in words, [start, end), what they are, and whether they tell a
    place in a row, "sixth"; none that follow digits."""
    words = [_Word(one.group(), one.start(), one.end()) for one in _TOKEN.finditer(text)]
    numbers = []
    for found in find_numbers(words, "en", 0.0):
        first, last = words[found.start], words[found.end - 1]
        before = words[found.start - 1].written if found.start else ""
        if not before[-1:].isdigit() and not first.written[0].isdigit():
            numbers.append((first.start, last.end, found.value, found.is_ordinal))
    return numbers


def _first_amount(text: str, *, money: bool) -> tuple[float, str] | None:
    for several, one in _WRITTEN_OUT:
        text = several.sub(one, text)
    total, kind, smallest, end, sign = 0.0, "", inf, 0, 0
    for found in _AMOUNT.finditer(text):
        words = [word for word in (found["word"], found["next"]) if word]
        number, left = scaled(figure(found["digits"]), words, money=is_money(found["before"]))
        base, size = unit_of(left[0] if left else "")
        if currency := currency_of((found["before"], *left), money=money):
            base, size = currency, 1.0
        if not sign:
            kind, sign = base, -1 if found["minus"] else 1
        elif base != kind or size >= smallest or not _AND.fullmatch(text[end : found.start()]):
            break
        total += sign * number * size
        if not base:
            break
        smallest, end = size, found.end("word" if left is words else "next")
    return (total, kind) if sign else None


def figure(digits: str) -> float:
    """Return the number that digits write; the last of two kinds of marks, and a comma that no
    thousand can follow, are before decimals.
    """
    digits = re.sub(f"[{_APART[1:]}]", "", digits)
    commas, points = digits.count(","), digits.count(".")
    alone = commas == 1 and not points and not _THOUSANDS.fullmatch(digits)
    if points > 1 or alone or -1 < digits.rfind(".") < digits.rfind(","):
        digits = with_marks_swapped(digits)
    return float(digits.replace(",", ""))


def with_marks_swapped(digits: str) -> str:
    """Return digits with points for commas and commas for points."""
    return digits.translate(str.maketrans(",.", ".,"))


def scaled(number: float, words: Sequence[str], *, money: bool) -> tuple[float, Sequence[str]]:
    """Return a number times the scale that the first of the words behind it is, and the other
    words; "m" and "bn" are scales beside a currency.
    """
    first = words[0].casefold() if words else ""
    scale = _SCALES.get(first)
    if scale is None and (money or any(map(is_money, words[1:2]))):
        scale = _SCALES_OF_MONEY.get(first)
    return (number, words) if scale is None else (number * scale, words[1:])


def unit_of(word: str) -> tuple[str, float]:
    """Return the base unit of a unit, and what that is of it; "" where it is not known."""
    if "/" in word:
        over, under = (unit_of(one) for one in word.split("/"))
        known = over[0] and under[0]
        return (f"{over[0]}/{under[0]}", over[1] / under[1]) if known else ("", 1.0)
    if word[-1:] in _POWERS:
        base, size = unit_of(word[:-1])
        power = _POWERS[word[-1]]
        if word[-1] == "³" and base == "metre":
            return "litre", 1e3 * size**power
        return f"{base}{word[-1]}" if base else "", size**power
    for name in (word, word.casefold(), word.casefold().removesuffix("s")):
        if name in _KNOWN:
            return _KNOWN[name]
    return "", 1.0


def is_a_value(text: str) -> bool:
    """Say whether a text is a number with what it counts, a place in a row, or an hour, and so no
    name: "5kg", "30days", "2nd", "10pm"; "5G" and "4b" may be names."""
    found = _VALUE.fullmatch(text)
    if found is None:
        return False
    unit = found["unit"]
    if len(unit) == 1 and unit.isupper():
        return False
    counts = unit_of(unit)[0] or is_money(unit) or unit.casefold() in _SCALES
    return bool(counts) or unit.casefold() in _NO_UNITS


def is_money(word: str) -> bool:
    """Say whether a word or a sign is a currency."""
    return word in CURRENCIES or word.casefold().removesuffix("s") in MONEY_WORDS


def currency_of(words: Sequence[str], *, money: bool = False) -> str:
    """Return the first currency among words and signs, by its sign where it has one; "" for none.

    What is a unit, too, is that, unless ``money`` is looked for: "5 pounds".
    """
    for word in words:
        key = word.casefold().removesuffix("s")
        if is_money(word) and (money or not unit_of(word)[0]):
            return _CURRENCY.get(key, key)
    return ""
