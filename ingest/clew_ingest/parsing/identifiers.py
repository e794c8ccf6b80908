"""Identifiers: what is written to stand for one thing, "C-1107", "INC-2025-031", "quay-pay-01",
"max_fee_per_gas".

Orders, parts, rooms, tickets, machines and what programs are made of have them, and documents that
never say the same name are joined by them. A recogniser that learnt from news finds a third, and
calls them persons and dates.
"""

import calendar
import re
from collections.abc import Iterator
from typing import Any

CODE = "CODE"
"""The type of an entity that is an identifier; ours, where all others are spaCy's."""
LONGEST = 40
"""Characters of an identifier, the most."""

_RUN = re.compile(r"(?<![\w@./#$€£&+~-])[^\W_]+(?:[-_/][^\W_]+)*(?![\w@]|[-./,]\w)")
_CAMEL = re.compile(r"[a-z]{3,}(?:[A-Z][a-z\d]+)+")
"""A name of a program's, "chainId"; no brand's ("iPhone")."""
_ALONE = re.compile(r"[^\W\d_]{1,6}\d{2,}[^\W_]*")
_PERIOD = re.compile(r"(?:FY|CY|W)\d{1,4}|Q[1-4]|H[12]")
_AMOUNT = re.compile(
    r"(?:EUR|USD|GBP|CHF|CAD|AUD|NZD|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR)\d+"
)
_MONTHS = frozenset(name.upper() for name in (*calendar.month_abbr, *calendar.month_name) if name)
_DIGITS = 3
"""Digits of what begins with one, or is joined by "/" alone, the fewest."""


def identifiers(text: str) -> Iterator[tuple[int, int]]:
    """Yield where identifiers stand in a text: [start, end) of each.

    Letters and digits, joined by signs or not. Letters are capitals, but for words joined with a
    number of two digits or more ("quay-pay-01"); what is not joined begins with letters and has two
    digits or more. No periods ("Q3-2025", "12-MAR-2025"), amounts ("EUR300"), sections ("A.2") or
    units.
    """
    for run in _RUN.finditer(text):
        start = run.start()
        parts = run.group().split("/")
        if len(parts) > 1 and all(map(_is_identifier, parts)):  # "K-03/K-04"
            for part in parts:
                yield start, start + len(part)
                start += len(part) + 1
        elif _is_identifier(run.group()):
            yield run.span()


def _is_identifier(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    if not any(map(str.isalpha, text)) or len(text) > LONGEST:
        return False
    if _is_of_a_program(text):
        return True
    if not digits:
        return False
    parts = re.split("[-/]", text)
    if any(part in _MONTHS or _PERIOD.fullmatch(part) for part in parts):
        return False
    if len(parts) == 1:
        alone = _ALONE.fullmatch(text) is not None and text == text.upper()
        return alone and not _AMOUNT.fullmatch(text)
    if text == text.upper():
        short = text[0].isdigit() or "-" not in text
        return digits >= _DIGITS if short else True  # no "3-D"
    words = [part for part in parts[:-1] if part.isalpha() and part.islower()]
    return len(words) == len(parts) - 1 > 1 and parts[-1].isdigit() and len(parts[-1]) > 1


def _is_of_a_program(text: str) -> bool:
    """Whether a text is several words joined by "_", or one whose parts begin with a capital."""
    if "_" not in text:
        return _CAMEL.fullmatch(text) is not None
    parts = re.split("[-_]", text)
    return "/" not in text and sum(part.isalpha() for part in parts) > 1


def with_identifiers(document: Any) -> Any:
    """Add the identifiers to the entities of spaCy's Doc, for what it took them for; an entity that
    has one among other words of its name stays ("B-29 Superfortress").
    """
    found = [document.char_span(*span, label=CODE) for span in identifiers(document.text)]
    codes = [span for span in found if span is not None]
    if not codes:
        return document
    taken = {at for span in codes for at in range(span.start, span.end)}
    whole = []
    for entity in document.ents:
        own = set(range(entity.start, entity.end))
        if own & taken and not _is_name(entity.text, own - taken, document):
            continue
        whole.append(entity)
    kept = {at for entity in whole for at in range(entity.start, entity.end)}
    codes = [span for span in codes if not kept.intersection(range(span.start, span.end))]
    document.ents = sorted((*whole, *codes), key=lambda span: span.start)
    return document


def _is_name(text: str, others: set[int], document: Any) -> bool:
    """Say whether an entity is more than the identifiers in it: it has other words, and does not
    go over the end of a table's cell."""
    words = [document[at] for at in others]
    return any(word.is_alpha for word in words) and not any(sign in text for sign in ":;\n")
