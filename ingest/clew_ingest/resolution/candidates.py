"""Which pairs of entities are worth a judgement: embedding neighbours, and names of one block.

Never all pairs: each entity has at most ``k`` neighbours from the vector index, and names that an
embedding does not bring together (an acronym and its long form, initials and given names) meet in
blocks of the same letters.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clew_ingest.resolution.name_blocks import LARGEST_BLOCK, name_blocks
from clew_ingest.resolution.types import agreement
from clew_ingest.resolution.views import EntityView

NEIGHBOURS = 10
"""Neighbours asked of the vector index for an entity, itself left out."""
LEAST_COSINE = 0.6
"""Neighbours below are no candidates."""


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

    The blocks are those of `name_blocks`; those of more than LARGEST_BLOCK names are passed over.
    """
    views = {view.key: view for view in entities}
    blocks = {key: name_blocks(view) for key, view in views.items()}
    members: dict[str, set[str]] = {}
    for key, own in blocks.items():
        for block in own.found_in:
            members.setdefault(block, set()).add(key)
    pairs: set[tuple[str, str]] = set()
    for key, own in blocks.items():
        for block in own.looks_in:
            found = members.get(block, set())
            if len(found) > LARGEST_BLOCK:
                continue
            for other in found - {key}:
                if agreement(views[key].type, views[other].type) != "never":
                    pairs.add((min(key, other), max(key, other)))
    return [Candidate(a, b, None) for a, b in sorted(pairs)]
