"""What brackets after a name state: when and where a person was born and died, and years."""

import re
from collections.abc import Iterator

from clew_ingest.parsing.entity_names import display_name, is_entity_name, normalise_name
from clew_ingest.triples.arguments import Argument, Arguments
from clew_ingest.triples.rules_clauses import Statement
from clew_ingest.triples.tree import Tree

MAX_BRACKETS = 160
"""Characters of the longest text in brackets that is read."""

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = (
    rf"(?:\d{{1,2}} (?:{_MONTHS}),? \d{{3,4}}|(?:{_MONTHS}) \d{{1,2}},? \d{{3,4}}"
    rf"|(?:{_MONTHS}) \d{{4}}|\d{{3,4}})"
)
_ABOUT = r"(?:c\.|ca\.|circa|about|around)? ?"
_BORN = re.compile(rf"\b(?:born|b\.)(?: on)?:? {_ABOUT}({_DATE})")
_DIED = re.compile(rf"\b(?:died|d\.)(?: on)?:? {_ABOUT}({_DATE})")
_LIVED = re.compile(rf"({_DATE})([^–—-]*?) ?[–—-] ?{_ABOUT}({_DATE})(.*)", re.DOTALL)
_SINGLE = re.compile(rf"({_DATE})")
_PLACE = re.compile(r"^,? ?in ([^,;()]+)")


def bracket_triples(tree: Tree, arguments: Arguments, place: int) -> Iterator[Statement]:
    """Yield the dates and places in the brackets after the name that ends at this token."""
    name = tree.name_at[place]
    if name is None or place != name.end - 1 or name.end >= len(tree.words):
        return
    if tree.words[name.end] != "(":
        return
    start = tree.offsets[name.end] + 1
    end = tree.text.find(")", start, start + MAX_BRACKETS)
    head = arguments.of(place)
    if end < 0 or head is None:
        return
    for predicate, text, kind in _read(tree.text[start:end], head.type in ("PERSON", "")):
        shown = display_name(text)
        if is_entity_name(shown):
            yield head, predicate, Argument(shown, normalise_name(shown), kind)


def _read(inside: str, person: bool) -> Iterator[tuple[str, str, str]]:
    """Yield predicate, text and type of what brackets say."""
    born, died = _BORN.search(inside), _DIED.search(inside)
    lived = _LIVED.search(inside)
    if born or died:
        for predicate, match in (("bear", born), ("die", died)):
            if match:
                yield predicate, match.group(1), "DATE"
                yield from _places(predicate, inside[match.end() :])
    elif lived and person:
        for predicate, date, rest in (("bear", 1, 2), ("die", 3, 4)):
            yield predicate, lived.group(date), "DATE"
            yield from _places(predicate, lived.group(rest))
    elif lived:
        yield "from", lived.group(1), "DATE"
        yield "until", lived.group(3), "DATE"
    else:
        single = _SINGLE.fullmatch(inside.strip())
        if single:
            yield "in", single.group(1), "DATE"


def _places(predicate: str, rest: str) -> Iterator[tuple[str, str, str]]:
    place = _PLACE.match(rest)
    if place:
        yield f"{predicate} in", place.group(1), "GPE"
