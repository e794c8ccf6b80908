"""Which country a sentence says that somebody is of or something lies in: "British", "in Wales"."""

import re
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

_BRACKETS = re.compile(r"\([^()]*\)")
_TOGETHER = re.compile(r"\s*[-–/,]?\s*(?:and\s+|born\s+|of\s+|descent\s+)*[-–]?\s*")
"""What stands between the countries of one person, "an Italian-born American and British actor"."""


def countries_told(text: str) -> frozenset[str]:
    """Return the country that a sentence names first, outside of brackets where there is one, with
    those that it names together with it; none where it names none.
    """
    for part in (_BRACKETS.sub(" ", text), text):
        found = list(_pattern().finditer(part))
        if found:
            told = {_country(found[0].group())}
            for one, after in pairwise(found):
                if not _TOGETHER.fullmatch(part[one.end() : after.start()]):
                    break
                told.add(_country(after.group()))
            return frozenset(told)
    return frozenset()


def _country(written: str) -> str:
    return _names()[written.casefold()]


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Return the countries by what says so (nationalities.txt), in lower case."""
    text = files("clew.comprehension").joinpath("nationalities.txt").read_text(encoding="utf-8")
    names: dict[str, str] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            country, _, others = line.partition(": ")
            for name in (country, *others.split(", ")):
                names.setdefault(_BRACKETS.sub("", name).strip(), country)
    return names


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    """Return what finds a name that begins with a capital, the longest of those at a place."""
    names = sorted(_names(), key=len, reverse=True)
    written = (re.escape(name[0].upper()) + f"(?i:{re.escape(name[1:])})" for name in names)
    return re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?!\w)")
