"""From plain ids to arrays: the incidence of entities, sentences and chunks."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.guided_pagerank.arrays import GuidedArrays, Ids, rows_of
from clew_models.offsets import offsets_of

VectorReader = Callable[[Sequence[str]], NDArray[np.floating]]
VECTOR_BATCH = 4096


@dataclass(frozen=True)
class GraphParts:
    """What the arrays are made of, in any order; what refers to something unknown is left out.

    ``chunks``: ids. ``sentences``: (sentence id, chunk id). ``mentions``: (entity id, sentence
    id). ``titles``: (entity id, chunk id), the entity that is the title of the chunk's document;
    it counts as held by every sentence of the chunk.
    """

    chunks: Iterable[str]
    sentences: Iterable[tuple[str, str]]
    mentions: Iterable[tuple[str, str]]
    titles: Iterable[tuple[str, str]]


def build_arrays(
    parts: GraphParts,
    dimension: int,
    read_vectors: VectorReader,
    previous: GuidedArrays | None = None,
) -> GuidedArrays:
    """Return the arrays of ``parts``.

    ``read_vectors`` returns [n, dimension] vectors for n sentence ids, in their order; it is
    asked, in batches, only for the sentences that ``previous`` does not have, or has as zeros.
    """
    chunk_ids = _sorted_ids(parts.chunks)
    chunk_row = {str(id_): row for row, id_ in enumerate(chunk_ids)}
    chunk_of = {s: chunk_row[c] for s, c in parts.sentences if c in chunk_row}
    sentence_ids = _sorted_ids(chunk_of)
    sentence_row = {str(id_): row for row, id_ in enumerate(sentence_ids)}
    sentence_chunk = np.fromiter(
        (chunk_of[str(id_)] for id_ in sentence_ids), dtype=np.int64, count=len(sentence_ids)
    )
    mentions = [(e, sentence_row[s]) for e, s in parts.mentions if s in sentence_row]
    titles = [(e, chunk_row[c]) for e, c in parts.titles if c in chunk_row]
    entity_ids = _sorted_ids([e for e, _ in mentions] + [e for e, _ in titles])
    entity_row = {str(id_): row for row, id_ in enumerate(entity_ids)}

    held_entity = np.array([entity_row[e] for e, _ in mentions], dtype=np.int64)
    held_sentence = np.array([s for _, s in mentions], dtype=np.int64)
    title_entity = np.array([entity_row[e] for e, _ in titles], dtype=np.int64)
    title_chunk = np.array([c for _, c in titles], dtype=np.int64)
    spread_entity, spread_sentence = _spread_titles(title_entity, title_chunk, sentence_chunk)
    held_entity = np.concatenate([held_entity, spread_entity])
    held_sentence = np.concatenate([held_sentence, spread_sentence])
    held_chunk = sentence_chunk[held_sentence]

    # an edge is numbered by chunk, then entity; a titled chunk without sentences has one too
    width = max(len(entity_ids), 1)
    held_edge = held_chunk * width + held_entity
    edges = np.unique(np.concatenate([held_edge, title_chunk * width + title_entity]))
    pairs = np.unique(np.searchsorted(edges, held_edge) * max(len(sentence_ids), 1) + held_sentence)
    pair_edge, pair_sentence = np.divmod(pairs, max(len(sentence_ids), 1))
    counts = np.bincount(pair_edge, minlength=len(edges))
    return GuidedArrays(
        chunk_ids=chunk_ids,
        entity_ids=entity_ids,
        sentence_ids=sentence_ids,
        edge_chunk=(edges // width).astype(np.int32),
        edge_entity=(edges % width).astype(np.int32),
        edge_offsets=offsets_of(counts),
        edge_sentences=pair_sentence.astype(np.int32),
        sentence_vectors=_vectors(sentence_ids, dimension, read_vectors, previous),
    )


def _spread_titles(
    entity: NDArray[np.int64], chunk: NDArray[np.int64], sentence_chunk: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (entity, sentence) pairs: a title entity with every sentence of its chunk."""
    by_chunk = np.argsort(sentence_chunk, kind="stable")
    first = np.searchsorted(sentence_chunk[by_chunk], chunk, side="left")
    last = np.searchsorted(sentence_chunk[by_chunk], chunk, side="right")
    spread = [by_chunk[a:b] for a, b in zip(first, last, strict=True)]
    sentences = np.concatenate(spread) if spread else np.zeros(0, dtype=np.int64)
    return np.repeat(entity, last - first), sentences


def _vectors(
    ids: Ids, dimension: int, read_vectors: VectorReader, previous: GuidedArrays | None
) -> NDArray[np.float16]:
    vectors = np.zeros((len(ids), dimension), dtype=np.float16)
    known: dict[str, int] = {}
    if previous is not None and previous.dimension == dimension:
        known = rows_of(previous.sentence_ids, [str(id_) for id_ in ids])
    reused = [row for row, id_ in enumerate(ids) if str(id_) in known]
    if previous is not None and reused:
        vectors[reused] = previous.sentence_vectors[[known[str(ids[row])] for row in reused]]
    # also what has zeros, since it was gone when it was to be read: it may be there again
    fresh = np.flatnonzero(~vectors.any(axis=1)).tolist()
    for start in range(0, len(fresh), VECTOR_BATCH):
        rows = fresh[start : start + VECTOR_BATCH]
        batch = np.asarray(read_vectors([str(ids[row]) for row in rows]))
        if batch.shape != (len(rows), dimension):
            raise ValueError(
                f"Expected sentence vectors [{len(rows)}, {dimension}], got {list(batch.shape)}."
            )
        vectors[rows] = batch
    return vectors


def _sorted_ids(ids: Iterable[str]) -> Ids:
    return np.array(sorted(set(ids)), dtype=np.str_)
