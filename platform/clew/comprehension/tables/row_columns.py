"""The columns of a row that a question may ask for: what they are called, and what fits them."""

import re
from dataclasses import dataclass
from functools import lru_cache

from clew.comprehension.candidates import SHORT_CELL, EvidenceSentence
from clew.comprehension.definitions import LONGEST
from clew.comprehension.lexicon import (
    CHARGED,
    DIMENSIONS,
    DURATION,
    LABELS,
    MEASURED,
    MONEY_WORDS,
    RECURRENCE,
    SUMS,
    AnswerClass,
)
from clew.comprehension.lines import COPIED, Field
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import family, stem
from clew.comprehension.tables.cells import EMPTY
from clew.comprehension.values import CURRENCIES

LONGEST_LABEL = 6
"""Words of a first cell without a column's name that may be what the second one is called."""
_WORD = re.compile(r"[^\W_][\w.'’/-]*")
_NUMBERS = frozenset({"no.", "no", "nr", "nr."})
_DATED = re.compile(r"\d[:./-]\d|(?<!\d)(?:1\d|20)\d\d(?!\d)")
_OF_CALENDAR = re.compile(
    r"(?<![^\W\d_])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|\b(?:mon|tue|wed|thu|fri|sat|sun)(?:s|r|rs|nes|ur)?(?:day)?s?\b|\bweek(?:day|end)s?\b"
    r"|^(?:19|20)\d\d-(?:w|q)?\d",
    re.I,
)


@dataclass(frozen=True)
class RowColumn:
    """A value and its column's name. ``label``: what the first cell says, where that may be what
    the value is called, as where columns stand for things ("Weight; HX-210: 3.4 kg"), else "";
    ``alone``: the row has no third cell.
    """

    field: Field
    label: str = ""
    alone: bool = False


def row_columns(row: EvidenceSentence) -> list[RowColumn]:
    """Return the values of a row that may be asked for, with what each is called."""
    found = row.fields
    if not found and "; " not in row.parse.text:
        return []
    if len(found) < 2 and any(token.pos in {"VERB", "AUX"} for token in row.parse.tokens):
        return []  # a sentence
    if not found:
        label, _, value = row.parse.text.rstrip(". ").partition("; ")
        if not value or "; " in value or len(label.split()) > LONGEST_LABEL or "(" in label:
            return []
        start = len(label) + 2
        return [RowColumn(Field(label, start, start + len(value)))]
    label = row.parse.text[found[0].start : found[0].end].strip()
    columns = [RowColumn(one) for one in found if one.name]
    if len(label.split()) <= LONGEST_LABEL:
        columns += [RowColumn(one, label, len(found) == 2) for one in found[1:]]
    return columns


def is_called(field: Field, noun: str) -> bool:
    """Say whether a column is called by a noun alone."""
    return len(name_words(field.name)) == 1 and bool(meant_by(noun) & name_stems(field.name))


def types_asked(form: QuestionForm) -> frozenset[str]:
    """Return the types of the values that are asked for: days, or numbers that measure what "how
    long" or "how often" asks for; else none.
    """
    if not form.classes or not form.classes <= {"DATE", "NUMBER"}:
        return frozenset()
    types = LABELS["DATE"] if "DATE" in form.classes else form.measures
    return types | {DURATION} if RECURRENCE in types else types  # "Interval: 12 months"


def names_a_sum(name: str) -> bool:
    """Say whether a column is called as sums of money are: "Price (GBP)"."""
    words = {own for word in name_words(name) for own in (word, singular(word))}
    sums = any(MEASURED.get(word) == SUMS for word in words)
    return sums or not words.isdisjoint(MONEY_WORDS | CHARGED) or not CURRENCIES.isdisjoint(name)


def fits(classes: frozenset[AnswerClass], value: str) -> bool:
    """Say whether a value can be of the classes asked for."""
    words = value.split()
    values = bool(classes) and classes <= {"DATE", "NUMBER"}
    if not 0 < len(words) <= (SHORT_CELL if values else LONGEST) or value.casefold() in EMPTY:
        return False
    if classes == {"PERSON"}:  # "K22" holds no keys, "notice of delay" is nobody
        return any(word[:1].isupper() for word in words) and not any(map(str.isdigit, value))
    if classes == {"DATE"}:  # "SM-1140" is no year
        coded = COPIED.fullmatch(value) and any(map(str.isalpha, value))
        written = _OF_CALENDAR.search(value) is not None
        return written or (not coded and _DATED.search(value) is not None)
    if values and COPIED.fullmatch(value) and any(map(str.isalpha, value)):
        return False  # a serial number counts nothing
    if values:
        return any(map(str.isdigit, value))
    if classes and classes <= {"PERSON", "PLACE", "ORG", "GROUP", "WORK"}:
        # neither "violin, viola" nor "C"
        somebody = "PERSON" not in classes or (len(value) > 1 and value != value.casefold())
        return somebody and not value[:1].isdigit()
    return True


def meant_by(word: str) -> frozenset[str]:
    """Return the stems that a word of a question may stand for in a column's name."""
    other = DIMENSIONS.get(word)
    return family(word.casefold()) | (family(other) if other else frozenset())


@lru_cache(maxsize=1_000)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name."""
    return tuple(word.rstrip("'’/-") for word in _WORD.findall(name.casefold()))


@lru_cache(maxsize=1_000)
def name_stems(name: str) -> frozenset[str]:
    """Return the stems that the words of a column's name may have."""
    words = name_words(name)
    return frozenset(stem(own) for w in words for own in (w, w.rstrip("."), singular(w)))


def singular(word: str) -> str:
    """Return a word without the ending of a plural."""
    return word.rstrip(".").removesuffix("s")


def abbreviates(word: str, whole: str) -> bool:
    """Say whether a column's word is short for another: "reg." for "registration"."""
    if word in _NUMBERS:
        return whole == "number"
    short = word.rstrip(".")
    return word.endswith(".") and len(short) >= 3 and whole.casefold().startswith(short)
