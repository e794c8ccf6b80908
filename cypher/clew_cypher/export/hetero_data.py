"""A corpus, or a part of it, as PyTorch Geometric's HeteroData: the multi-level graph of QS-1.

Source: QSGNN §3.1: G = (O, C, D, E_oo, E_oc, E_od, E_cc, E_cd). The paper's objects O are our
entities, its chunks C our sentences, its documents D (passages) our chunks.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew_cypher.corpora import get_corpus
from clew_cypher.export.hetero_tables import Edges, Ids, vector_array
from clew_cypher.store import GraphStore, Row
from clew_cypher.vectors import to_array

if TYPE_CHECKING:
    from torch_geometric.data import HeteroData

CHUNK_BATCH = 200
"""Chunks whose edges are read at a time."""
VECTOR_BATCH = 2000
LEVELS = ("entity", "sentence", "chunk")
ARGUMENT, HEAD, TAIL = 0, 1, 2
"""How an entity is in a sentence: as an argument of a triple only, as a head, as a tail."""


@dataclass(frozen=True)
class _Nodes:
    """The ids of all nodes, and the most edges of each kind that there can be."""

    entity: Ids
    sentence: Ids
    chunk: Ids
    mentions: int
    roles: int
    triples: int


@dataclass(frozen=True)
class Levels:
    """The multi-level graph as numpy has it; see :func:`export_hetero_data` for what is in it.

    ``ids``, ``vectors`` [N, D]: by level. ``edges``: by (source, name, target). ``triple_ids``,
    ``predicates``, ``triplets`` [E, D] (None where they were not asked for): of the triples.
    """

    ids: dict[str, Ids]
    vectors: dict[str, NDArray[np.float32]]
    edges: dict[tuple[str, str, str], Edges]
    triple_ids: Ids
    predicates: list[str]
    triplets: NDArray[np.float32] | None


def export_levels(
    store: GraphStore,
    corpus: str,
    chunk_ids: Sequence[str] | None = None,
    *,
    triplets: bool = True,
    folder: Path | None = None,
) -> Levels:
    """Return what :func:`export_hetero_data` does, without torch."""
    dimension = get_corpus(store, corpus).dimension
    nodes = _all_nodes(store, corpus) if chunk_ids is None else _nodes(store, corpus, chunk_ids)
    edges, triple_ids, predicates = _edges(store, corpus, nodes, whole=chunk_ids is None)
    ids: dict[str, Ids] = {kind: getattr(nodes, kind) for kind in LEVELS}
    vectors = {}
    for kind in LEVELS:
        vectors[kind] = vector_array(len(ids[kind]), dimension, folder, kind)
        _fill(store, corpus, f"{kind}_vectors", ids[kind], vectors[kind])
    said = None
    if triplets:
        said = vector_array(len(triple_ids), dimension, folder, "triplet")
        _fill(store, corpus, "triple_vectors", triple_ids, said)
    return Levels(ids, vectors, edges, triple_ids, predicates, said)


def export_hetero_data(
    store: GraphStore,
    corpus: str,
    chunk_ids: Sequence[str] | None = None,
    *,
    triplets: bool = True,
    folder: Path | None = None,
) -> "HeteroData":
    """Return entities, sentences and chunks with their edges and embeddings.

    ``chunk_ids``: these chunks, their sentences, entities and triples; None: the whole corpus.
    Each node type has ``x`` [N, D] float32 and ``ids`` (a sequence, in the order of the rows;
    sorted). Edges, those of QS-1 first:

    - E_oo (entity, relation, entity): a triple each, with ``ids``, ``predicates`` (list) and, with
      ``triplets``, ``edge_attr`` [E, D]: the embeddings of the textual triplets; those of knowledge
      bases, which no chunk states, are in the whole corpus alone
    - E_oc (entity, in, sentence), with ``role`` [E] int8: 1 head, 2 tail, 0 where it is only an
      argument of a triple of the sentence
    - E_od (entity, in, chunk), with ``count`` [E] float32: mentions, 0 where it is only an argument
    - E_cc (sentence, next, sentence), within a document
    - E_cd (sentence, in, chunk)
    - (chunk, next, chunk), within a document

    An entity that is head and tail of a sentence is its head. An edge type without edges has an
    ``edge_index`` [2, 0]. ``folder``: the embeddings are mapped to files there (``entity.npy`` …)
    and not held in memory. Needs memory for the result and one batch. Read in many statements, not
    at one moment: compare ``corpus_revision`` before and after. Raises UnknownCorpus.
    """
    import torch
    from torch_geometric.data import HeteroData

    levels = export_levels(store, corpus, chunk_ids, triplets=triplets, folder=folder)
    data = HeteroData()
    for kind in LEVELS:
        data[kind].x = torch.from_numpy(levels.vectors[kind])
        data[kind].ids = levels.ids[kind]
    for (source, name, target), found in levels.edges.items():
        data[source, name, target].edge_index = torch.from_numpy(np.ascontiguousarray(found.index))
    data["entity", "in", "sentence"].role = torch.from_numpy(
        levels.edges["entity", "in", "sentence"].values
    )
    data["entity", "in", "chunk"].count = torch.from_numpy(
        levels.edges["entity", "in", "chunk"].values
    )
    relation = data["entity", "relation", "entity"]
    relation.ids, relation.predicates = levels.triple_ids, levels.predicates
    if levels.triplets is not None:
        relation.edge_attr = torch.from_numpy(levels.triplets)
    return data


def _all_nodes(store: GraphStore, corpus: str) -> _Nodes:
    sizes = store.read("graph_sizes", corpus=corpus)[0]
    ids = {
        kind: Ids.collect(
            (row["id"] for row in store.stream(f"{kind}_ids", corpus=corpus)),
            sizes[plural],
            sort=True,
        )
        for kind, plural in (("entity", "entities"), ("sentence", "sentences"), ("chunk", "chunks"))
    }
    return _Nodes(
        ids["entity"],
        ids["sentence"],
        ids["chunk"],
        sizes["mentions"],
        sizes["roles"],
        sizes["triples"],
    )


def _nodes(store: GraphStore, corpus: str, chunk_ids: Sequence[str]) -> _Nodes:
    chunks: list[str] = []
    sentences: set[str] = set()
    entities: set[str] = set()
    mentions = roles = triples = 0
    wanted = sorted(set(chunk_ids))
    for start in range(0, len(wanted), CHUNK_BATCH):
        batch = wanted[start : start + CHUNK_BATCH]
        for row in store.read("chunk_members", corpus=corpus, ids=batch):
            chunks.append(row["id"])
            sentences.update(row["sentences"])
            entities.update(row["entities"])
            mentions += row["mentions"]
            roles += row["roles"]
            triples += row["triples"]
    entity, sentence, chunk = (
        Ids.collect(ids, len(ids), sort=True) for ids in (entities, sentences, chunks)
    )
    return _Nodes(entity, sentence, chunk, mentions, roles, triples)


def _edges(
    store: GraphStore, corpus: str, nodes: _Nodes, *, whole: bool
) -> tuple[dict[tuple[str, str, str], Edges], Ids, list[str]]:
    """Return the edges by type, the ids of the triples and their predicates.

    ``whole``: with the triples that no chunk states.
    """
    entity, sentence, chunk = nodes.entity, nodes.sentence, nodes.chunk
    arguments = 2 * nodes.triples
    edges = {
        ("entity", "relation", "entity"): Edges(entity, entity, nodes.triples),
        ("entity", "in", "sentence"): Edges(entity, sentence, nodes.roles + arguments, np.int8),
        ("entity", "in", "chunk"): Edges(entity, chunk, nodes.mentions + arguments, np.float32),
        ("sentence", "next", "sentence"): Edges(sentence, sentence, len(sentence)),
        ("sentence", "in", "chunk"): Edges(sentence, chunk, len(sentence)),
        ("chunk", "next", "chunk"): Edges(chunk, chunk, len(chunk)),
    }
    predicates: list[str] = []

    def relate(triples: Sequence[tuple[str, str, str, str]]) -> list[str]:
        found = [triple for triple in triples if triple[0]]  # not one that goes while it is read
        kept = edges["entity", "relation", "entity"].append([(h, t) for _, h, t, _ in found])
        there = [triple for triple, is_kept in zip(found, kept, strict=True) if is_kept]
        # a predicate comes many times, and is held once
        predicates.extend(sys.intern(predicate) for *_, predicate in there)
        return [key for key, *_ in there]

    def batches() -> Iterator[list[str]]:
        for _, ids in chunk.batches(CHUNK_BATCH):
            rows = store.read("chunk_structure", corpus=corpus, ids=ids)
            _append(edges, rows)
            yield relate([(t[0], t[1], t[2], t[4]) for row in rows for t in row["triples"]])
        if whole:
            loose = store.stream("knowledge_triples", corpus=corpus)
            while some := list(islice(loose, VECTOR_BATCH)):
                yield relate([(r["id"], r["head_id"], r["tail_id"], r["predicate"]) for r in some])

    ids = Ids.collect(chain.from_iterable(batches()), nodes.triples)
    return edges, ids, predicates


def _append(edges: dict[tuple[str, str, str], Edges], rows: Sequence[Row]) -> None:
    """Append the edges of a batch of chunks, all but the triples."""
    sentences = [(sentence, row["id"]) for row in rows for sentence in row["sentences"]]
    edges["sentence", "in", "chunk"].append([(found[0], key) for found, key in sentences])
    edges["sentence", "next", "sentence"].append(
        [(found[0], after) for found, _ in sentences for after in found[3]]
    )
    edges["chunk", "next", "chunk"].append(
        [(row["id"], after) for row in rows for after in row["next_ids"]]
    )
    roles: dict[tuple[str, str], int] = {}
    counts: dict[tuple[str, str], int] = {}
    for (key, heads, tails, _), _ in sentences:
        roles |= {(entity, key): TAIL for entity in tails} | {(e, key): HEAD for e in heads}
    for row in rows:
        counts |= {(entity, row["id"]): count for entity, count in row["mentions"]}
        for _, head, tail, sentence, _ in row["triples"]:
            for entity in (head, tail):
                counts.setdefault((entity, row["id"]), 0)
                if sentence is not None:
                    roles.setdefault((entity, sentence), ARGUMENT)
    edges["entity", "in", "sentence"].append(list(roles), list(roles.values()))
    edges["entity", "in", "chunk"].append(list(counts), list(counts.values()))


def _fill(
    store: GraphStore, corpus: str, name: str, ids: Ids, vectors: NDArray[np.float32]
) -> None:
    """Read the embeddings of ``ids`` into their rows; one that has none keeps zeros."""
    dimension = vectors.shape[1]
    for start, batch in ids.batches(VECTOR_BATCH):
        rows = store.read(name, corpus=corpus, ids=batch, dimension=dimension)
        place = {key: start + row for row, key in enumerate(batch)}
        where = [place[row["id"]] for row in rows]
        vectors[where] = to_array([row["embedding"] for row in rows], dimension)
