"""What entity resolution reads of the graph and leaves in it, beside the merges themselves."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np

from clew_cypher.corpora import get_corpus
from clew_cypher.resolution.reviews import ReviewRow, write_reviews
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.vectors import to_array

DOCUMENTS = 1000
"""Documents looked at for one entity: what more of them name is common knowledge."""
TERMS = 800
"""Blocks asked for in one query: Lucene refuses more than 1,024 terms."""
WIDTH = 20
"""Neighbours the vector index looks for, of which the nearest ten count."""
SEARCHES = 4
"""Queries that look for neighbours at once."""
COMPARED = 50_000
"""Named entities of a corpus up to which all are compared in memory: 77 MB of vectors of 384,
beside what is known of them."""
READ_TOGETHER = 2000
"""Rows with a vector that are held at once."""
TOGETHER = 128
"""Entities compared with all others in one product of matrices."""
RANK_DIGITS = 4
"""Digits of a cosine that neighbours are ranked by, then by id: how a processor rounds its products
must not decide who is compared."""
SEARCH_COST = 100
"""A search in the vector index costs as much as reading so many vectors, or more."""

Guard = Callable[[Transaction], None]


@dataclass(frozen=True)
class EntityGroup:
    """An entity with what was merged into it; ``merges``: the merge of each member, by its id."""

    root: str
    merges: Mapping[str, str]

    @property
    def ids(self) -> frozenset[str]:
        """The entity and all that was merged into it."""
        return frozenset({self.root, *self.merges})


def unresolved_entities(store: GraphStore, corpus: str) -> list[str]:
    """Return the ids of named entities that are to be resolved (again), sorted."""
    return [row["id"] for row in store.stream("unresolved_entities", corpus=corpus)]


def entity_groups(store: GraphStore, ids: Iterable[str]) -> list[EntityGroup]:
    """Return the groups that the entities are in, by the root's id; unknown ids are left out."""
    rows = store.read("entity_groups", ids=sorted(set(ids)))
    return [
        EntityGroup(row["root"], {x["id"]: x["merge_id"] for x in row["members"]}) for row in rows
    ]


def entity_views(store: GraphStore, ids: Iterable[str]) -> list[Row]:
    """Return what is known of entities by themselves, whatever they were merged into.

    Rows {id, key, root, tallies, edges, documents}; ``tallies``: {surface, type, mentions,
    aliases} of its mentions; ``edges``: in how many chunks they are; ``documents``: ids, at most
    DOCUMENTS.
    """
    return store.read("entity_views", ids=sorted(set(ids)), limit=DOCUMENTS)


def named_entity_views(store: GraphStore, corpus: str) -> Iterator[Row]:
    """Yield the rows of `entity_views` for all entities of a corpus that are mentioned."""
    for row in store.stream("named_entity_views", corpus=corpus):
        row["documents"] = sorted({id_ for ids in row["documents"] for id_ in ids})[:DOCUMENTS]
        yield row


def reads_all(store: GraphStore, corpus: str, asked: int) -> bool:
    """Say whether a run about so many entities reads what is known of all of a corpus at once.

    A run over many entities of a corpus that is not too large does: that takes a fraction of the
    time of asking for each. A small run, or one over a large corpus, asks.
    """
    named = int(store.read("count_named_entities", corpus=corpus)[0]["total"]) if asked else 0
    return named <= COMPARED and asked * SEARCH_COST >= named > 0


def write_blocks(
    store: GraphStore, blocks: Mapping[str, Iterable[str]], guard: Guard | None = None
) -> None:
    """Write the blocks of names that entities are in, by the entity's id."""
    rows = [{"id": key, "blocks": sorted(blocks[key]) or None} for key in sorted(blocks)]
    _guarded(store, guard, lambda transaction: transaction.run("write_blocks", rows=rows))


def entities_in_blocks(store: GraphStore, blocks: Iterable[str]) -> dict[str, set[str]]:
    """Return the ids of the entities in each block; blocks of nobody are left out."""
    wanted = sorted(set(blocks))
    found: dict[str, set[str]] = {}
    for start in range(0, len(wanted), TERMS):
        part = set(wanted[start : start + TERMS])
        for row in store.read("entities_in_blocks", query=" ".join(sorted(part))):
            for block in part.intersection(row["blocks"]):
                found.setdefault(block, set()).add(row["id"])
    return found


class Neighbours:
    """Finds the named entities of a corpus that are nearest to others; for one run.

    ``together``: all vectors are read once and compared, which misses none, instead of asking the
    vector index for each; see `reads_all`.
    """

    def __init__(self, store: GraphStore, corpus: str, *, together: bool) -> None:
        self._store = store
        self._corpus = corpus
        self._vectors = _Vectors(store, corpus) if together else None

    def nearest(self, ids: Sequence[str], limit: int) -> list[Row]:
        """Return rows {id, other, name, type, score}: the ``limit`` entities nearest to each.

        Whatever a run merges counts as it was when the run began.
        """
        vectors = self._vectors
        if vectors is None:
            return _searched(self._store, self._corpus, ids, limit)
        unread = [key for key in ids if key not in vectors.places]  # merged by an earlier run
        rows = vectors.nearest([key for key in ids if key in vectors.places], limit)
        return rows + _searched(self._store, self._corpus, unread, limit)


