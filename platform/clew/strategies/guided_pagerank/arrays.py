"""The arrays of guided-pagerank: from the graph, once a corpus revision."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.strategies.guided_pagerank.options import GuidedOptions
from clew.strategies.pagerank import PageRankOptions, walk
from clew.strategies.seeds import find_seeds
from clew_cypher.corpora import Corpus, corpus_counts
from clew_cypher.export.arrays import export_chunks, export_sentence_vectors
from clew_cypher.searching.projections import VALUE_TYPES
from clew_cypher.store import GraphStore
from clew_models.guided_pagerank import (
    GraphParts,
    GuidedArrays,
    VectorReader,
    build_arrays,
    load_snapshot,
    save_snapshot,
)

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.resources.revision_cache import Making, RevisionCache, Snapshot
    from clew.results.evidence import Evidence
    from clew.strategies.retrieval import Retrieval

T = TypeVar("T")

READING = "Reading the corpus' graph, once"
"""What those say who wait for what is made of it."""


class TooManySentences(Exception):
    """The corpus has more sentences than may be held as arrays."""

    def __init__(self, sentences: int) -> None:
        super().__init__(sentences)
        self.sentences = sentences


def snapshot_or_walk(
    retrieval: "Retrieval", cache: "RevisionCache[T]", sentences: Callable[[T], int], limit: int
) -> "Snapshot[T] | Evidence":
    """Return the arrays of a retrieval's corpus; past ``limit`` sentences the evidence that
    `pagerank` finds, with a notice. ``sentences``: how many sentences arrays have.
    """
    try:
        with retrieval.step("arrays") as detail:
            snapshot = cache.snapshot(retrieval.corpus, retrieval.doing)
            detail["revision"] = snapshot.revision
            detail["sentences"] = sentences(snapshot.value)
    except TooManySentences as error:
        retrieval.notice(
            f"The corpus has {error.sentences:,} sentences, past the limit of {limit:,} for "
            f"{retrieval.strategy}: pagerank was used."
        )
        options = retrieval.resources.settings.options(PageRankOptions)
        return walk(retrieval, find_seeds(retrieval, options.dense_weight))
    for sentence in snapshot.notices:
        retrieval.notice(sentence)
    return snapshot


def guided_arrays(resources: "Resources") -> "RevisionCache[GuidedArrays]":
    """Return what keeps the arrays of corpora."""
    limit = resources.settings.options(GuidedOptions).sentence_limit
    return resources.revision_cache("arrays", lambda: GuidedDerivation(resources.store, limit))


class SentenceLimit:
    """Keeps corpora of more than ``limit`` sentences from being held as arrays."""

    def __init__(self, store: GraphStore, limit: int) -> None:
        self._store = store
        self._limit = limit
        self._counted: dict[str, tuple[str, int, int]] = {}

    def check(self, corpus: Corpus, sentences: int | None) -> None:
        """Raise TooManySentences. ``sentences``: how many there are; None: they are counted, once
        a revision.
        """
        if sentences is None:
            known = self._counted.get(corpus.name)
            if known is None or known[:2] != (corpus.created_at, corpus.revision):
                counted = corpus_counts(self._store, corpus.name)["sentences"]
                known = (corpus.created_at, corpus.revision, counted)
                self._counted[corpus.name] = known
            sentences = known[2]
        if sentences > self._limit:
            raise TooManySentences(sentences)


class GuidedDerivation:
    """Makes the arrays of corpora up to ``sentence_limit``; past it, raises TooManySentences."""

    def __init__(self, store: GraphStore, sentence_limit: int) -> None:
        self._store = store
        self._limit = SentenceLimit(store, sentence_limit)

    def refuse(self, corpus: Corpus, loaded: GuidedArrays | None) -> None:
        """Raise TooManySentences."""
        self._limit.check(corpus, None if loaded is None else len(loaded.sentence_ids))

    def make(self, corpus: Corpus, previous: GuidedArrays | None, making: "Making") -> GuidedArrays:
        """Return the arrays; sentences that ``previous`` has are not read again."""
        making.doing(READING)
        return export_arrays(self._store, corpus, previous)

    def save(self, value: GuidedArrays, folder: Path) -> None:
        """Write the arrays to ``folder``."""
        save_snapshot(value, folder)

    def load(self, folder: Path) -> GuidedArrays | None:
        """Return the arrays of ``folder``, or None."""
        return load_snapshot(folder)


def export_arrays(
    store: GraphStore, corpus: Corpus, previous: GuidedArrays | None = None
) -> GuidedArrays:
    """Read the corpus out of Neo4j; sentences that ``previous`` has are not read again."""
    return build_arrays(
        graph_parts(store, corpus.name), corpus.dimension, vector_reader(store, corpus), previous
    )


def graph_parts(store: GraphStore, corpus: str) -> GraphParts:
    """Return the incidence of a corpus as lists.

    Dates, numbers and amounts are no entities here: a mention counts by the type it has there.
    """
    chunks: list[str] = []
    sentences: list[tuple[str, str]] = []
    mentions: list[tuple[str, str]] = []
    titles: list[tuple[str, str]] = []
    for chunk in export_chunks(store, corpus):
        chunks.append(chunk.id)
        for sentence in chunk.sentences:
            sentences.append((sentence.id, chunk.id))
            mentions += [
                (entity, sentence.id)
                for entity, kind in sentence.entities
                if kind not in VALUE_TYPES
            ]
        titles += [(mention.entity_id, chunk.id) for mention in chunk.mentions if mention.is_title]
    return GraphParts(chunks, sentences, mentions, titles)


def vector_reader(store: GraphStore, corpus: Corpus) -> VectorReader:
    """Return what reads the vectors of a corpus' sentences by their ids."""

    def read_vectors(ids: Sequence[str]) -> NDArray[np.float32]:
        # a sentence deleted meanwhile has no vector; the corpus' revision says so to the next
        # question, and its chunk is dropped from this one's evidence
        vectors = np.zeros((len(ids), corpus.dimension), dtype=np.float32)
        row = {id_: index for index, id_ in enumerate(ids)}
        for known, batch in export_sentence_vectors(store, corpus.name, ids):
            vectors[[row[id_] for id_ in known]] = batch
        return vectors

    return read_vectors
