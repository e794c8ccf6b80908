"""Whether what evidence cites is in the graph."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from clew_cypher.store import GraphStore, Row

BATCH = 5000


class CitedEdge(NamedTuple):
    """A relationship by the ids of its ends, as it is directed, and its type."""

    source: str
    target: str
    kind: str


T = TypeVar("T", str, CitedEdge)


@dataclass(frozen=True)
class Cited:
    """What was cited: ids of chunks, entities, sentences, documents and triples, and edges of any
    type."""

    chunks: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    sentences: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    triples: frozenset[str] = frozenset()
    edges: frozenset[CitedEdge] = frozenset()

    def __len__(self) -> int:
        return sum(map(len, self._ids)) + len(self.edges)

    @property
    def _ids(self) -> tuple[frozenset[str], ...]:
        return (self.chunks, self.entities, self.sentences, self.documents, self.triples)

    @classmethod
    def union(cls, many: "Iterable[Cited]") -> "Cited":
        """Return all that was cited by any of ``many``."""
        cited = list(many)
        return cls(
            frozenset().union(*(one.chunks for one in cited)),
            frozenset().union(*(one.entities for one in cited)),
            frozenset().union(*(one.sentences for one in cited)),
            frozenset().union(*(one.documents for one in cited)),
            frozenset().union(*(one.triples for one in cited)),
            frozenset().union(*(one.edges for one in cited)),
        )

    def __sub__(self, other: "Cited") -> "Cited":
        return Cited(
            self.chunks - other.chunks,
            self.entities - other.entities,
            self.sentences - other.sentences,
            self.documents - other.documents,
            self.triples - other.triples,
            self.edges - other.edges,
        )

    def words(self) -> list[str]:
        """Return each thing in words, in order: an id, or SOURCE → TARGET."""
        edges = [f"{edge.source} → {edge.target}" for edge in sorted(self.edges)]
        return [id_ for kind in self._ids for id_ in sorted(kind)] + edges


def existing(store: GraphStore, corpus: str, cited: Cited) -> Cited:
    """Return what of ``cited`` exists in the corpus; a read for every 5,000 of each kind."""

    def ids(name: str, wanted: Collection[str]) -> frozenset[str]:
        rows = _rows(wanted, lambda part: store.read(name, corpus=corpus, ids=part))
        return frozenset(row["id"] for row in rows)

    edges = _rows(
        cited.edges,
        lambda part: store.read("existing_edges", corpus=corpus, edges=list(map(list, part))),
    )
    return Cited(
        chunks=ids("existing_chunks", cited.chunks),
        entities=ids("existing_entities", cited.entities),
        sentences=ids("existing_sentences", cited.sentences),
        documents=ids("existing_documents", cited.documents),
        triples=ids("existing_triples", cited.triples),
        edges=frozenset(CitedEdge(row["source"], row["target"], row["kind"]) for row in edges),
    )


def _rows(values: Collection[T], read: Callable[[list[T]], list[Row]]) -> list[Row]:
    ordered = sorted(values)
    parts = [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]
    return [row for part in parts for row in read(part)]
