"""Adds to evidence how it hangs together in the graph: the same for every strategy."""

import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.results.evidence import Evidence, EvidencePath, PathEdge, PathNode, TraceStep
from clew.strategies.base import Tell, untold
from clew_cypher.searching.paths import PathRow, evidence_paths
from clew_cypher.store import GraphStore

MOST_PATHS = 12
"""Paths that are shown; more only where as many are needed for each passage to have one."""


def with_paths(
    store: GraphStore, evidence: Evidence, first: int | None = None, tell: Tell = untold
) -> Evidence:
    """Return the evidence with the paths that join its chunks and the question's entities.

    Every chunk has one, if the graph joins it to anything; further paths come up to 12 in all, and
    what is left out is counted. Every edge is read from the graph, so every path is real. Adds the
    trace step ``paths``. ``first``: how many of the chunks are looked at, best first; None: all.
    """
    if not evidence.chunks:
        return evidence
    started = time.perf_counter()
    chunk_ids = [chunk.id for chunk in evidence.chunks[:first]]
    rows = evidence_paths(
        store,
        evidence.corpus,
        [seed.id for seed in evidence.seeds if seed.match != "decoded"],
        chunk_ids,
        [seed.id for seed in evidence.seeds if seed.match == "decoded"],
    )
    shown = chosen_paths(rows, MOST_PATHS)
    left_out = len(rows) - len(shown)
    reached = {id_ for row in shown for id_ in _chunks(row)}
    detail = {"paths": len(shown), "left_out": left_out}
    if not reached.issuperset(chunk_ids):
        detail["passages_without_a_path"] = len(set(chunk_ids) - reached)
    step = TraceStep(name="paths", seconds=time.perf_counter() - started, detail=detail)
    tell(step)
    return evidence.model_copy(
        update={
            "paths": _paths(shown),
            "paths_left_out": left_out,
            "trace": (*evidence.trace, step),
        }
    )


def chosen_paths(rows: Sequence[PathRow], limit: int) -> list[PathRow]:
    """Return those that lead to a chunk that none before leads to, and others up to ``limit``."""
    reached: set[str] = set()
    needed: set[int] = set()
    for number, row in enumerate(rows):
        if not reached.issuperset(_chunks(row)):
            reached |= _chunks(row)
            needed.add(number)
    others = [number for number in range(len(rows)) if number not in needed]
    spare = max(0, limit - len(needed))
    return [rows[number] for number in sorted([*needed, *others[:spare]])]


def _chunks(row: PathRow) -> AbstractSet[str]:
    return {node.id for node in row.nodes if node.kind == "chunk"}


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
