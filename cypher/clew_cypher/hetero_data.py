"""A corpus, or a part of it, as PyTorch Geometric's HeteroData (the graph of QS-1)."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore, Row
from clew_cypher.vectors import to_array

if TYPE_CHECKING:
    import torch
    from torch_geometric.data import HeteroData


def export_hetero_data(
    store: GraphStore, corpus: str, chunk_ids: Sequence[str] | None = None
) -> "HeteroData":
    """Return entities, sentences and chunks with their relations and embeddings.

    ``chunk_ids``: these chunks, their sentences and entities; None: the whole corpus. Each node
    type has ``x`` [N, D] float32 and ``ids`` (a list, in the order of the rows; sorted). Edges:

    - (entity, mentioned_in, chunk), with ``count`` [E]
    - (entity, head_of, sentence) and (sentence, has_tail, entity)
    - (sentence, in_chunk, chunk)
    - (sentence, next, sentence) and (chunk, next, chunk), within a document

    An edge type without edges has an ``edge_index`` [2, 0]. Raises UnknownCorpus.
    """
    import torch
    from torch_geometric.data import HeteroData

    dimension = get_corpus(store, corpus).dimension
    parameters = {
        "corpus": corpus,
        "chunk_ids": None if chunk_ids is None else list(dict.fromkeys(chunk_ids)),
        "dimension": dimension,
    }
    rows = {
        kind: list(store.stream(f"export_{kind}_nodes", **parameters))
        for kind in ("entity", "sentence", "chunk")
    }
    index = {kind: {row["id"]: i for i, row in enumerate(found)} for kind, found in rows.items()}
    data = HeteroData()
    for kind, found in rows.items():
        data[kind].x = torch.from_numpy(to_array([row["embedding"] for row in found], dimension))
        data[kind].ids = [row["id"] for row in found]
    mentions = [
        (row["id"], chunk_id, count)
        for row in rows["entity"]
        for chunk_id, count in row["mentions"]
    ]
    edges: dict[tuple[str, str, str], Iterable[tuple[str, str]]] = {
        ("entity", "mentioned_in", "chunk"): [(entity, chunk) for entity, chunk, _ in mentions],
        ("entity", "head_of", "sentence"): [
            (entity, row["id"]) for row in rows["sentence"] for entity in sorted(row["heads"])
        ],
        ("sentence", "has_tail", "entity"): [
            (row["id"], entity) for row in rows["sentence"] for entity in sorted(row["tails"])
        ],
        ("sentence", "in_chunk", "chunk"): [
            (row["id"], row["chunk_id"]) for row in rows["sentence"]
        ],
        ("sentence", "next", "sentence"): _following(rows["sentence"]),
        ("chunk", "next", "chunk"): _following(rows["chunk"]),
    }
    for (source, name, target), pairs in edges.items():
        data[source, name, target].edge_index = _edge_index(pairs, index[source], index[target])
    data["entity", "mentioned_in", "chunk"].count = torch.tensor(
        [count for _, _, count in mentions], dtype=torch.float32
    )
    return data


def _following(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(row["id"], after) for row in rows for after in row["next_ids"]]


def _edge_index(
    pairs: Iterable[tuple[str, str]], sources: dict[str, int], targets: dict[str, int]
) -> "torch.Tensor":
    """Return [2, E] int64; an edge that leaves the export (to a next chunk) is left out."""
    import torch

    kept = [
        (sources[source], targets[target])
        for source, target in pairs
        if source in sources and target in targets
    ]
    return torch.tensor(kept, dtype=torch.int64).reshape(-1, 2).t().contiguous()
