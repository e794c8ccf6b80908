"""Hyperrelations (KT-2) with their entities: what clues are decoded from and traced to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore


@dataclass(frozen=True)
class ExportedSentence:
    """A sentence as a directed hyperedge: entity ids of its heads and tails."""

    id: str
    hyperrelation: str
    heads: tuple[str, ...]
    tails: tuple[str, ...]


@dataclass(frozen=True)
class ExportedChunk:
    """A chunk's sentences in order, and (entity id, surface, is title) of its mentions."""

    id: str
    sentences: tuple[ExportedSentence, ...]
    mentions: tuple[tuple[str, str, bool], ...]


class EdgeEnd(NamedTuple):
    """An entity at an end of a hyperedge."""

    id: str
    name: str
    type: str


@dataclass(frozen=True)
class Hyperedge:
    """A sentence with its text, its mask, its heads and tails, and its document: ``title`` and the
    entities that are named by it, ``titles``.
    """

    id: str
    chunk_id: str
    document_id: str
    title: str
    text: str
    hyperrelation: str
    heads: tuple[EdgeEnd, ...]
    tails: tuple[EdgeEnd, ...]
    titles: tuple[EdgeEnd, ...]


def export_hyperrelations(store: GraphStore, corpus: str) -> Iterator[ExportedChunk]:
    """Yield every chunk of ``corpus`` in the order of ids; raises UnknownCorpus.

    Read in one statement, but not at one moment: compare ``corpus_revision`` before and after.
    """
    get_corpus(store, corpus)
    for row in store.stream("export_hyperrelations", corpus=corpus):
        yield ExportedChunk(
            id=row["id"],
            sentences=tuple(
                ExportedSentence(id_, hyperrelation, tuple(heads), tuple(tails))
                for id_, hyperrelation, heads, tails in row["sentences"]
            ),
            mentions=tuple(
                (entity, surface, bool(title)) for entity, surface, title in row["mentions"]
            ),
        )


def hyperedges(store: GraphStore, corpus: str, ids: Sequence[str]) -> dict[str, Hyperedge]:
    """Return the sentences ``ids`` of a corpus by id; those that are gone are left out."""
    rows = store.read("hyperedges", corpus=corpus, ids=list(dict.fromkeys(ids)))
    return {
        row["id"]: Hyperedge(
            id=row["id"],
            chunk_id=row["chunk_id"],
            document_id=row["document_id"],
            title=row["title"],
            text=row["text"],
            hyperrelation=row["hyperrelation"],
            heads=tuple(EdgeEnd(*end) for end in row["heads"]),
            tails=tuple(EdgeEnd(*end) for end in row["tails"]),
            titles=tuple(EdgeEnd(*end) for end in row["titles"]),
        )
        for row in rows
    }


def chunk_cosines(
    store: GraphStore, corpus: str, ids: Sequence[str], vector: NDArray[np.float32]
) -> dict[str, float]:
    """Return the cosine of each chunk's embedding with ``vector`` [D], by chunk id."""
    if not ids:
        return {}
    rows = store.read("chunk_cosines", corpus=corpus, ids=list(ids), vector=vector.tolist())
    return {row["id"]: float(row["score"]) for row in rows}
