"""Triples near a question, and the paths of triples between entities that carry most of it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew_cypher.rows import Vector
from clew_cypher.store import GraphStore, Row
from clew_cypher.vectors import to_array, to_driver

SEARCH_WIDTH = 400
"""Least number of neighbours the index looks for. The triples of a sentence have one text, and so
one vector: of many equal ones its approximation misses others (at 100, 13 of 100 of the 20 nearest
on MuSiQue's passages; at 400, 4)."""
LINES_WIDTH = 2_048
"""The same where only lines of some documents count."""
FAN = 64
"""Triples of an entity, the nearest to the question, that a path may go on by, at least."""
HUB = 2000
"""Triples of an entity from which on they are not compared one by one; see `Surroundings`."""
HUB_WIDTH = 1000
"""The nearest triples of the corpus, among which those of hubs are looked for."""


class Way(NamedTuple):
    """A triple as a step from one of its ends to the other."""

    triple: str
    to: str
    score: float


@dataclass(frozen=True)
class TriplePath:
    """Triples (ids) from one entity to another; ``score``: the mean of their cosines."""

    triples: tuple[str, ...]
    entities: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class _Partial:
    triples: tuple[str, ...]
    entities: tuple[str, ...]
    total: float

    @property
    def score(self) -> float:
        return self.total / len(self.triples)

    def along(self, way: Way) -> "_Partial":
        return _Partial(
            (*self.triples, way.triple), (*self.entities, way.to), self.total + way.score
        )


def nearest_triples(store: GraphStore, corpus: str, vector: Vector, limit: int) -> list[Row]:
    """Return at most ``limit`` triples, those with the nearest textual triplets first: rows {id,
    head, relation, predicate, tail, ttr, chunk_id, sentence_id, document_id, title, line,
    extractor, head_entity, tail_entity, score}.

    ``vector``: [D]; ``score``: the cosine; the entities are {id, key, name, type, named}. Of a
    line of a knowledge base ``chunk_id`` is "", of a passage's triple ``line`` is None.
    """
    return store.read(
        "nearest_triples",
        corpus=corpus,
        vector=to_driver(vector),
        width=max(4 * limit, SEARCH_WIDTH),
        document_ids=None,
        limit=limit,
    )


def nearest_lines(
    store: GraphStore, corpus: str, document_ids: Collection[str], vector: Vector, limit: int
) -> list[Row]:
    """Return at most ``limit`` triples of knowledge bases among some documents, as
    `nearest_triples`.
    """
    asked = {
        "corpus": corpus,
        "document_ids": sorted(document_ids),
        "vector": to_driver(vector),
        "limit": limit,
    }
    rows: list[Row] = store.read("nearest_triples", width=max(4 * limit, LINES_WIDTH), **asked)
    if len(rows) < limit:
        # too few are among the nearest of the corpus, so they are few, or far from the question
        rows = store.read("nearest_lines", **asked)
    return rows


def triple_ids_of_documents(
    store: GraphStore, corpus: str, document_ids: Collection[str]
) -> list[str]:
    """Return the ids of all triples that documents state."""
    rows = store.read("triple_ids_of_documents", corpus=corpus, document_ids=sorted(document_ids))
    ids: list[str] = rows[0]["ids"]
    return ids


def triples_stated_by(
    store: GraphStore, corpus: str, chunks: Sequence[str], vector: Vector, limit: int
) -> list[Row]:
    """Return at most ``limit`` triples that chunks state, as `nearest_triples`."""
    if not chunks:
        return []
    return store.read(
        "triples_stated_by",
        corpus=corpus,
        chunks=list(chunks),
        vector=to_driver(vector),
        limit=limit,
    )


def triples_by_id(store: GraphStore, corpus: str, ids: Collection[str]) -> dict[str, Row]:
    """Return triples by their ids, as `nearest_triples` without scores; those that are gone are
    left out.
    """
    if not ids:
        return {}
    return {row["id"]: row for row in store.read("triples_by_id", corpus=corpus, ids=sorted(ids))}


def triple_vectors(
    store: GraphStore, corpus: str, ids: Collection[str], dimension: int
) -> NDArray[np.float32]:
    """Return [N, dimension] the embeddings of the triples that are there, in the order of ids."""
    rows = store.read("triple_vectors", corpus=corpus, ids=sorted(ids), dimension=dimension)
    return to_array([row["embedding"] for row in rows], dimension)


class Surroundings:
    """The triples around entities, by how near they are to one question; each is read once.

    Of an entity with more than ``hub`` triples only those are known that are among the HUB_WIDTH
    nearest of the corpus: an index finds these in milliseconds, to compare 50,000 takes seconds.
    """

    def __init__(
        self, store: GraphStore, corpus: str, vector: Vector, fan: int = FAN, hub: int = HUB
    ) -> None:
        self._store = store
        self._corpus = corpus
        self._vector = vector
        self._fan = fan
        self._hub = hub
        self._ways: dict[str, list[Way]] = {}
        self._near: dict[str, list[Way]] | None = None

    def read(self, entities: Collection[str]) -> None:
        """Read what is not known yet around these entities, in one statement."""
        missing = sorted(set(entities) - set(self._ways))
        if not missing:
            return
        self._ways |= {entity: [] for entity in missing}
        rows: list[Row] = self._store.read(
            "triples_around",
            corpus=self._corpus,
            entities=missing,
            vector=to_driver(self._vector),
            limit=self._fan,
            most=self._hub,
        )
        for row in rows:
            entity, triples = row["entity_id"], row["triples"]
            self._ways[entity] = (
                self._near_hub(entity) if triples is None else [Way(*one) for one in triples]
            )

    def ways(self, entity: str) -> list[Way]:
        """Return the ways from an entity that was read, the nearest to the question first."""
        return self._ways[entity]

    def _near_hub(self, entity: str) -> list[Way]:
        if self._near is None:
            self._near = {}
            for one in nearest_triples(self._store, self._corpus, self._vector, HUB_WIDTH):
                head, tail = one["head_entity"]["id"], one["tail_entity"]["id"]
                if head != tail:
                    for end, other in ((head, tail), (tail, head)):
                        self._near.setdefault(end, []).append(Way(one["id"], other, one["score"]))
        return self._near.get(entity, [])[: self._fan]


def paths_between(
    around: Surroundings, entities: Sequence[str], width: int, length: int
) -> list[TriplePath]:
    """Return paths of at most ``length`` triples between each two of ``entities``, best first.

    A beam search for each pair, all of them level by level, with one statement a level: of the
    paths that are one triple longer the best ``width`` by mean cosine are kept; those of them that
    have arrived are found, the others go on. No entity stands twice on a path. Triples are followed
    from both ends. Where ``width`` and the fan of ``around`` are no limit, all paths are found.
    Source: KG-CQR, algorithms 1 and 2 (KC-5, KC-6).
    """
    own = list(dict.fromkeys(entities))
    beams = {pair: [_Partial((), (pair[0],), 0.0)] for pair in combinations(own, 2)}
    found: list[_Partial] = []
    for _ in range(length):
        around.read({partial.entities[-1] for beam in beams.values() for partial in beam})
        onward: dict[_Partial, list[_Partial]] = {}
        longer: dict[tuple[str, str], list[_Partial]] = {}
        for pair, beam in beams.items():
            best = sorted(_longer(beam, around, onward, width), key=_rank)[:width]
            found += [partial for partial in best if partial.entities[-1] == pair[1]]
            rest = [partial for partial in best if partial.entities[-1] != pair[1]]
            if rest:
                longer[pair] = rest
        beams = longer
    return _ranked(found)


def every_path_between(
    around: Surroundings, entities: Sequence[str], length: int, most: int
) -> tuple[list[TriplePath], bool]:
    """Return what `paths_between` would with a beam of any width, and whether all was looked at.

    Breadth first, without a look at the question: of a level the first ``most`` are gone on with.
    For comparison (KG-CQR, figure 4: naive BFS).
    """
    own = list(dict.fromkeys(entities))
    place = {entity: number for number, entity in enumerate(own)}
    level = [_Partial((), (entity,), 0.0) for entity in own]
    found: list[_Partial] = []
    whole = True
    for _ in range(length):
        around.read({partial.entities[-1] for partial in level})
        onward = (
            partial.along(way)
            for partial in level
            for way in around.ways(partial.entities[-1])
            if way.to not in partial.entities
        )
        level = list(islice(onward, most))
        whole = whole and next(onward, None) is None
        found += [one for one in level if place.get(one.entities[-1], -1) > place[one.entities[0]]]
    return _ranked(found), whole


def _ranked(found: Sequence[_Partial]) -> list[TriplePath]:
    paths = [TriplePath(one.triples, one.entities, one.score) for one in found]
    return sorted(paths, key=lambda path: (-path.score, path.triples))


def _rank(partial: _Partial) -> tuple[float, tuple[str, ...]]:
    return -partial.total, partial.triples  # all of one length: the sum ranks as the mean


def _longer(
    beam: Sequence[_Partial],
    around: Surroundings,
    onward: dict[_Partial, list[_Partial]],
    width: int,
) -> Iterator[_Partial]:
    """Yield the best ``width`` continuations of each path; ``onward``: those known already, since
    pairs that begin at one entity share most of them.
    """
    for partial in beam:
        if partial not in onward:
            visited = set(partial.entities)
            ways = around.ways(partial.entities[-1])
            own = [partial.along(way) for way in ways if way.to not in visited]
            onward[partial] = sorted(own, key=_rank)[:width]
        yield from onward[partial]


def new_triples(paths: Sequence[TriplePath], known: Collection[str], limit: int) -> list[str]:
    """Return the ids of at most ``limit`` triples of the best paths that are not ``known``."""
    held = set(known)
    fresh = dict.fromkeys(triple for path in paths for triple in path.triples)
    return [triple for triple in fresh if triple not in held][:limit]
