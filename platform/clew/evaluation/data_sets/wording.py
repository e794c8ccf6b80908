"""How a masked sentence becomes a question in plain English."""

import re

from clew.evaluation.data_sets.masking import GAP, VERB
from clew_cypher.export.entity_chains import ChainEntity

NOUNS = {
    "PERSON": "person",
    "ORG": "organisation",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "EVENT": "event",
    "WORK_OF_ART": "work",
    "PRODUCT": "product",
    "LAW": "law",
}
"""What is asked about, by spaCy's types; of other types ("Norwegian") no question is made."""

_THINGS = re.compile(
    r"^ (?:is|was) (?:an?|the|one) (?:[\w-]+ ){0,5}?(?:film|movie|album|song|single|band|group|"
    r"company|club|team|series|show|novel|book|magazine|newspaper|game|town|city|village|island|"
    r"river|school|university|station|airport|distributor|brand|label|opera|play|character)\b"
)
"""Titles are often taken for people."""
_BEING = re.compile(r" (?:is|was) (?:an?|the|one|located|situated) ")


def noun_of(entity: ChainEntity) -> str | None:
    """Return what kind of thing an entity is, None where no question is made of it."""
    return NOUNS.get(entity.type)


def is_subject(masked: str, mask: str) -> bool:
    """Say whether a masked sentence begins with the mask and goes on with its verb."""
    return masked.startswith(f"{mask} ") and bool(VERB.match(masked, len(mask) + 1))


def asked(masked: str, noun: str) -> str | None:
    """Return the question after what fills the gap of a masked sentence, without "?" at its end.

    None where the sentence shows that the gap is no person, as the parser took it for.
    """
    who = "Who" if noun == "person" else f"Which {noun}"
    if is_subject(masked, GAP):
        rest = _end(masked)[len(GAP) :]
        if noun == "person" and _BEING.match(rest) and _THINGS.search(rest):
            return None
        # what it is, the sentence says itself, and better than its type
        return f"What{rest}" if noun != "person" and _BEING.match(rest) else f"{who}{rest}"
    return f"{who} is missing in ‘{masked.strip()}’"


def two_hop(clue: str, question: str) -> str:
    """Return the whole question: what is known of X, and what is asked about it."""
    return f"{clue.strip()} {question}?"


def one_hop(question: str) -> str:
    """Return a question that stands alone."""
    return f"{question}?"


def _end(sentence: str) -> str:
    return sentence.strip().rstrip(".!").rstrip()
