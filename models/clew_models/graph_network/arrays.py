"""The multi-level graph of a corpus as arrays, one corpus at one revision (QS-1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew_models.array_files import load_arrays, save_arrays
from clew_models.graph_network.levels import INTER, INTRA
from clew_models.guided_pagerank.arrays import Floats, Ids, rows_of
from clew_models.offsets import group_offsets

FORMAT = "graph-network-1"
Edges = NDArray[np.int32]
VECTORS = ("entity_vectors", "sentence_vectors", "chunk_vectors")


@dataclass(frozen=True)
class NetworkArrays:
    """Nodes of three levels with their embeddings, and the relations between them.

    Shapes (E entities, S sentences, C chunks, D dimension, M edges of a relation):
        entity_ids [E], sentence_ids [S], chunk_ids [C]: sorted
        entity_vectors [E, D], sentence_vectors [S, D], chunk_vectors [C, D]: float16, of unit
            length, usually memory-mapped; zeros where a node has none
        E_oo [2, M]: head and tail of triples, each pair once; E_cc [2, M]: a sentence and the next
        E_oc, E_od, titles [2, M]: an entity, and the sentence or chunk that holds it, or the chunk
            whose document it is the title of
        E_cd, names [2, M]: a sentence, and its chunk, or the chunk of a document that it names
    """

    entity_ids: Ids
    sentence_ids: Ids
    chunk_ids: Ids
    entity_vectors: NDArray[np.float16]
    sentence_vectors: NDArray[np.float16]
    chunk_vectors: NDArray[np.float16]
    E_oo: Edges
    E_cc: Edges
    E_oc: Edges
    E_od: Edges
    E_cd: Edges
    titles: Edges
    names: Edges

    def __post_init__(self) -> None:
        for level in ("entity", "sentence", "chunk"):
            ids, vectors = self.ids(level), self.vectors(level)
            if vectors.ndim != 2 or len(vectors) != len(ids):
                raise ValueError(
                    f"Expected {level}_vectors [{len(ids)}, D], got {list(vectors.shape)}."
                )
        for name in (*INTRA.values(), *INTER):
            found = self.relation(name)
            if found.ndim != 2 or len(found) != 2:
                raise ValueError(f"Expected {name} [2, M], got {list(found.shape)}.")
        if self.E_cd.shape[1] != len(self.sentence_ids):
            raise ValueError(
                f"Expected E_cd [2, {len(self.sentence_ids)}], one chunk a sentence, got "
                f"{list(self.E_cd.shape)}."
            )

    def ids(self, level: str) -> Ids:
        """Return the ids of a level."""
        found: Ids = getattr(self, f"{level}_ids")
        return found

    def vectors(self, level: str) -> NDArray[np.float16]:
        """Return the embeddings of a level."""
        found: NDArray[np.float16] = getattr(self, f"{level}_vectors")
        return found

    def relation(self, name: str) -> Edges:
        """Return the edges of a relation."""
        found: Edges = getattr(self, name)
        return found

    def rows(self, level: str, ids: Sequence[str]) -> dict[str, int]:
        """Return the row of each id that is in these arrays."""
        return rows_of(self.ids(level), list(ids))

    @cached_property
    def sentence_chunk(self) -> NDArray[np.int32]:
        """[S] The chunk of each sentence."""
        chunk = np.zeros(len(self.sentence_ids), dtype=np.int32)
        chunk[self.E_cd[0]] = self.E_cd[1]
        return chunk

    @cached_property
    def chunks_holding(self) -> Floats:
        """[E] In how many chunks each entity is."""
        return np.bincount(self.E_od[0], minlength=len(self.entity_ids)).astype(np.float32)

    @cached_property
    def _grouped(self) -> Mapping[tuple[str, int], tuple[NDArray[np.int64], NDArray[np.int32]]]:
        found = {}
        levels = {name: (level, level) for level, name in INTRA.items()} | INTER
        for name, ends in levels.items():
            edges = self.relation(name)
            for end in (0, 1):
                order = np.argsort(edges[end], kind="stable")
                offsets = group_offsets(edges[end], len(self.ids(ends[end])))
                found[name, end] = offsets, edges[1 - end][order].astype(np.int32)
        return found

    def beside(
        self, name: str, end: int, rows: NDArray[np.integer]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the neighbours of ``rows``, which are at ``end`` (0, 1) of a relation's edges.

        As two arrays: whose neighbour it is (its place in ``rows``), and the neighbour's row. The
        work is that of what is returned, whatever the size of the corpus.
        """
        offsets, others = self._grouped[name, end]
        rows = np.asarray(rows, dtype=np.int64)
        first = offsets[rows]
        counts = offsets[rows + 1] - first
        owner = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
        before = np.cumsum(counts) - counts
        places = np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(first - before, counts)
        return owner, others[places]


def save_network_arrays(arrays: NetworkArrays, folder: Path) -> None:
    """Write ``arrays`` to ``folder``, which appears complete or not at all."""
    named = {field.name: getattr(arrays, field.name) for field in fields(NetworkArrays)}
    save_arrays(named, folder, FORMAT)


def load_network_arrays(folder: Path) -> NetworkArrays | None:
    """Return the arrays of ``folder``, the embeddings memory-mapped; None where there are none, or
    where another version of the format wrote them or they are damaged.
    """
    arrays = load_arrays(folder, FORMAT, mapped=VECTORS)
    try:
        return NetworkArrays(**arrays) if arrays is not None else None
    except (TypeError, ValueError):
        return None
