"""Whether what evidence cites is in the graph."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVar

from clew_cypher.store import GraphStore

BATCH = 5000
T = TypeVar("T", str, tuple[str, str])


@dataclass(frozen=True)
class Cited:
    """Ids that were cited: chunks, entities, triples, mentions as (entity id, chunk id), and
    relations as (id of the head's entity, id of the tail's).
    """

    chunks: frozenset[str]
    entities: frozenset[str]
    mentions: frozenset[tuple[str, str]]
    relations: frozenset[tuple[str, str]] = frozenset()
    triples: frozenset[str] = frozenset()


def existing(store: GraphStore, corpus: str, cited: Cited) -> Cited:
    """Return what of ``cited`` exists in the corpus; a read for every 5,000 of each kind."""
    return Cited(
        chunks=frozenset(
            row["id"]
            for part in _parts(cited.chunks)
            for row in store.read("existing_chunks", corpus=corpus, ids=part)
        ),
        entities=frozenset(
            row["id"]
            for part in _parts(cited.entities)
            for row in store.read("existing_entities", corpus=corpus, ids=part)
        ),
        mentions=_existing_pairs(store, "existing_mentions", corpus, cited.mentions),
        relations=_existing_pairs(store, "existing_relations", corpus, cited.relations),
        triples=frozenset(
            row["id"]
            for part in _parts(cited.triples)
            for row in store.read("existing_triples", corpus=corpus, ids=part)
        ),
    )


def _existing_pairs(
    store: GraphStore, name: str, corpus: str, pairs: Collection[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    return frozenset(
        (row["source"], row["target"])
        for part in _parts(pairs)
        for row in store.read(name, corpus=corpus, pairs=[list(pair) for pair in part])
    )


def _parts(values: Collection[T]) -> list[list[T]]:
    ordered = sorted(values)
    return [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]
