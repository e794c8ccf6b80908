"""Triples that were found, with what the graph says of them: their order, and their passages'."""

from dataclasses import dataclass

from clew.strategies.retrieval import Row
from clew_models.partial_alignment import Found


@dataclass(frozen=True)
class FoundTriple:
    """A triple that was found, with its statements in the graph, at least one: rows as
    `triples_by_id` returns them; ``count``: how many there are.
    """

    found: Found
    rows: tuple[Row, ...]
    count: int
    score: float


def in_order(found: list[FoundTriple]) -> list[FoundTriple]:
    """Return triples by their scores, best first; equal ones by their rows."""
    return sorted(found, key=lambda one: (-one.score, one.found.row))


def passage_scores(found: list[FoundTriple]) -> dict[str, float]:
    """Return the score of each passage that states some of the triples, by its id."""
    scores: dict[str, float] = {}
    for one in found:
        for row in one.rows:
            if row["chunk_id"]:
                scores[row["chunk_id"]] = max(scores.get(row["chunk_id"], -1.0), one.score)
    return scores


def connected_pair(found: list[FoundTriple]) -> bool:
    """Whether two of the triples share an entity (KA-7; definition 1)."""
    seen: set[str] = set()
    for one in found:
        ends = {one.rows[0]["head_entity"]["id"], one.rows[0]["tail_entity"]["id"]}
        if ends & seen:
            return True
        seen |= ends
    return False
