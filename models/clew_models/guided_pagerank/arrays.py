"""The arrays that question-guided PageRank runs on: one corpus at one revision."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.offsets import group_offsets

Ids = NDArray[np.str_]
Indices = NDArray[np.int32]
Offsets = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class GuidedArrays:
    """A bipartite graph of entities and chunks, and which sentences carry each edge.

    Every id array is sorted and every edge is ordered by chunk, then entity, so that the arrays
    do not depend on the order in which documents came.

    Shapes (C chunks, E entities, S sentences, M edges, N sentence–edge pairs, D dimension):
        chunk_ids [C], entity_ids [E], sentence_ids [S]
        edge_chunk [M], edge_entity [M]: the two ends of edge m
        edge_offsets [M + 1], edge_sentences [N]: edge m is carried by the sentences
            edge_sentences[edge_offsets[m] : edge_offsets[m + 1]]
        sentence_vectors [S, D]: float16, of unit length, usually memory-mapped
    """

    chunk_ids: Ids
    entity_ids: Ids
    sentence_ids: Ids
    edge_chunk: Indices
    edge_entity: Indices
    edge_offsets: Offsets
    edge_sentences: Indices
    sentence_vectors: NDArray[np.float16]

    def __post_init__(self) -> None:
        edges, sentences = len(self.edge_chunk), len(self.sentence_ids)
        if len(self.edge_entity) != edges or len(self.edge_offsets) != edges + 1:
            raise ValueError(
                f"Expected edge_entity [{edges}] and edge_offsets [{edges + 1}], got "
                f"[{len(self.edge_entity)}] and [{len(self.edge_offsets)}]."
            )
        if self.edge_offsets[-1] != len(self.edge_sentences):
            raise ValueError(
                f"Expected edge_sentences [{self.edge_offsets[-1]}], "
                f"got [{len(self.edge_sentences)}]."
            )
        if self.sentence_vectors.ndim != 2 or len(self.sentence_vectors) != sentences:
            raise ValueError(
                f"Expected sentence_vectors [{sentences}, D], got "
                f"{list(self.sentence_vectors.shape)}."
            )

    @property
    def dimension(self) -> int:
        """D, the dimension of the sentence vectors."""
        return int(self.sentence_vectors.shape[1])

    @cached_property
    def document_frequency(self) -> Floats:
        """[E] In how many chunks each entity is."""
        return np.bincount(self.edge_entity, minlength=len(self.entity_ids)).astype(np.float32)

    @cached_property
    def idf(self) -> Floats:
        """[E] ln(1 + chunks / chunks that hold the entity)."""
        held = np.maximum(self.document_frequency, 1)
        return np.log1p(len(self.chunk_ids) / held).astype(np.float32)

    @cached_property
    def chunk_offsets(self) -> Offsets:
        """[C + 1] The edges of chunk c are chunk_offsets[c] up to chunk_offsets[c + 1]."""
        return group_offsets(self.edge_chunk, len(self.chunk_ids))

    @cached_property
    def by_entity(self) -> tuple[Offsets, Indices]:
        """The edges ordered by entity: offsets [E + 1] and the permutation [M]."""
        order = np.argsort(self.edge_entity, kind="stable").astype(np.int32)
        return group_offsets(self.edge_entity, len(self.entity_ids)), order

    @cached_property
    def sentence_incidence(self) -> Any:
        """[M, S] scipy CSR matrix of ones: which sentences carry which edge."""
        from scipy.sparse import csr_matrix

        ones = np.ones(len(self.edge_sentences), dtype=np.float32)
        return csr_matrix(
            (ones, self.edge_sentences, self.edge_offsets),
            shape=(len(self.edge_chunk), len(self.sentence_ids)),
        )

    def entity_rows(self, ids: list[str]) -> dict[str, int]:
        """Return the row of each entity id that is in these arrays."""
        return rows_of(self.entity_ids, ids)

    def chunk_rows(self, ids: list[str]) -> dict[str, int]:
        """Return the row of each chunk id that is in these arrays."""
        return rows_of(self.chunk_ids, ids)


def rows_of(sorted_ids: Ids, ids: list[str]) -> dict[str, int]:
    """Return where each of ``ids`` stands in ``sorted_ids``, leaving out what is not there."""
    if not ids or not len(sorted_ids):
        return {}
    wanted = np.asarray(ids, dtype=np.str_)
    places = np.minimum(np.searchsorted(sorted_ids, wanted), len(sorted_ids) - 1)
    return {
        id_: int(place)
        for id_, place, there in zip(ids, places, sorted_ids[places] == wanted, strict=True)
        if there
    }
