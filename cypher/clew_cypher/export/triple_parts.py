"""The triples of a corpus in words: what partial triples are made of, and questions about them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore


class TripleParts(NamedTuple):
    """A triple by the names of its entities; ``relation`` as the knowledge base writes it, else the
    predicate.
    """

    id: str
    head_id: str
    head: str
    relation: str
    tail_id: str
    tail: str


@dataclass(frozen=True)
class SampledTriple:
    """A triple with the types of its ends; ``of_base``: it is of a knowledge base. ``chunk_id``: of
    what states it, "" for a line of one.
    """

    id: str
    head_id: str
    head: str
    head_type: str
    relation: str
    predicate: str
    of_base: bool
    tail_id: str
    tail: str
    tail_type: str
    chunk_id: str = ""


def triple_parts(store: GraphStore, corpus: str) -> Iterator[TripleParts]:
    """Yield the triples of ``corpus`` in the order of their ids. Raises UnknownCorpus."""
    get_corpus(store, corpus)
    for row in store.stream("triple_parts", corpus=corpus):
        yield TripleParts(**row)


def sampled_triples(store: GraphStore, corpus: str, limit: int) -> list[SampledTriple]:
    """Return at most ``limit`` triples, a sample of all that is always the same. Raises
    UnknownCorpus.
    """
    get_corpus(store, corpus)
    rows = store.read("sampled_triples", corpus=corpus, limit=limit)
    return [SampledTriple(**row) for row in rows]


def triple_count(store: GraphStore, corpus: str, most: int) -> int:
    """Return how many triples ``corpus`` has; at most ``most`` are counted."""
    (row,) = store.read("triple_count", corpus=corpus, most=most)
    return int(row["triples"])
