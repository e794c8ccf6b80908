"""Adds to evidence how it hangs together in the graph: the same for every strategy."""

import time
from collections.abc import Sequence

from clew.evidence import Evidence, EvidencePath, PathEdge, PathNode, TraceStep
from clew_cypher.paths import PathRow, evidence_paths
from clew_cypher.store import GraphStore

MOST_PATHS = 12


def with_paths(store: GraphStore, evidence: Evidence, first: int | None = None) -> Evidence:
    """Return the evidence with at most 12 paths that join its chunks and the question's entities.

    Every edge is read from the graph, so every path is real. Adds the trace step ``paths``.
    ``first``: how many of the chunks are looked at, best first; None: all.
    """
    if not evidence.chunks:
        return evidence
    started = time.perf_counter()
    rows = evidence_paths(
        store,
        evidence.corpus,
        [seed.id for seed in evidence.seeds],
        [chunk.id for chunk in evidence.chunks[:first]],
        limit=MOST_PATHS,
    )
    step = TraceStep(
        name="paths", seconds=time.perf_counter() - started, detail={"paths": len(rows)}
    )
    return evidence.model_copy(update={"paths": _paths(rows), "trace": (*evidence.trace, step)})


def _paths(rows: Sequence[PathRow]) -> tuple[EvidencePath, ...]:
    return tuple(
        EvidencePath(
            nodes=tuple(
                PathNode(id=node.id, kind=node.kind, label=node.label) for node in row.nodes
            ),
            edges=tuple(
                PathEdge(source=edge.source, target=edge.target, kind=edge.kind, text=edge.text)
                for edge in row.edges
            ),
        )
        for row in rows
    )
