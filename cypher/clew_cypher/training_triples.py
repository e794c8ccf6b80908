"""Triples with the sentences that state them: what training data is made from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore

PAGE = 5000


@dataclass(frozen=True)
class StatedTriple:
    """A triple and its sentence; ``head`` is the entity's name, ``tail`` as the sentence has it."""

    id: str
    head_id: str
    head: str
    predicate: str
    tail_id: str
    tail: str
    tail_type: str
    sentence_id: str
    chunk_id: str
    text: str
    hyperrelation: str


def stated_triples(
    store: GraphStore, corpus: str, predicates: Sequence[str] | None = None
) -> Iterator[StatedTriple]:
    """Yield the triples of ``corpus``, all or those of ``predicates``, in the order of their ids.

    Ids are hashes, so the first of them are a sample. Raises UnknownCorpus.
    """
    get_corpus(store, corpus)
    after = ""
    while True:
        rows = store.read(
            "stated_triples",
            corpus=corpus,
            predicates=None if predicates is None else sorted(predicates),
            after=after,
            limit=PAGE,
        )
        yield from (StatedTriple(**row) for row in rows)
        if len(rows) < PAGE:
            return
        after = rows[-1]["id"]
