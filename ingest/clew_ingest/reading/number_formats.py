"""Values of a workbook as people see them: 0.125 is "12.5%", 1234.5 is "€ 1,234.50", 7 is "007".

A number format is that of ECMA-376, part 1, 18.8.31. Of its parts for negative numbers, zero and
text nothing is taken: a minus says more than brackets or a colour.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[(?P<bracketed>[^\]]*)\]|[_*].|(?P<general>General)'
    r"|(?P<sign>.)",
    re.DOTALL | re.IGNORECASE,
)
_CURRENCY = re.compile(r"\$([^-]*)")
_PLACES = "0#?"
_OTHER_FORMS = "Ee/@"
"""Signs of formats that are not followed: powers, fractions, text."""
_EXACT = 1e15
"""Numbers from which on not every digit is known."""


@dataclass(frozen=True)
class _Form:
    """``whole``: places of digits before the point and what stands between them; ``least`` and
    ``most``: digits behind it.
    """

    before: str
    whole: str
    after: str
    grouped: bool
    factor: Decimal
    least: int
    most: int


def shown(value: Any, number_format: str) -> str:
    """Return a cell's value as its format shows it; days as 2031-07-02, "" for None."""
    if isinstance(value, datetime | date):
        return _day(value, number_format)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    form = _form(number_format)
    if form is None or abs(value) >= _EXACT:
        return str(value) if isinstance(value, int) else f"{value:.15g}"
    return _number(Decimal(repr(value)), form)


def _day(value: datetime | date, number_format: str) -> str:
    """Return a day without the midnight that a workbook keeps with it; a month or a year alone
    where no more is shown.
    """
    signs = "".join(found["sign"] or "" for found in _TOKEN.finditer(number_format.split(";")[0]))
    signs = signs.lower()
    if "y" in signs and not set("dhs") & set(signs):
        return f"{value:%Y-%m}" if "m" in signs else f"{value:%Y}"
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return str(value)


@lru_cache(1_000)
def _form(number_format: str) -> _Form | None:
    """Return what a format says of positive numbers; None where it is general or not followed."""
    before = after = whole = ""
    least = most = scale = percents = 0
    point = grouped = False
    for found in _TOKEN.finditer(number_format):
        sign = found["sign"] or ""
        if sign == ";":
            break
        if found["general"] or (sign and sign in _OTHER_FORMS):
            return None
        if sign in _PLACES and sign:
            if point:
                least, most = least + (sign == "0"), most + 1
            else:
                grouped, scale = grouped or scale > 0, 0
                whole, after = whole + after + sign, ""
            continue
        if sign == "," and whole:
            scale += 1
        elif sign == "." and not point:
            point = True
        else:
            percents += sign == "%"
            text = _literal(found)
            if text is None:
                return None
            before, after = (before, after + text) if whole or point else (before + text, after)
    if not whole and not most:
        return None
    factor = Decimal(100) ** percents / Decimal(1000) ** scale
    return _Form(before, whole, after, grouped, factor, least, most)


def _literal(found: re.Match[str]) -> str | None:
    """Return what a part of a format puts beside the digits; None where it makes a condition."""
    if found["bracketed"] is not None:
        if found["bracketed"][:1] in ("<", ">", "="):
            return None
        currency = _CURRENCY.match(found["bracketed"])
        return currency[1] if currency else ""
    return found["quoted"] or found["escaped"] or found["sign"] or " "


def _number(value: Decimal, form: _Form) -> str:
    value = (value * form.factor).quantize(Decimal(1).scaleb(-form.most), ROUND_HALF_UP)
    digits, _, behind = f"{abs(value):f}".partition(".")
    while len(behind) > form.least and behind.endswith("0"):
        behind = behind[:-1]
    before = f"-{form.before.removeprefix('+')}" if value < 0 else form.before
    whole = _placed(digits, form.whole)
    if form.grouped:
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", whole)
    return f"{before}{whole}{'.' if behind else ''}{behind}{form.after}".strip()


def _placed(digits: str, places: str) -> str:
    """Put digits at their places, from the right; those for which there is none stand in front."""
    left = list(digits.lstrip("0"))
    placed: list[str] = []
    first = next((at for at, place in enumerate(places) if place in _PLACES), 0)
    for at in range(len(places) - 1, -1, -1):
        place = places[at]
        if place not in _PLACES:
            placed.append(place if left or "0" in places[:at] else "")
        elif left:
            placed.append(left.pop())
        else:
            placed.append("0" if place == "0" else "")
        if at == first:
            placed += left[::-1]
    return "".join(placed[::-1]) or "0"
