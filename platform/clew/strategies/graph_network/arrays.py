"""The arrays of graph-network: the levels of the export, once a corpus revision (QS-1)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.guided_pagerank.arrays import READING, SentenceLimit
from clew_cypher.corpora import Corpus
from clew_cypher.export.arrays import export_chunks
from clew_cypher.export.hetero_data import Levels, export_levels
from clew_cypher.export.title_links import export_title_links, export_titles
from clew_cypher.store import GraphStore
from clew_models.graph_network import NetworkArrays, load_network_arrays, save_network_arrays
from clew_models.guided_pagerank.arrays import Ids, rows_of
from clew_models.offsets import joined

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.resources.revision_cache import Making, RevisionCache


def network_arrays(resources: "Resources") -> "RevisionCache[NetworkArrays]":
    """Return what keeps the arrays of corpora."""
    limit = resources.settings.options(NetworkMethodOptions).sentence_limit
    return resources.revision_cache("levels", lambda: NetworkDerivation(resources.store, limit))


class NetworkDerivation:
    """Makes the arrays of corpora up to ``sentence_limit``; past it, raises TooManySentences."""

    def __init__(self, store: GraphStore, sentence_limit: int) -> None:
        self._store = store
        self._limit = SentenceLimit(store, sentence_limit)

    def refuse(self, corpus: Corpus, loaded: NetworkArrays | None) -> None:
        """Raise TooManySentences."""
        self._limit.check(corpus, None if loaded is None else len(loaded.sentence_ids))

    def make(
        self, corpus: Corpus, previous: NetworkArrays | None, making: "Making"
    ) -> NetworkArrays:
        """Return the arrays, read anew."""
        making.doing(READING)
        return export_network_arrays(self._store, corpus.name)

    def save(self, value: NetworkArrays, folder: Path) -> None:
        """Write the arrays to ``folder``."""
        save_network_arrays(value, folder)

    def load(self, folder: Path) -> NetworkArrays | None:
        """Return the arrays of ``folder``, or None."""
        return load_network_arrays(folder)


def export_network_arrays(store: GraphStore, corpus: str) -> NetworkArrays:
    """Read the corpus out of Neo4j, embeddings and all: nothing is embedded.

    Sentences whose chunk was deleted while it was read are left out.
    """
    levels = export_levels(store, corpus, triplets=False)
    ids = {level: np.array(list(levels.ids[level]), dtype=np.str_) for level in levels.ids}
    there = np.unique(levels.edges["sentence", "in", "chunk"].index[0])
    ids["sentence"] = ids["sentence"][there]
    titled = [
        (mention.entity_id, chunk.id)
        for chunk in export_chunks(store, corpus)
        for mention in chunk.mentions
        if mention.is_title
    ]
    chunks = [(chunk, document) for chunk, document, _ in export_titles(store, corpus)]
    links = list(export_title_links(store, corpus))
    return NetworkArrays(
        entity_ids=ids["entity"],
        sentence_ids=ids["sentence"],
        chunk_ids=ids["chunk"],
        entity_vectors=levels.vectors["entity"].astype(np.float16),
        sentence_vectors=levels.vectors["sentence"].astype(np.float16)[there],
        chunk_vectors=levels.vectors["chunk"].astype(np.float16),
        E_oo=_edges(levels, "entity", "relation", "entity", there),
        E_cc=_edges(levels, "sentence", "next", "sentence", there),
        E_oc=_edges(levels, "entity", "in", "sentence", there),
        E_od=_edges(levels, "entity", "in", "chunk", there),
        E_cd=_edges(levels, "sentence", "in", "chunk", there),
        titles=_pairs(titled, ids["entity"], ids["chunk"]),
        names=named_chunks(links, chunks, ids["sentence"], ids["chunk"]),
    )


def named_chunks(
    links: Sequence[tuple[str, str]],
    chunks: Sequence[tuple[str, str]],
    sentence_ids: Ids,
    chunk_ids: Ids,
) -> NDArray[np.int32]:
    """Return [2, M] the rows of sentences and of the chunks of the documents that they name, each
    pair once; what is gone is left out. There may be many times as many as links.

    ``links``: (sentence id, document id); ``chunks``: (chunk id, document id).
    """
    document_ids = np.array(sorted({document for _, document in chunks}), dtype=np.str_)
    sentence, named = _pairs(links, sentence_ids, document_ids)
    chunk, document = _pairs(chunks, chunk_ids, document_ids)
    link, held = joined(named, document)
    pairs = np.unique(sentence[link] * np.int64(len(chunk_ids)) + chunk[held])
    return np.stack(np.divmod(pairs, len(chunk_ids))).astype(np.int32)


def _edges(
    levels: Levels, source: str, name: str, target: str, there: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return [2, M] the edges of a type, each pair once; of sentences those between the rows
    ``there``, by their places among these.
    """
    index = levels.edges[source, name, target].index
    for end, level in enumerate((source, target)):
        if level == "sentence":
            index = index[:, np.isin(index[end], there)]
            index[end] = np.searchsorted(there, index[end])
    return np.unique(index, axis=1).astype(np.int32)


def _pairs(pairs: Sequence[tuple[str, str]], sources: Ids, targets: Ids) -> NDArray[np.int32]:
    """Return [2, M] the rows of pairs of ids, each pair once; what is gone is left out."""
    first = rows_of(sources, [one for one, _ in pairs])
    second = rows_of(targets, [one for _, one in pairs])
    rows = [(first[a], second[b]) for a, b in pairs if a in first and b in second]
    return np.unique(np.array(rows, dtype=np.int32).reshape(-1, 2), axis=0).T.copy()
