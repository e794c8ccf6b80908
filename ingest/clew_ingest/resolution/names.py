"""The signature of a name: its words without what spellings of one name differ in.

`entities.normalise_name` makes one key of case, accents, quotes and articles. A signature goes
further and keeps apart what a key mixes: titles, legal forms, initials, numbers, generations, the
qualifier in brackets and the region behind a comma are fields of their own.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.parsing.identifiers import CODE
from clew_ingest.resolution.name_words import (
    FIRST_SPELLINGS,
    GENERATIONS,
    LEGAL_FORMS,
    NUMBER_WORDS,
    SPELLINGS,
    STATES,
    TITLES,
    WHOLE_NAMES,
)
from clew_ingest.resolution.types import family

_QUALIFIER = re.compile(r"\s*\(([^()]*)\)\s*$")
_INITIALS = re.compile(r"[A-Z]{2,4}")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?\.?")
_WORD = re.compile(r"[^\W_]+|&")
_ROMAN = re.compile(r"(?=[ivx])(x{0,3})(ix|iv|v?i{0,3})")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10}
_REGION_WORDS = 3
_CODE = family(CODE)
_SINGULAR_ENDINGS = ("ss", "us", "is", "os")


@dataclass(frozen=True)
class NameSignature:
    """What a name says, part by part; "" or empty where it does not say it.

    ``words``: the words of the name in order, case and accents folded, numbers as digits.
    ``numbers``: the numbers among them, sorted. ``titles``: "sir", "president". ``legal``: "inc".
    ``generation``: "jr" or "sr". ``region``: behind the comma of a place, states as postal codes.
    ``qualifier``: in brackets at the end.
    """

    words: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    legal: str = ""
    generation: str = ""
    region: str = ""
    qualifier: str = ""

    @cached_property
    def joined(self) -> str:
        """The words without a space: "spider man" and "spiderman" are one."""
        return "".join(self.words)

    @cached_property
    def singular(self) -> tuple[str, ...]:
        """The words with the last one in the singular."""
        return (*self.words[:-1], _singular(self.words[-1])) if self.words else ()


@lru_cache(maxsize=100_000)
def signature(name: str, type_: str = "") -> NameSignature:
    """Return the signature of ``name`` as the name of a thing of ``type_`` (spaCy's, "" unknown).

    The type decides what a word can be: titles, initials and generations are a person's, legal
    forms are not, a comma sets off the region of a place, and of an identifier ("RACK-X-12") no
    part is spelled in several ways. ``name`` is best given as it is written:
    "JRR" can only be told from a word by its capitals.
    """
    kind = family(type_)
    text, qualifier = _without_qualifier(name)
    region = ""
    if kind in ("place", ""):
        text, region = _without_region(text)
    if kind == _CODE:
        words = _words_of_identifier(text)
        return NameSignature(tuple(words), _numbers(words), qualifier=qualifier)
    words = _words(text, person=kind == "person")
    titles: tuple[str, ...] = ()
    legal = generation = ""
    if kind == "person":
        words, titles = _without_titles(words)
    if kind in ("person", ""):
        words, generation = _without_last(words, GENERATIONS)
    if kind in ("org", "product", ""):
        words, legal = _without_last(words, LEGAL_FORMS)
        while words != (fewer := _without_last(words, LEGAL_FORMS)[0]):
            words = fewer
        if legal and len(words) > 1 and words[-1] == "and":
            words = words[:-1]
    if kind != "person" and words:
        words = [FIRST_SPELLINGS.get(words[0], words[0]), *words[1:]]
    if kind in ("place", "org"):
        words = list(WHOLE_NAMES.get(tuple(words), words))
    words = [
        word if position == 0 and word in _ROMAN_DIGITS else _number(word) or word
        for position, word in enumerate(words)
    ]
    return NameSignature(
        words=tuple(words),
        numbers=_numbers(words),
        titles=titles,
        legal=legal,
        generation=generation,
        region=region,
        qualifier=qualifier,
    )


def is_initial(word: str) -> bool:
    """Say whether a word of a signature is an initial."""
    return len(word) == 1 and word.isalpha()


def _words_of_identifier(text: str) -> list[str]:
    """Return the words of an identifier: each letter and digit of it counts as it is written."""
    return _join_letters([word for token in text.split() for word in _plain_words(token)])


def _numbers(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(number for word in words for number in re.findall(r"\d+", word)))


def _without_qualifier(name: str) -> tuple[str, str]:
    """Return the name and the qualifier in brackets at its end, "" where there is none."""
    found = _QUALIFIER.search(name)
    if found and normalise_name(name[: found.start()]):
        return name[: found.start()], " ".join(_words(found[1], person=False))
    return name, ""


def _without_region(name: str) -> tuple[str, str]:
    """Return the name and what stands behind its only comma, where that can be a region."""
    front, _, behind = name.partition(",")
    words = _words(behind, person=False)
    if not 0 < len(words) <= _REGION_WORDS or "," in behind or not normalise_name(front):
        return name, ""
    if "and" in words or any(word in GENERATIONS or word in LEGAL_FORMS for word in words):
        return name, ""
    region = " ".join(words)
    return front, STATES.get(region, region)


def _words(text: str, *, person: bool) -> list[str]:
    """Return the words of a text, folded; runs of initials are split for persons, else joined."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    words: list[str] = []
    tokens = text.split()
    shouted = text.upper() == text
    for position, token in enumerate(tokens):
        bare = token.strip("\"'“”‘’,;:")
        if _DOTTED.fullmatch(bare) and any(letter.isalpha() for letter in bare):
            letters = [folded for letter in bare if (folded := normalise_name(letter))]
            words += letters if person else ["".join(letters)]
        elif (
            person
            and not shouted
            and position == 0
            and len(tokens) > 1
            and _INITIALS.fullmatch(bare)
        ):
            words += list(bare.lower())
        else:
            words += _plain_words(token)
    if not person:
        words = _join_letters(words)
    kept = [SPELLINGS.get(word, word) for word in words if word != "the"]
    return kept or words


def _plain_words(token: str) -> list[str]:
    if token.strip(",") == "&":
        return ["&"]
    folded = normalise_name(token) or ("the" if token.lower() == "the" else "")
    return _WORD.findall(folded.replace("'", "").replace(".", ""))


def _join_letters(words: Sequence[str]) -> list[str]:
    """Return the words with runs of single letters as one word: "u s" is "us"."""
    joined: list[str] = []
    run = 0
    for word in words:
        letter = is_initial(word)
        if letter and run:
            joined[-1] += word
        else:
            joined.append(word)
        run = run + 1 if letter else 0
    return joined


def _without_titles(words: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the words behind the titles; a title before "of" is all there is ("Prince of …")."""
    count = 0
    while (
        count < len(words) - 1
        and words[count] in TITLES
        and words[count + 1] not in ("of", "and", "de")
    ):
        count += 1
    return words[count:], tuple(sorted(words[:count]))


def _without_last(words: list[str], endings: dict[str, str]) -> tuple[list[str], str]:
    if len(words) > 1 and words[-1] in endings:
        return words[:-1], endings[words[-1]]
    return words, ""


def _number(word: str) -> str:
    """Return the number that a word is (roman, ordinal or in words) as digits, else ""."""
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    if ordinal := _ORDINAL.fullmatch(word):
        return ordinal[1]
    if word.isdigit():
        return word.lstrip("0") or "0"
    if _ROMAN.fullmatch(word):
        return str(_roman(word))
    return ""


def _roman(word: str) -> int:
    digits = [_ROMAN_DIGITS[letter] for letter in word]
    return sum(
        -digit if any(later > digit for later in digits[place + 1 : place + 2]) else digit
        for place, digit in enumerate(digits)
    )


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS):
        return word[:-1]
    return word
