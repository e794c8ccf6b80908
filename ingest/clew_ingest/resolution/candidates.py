"""Which pairs of entities are worth a judgement: embedding neighbours, and names of one block.

Never all pairs: each entity has at most ``k`` neighbours from the vector index, and names that an
embedding does not bring together (an acronym and its long form, initials and given names) meet in
blocks of the same letters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from clew_ingest.resolution.name_words import SMALL_WORDS
from clew_ingest.resolution.names import NameSignature, signature
from clew_ingest.resolution.types import agreement, family
from clew_ingest.resolution.views import EntityView

NEIGHBOURS = 10
"""Neighbours asked of the vector index for an entity, itself left out."""
LEAST_COSINE = 0.6
"""Neighbours below are no candidates."""
LARGEST_BLOCK = 50
"""A block of more names says nothing and would cost the square of it."""


@dataclass(frozen=True)
class Candidate:
    """Two entities to be judged, by their keys (``a`` < ``b``); ``cosine``: None where unknown."""

    a: str
    b: str
    cosine: float | None


def neighbour_pairs(
    neighbours: Mapping[str, Sequence[tuple[str, float]]],
    types: Mapping[str, str],
    least: float = LEAST_COSINE,
) -> list[Candidate]:
    """Return the candidates among the vector index' answers, by key, each pair once.

    ``neighbours``: for each key the (key, cosine) of its nearest; ``types`` of all keys that occur.
    Left out are the entity itself, what is below ``least``, and types that never agree.
    """
    found: dict[tuple[str, str], float] = {}
    for key, near in neighbours.items():
        for other, cosine in near:
            if other == key or cosine < least or agreement(types[key], types[other]) == "never":
                continue
            pair = (min(key, other), max(key, other))
            found[pair] = max(cosine, found.get(pair, cosine))
    return [Candidate(a, b, cosine) for (a, b), cosine in sorted(found.items())]


def name_pairs(entities: Iterable[EntityView]) -> list[Candidate]:
    """Return the pairs of a block, by key, each once: without a cosine, of types that can agree.

    Blocks: names that are equal without spaces; persons of one surname and first letter; initial
    letters and acronyms. Blocks of more than LARGEST_BLOCK names are passed over.
    """
    blocks: dict[str, dict[str, EntityView]] = {}
    for view in entities:
        for name in (view.name, *view.aliases):
            for block in _blocks(signature(name, view.type), family(view.type)):
                blocks.setdefault(block, {})[view.key] = view
    pairs: set[tuple[str, str]] = set()
    for members in blocks.values():
        if len(members) > LARGEST_BLOCK:
            continue
        for a, b in combinations(sorted(members), 2):
            if agreement(members[a].type, members[b].type) != "never":
                pairs.add((a, b))
    return [Candidate(a, b, None) for a, b in sorted(pairs)]


def _blocks(sign: NameSignature, kind: str) -> Iterator[str]:
    if not sign.words:
        return
    yield f"joined {sign.joined}"
    if kind in ("person", "") and len(sign.words) > 1:
        yield f"person {sign.words[-1]} {sign.words[0][0]}"
    if kind != "person":
        if len(sign.words) == 1 and 2 <= len(sign.joined) <= 8:
            yield f"letters {sign.joined}"
        elif len(sign.words) > 1:
            large = [word[0] for word in sign.words if word not in SMALL_WORDS]
            for letters in {"".join(word[0] for word in sign.words), "".join(large)}:
                yield f"letters {letters}"