class _Vectors:
    """The vectors [N, D] of all named entities of a corpus, in the order of their ids."""

    def __init__(self, store: GraphStore, corpus: str) -> None:
        self._rows: list[Row] = []
        parts = []
        dimension = get_corpus(store, corpus).dimension
        rows = store.stream("named_entity_vectors", corpus=corpus, dimension=dimension)
        while part := list(islice(rows, READ_TOGETHER)):
            parts.append(to_array([row.pop("embedding") for row in part], dimension))
            self._rows += part
        self.places = {row["id"]: place for place, row in enumerate(self._rows)}
        self._vectors = np.concatenate([*parts, np.empty((0, dimension), np.float32)])
        self._vectors /= np.linalg.norm(self._vectors, axis=1, keepdims=True).clip(min=1e-12)

    def nearest(self, ids: Sequence[str], limit: int) -> list[Row]:
        found: list[Row] = []
        for start in range(0, len(ids), TOGETHER):
            places = [self.places[key] for key in sorted(ids)[start : start + TOGETHER]]
            scores = self._vectors[places] @ self._vectors.T  # [B, N]
            scores[range(len(places)), places] = -2.0  # not itself
            count = min(limit, len(self._rows) - 1)
            ranked = np.round(scores, RANK_DIGITS)
            for place, row, rank in zip(places, scores, ranked, strict=True):
                least = np.partition(rank, len(row) - count)[len(row) - count] if count else 2.0
                near = np.flatnonzero(rank >= least)
                # in the order of the ids where scores are equal
                for other in near[np.argsort(-rank[near], kind="stable")][:count]:
                    named = self._rows[other]
                    found.append(
                        {
                            "id": self._rows[place]["id"],
                            "other": named["id"],
                            "name": named["name"],
                            "type": named["type"],
                            "score": float(row[other]),
                        }
                    )
        return found


def _searched(store: GraphStore, corpus: str, ids: Sequence[str], limit: int) -> list[Row]:
    """Ask the vector index, several searches at once: one keeps one core of Neo4j busy."""
    if not ids:
        return []
    ordered = sorted(ids)
    size = -(-len(ordered) // SEARCHES)
    parts = [ordered[start : start + size] for start in range(0, len(ordered), size)]

    def near(part: list[str]) -> list[Row]:
        asked = {"ids": part, "width": WIDTH, "limit": limit, "digits": RANK_DIGITS}
        return store.read("nearest_to_entities", corpus=corpus, **asked)

    with ThreadPoolExecutor(SEARCHES, thread_name_prefix="clew-nearest") as pool:
        return [row for rows in pool.map(near, parts) for row in rows]


def pair_cosines(
    store: GraphStore, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """Return the cosine of the embeddings of each pair of entities."""
    rows = [{"a": a, "b": b} for a, b in sorted(set(pairs))]
    found = store.read("pair_cosines", rows=rows) if rows else []
    return {(row["a"], row["b"]): row["cosine"] for row in found if row["cosine"] is not None}


def verdicts(store: GraphStore, corpus: str) -> set[tuple[str, str]]:
    """Return all pairs that a person has kept apart, each as (smaller id, larger id)."""
    return {(row["a"], row["b"]) for row in store.read("verdicts", corpus=corpus)}


def reviews_of(store: GraphStore, corpus: str, ids: Iterable[str]) -> dict[tuple[str, str], float]:
    """Return the pairs that wait for a person and have one of the entities, with their scores."""
    rows = store.read("reviews_of", corpus=corpus, ids=sorted(set(ids)))
    return {(row["a"], row["b"]): row["score"] for row in rows}


def finish_resolution(
    store: GraphStore,
    corpus: str,
    looked_at: Iterable[str],
    reviews: Sequence[ReviewRow],
    expected: Mapping[str, int],
    guard: Guard | None = None,
) -> None:
    """Write the reviews of the entities ``looked_at`` in place of their old ones, and the flags.

    ``expected``: by entity the number of chunks that were known of when it was looked at; one
    that has others now is left to be resolved again.
    """
    ids = sorted(set(looked_at))
    rows = [{"id": key, "edges": expected[key]} for key in sorted(expected)]

    def work(transaction: Transaction) -> None:
        old = transaction.run("reviews_of", corpus=corpus, ids=ids)
        transaction.run("close_reviews", corpus=corpus, ids=[row["id"] for row in old])
        write_reviews(transaction, corpus, reviews)
        transaction.run("mark_resolved", rows=rows)

    _guarded(store, guard, work)


def _guarded(store: GraphStore, guard: Guard | None, work: Callable[[Transaction], object]) -> None:
    def guarded(transaction: Transaction) -> None:
        if guard is not None:
            guard(transaction)
        work(transaction)

    store.in_transaction(guarded)
