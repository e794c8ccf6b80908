"""Letters of PDFs that TeX set: accents over their letters, fonts whose letters have no names."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

UNKNOWN = "\ufffd"
"""What stands for a letter of which a font does not say what it is."""
_ACCENTS = dict(zip("`´^ˆ~˜¨˙˚ˇ˘¯¸˛˝", "\u0300\u0301\u0302\u0302\u0303\u0303\u0308\u0307\u030a"
                    "\u030c\u0306\u0304\u0327\u0328\u030b", strict=True))  # fmt: skip
_DOTLESS = {"ı": "i", "ȷ": "j"}
_NUMBERED = re.compile(r"a(\d{1,3})")
_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl")
_KNUTH = dict(zip(range(11, 18), (*_LIGATURES, "ı", "ȷ"), strict=True)) | dict(
    zip((*range(18, 32), 34, 92, 123, 124, 127), "`´ˇ˘¯˚¸ßæœøÆŒØ”“–—¨", strict=True)
)
"""TeX's first encoding of text (OT1), where it is not ASCII."""
_CORK = dict(zip(range(16, 23), "“”„«»–—", strict=True)) | dict(
    zip(range(25, 32), ("ı", "ȷ", *_LIGATURES), strict=True)
)
_CORK |= {code: chr(code) for code in range(192, 256)} | {215: "Œ", 223: "SS", 247: "œ", 255: "ß"}
"""TeX's encoding of text in western Europe (T1), where it is not ASCII."""
_LEAST_LETTERS = 10
"""Small letters of the alphabet that a font of text has, at least; one of formulas has fewer."""


def name_letters(font: Any, spec: Any) -> None:
    """Say what the letters of a font are that TeX drew dot by dot (Type 3), and only numbered."""
    from pdfminer.pdftypes import list_value, resolve1
    from pdfminer.psparser import PSLiteral

    encoding = resolve1(spec.get("Encoding"))
    if not hasattr(font, "cid2unicode") or font.unicode_map or not isinstance(encoding, dict):
        return
    names = [
        one.name
        for one in list_value(encoding.get("Differences", []))
        if isinstance(one, PSLiteral)
    ]
    codes = {int(found[1]) for name in names if (found := _NUMBERED.fullmatch(str(name)))}
    if len(codes & set(range(97, 123))) < _LEAST_LETTERS:
        return
    known = _KNUTH if codes & set(range(11, 16)) else _CORK
    font.cid2unicode |= {code: known[code] for code in codes & known.keys()}


def with_accents(parts: Iterable[Any]) -> list[Any]:
    """Return the parts of a page with each accent that is set over a letter as part of it: "¨o" is
    "ö". What stands beside a letter, as an apostrophe does, stays.
    """
    from pdfminer.layout import LTChar

    found: list[Any] = []
    for part in parts:
        before = found[-1] if found else None
        if isinstance(part, LTChar) and isinstance(before, LTChar):
            if text := _composed(before, part):
                part._text = text
                found[-1] = part
                continue
            if text := _composed(part, before):
                before._text = text
                continue
        found.append(part)
    return found


def _composed(accent: Any, letter: Any) -> str:
    """Return a letter with the accent that is set over it; "" where it is none."""
    mark, base = _ACCENTS.get(accent.get_text()), letter.get_text()
    if mark is None or not letter.x0 <= (accent.x0 + accent.x1) / 2 <= letter.x1:
        return ""
    text = unicodedata.normalize("NFC", _DOTLESS.get(base, base) + mark)
    return text if len(text) == 1 and text.isalpha() else ""
