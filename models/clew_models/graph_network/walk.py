"""The order in which a walk over a neighbourhood reaches its chunks (ours).

    w(e, c) = Σ over sentences s of c that hold e of exp((cos(q, s) − best) / τ) + ε,  both ways
    w(a, c) = 2 · Σ over sentences s of a that name c's document of the same,          to c
    r ← (1 − d) · start + d · Pᵀ r,  P: w with the rows scaled to 1                    eight times

It starts at what the question names and, with a fifth, at the nearest chunks. Messages of three
layers go three steps, and each knows its neighbours alone; the walk knows the neighbourhood.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from clew_models.graph_network.arrays import Edges
from clew_models.guided_pagerank.arrays import Floats

TEMPERATURE = 0.2
FLOOR = 0.001
DAMPING = 0.85
STEPS = 8
NAMES = 2.0
"""How much more a sentence says of a document that it names than of an entity that it holds."""
NEAR = 0.2
"""What starts at the nearest chunks where the question names something; else all does."""
NEAREST = 10
LIKENESS = 0.1


def walk_order(marks: Mapping[str, Floats], edges: Mapping[str, Edges]) -> NDArray[np.int64]:
    """Return [C] the rows of a neighbourhood's chunks in the order of the walk, best first.

    ``marks`` and ``edges`` as in `Neighbourhood`; of the marks, cosines and what is named are read.
    Chunks that it reaches alike stand by their cosine.
    """
    cosines, near = marks["sentence"][:, 0], marks["chunk"][:, 0]
    entities, chunks = len(marks["entity"]), len(near)
    relevance = np.exp((cosines - cosines.max(initial=-1.0)) / TEMPERATURE) + FLOOR
    chunk_of = np.zeros(len(cosines), dtype=np.int64)
    chunk_of[edges["E_cd"][0]] = edges["E_cd"][1]
    entity, holding = edges["E_oc"]
    naming, named = edges["names"]
    held = entities + chunk_of[holding]
    source = np.concatenate([entity, held, entities + chunk_of[naming]])
    target = np.concatenate([held, entity, entities + named])
    weights = np.concatenate(
        [relevance[holding], relevance[holding], NAMES * relevance[naming]]
    ).astype(np.float64)
    count = entities + chunks
    share = weights / np.maximum(np.bincount(source, weights, count), 1e-12)[source]
    start = _start(marks["entity"][:, 1].astype(np.float64), near.astype(np.float64))
    rank = start
    for _ in range(STEPS):
        moved = np.bincount(target, rank[source] * share, count)
        rank = (1 - DAMPING) * start + DAMPING * moved
    return np.lexsort((-near, -rank[entities:]))


def _start(named: NDArray[np.float64], near: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where the walk starts: the entities, then the chunks; 1 together."""
    chunks = np.zeros(len(near))
    first = np.argsort(-near, kind="stable")[:NEAREST]
    chunks[first] = np.exp((near[first] - near.max(initial=-1.0)) / LIKENESS)
    chunks /= max(float(chunks.sum()), 1e-12)
    total = float(named.sum())
    if total <= 0:
        return np.concatenate([named, chunks])
    return np.concatenate([(1 - NEAR) / total * named, NEAR * chunks])
