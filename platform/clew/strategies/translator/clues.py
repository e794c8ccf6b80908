"""What clues lead to: the hyperedges behind them, and what is beside them there (KT-9, KT-12)."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from clew_cypher.checking.validity import Cited, CitedEdge, existing
from clew_cypher.export.hyperrelations import Hyperedge, hyperedges
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.store import GraphStore
from clew_models.translator import Clue, Direction, NameOf

SHOWN_SENTENCES = 10
"""Sentences that are shown of one clue; it may lead to more."""


class KnownHyperedges:
    """The hyperedges that one question has asked for; none is read twice."""

    def __init__(self, store: GraphStore, corpus: str) -> None:
        self._store = store
        self._corpus = corpus
        self._known: dict[str, Hyperedge] = {}

    def read(self, ids: Iterable[str]) -> Mapping[str, Hyperedge]:
        """Return all that is known by now, the sentences ``ids`` among it unless they are gone."""
        missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in self._known]
        if missing:
            self._known |= hyperedges(self._store, self._corpus, missing)
        return self._known

    def mentioned(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return those of the pairs (entity id, chunk id) where the chunk mentions the entity."""
        asked = [CitedEdge(entity, chunk, "MENTIONED_IN") for entity, chunk in pairs]
        found = existing(self._store, self._corpus, Cited(edges=frozenset(asked))).edges
        return [(edge.source, edge.target) for edge in asked if edge in found]


def chunk_log_probabilities(clues: Iterable[Clue]) -> dict[str, float]:
    """Return how likely the clues make each chunk they lead to, as a logarithm, by id.

    A clue's probability (Eq. 4) is shared evenly by its chunks: one that leads to many says little
    of each.
    """
    found: dict[str, list[float]] = {}
    for clue in clues:
        for id_ in clue.chunk_ids:
            found.setdefault(id_, []).append(clue.score - math.log(len(clue.chunk_ids)))
    return {id_: float(np.logaddexp.reduce(shares)) for id_, shares in found.items()}


def other_ends(edges: KnownHyperedges, direction: Direction) -> NameOf:
    """Return how to find the entities at the other end of sentences (KT-12)."""

    def names(sentence_ids: Sequence[str]) -> list[tuple[str, str]]:
        known = edges.read(sentence_ids)
        found = [known[id_] for id_ in sentence_ids if id_ in known]
        ends = [edge.tails if direction == "forward" else edge.heads for edge in found]
        return sorted({(end.id, end.name) for group in ends for end in group})

    return names


def beside(clue: Clue, edges: Mapping[str, Hyperedge]) -> list[tuple[str, str]]:
    """Return the things (no values) that stand in a clue's sentences, or title their document."""
    found: dict[str, str] = {}
    for id_ in clue.sentence_ids[:SHOWN_SENTENCES]:
        edge = edges.get(id_)
        for end in (*edge.tails, *edge.heads, *edge.titles) if edge else ():
            if end.id != clue.entity.id and end.type not in VALUE_TYPES:
                found.setdefault(end.id, end.name)
    return list(found.items())
