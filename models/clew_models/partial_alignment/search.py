"""The search (KA-5 to KA-8; KAMR algorithm 1 and appendix E): anchors, then what is connected.

    s_A(q, τ) = max_{u ∈ U(τ)} q·u        top M of all triples                            stage 1
    s_C(q, x) = max_{e ∈ Elem(x) − shared} q·e    of each source's g-hop neighbours     stages 2, 3

Differs from the paper: a stage fills its part of the budget. Each source in turn gives its N best
neighbours that are not there yet, and again until nothing is left or the part is full; in
the paper a source's N best may be anchors already, and much of the budget goes unused. Its stages
are 17, 17 and 16 triples, or 25 and 25; here by default 10, 20 and 20.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clew_models.partial_alignment.index import FLAT_UP_TO, PartialIndex, Rows

Stage = Literal["anchor", "connected", "third"]
STAGES: tuple[Stage, ...] = ("anchor", "connected", "third")
TIED = 2000
"""Triples of one partial triple ("gender male") that are looked at, of all that are alike."""
DEEPER = 4
"""So many times as many partial triples are looked at as would do if those that may be found stood
anywhere."""
Scores = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Options:
    """How many triples, and which of them. ``budget``: K; ``anchors``: M; ``third``: of the budget
    for stage 3, at most half of what the anchors leave; ``per_source``: N; ``hops``: g; ``hub``:
    triples of an entity past which it is no way to a neighbour; ``full_anchors``,
    ``full_connected``: scores of whole triples; ``among`` [T]: the triples that may be found, None
    for all.
    """

    budget: int = 50
    anchors: int = 10
    third: int = 20
    per_source: int = 1
    hops: int = 1
    hub: int = 5000
    full_anchors: bool = False
    full_connected: bool = False
    among: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Found:
    """A triple (its row), the stage in which it came and its score there.

    ``part``: of an anchor the number of its best partial triple, of another that of its best
    element (h, r, t), -1 where whole triples were compared; ``via``: the row of the triple that it
    is connected to.
    """

    row: int
    stage: Stage
    score: float
    part: int
    via: int | None = None


def find_triples(
    index: PartialIndex, vector: NDArray[np.float32], options: Options
) -> Iterator[tuple[Stage, list[Found]]]:
    """Yield T_q stage by stage: together at most ``budget`` triples."""
    sources = anchors(index, vector, options)
    yield STAGES[0], sources
    found = {one.row: one for one in sources}
    left = options.budget - len(sources)
    third = min(options.third, left // 2)  # it begins at what stage 2 finds
    for stage, room in zip(STAGES[1:], (left - third, third), strict=True):
        sources = connected(index, vector, sources, found, stage, room, options)
        yield stage, sources
        found |= {one.row: one for one in sources}


def anchors(index: PartialIndex, vector: NDArray[np.float32], options: Options) -> list[Found]:
    """Return the top M triples by s_A, ties by their second best partial triple (KA-5).

    The 3 M nearest partial triples belong to at least M triples, and to no others come the top M.
    """
    count = min(options.anchors, options.budget)
    if options.full_anchors:
        rows, scores = index.nearest_full(vector, count, options.among)
        return [
            Found(int(row), "anchor", float(score), -1)
            for row, score in zip(rows, scores, strict=True)
        ]
    rows = _candidates(index, vector, count, options.among)
    scores = _gathered(index.partial_vectors, index.parts[rows], vector)  # [R, 3]
    ranked = np.sort(scores, 1)[:, ::-1]
    order = np.lexsort((rows, -ranked[:, 1], -ranked[:, 0]))[:count]
    return [
        Found(int(rows[i]), "anchor", float(ranked[i, 0]), int(scores[i].argmax())) for i in order
    ]


def _candidates(
    index: PartialIndex,
    vector: NDArray[np.float32],
    count: int,
    among: NDArray[np.bool_] | None,
) -> Rows:
    """Return the rows of triples to which the top ``count`` belong, sorted."""
    width = 3 * count
    if among is not None:
        allowed = int(np.count_nonzero(among))
        if allowed <= FLAT_UP_TO:
            return np.flatnonzero(among)
        width = DEEPER * width * -(-len(index) // allowed)
    groups = [
        _group(index.part_offsets, index.part_triples, part)
        for part in index.nearest_parts(vector, width)
    ]
    if among is not None:
        groups = [rows[among[rows]] for rows in groups]
    return np.unique(np.concatenate([*(rows[:TIED] for rows in groups), np.zeros(0, np.int64)]))


def connected(
    index: PartialIndex,
    vector: NDArray[np.float32],
    sources: Sequence[Found],
    known: dict[int, Found],
    stage: Stage,
    room: int,
    options: Options,
) -> list[Found]:
    """Return at most ``room`` neighbours of ``sources`` that are not ``known`` (KA-6, KA-8)."""
    if not room or not sources:
        return []
    near = [neighbours(index, source.row, options.hops, options.hub) for source in sources]
    near = [rows[~np.isin(rows, list(known))] for rows in near]
    if options.among is not None:
        near = [rows[options.among[rows]] for rows in near]
    scored = _scored_rows(index, vector, near, options)
    queues = [
        _queue(index, source, rows, scored, stage, options)
        for source, rows in zip(sources, near, strict=True)
    ]
    found: dict[int, Found] = {}
    while queues and len(found) < room:
        going = []
        for queue in queues:
            taken = 0
            for one in queue:
                if one.row not in found:
                    found[one.row] = one
                    taken += 1
                if taken == options.per_source or len(found) == room:
                    break
            if taken == options.per_source:
                going.append(queue)
            if len(found) == room:
                break
        queues = going
    return list(found.values())


def neighbours(index: PartialIndex, row: int, hops: int, hub: int) -> Rows:
    """Return the rows of the triples within ``hops`` of a triple, without it; sorted."""
    seen = np.array([row])
    ends = index.ends[row]
    for _ in range(hops):
        groups = [_group(index.end_offsets, index.end_triples, end) for end in np.unique(ends)]
        groups = [rows for rows in groups if len(rows) <= hub]
        if not groups:
            break
        seen = np.union1d(seen, np.concatenate(groups))
        ends = index.ends[seen]
    return seen[seen != row]


def _scored_rows(
    index: PartialIndex, vector: NDArray[np.float32], near: Sequence[Rows], options: Options
) -> tuple[Rows, Scores]:
    """Return all rows of ``near``, sorted, and the cosines [R, 3] of their elements."""
    rows = np.unique(np.concatenate(near))
    if options.full_connected:
        whole = index.full_vectors[rows].astype(np.float32) @ vector
        return rows, np.repeat(whole[:, None], 3, 1)
    return rows, _gathered(index.element_vectors, index.elements[rows], vector)


def _queue(
    index: PartialIndex,
    source: Found,
    rows: Rows,
    scored: tuple[Rows, Scores],
    stage: Stage,
    options: Options,
) -> Iterator[Found]:
    """Yield the neighbours of a source by s_C, best first; equal ones by their rows."""
    scores = scored[1][np.searchsorted(scored[0], rows)].copy()  # [R, 3]
    if not options.full_connected:
        shared = np.isin(index.ends[rows], index.ends[source.row])  # [R, 2]
        scores[:, [0, 2]] = np.where(shared, -np.inf, scores[:, [0, 2]])
    best = scores.max(1, initial=-np.inf)
    for i in np.lexsort((rows, -best)):
        part = -1 if options.full_connected else int(scores[i].argmax())
        yield Found(int(rows[i]), stage, float(best[i]), part, source.row)


def _gathered(vectors: Scores, numbers: Rows, vector: NDArray[np.float32]) -> Scores:
    """Return the cosines of ``vectors[numbers]`` with ``vector``, each vector read once."""
    own, place = np.unique(numbers, return_inverse=True)
    cosines = vectors[own].astype(np.float32) @ vector
    found: Scores = cosines[place].reshape(numbers.shape)
    return found


def _group(offsets: Rows, members: Rows, group: int) -> Rows:
    return members[offsets[group] : offsets[group + 1]]
