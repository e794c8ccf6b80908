"""Which types of entities can be one thing.

spaCy's types are often wrong among things of one kind (a stadium is FAC, LOC or ORG), and seldom
between a person and anything else.
"""

from typing import Literal

from clew_ingest.parsing.mentions import VALUE_TYPES

Agreement = Literal["agree", "doubtful", "unknown", "never"]

FAMILIES = {
    "PERSON": "person",
    "ORG": "org",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "NORP": "people",
    "LANGUAGE": "language",
    "WORK_OF_ART": "work",
    "LAW": "law",
    "PRODUCT": "product",
    "EVENT": "event",
}
"""spaCy's types of things, and their families; types of one family agree."""

DOUBTFUL = frozenset(
    {
        frozenset({"org", "place"}),
        frozenset({"org", "work"}),
        frozenset({"org", "product"}),
        frozenset({"org", "event"}),
        frozenset({"org", "law"}),
        frozenset({"product", "work"}),
        frozenset({"event", "work"}),
        frozenset({"law", "work"}),
        frozenset({"people", "language"}),
        frozenset({"place", "event"}),
    }
)
"""Pairs of families that a parser confuses: never merged without a person's word."""


_WORDS = {"org": "organisation", "code": "identifier"}
_KINDS = {"person": "person", "people": "people", "language": "people"}


def identity_kind(key: str, type_: str) -> str:
    """Return what tells an entity from others of its name: see `clew_cypher.ids.ENTITY_KINDS`.

    Only names of one word have a kind: types of longer ones are wrong too often.
    """
    if " " in key:
        return ""
    return "value" if type_ in VALUE_TYPES else _KINDS.get(family(type_), "")


def family(type_: str) -> str:
    """Return the family of a type; "" for "", the type itself where spaCy has no such thing."""
    return FAMILIES.get(type_, type_.lower())


def in_words(type_: str) -> str:
    """Return a type as people say it, with its article."""
    word = _WORDS.get(family(type_), family(type_).replace("_", " "))
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def agreement(type_a: str, type_b: str) -> Agreement:
    """Say whether entities of two types can be one thing.

    "agree": one family; "doubtful": two families that a parser confuses; "unknown": one of them
    has no type, as a title that no sentence names; "never": all else, as PERSON and ORG.
    """
    return families_agree(family(type_a), family(type_b))


def families_agree(family_a: str, family_b: str) -> Agreement:
    """Say whether things of two families can be one thing, as :func:`agreement`."""
    if not family_a or not family_b:
        return "unknown"
    if family_a == family_b:
        return "agree"
    return "doubtful" if frozenset({family_a, family_b}) in DOUBTFUL else "never"
