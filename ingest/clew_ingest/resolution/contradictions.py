"""What keeps two names apart, however alike they are: one function a rule.

Each returns the reason, or "" where it has nothing against the pair.
"""

from collections.abc import Callable
from difflib import SequenceMatcher

from clew_ingest.resolution.name_words import (
    DIVISIONS,
    FEMALE_TITLES,
    MALE_TITLES,
    NICKNAMES,
    OPPOSITES,
    PARTS,
    QUALIFIER_FAMILIES,
)
from clew_ingest.resolution.names import NameSignature, is_initial
from clew_ingest.resolution.types import families_agree, family

LIKE_WORDS = 0.8
"""Least similarity of two words (difflib's ratio) that may be one word spelt in two ways."""
LIKE_GIVEN_NAMES = 0.85
"""The same for given names: Muhammad and Muhammed, but not Nigel and Nigella."""

Rule = Callable[[NameSignature, NameSignature, str], str]


def contradiction(a: NameSignature, b: NameSignature, kind: str) -> str:
    """Return the first reason why names of things of the family ``kind`` differ, else ""."""
    return next((reason for rule in RULES if (reason := rule(a, b, kind))), "")


def qualifier_denies_type(sign: NameSignature, type_: str) -> str:
    """Say that brackets tell a family that the other entity's type cannot be: (film), PERSON."""
    told = told_families(sign)
    if told and all(families_agree(family(type_), one) == "never" for one in told):
        return f"({sign.qualifier}) is no {type_}"
    return ""


def told_families(sign: NameSignature) -> set[str]:
    """Return the families of types that the words in brackets tell, as "work" for "film"."""
    return {
        QUALIFIER_FAMILIES[word] for word in sign.qualifier.split() if word in QUALIFIER_FAMILIES
    }


def other_numbers(a: NameSignature, b: NameSignature, kind: str) -> str:
    """Henry V and Henry VI; Apollo 11 and Apollo 13; for things also Rocky and Rocky II."""
    if a.numbers == b.numbers:
        return ""
    if a.numbers and b.numbers:
        return f"the numbers differ: {' '.join(a.numbers)} and {' '.join(b.numbers)}"
    number = (a.numbers or b.numbers)[0]
    return f"only one has the number {number}" if kind != "person" and number != "1" else ""


def other_generation(a: NameSignature, b: NameSignature, kind: str) -> str:
    """A senior is not a junior."""
    if a.generation and b.generation and a.generation != b.generation:
        return f"the generations differ: {a.generation} and {b.generation}"
    return ""


def other_qualifier(a: NameSignature, b: NameSignature, kind: str) -> str:
    """Mercury (planet) is not Mercury (element); (film) and (1994 film) may be one."""
    one, other = set(a.qualifier.split()), set(b.qualifier.split())
    if one and other and not (one <= other or other <= one):
        return f"the brackets differ: ({a.qualifier}) and ({b.qualifier})"
    return ""


def other_region(a: NameSignature, b: NameSignature, kind: str) -> str:
    """Springfield, Illinois is not Springfield, Massachusetts."""
    if a.region and b.region and a.region != b.region:
        return f"the regions differ: {a.region} and {b.region}"
    return ""


def other_sex(a: NameSignature, b: NameSignature, kind: str) -> str:
    """Mr. Smith is not Mrs. Smith."""
    sexes = [
        (bool(MALE_TITLES & set(sign.titles)), bool(FEMALE_TITLES & set(sign.titles)))
        for sign in (a, b)
    ]
    if sexes[0] in _ONE_SEX and sexes[1] in _ONE_SEX and sexes[0] != sexes[1]:
        return f"the titles differ: {' '.join(a.titles)} and {' '.join(b.titles)}"
    return ""


def other_given_name(a: NameSignature, b: NameSignature, kind: str) -> str:
    """Ada Lovelace is not Ralph Lovelace; A. Lovelace may be Ada, and Bill may be William."""
    if kind != "person" or min(len(a.words), len(b.words)) < 2:
        return ""
    one, other = a.words[0], b.words[0]
    if a.words[-1] != b.words[-1] or same_given_name(one, other):
        return ""
    if spelt_alike(one, other, LIKE_GIVEN_NAMES):
        return ""
    if set(a.words) <= set(b.words) or set(b.words) <= set(a.words):
        return ""
    return f"the given names differ: {one} and {other}"


def other_middle_name(a: NameSignature, b: NameSignature, kind: str) -> str:
    """George H. W. Bush is not George W. Bush, nor John Quincy Adams John Couch Adams."""
    if kind != "person" or min(len(a.words), len(b.words)) < 3 or a.words[-1] != b.words[-1]:
        return ""
    one, other = a.words[1:-1], b.words[1:-1]
    if len(one) == len(other):
        if all(same_given_name(x, y) or spelt_alike(x, y) for x, y in zip(one, other, strict=True)):
            return ""
    elif any(same_given_name(one[0], word) for word in other) and any(
        same_given_name(other[0], word) for word in one
    ):
        return ""
    return f"the middle names differ: {' '.join(one)} and {' '.join(other)}"


def opposite_words(a: NameSignature, b: NameSignature, kind: str) -> str:
    """North Carolina is not South Carolina."""
    only_a, only_b = set(a.words) - set(b.words), set(b.words) - set(a.words)
    for words in OPPOSITES:
        if words & only_a and words & only_b:
            one, other = sorted(words & only_a)[0], sorted(words & only_b)[0]
            return f"{one} is not {other}"
    return ""


def other_part(a: NameSignature, b: NameSignature, kind: str) -> str:
    """Los Angeles is not Los Angeles County; a women's league is not the league."""
    only = (set(a.words) - set(b.words)) ^ (set(b.words) - set(a.words))
    words = PARTS | (DIVISIONS if kind == "place" else frozenset())
    found = sorted(
        word for word in only & words if set(a.words) < set(b.words) or set(b.words) < set(a.words)
    )
    return f"only one has the word {found[0]}" if found else ""


def spelt_alike(one: str, other: str, least: float = LIKE_WORDS) -> bool:
    """Say whether two words may be one in two spellings: Abdel and Abdul."""
    if min(len(one), len(other)) < 4:
        return False
    first, second = sorted((one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= least


def same_given_name(one: str, other: str) -> bool:
    """Say whether two given names can be one: equal, an initial of it, or its short form."""
    if one == other:
        return True
    if is_initial(one) or is_initial(other):
        return one[0] == other[0]
    return any(one in names and other in names for names in NICKNAMES)


RULES: tuple[Rule, ...] = (
    other_generation,
    other_numbers,
    other_qualifier,
    other_region,
    other_sex,
    other_given_name,
    other_middle_name,
    opposite_words,
    other_part,
)
_ONE_SEX = ((True, False), (False, True))
