"""Values of a sentence with what they measure: dates, spans of time, how often, money, numbers.

The parser calls "12 years old", "every three years" and "2011" dates alike, and leaves the sign of
a currency out. The types are those of TimeML (DATE, TIME, DURATION, SET) beside spaCy's.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from clew.comprehension.annotation import AnnotatedSentence, Phrase
from clew.comprehension.lexicon import DURATION, SPANS_OF_TIME, UNITS, VALUE_LABELS
from clew.comprehension.stems import stem

SPANS = frozenset(map(stem, SPANS_OF_TIME))
"""The stems of the units that time is told in."""
_UNIT = rf"(?:{'|'.join(sorted(SPANS_OF_TIME))}|quarter|season)"
OFTEN = re.compile(
    rf"\b(?:(?:once|twice|[\w-]+ times) (?:a|an|per|every|each) (?:[\w-]+ )?{_UNIT}s?"
    rf"|every (?:[\w-]+ )?{_UNIT}s?|each {_UNIT}"
    r"|(?:bi-?|semi-?)?(?:hourly|daily|weekly|monthly|quarterly|yearly|annually))\b",
    re.IGNORECASE,
)
"""How often: "twice a year", "every three years", "monthly"."""

_TIMES = (
    r"(?:days?|d)",
    r"(?:hours?|hrs?|h)",
    r"(?:minutes?|mins?|min)",
    r"(?:seconds?|secs?|s)",
)
LASTING = re.compile(
    "|".join(
        rf"\b\d+ ?{unit}\.?(?:,? (?:and )?\d+ ?(?:{'|'.join(_TIMES[at + 1 :])})\b)+"
        for at, unit in enumerate(_TIMES[:-1])
    ),
    re.IGNORECASE,
)
"""A span of time in several units: "6 h 20 min", "1 hour and 5 minutes"."""

CURRENCIES = frozenset("$€£¥₹")
FIGURES = re.compile(r"\d+(?:[.,]\d+)*")

_FIGURES_ABOUT = re.compile(rf"[~≈]?([{''.join(sorted(CURRENCIES))}]?){FIGURES.pattern}")
"""Figures, or about so many, "~20", with their currency where the parser cuts it from neither."""


def typed(parse: AnnotatedSentence, entity: Phrase) -> Phrase | None:
    """Return an entity of a parse as what it is; None: a number that counts nothing, as the "one"
    of "one of those metal bars".
    """
    tokens, first, last = parse.tokens, entity.first, entity.last
    if entity.label not in VALUE_LABELS:
        return entity
    if entity.label in {"DATE", "TIME"}:
        span = _duration(parse, entity)
        if span is not None:
            return Phrase(*span, DURATION)
        age = last - first == 1 and tokens[first].text.isdigit() and len(tokens[first].text) <= 3
        return Phrase(first, last, "CARDINAL") if age else entity
    end = counted_up_to(parse, last) if entity.label == "CARDINAL" else 0
    if end and stem(tokens[end - 1].lemma) in SPANS:
        return Phrase(first, end, DURATION)  # "240 annual leave hours"
    if entity.label == "MONEY" and first and tokens[first - 1].pos == "SYM":
        return Phrase(first - 1, last, "MONEY")
    if entity.label == "CARDINAL" and last < len(tokens) and tokens[last].lemma in UNITS:
        return Phrase(first, _per(parse, last + 1), "QUANTITY")
    if entity.label in {"CARDINAL", "QUANTITY"} and tokens[last - 1].lemma in UNITS:
        return Phrase(first, _per(parse, last), "QUANTITY")
    if last - first == 1 and tokens[first].lemma == "one":
        following = tokens[last].lemma if last < len(tokens) else ""
        if following == "of" or tokens[first].pos != "NUM":
            return None
    return entity


def counted_up_to(parse: AnnotatedSentence, first: int) -> int:
    """Return where the noun ends that a number before token ``first`` counts, which adjectives and
    other nouns may stand before: "240 annual leave hours"; 0 where it counts none.
    """
    tokens = parse.tokens
    run = takewhile(lambda i: tokens[i].pos in {"ADJ", "NOUN"}, range(first, len(tokens)))
    return max((i + 1 for i in run if tokens[i].pos == "NOUN"), default=0)


def untagged(parse: AnnotatedSentence) -> Iterator[Phrase]:
    """Yield measures that the parser took for no entity: "30 days" of "no more than 30 days",
    "$25", "3 GB", "15 %".
    """
    tokens = parse.tokens
    tagged = {i for entity in parse.entities for i in range(entity.first, entity.last)}
    for index, token in enumerate(tokens):
        if index in tagged or not (figures := _FIGURES_ABOUT.fullmatch(token.text)):
            continue
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if figures.group(1):
            yield Phrase(index, index + 1, "MONEY")
        elif index and tokens[index - 1].text in CURRENCIES:
            yield Phrase(index - 1, index + 1, "MONEY")
        elif after is None or index + 1 in tagged:
            continue
        elif after.text in {"%", "percent"}:
            yield Phrase(index, index + 2, "PERCENT")
        elif stem(after.lemma) in SPANS:
            yield Phrase(index, index + 2, DURATION)
        elif after.lemma in UNITS:
            yield Phrase(index, _per(parse, index + 2), "QUANTITY")


def _per(parse: AnnotatedSentence, last: int) -> int:
    """Return where a quantity ends of which the tokens before ``last`` are read: "50 g/m³",
    "65 °C"."""
    after = [token.text for token in parse.tokens[last : last + 2]]
    if parse.tokens[last - 1].text == "°":
        return last + (after[:1] in (["C"], ["F"]))
    return last + 2 if len(after) > 1 and after[0] == "/" else last


def _duration(parse: AnnotatedSentence, entity: Phrase) -> tuple[int, int] | None:
    """Return the tokens of an entity that are a span of time: "12 years old", "16 years of age",
    "a week", "24 days" where it says "24 days a year"; None where it is none.
    """
    tokens, last = parse.tokens, entity.last
    while last > entity.first and tokens[last - 1].lemma in {"old", "of", "age"}:
        last -= 1
    if last == entity.first or stem(tokens[last - 1].lemma) not in SPANS:
        return None
    counts = [i for i in range(entity.first, last) if tokens[i].pos == "NUM"]
    counts = counts or [i for i in range(entity.first, last) if tokens[i].lemma in {"a", "an"}]
    if not counts:
        return None
    for index in range(counts[0], last - 1):
        if stem(tokens[index].lemma) in SPANS and tokens[index + 1].lemma in {"a", "an", "per"}:
            return counts[0], index + 1
    return counts[0], entity.last
