"""Relatives that texts seldom name, as the two steps that lead to them: a paternal grandfather is
the father of the father."""

import re

_RELATIVES: dict[str, tuple[tuple[str, str], ...]] = {
    "paternal grandfather": (("father", "father"),),
    "paternal grandmother": (("mother", "father"),),
    "maternal grandfather": (("father", "mother"),),
    "maternal grandmother": (("mother", "mother"),),
    "grandfather": (("father", "father"), ("father", "mother")),
    "grandmother": (("mother", "father"), ("mother", "mother")),
    "grandson": (("son", "son"), ("son", "daughter")),
    "granddaughter": (("daughter", "son"), ("daughter", "daughter")),
    "father-in-law": (("father", "wife"), ("father", "husband")),
    "mother-in-law": (("mother", "wife"), ("mother", "husband")),
    "son-in-law": (("husband", "daughter"),),
    "daughter-in-law": (("wife", "son"),),
    "brother-in-law": (("husband", "sister"), ("brother", "wife"), ("brother", "husband")),
    "sister-in-law": (("wife", "brother"), ("sister", "wife"), ("sister", "husband")),
    "sibling-in-law": (("husband", "sister"), ("wife", "brother"), ("sibling", "spouse")),
    "paternal uncle": (("brother", "father"),),
    "maternal uncle": (("brother", "mother"),),
    "paternal aunt": (("sister", "father"),),
    "maternal aunt": (("sister", "mother"),),
    "uncle": (("brother", "father"), ("brother", "mother")),
    "aunt": (("sister", "father"), ("sister", "mother")),
    "nephew": (("son", "brother"), ("son", "sister")),
    "niece": (("daughter", "brother"), ("daughter", "sister")),
    "stepfather": (("husband", "mother"),),
    "stepmother": (("wife", "father"),),
}
"""Relative: (the last step, the one before it), each way there is."""
_TOLD = {
    "grand": r"grand(?:father|mother|son|daughter|child|children|parents?)s?",
    "in-law": r"\w+[- ]in[- ]law",
    "uncle": "uncle|nephew|niece",
    "aunt": "aunt|nephew|niece",
    "nephew": "nephew|uncle|aunt",
    "niece": "niece|uncle|aunt",
    "step": r"step\w+",
}
"""What relatives are called in sentences, by what the one asked for is called."""
_NAMES = "|".join(
    re.escape(name).replace(r"\-", "[- ]") for name in sorted(_RELATIVES, key=len, reverse=True)
)
_OF = re.compile(rf"\b(?:the )?({_NAMES}) of\b", re.IGNORECASE)
_POSSESSIVE = re.compile(
    rf"^((?:\w+ )?(?:\w+ )?(?:is|was|are|were|did|does|do|of|by|the) )(.+?['’]s?) ({_NAMES})\b",
    re.IGNORECASE,
)


def told_as(question: str) -> re.Pattern[str]:
    """Return what a sentence holds that says who is whose relative of the kind asked for."""
    found = _OF.search(question) or _POSSESSIVE.search(question)
    relative = "" if found is None else _key(found.groups()[-1])
    kinds = [kind for kind in _TOLD if kind in relative]
    return re.compile(rf"\b(?:{'|'.join(_TOLD[kind] for kind in kinds) or '$.'})\b", re.IGNORECASE)


def by_steps(question: str) -> list[str]:
    """Return the question with a relative as two steps, one for each way there is: "Who is Ann's
    father-in-law?" is "Who is the father of Ann's wife?", or of her husband; [] without one.
    """
    found = _OF.search(question)
    if found is not None:
        before, after = question[: found.start()], question[found.end() :]
        ways = _RELATIVES[_key(found.group(1))]
        return [f"{before}the {last} of the {first} of{after}" for last, first in ways]
    found = _POSSESSIVE.search(question)
    if found is None:
        return []
    rest = question[found.end() :]
    ways = _RELATIVES[_key(found.group(3))]
    return [f"{found.group(1)}the {last} of {found.group(2)} {first}{rest}" for last, first in ways]


def _key(written: str) -> str:
    words = written.casefold().split()
    if len(words) == 3:  # "father in law"
        return "-".join(words)
    return " ".join(words)
