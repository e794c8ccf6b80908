"""Names of a knowledge base as people write them: "ernest_augustus_i" is "Ernest Augustus I"."""

import re

PLAIN_RELATIONS = frozenset({"gender", "profession", "cause_of_death"})
"""Relations whose objects are common nouns: an actor, lung cancer."""

_SMALL = frozenset(
    """
    a al an and at bint da dal de del della der des di do dos du e el en et for ibn in la le les
    of on or the to van von y zu zur
    """.split()  # noqa: SIM905
)
_NUMERAL = re.compile(r"(?=[ivx])x{0,2}(?:ix|iv|v?i{0,3})$")


def readable_name(name: str, relation: str = "") -> str:
    """Return a name in words, with capitals; ``relation``: the one that it is the object of."""
    words = [word for word in name.split("_") if word]
    if relation in PLAIN_RELATIONS:
        return " ".join(words)
    return " ".join(
        _word(word, first=not i, last=i == len(words) - 1) for i, word in enumerate(words)
    )


def readable_relation(relation: str) -> str:
    """Return a relation in words."""
    return relation.replace("_", " ").strip()


def _word(word: str, first: bool, last: bool) -> str:
    if not first and word in _SMALL and not (last and len(word) == 1):
        return word
    if not first and _NUMERAL.match(word):
        return word.upper()
    return "-".join(
        part if i and part in _SMALL else part[:1].upper() + part[1:]
        for i, part in enumerate(word.split("-"))
    )
