"""Blocks of names: what two names have in common if they can be one thing by their letters.

Every way in which `pairs.decide` is sure of a pair has its block, so that merges follow from blocks
alone, in whichever order documents came; embedding neighbours add what a person may be sure of.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from clew_ingest.resolution.name_words import SMALL_WORDS
from clew_ingest.resolution.names import NameSignature, signature
from clew_ingest.resolution.types import family
from clew_ingest.resolution.views import EntityView

LARGEST_BLOCK = 50
"""A block of more names says nothing and would cost the square of it."""
LONGEST_ACRONYM = 10
_TYPES_OF_UNKNOWN = ("", "PERSON", "ORG", "GPE")
"""A title's type is unknown: it is compared as whatever the other is."""


@dataclass(frozen=True)
class NameBlocks:
    """Blocks that an entity is found in, and those in which it looks for others.

    They differ for acronyms, which look for long forms and not for other acronyms.
    """

    found_in: frozenset[str]
    looks_in: frozenset[str]


def name_blocks(view: EntityView) -> NameBlocks:
    """Return the blocks of an entity's name and of its other names.

    Names that are equal without spaces, in another order (with a number), or in the singular;
    persons of one surname and first letter, and of one surname and the same initials; initial
    letters and acronyms.
    """
    found_in: set[str] = set()
    looks_in: set[str] = set()
    for name in (view.name, *view.aliases):
        for type_ in (view.type,) if view.type else _TYPES_OF_UNKNOWN:
            sign, kind = signature(name, type_), family(type_)
            if not sign.words:
                continue
            both = set(_mutual(sign, kind))
            found_in |= both
            looks_in |= both
            if kind != "person":
                _add_acronyms(sign, found_in, looks_in)
    return NameBlocks(frozenset(found_in), frozenset(looks_in))


def block_token(corpus: str, block: str) -> str:
    """Return the token that stands for a corpus' block in a full-text index."""
    return hashlib.blake2b(f"{corpus}\n{block}".encode(), digest_size=8).hexdigest()


def _mutual(sign: NameSignature, kind: str) -> Iterator[str]:
    words = sign.words
    yield f"joined {sign.joined}"
    if sign.numbers:
        yield f"order {' '.join(sorted(words))}"
    if kind == "person":
        if len(words) > 1:
            yield f"person {words[-1]} {words[0][0]}"
        if len(words) > 2:
            yield f"initials {words[-1]} {''.join(word[0] for word in words[:-1])}"
    else:
        yield f"singular {' '.join(sign.singular)}"


def _add_acronyms(sign: NameSignature, found_in: set[str], looks_in: set[str]) -> None:
    if 2 <= len(sign.joined) <= LONGEST_ACRONYM and sign.joined.isalpha():
        found_in.add(f"acronym {sign.joined}")
        looks_in.add(f"letters {sign.joined}")
    if len(sign.words) > 1:
        large = [word[0] for word in sign.words if word not in SMALL_WORDS]
        for letters in {"".join(word[0] for word in sign.words), "".join(large)}:
            if 2 <= len(letters) <= LONGEST_ACRONYM:
                found_in.add(f"letters {letters}")
                looks_in.add(f"acronym {letters}")
