"""The arrays of guided-pagerank: from the graph, once a corpus revision."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.settings import Settings
from clew.strategies.revision_cache import RevisionCache
from clew_cypher.corpora import Corpus, corpus_counts
from clew_cypher.guided_export import export_chunks, export_sentence_vectors
from clew_cypher.projections import VALUE_TYPES
from clew_cypher.store import GraphStore
from clew_models.guided_pagerank import (
    GraphParts,
    GuidedArrays,
    build_arrays,
    load_snapshot,
    save_snapshot,
)


class TooManySentences(Exception):
    """The corpus has more sentences than may be held as arrays."""

    def __init__(self, sentences: int) -> None:
        super().__init__(sentences)
        self.sentences = sentences


def guided_arrays(store: GraphStore, settings: Settings) -> RevisionCache[GuidedArrays]:
    """Return the arrays kept under ``arrays/`` in the home directory of the settings."""
    derivation = GuidedDerivation(store, settings.guided_sentence_limit)
    return RevisionCache(settings.home / "arrays", derivation)


class GuidedDerivation:
    """Makes the arrays of corpora up to ``sentence_limit``; past it, raises TooManySentences."""

    def __init__(self, store: GraphStore, sentence_limit: int) -> None:
        self._store = store
        self._limit = sentence_limit
        self._too_many: dict[str, tuple[str, int, int]] = {}

    def refuse(self, corpus: Corpus, loaded: GuidedArrays | None) -> None:
        """Raise TooManySentences; a corpus is counted once a revision."""
        if loaded is not None:
            sentences = len(loaded.sentence_ids)
        else:
            known = self._too_many.get(corpus.name)
            if known is None or known[:2] != (corpus.created_at, corpus.revision):
                sentences = corpus_counts(self._store, corpus.name)["sentences"]
                known = (corpus.created_at, corpus.revision, sentences)
                self._too_many[corpus.name] = known
            sentences = known[2]
        if sentences > self._limit:
            raise TooManySentences(sentences)

    def make(self, corpus: Corpus, previous: GuidedArrays | None) -> GuidedArrays:
        """Return the arrays; sentences that ``previous`` has are not read again."""
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
    """Read the corpus out of Neo4j; sentences that ``previous`` has are not read again.

    Dates, numbers and amounts are no entities here: a mention counts by the type it has there.
    """
    chunks: list[str] = []
    sentences: list[tuple[str, str]] = []
    mentions: list[tuple[str, str]] = []
    titles: list[tuple[str, str]] = []
    for chunk in export_chunks(store, corpus.name):
        chunks.append(chunk.id)
        for sentence in chunk.sentences:
            sentences.append((sentence.id, chunk.id))
            mentions += [
                (entity, sentence.id)
                for entity, kind in sentence.entities
                if kind not in VALUE_TYPES
            ]
        titles += [(mention.entity_id, chunk.id) for mention in chunk.mentions if mention.is_title]

    def read_vectors(ids: Sequence[str]) -> NDArray[np.float32]:
        # a sentence deleted meanwhile has no vector; the corpus' revision says so to the next
        # question, and its chunk is dropped from this one's evidence
        vectors = np.zeros((len(ids), corpus.dimension), dtype=np.float32)
        row = {id_: index for index, id_ in enumerate(ids)}
        for known, batch in export_sentence_vectors(store, corpus.name, ids):
            vectors[[row[id_] for id_ in known]] = batch
        return vectors

    return build_arrays(
        GraphParts(chunks, sentences, mentions, titles), corpus.dimension, read_vectors, previous
    )
