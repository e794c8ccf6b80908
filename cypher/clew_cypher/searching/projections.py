"""GDS projections of a corpus, kept as long as its revision, and PageRank on them (SH-1)."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from clew_cypher.corpora import corpus_revision, has_chunks, unknown_corpus
from clew_cypher.errors import GraphError, StatementFailed
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.searching.projection_catalog import (
    MENTIONS,
    drop_projections,
    name_before_revision,
)
from clew_cypher.statements import statement
from clew_cypher.store import GraphStore, Row

ITERATIONS = 100
TOLERANCE = 1e-6
"""Of seeds that weigh 1 together. A hundredth of it costs nearly twice the time at 100,000 chunks,
and Recall@5 is the same on HotpotQA-100 and MuSiQue-100, with a damping of 0.85 too."""
PARALLEL_NODES = 100_000
"""Below, handing out the work to threads costs more than they save, and others are asking too."""
CONCURRENCY = 4
"""What the open edition of GDS allows."""

BEST_NODES = 2_000
BEST_A_CHUNK = 20
"""Of so many nodes of the highest PageRank, entities and chunks, the ids are read at first: at
100,000 chunks reading all of them costs as much as the walk."""


def mention_projection(store: GraphStore, corpus: str) -> str:
    """Return the name of the projection of entities and chunks, made where it is missing.

    Undirected and bipartite; ``weight`` = idf × count, idf = ln(1 + chunks / chunks that hold the
    entity), and the title of a chunk's document counts once more than the chunk names it. It is
    kept for the corpus' revision; those of older ones are dropped. Raises UnknownCorpus, and
    GraphError where the corpus has no chunk.
    """
    return _projection(store, corpus).name


@dataclass(frozen=True)
class _Projected:
    name: str
    nodes: int
    edges: int


@dataclass
class _Latest:
    """The projection of a corpus that was made last by those of this process who ask now; two never
    are at once."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    projected: _Projected | None = None
    begun_at: float = 0.0


_LATEST: WeakValueDictionary[tuple[str, str, str], _Latest] = WeakValueDictionary()
_FINDING = threading.Lock()


def _projection(store: GraphStore, corpus: str) -> _Projected:
    """Return what is projected at this revision; whoever asks while it is made waits for it.

    What was begun after the question asked is new enough for it, though documents come in.
    """
    asked_at = time.monotonic()
    _, found = _state(store, corpus, name_before_revision(corpus, MENTIONS))
    if found is not None:
        return found
    key = (store.config.uri, store.config.database, corpus)
    with _FINDING:
        latest = _LATEST.setdefault(key, _Latest())
    with latest.lock:
        if latest.projected is None or latest.begun_at < asked_at:
            begun_at = time.monotonic()
            latest.projected = _made(store, corpus)
            latest.begun_at = begun_at
        return latest.projected


def _made(store: GraphStore, corpus: str) -> _Projected:
    prefix = name_before_revision(corpus, MENTIONS)
    name, found = _state(store, corpus, prefix)
    if found is not None:
        return found
    drop_projections(store, corpus, keep=name)
    if not has_chunks(store, corpus):
        raise GraphError(
            f"The corpus {corpus!r} has no chunks, so that there is nothing to project.",
            remedy="Ingest documents first: `clew ingest PATH`.",
        )
    try:
        made = store.gds.graph.project.cypher(
            statement("project_mentions").text,
            graph=name,
            corpus=corpus,
            value_types=list(VALUE_TYPES),
        )
    except Exception:
        # another process may have made it meanwhile; then there is nothing wrong
        _, found = _state(store, corpus, prefix)
        if found is None:
            raise
        return found
    return _Projected(name, made.result.node_count, made.result.relationship_count)


def _state(store: GraphStore, corpus: str, prefix: str) -> tuple[str, _Projected | None]:
    """Return what the projection of this revision is called, and what is in it, where it is."""
    rows = store.read("projection_state", corpus=corpus, prefix=prefix)
    if not rows:
        raise unknown_corpus(corpus)
    name, nodes = f"{prefix}{rows[0]['revision']}", rows[0]["nodes"]
    return name, None if nodes is None else _Projected(name, nodes, rows[0]["relationships"])


def pagerank_chunks(
    store: GraphStore,
    corpus: str,
    seeds: Mapping[str, float],
    *,
    damping: float,
    limit: int,
) -> list[Row]:
    """Return the ``limit`` chunks of the highest personalised PageRank, rows {id, score}.

    ``seeds``: weights by the ids of entities and chunks (HippoRAG's idea; the weights are taken
    as they are, so let their sum be 1); ids that the corpus does not have are left out.
    ``damping``: probability of following an edge. Raises UnknownCorpus.
    """
    if not seeds:
        corpus_revision(store, corpus)
        return []
    parameters = {
        "corpus": corpus,
        "seeds": [{"id": key, "weight": seeds[key]} for key in sorted(seeds)],
        "value_types": list(VALUE_TYPES),
        "damping": damping,
        "iterations": ITERATIONS,
        "tolerance": TOLERANCE,
        "limit": limit,
    }
    try:
        return _ranked(store, corpus, parameters)
    except StatementFailed:
        # the revision moved on between the two steps and the projection was dropped
        return _ranked(store, corpus, parameters)


def _ranked(store: GraphStore, corpus: str, parameters: dict[str, Any]) -> list[Row]:
    projected = _projection(store, corpus)
    every = projected.nodes + 1
    best = min(max(BEST_NODES, BEST_A_CHUNK * parameters["limit"]), every)
    while True:
        rows = store.read(
            "pagerank_chunks",
            graph=projected.name,
            weight="weight" if projected.edges else None,
            concurrency=1 if projected.nodes < PARALLEL_NODES else CONCURRENCY,
            best=best,
            **parameters,
        )
        if best == every or len(rows) == parameters["limit"]:
            return rows
        best = every
