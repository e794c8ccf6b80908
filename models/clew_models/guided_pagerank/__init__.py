"""Question-guided PageRank (SH-1): PageRank over entities and chunks whose edges depend on the
question.

`arrays.py`: what is kept of a corpus. `build.py`: how it is made. `snapshots.py`: where it lies
on disk. `kernel.py`: the computation of a question.
"""

from clew_models.guided_pagerank.arrays import GuidedArrays
from clew_models.guided_pagerank.build import GraphParts, VectorReader, build_arrays
from clew_models.guided_pagerank.kernel import (
    edge_weights,
    personalised_pagerank,
    rank_chunks,
    sentence_cosines,
)
from clew_models.guided_pagerank.snapshots import load_snapshot, save_snapshot

__all__ = [
    "GraphParts",
    "GuidedArrays",
    "VectorReader",
    "build_arrays",
    "edge_weights",
    "load_snapshot",
    "personalised_pagerank",
    "rank_chunks",
    "save_snapshot",
    "sentence_cosines",
]
