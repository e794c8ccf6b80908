"""From the graph to the arrays of guided-pagerank."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew_cypher.corpora import Corpus
from clew_cypher.guided_export import export_chunks, export_sentence_vectors
from clew_cypher.projections import VALUE_TYPES
from clew_cypher.store import GraphStore
from clew_models.guided_pagerank import GraphParts, GuidedArrays, build_arrays


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
