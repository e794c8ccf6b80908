"""Mentions: which spans of a sentence or question name an entity, and in which role (KT-1, KT-3).

Pure functions, so that what counts as a mention can be changed and measured in one place.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from clew_ingest.parsing.entity_names import (
    STOP_WORDS,
    display_name,
    is_entity_name,
    normalise_name,
    without_honorifics,
)

Role = Literal["head", "tail"]

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
"""Dependency labels of a syntactic subject (KG-Translator F.2)."""

NEVER_HEADS = frozenset(
    {
        "DATE",
        "QUANTITY",
        "PERCENT",
        "TIME",
        "LANGUAGE",
        "MONEY",
        "ORDINAL",
        "NORP",
        "CARDINAL",
    }
)
"""Types of entities that are never a head (KT-3; KG-Translator F.2)."""

VALUE_TYPES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
"""Types that are values and not things: no seeds of a walk, and no entities on its way."""


@dataclass(frozen=True)
class Mention:
    """A span [start, end) of a sentence's characters that names an entity, and its role there.

    ``surface`` is the span without edge punctuation and 's, ``key`` its normalised name,
    ``type`` spaCy's.
    """

    start: int
    end: int
    surface: str
    key: str
    type: str
    role: Role


def mention_role(type_: str, dependency: str) -> Role:
    """Return the role of a mention by its type and its root's dependency label (KT-3)."""
    return "head" if dependency in SUBJECTS and type_ not in NEVER_HEADS else "tail"


def sentence_mentions(entities: Iterable[Any], start: int, sentence: str) -> list[Mention]:
    """Return the mentions among spaCy's ``entities`` of the sentence that begins at ``start``.

    What is no name (punctuation, stop words) is left out and so is not masked either; nor is what
    stands before a person's name and is no part of it ("Dr.").
    """
    mentions = []
    for entity in entities:
        first = max(entity.start_char - start, 0)
        last = min(entity.end_char - start, len(sentence))
        surface = sentence[first:last]
        if entity.label_ == "PERSON":
            surface = without_honorifics(surface)
            first = last - len(surface)
        if first >= last or not is_entity_name(surface):
            continue
        mentions.append(
            Mention(
                start=first,
                end=last,
                surface=display_name(surface),
                key=normalise_name(surface),
                type=entity.label_,
                role=mention_role(entity.label_, entity.root.dep_),
            )
        )
    return mentions


_SMALL = "".join(letter for letter in map(chr, range(0x80, 0x2000)) if letter.islower())
_WORD = rf"(?<!\w)(?<!\d[/.,:-])(?:[a-z]{{1,2}}(?=[A-Z]))?[^\W_a-z{_SMALL}][\w.'’&+-]*"
"""A word that begins with a capital, a number or a letter of a script without small ones; of
"iPhone", "pH" and "kWh" the whole."""
_NO_PRONOUN = r"(?!I(?:['’]\w+)?(?![\w.&+'’-]| [^\W\d_a-z]))"
_LINK = r"(?:of|of the|de|de la|del|della|di|da|do|dos|du|la|le|van|van der|van den|von|der|den"
_LINK += r"|al|bin|ibn|y|&)"
_CAPITALISED = re.compile(rf"{_NO_PRONOUN}{_WORD}(?:[ ]+(?:{_LINK}[ ]+{_NO_PRONOUN})?{_WORD})*")
_QUOTED = re.compile(r'"([^"]{2,120})"|“([^”]{2,120})”|«([^»]{2,120})»')
_SENTENCE_START = re.compile(r"(?:^|[.?!]\s+)$")


def question_mentions(question: str, entities: Iterable[tuple[str, str]]) -> list[str]:
    """Return what a question names: ``entities`` (surface, type), capitalised and quoted spans.

    Values (dates, numbers, amounts) are left out, and so is the capitalised word that merely
    begins the question. One spelling a key, the longest names first.
    """
    found = [surface for surface, type_ in entities if type_ not in VALUE_TYPES]
    found += capitalised_spans(question)
    found += [next(filter(None, match.groups())) for match in _QUOTED.finditer(question)]
    by_key: dict[str, str] = {}
    for surface in map(without_honorifics, found):
        if is_entity_name(surface):
            by_key.setdefault(normalise_name(surface), display_name(surface))
    return sorted(by_key.values(), key=lambda surface: (-len(surface), surface))


def capitalised_spans(text: str) -> list[str]:
    """Return the runs of capitalised words and numbers of a text, joined by "of", "van" etc."""
    spans = []
    for match in _CAPITALISED.finditer(text):
        words = match.group().split()
        if _SENTENCE_START.search(text[: match.start()]):
            if words[1:] == ["I"]:
                continue  # "May I …?"
            while words and _plain(words[0]) in STOP_WORDS:
                words.pop(0)
        while words and _plain(words[0]) in {"of", "the", "&"}:
            words.pop(0)
        if words and any(character.isalpha() for character in "".join(words)):
            spans.append(" ".join(words))
    return spans


def _plain(word: str) -> str:
    return word.casefold().strip(".'’")
