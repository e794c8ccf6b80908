"""What clues lead to: the hyperedges behind them, what stands beside them there, and how they are
shown (KT-9, KT-12).
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from clew.evidence import ClueSentence, EvidenceClue
from clew_cypher.hyperrelations import Hyperedge, hyperedges
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.store import GraphStore
from clew_models.translator import Clue, Direction, NameOf
from clew_models.translator.masks import stated_place

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


def shown_clues(clues: Sequence[Clue], edges: KnownHyperedges) -> list[EvidenceClue]:
    """Return the clues with the text of their sentences, likeliest first."""
    known = edges.read(id_ for clue in clues for id_ in clue.sentence_ids[:SHOWN_SENTENCES])
    ranked = sorted(clues, key=lambda clue: -clue.score)
    place = {clue: number for number, clue in enumerate(ranked)}
    return [_shown(clue, known, place) for clue in ranked]


def _shown(clue: Clue, edges: Mapping[str, Hyperedge], place: Mapping[Clue, int]) -> EvidenceClue:
    found = [edges[id_] for id_ in clue.sentence_ids[:SHOWN_SENTENCES] if id_ in edges]
    return EvidenceClue(
        entity_id=clue.entity.id,
        entity=clue.entity.surface,
        relation=clue.relation.strip(),
        direction=clue.direction,
        score=clue.score,
        named=clue.entity.named,
        sentences=tuple(_sentence(edge, clue.relation) for edge in found),
        chunk_ids=clue.chunk_ids,
        tail_id=clue.tail.id if clue.tail else None,
        tail=clue.tail.surface if clue.tail else None,
        after=place[clue.entity.after] if clue.entity.after else None,
    )


def _sentence(edge: Hyperedge, relation: str) -> ClueSentence:
    start, end = stated_place(edge.text, edge.hyperrelation, relation) or (None, None)
    return ClueSentence(id=edge.id, chunk_id=edge.chunk_id, text=edge.text, start=start, end=end)


def beside(clue: Clue, edges: Mapping[str, Hyperedge]) -> list[tuple[str, str]]:
    """Return the things (no values) that stand in a clue's sentences, or title their document."""
    found: dict[str, str] = {}
    for id_ in clue.sentence_ids[:SHOWN_SENTENCES]:
        edge = edges.get(id_)
        for end in (*edge.tails, *edge.heads, *edge.titles) if edge else ():
            if end.id != clue.entity.id and end.type not in VALUE_TYPES:
                found.setdefault(end.id, end.name)
    return list(found.items())
