"""The multi-level graph as arrays: the same as brute force over the rows that were written."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew_cypher.corpora import ensure_corpus
from clew_cypher.export.arrays import export_chunks, export_entity_names
from clew_cypher.export.entity_chains import shared_entities
from clew_cypher.export.hetero_data import ARGUMENT, HEAD, TAIL, export_hetero_data
from clew_cypher.export.hetero_tables import Edges, Ids
from clew_cypher.export.hyperrelations import export_hyperrelations
from clew_cypher.export.question_neighbourhood import question_neighbourhood
from clew_cypher.ids import content_id, entity_id
from clew_cypher.rows import EntityRow, GraphBatch, TripleRow
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import accept_document
from clew_cypher.writing.writer import write_batch

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit:FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

TEXTS = {
    "Ada": ["Ada studied with Babbage in 1833. Babbage praised Ada.", "Ada met Byron."],
    "Babbage": ["Babbage studied at Cambridge in 1833."],
    "Curie": ["Curie isolated Radium. Radium glows."],
}
SAID = {
    "Ada": [("Ada", "be", "a mathematician"), ("Ada", "study with", "Babbage")],
    "Babbage": [("Babbage", "study at", "Cambridge"), ("Ada", "know", "Babbage")],
    "Curie": [("Curie", "isolate", "Radium")],
}


@pytest.fixture
def batches(
    store: GraphStore, corpus: str, make_batch: Callable, vector: Callable
) -> list[GraphBatch]:
    """Three documents with triples of their first sentence; one triple has no sentence."""
    made = []
    for title, texts in TEXTS.items():
        batch = make_batch(title, texts)
        sentence = batch.sentences[0]
        entities = {row.id: row for row in batch.entities}
        triples = []
        for number, (head, predicate, tail) in enumerate(SAID[title]):
            ends = entity_id(corpus, head.lower()), entity_id(corpus, tail.lower())
            for key, name in zip(ends, (head, tail), strict=True):
                entities.setdefault(key, EntityRow(key, name.lower(), vector(name.lower())))
            triples.append(
                TripleRow(
                    content_id("t", sentence.id, head, predicate, tail),
                    *ends,
                    *(head, predicate, tail, sentence.text, sentence.chunk_id),
                    None if title == "Babbage" and number else sentence.id,
                    "rules",
                    vector(f"{head} {predicate} {tail}"),
                )
            )
        batch = replace(batch, entities=tuple(entities.values()), triples=triples)
        row = batch.documents[0]
        accept_document(
            store,
            corpus,
            uri=row.uri,
            title=title,
            media_type="text/plain",
            sha256=row.sha256,
            data=b"",
        )
        write_batch(store, corpus, batch)
        made.append(batch)
    return made


def expected(batches: Sequence[GraphBatch]) -> dict[tuple[str, str, str], dict[tuple, object]]:
    """Every edge by the ids of its ends, from the rows: (source, target) → attribute."""
    roles: dict[tuple, object] = {}
    counts: dict[tuple, object] = {}
    following: dict[tuple, object] = {}
    for batch in batches:
        for role in batch.roles:
            roles[role.entity_id, role.sentence_id] = HEAD if role.role == "head" else TAIL
        for mention in batch.mentions:
            counts[mention.entity_id, mention.chunk_id] = mention.count
        for triple in batch.triples:
            for end in (triple.head_id, triple.tail_id):
                counts.setdefault((end, triple.chunk_id), 0)
                if triple.sentence_id is not None:
                    roles.setdefault((end, triple.sentence_id), ARGUMENT)
        places = {row.id: row.position for row in batch.chunks}
        order = sorted(batch.sentences, key=lambda row: (places[row.chunk_id], row.position))
        following |= {(a.id, b.id): None for a, b in pairwise(order)}
    return {
        ("entity", "relation", "entity"): {
            (t.head_id, t.tail_id, t.id): t.predicate for b in batches for t in b.triples
        },
        ("entity", "in", "sentence"): roles,
        ("entity", "in", "chunk"): counts,
        ("sentence", "next", "sentence"): following,
        ("sentence", "in", "chunk"): {
            (s.id, s.chunk_id): None for b in batches for s in b.sentences
        },
        ("chunk", "next", "chunk"): {
            (a.id, b.id): None
            for batch in batches
            for a, b in pairwise(sorted(batch.chunks, key=lambda row: row.position))
        },
    }


def found(data: Any) -> dict[tuple[str, str, str], dict[tuple, object]]:
    """Every edge of an export, as :func:`expected`; fails where a pair comes twice."""
    edges = {}
    for kind in data.edge_types:
        storage = data[kind]
        pairs: list[tuple[str, ...]] = [
            (data[kind[0]].ids[a], data[kind[2]].ids[b]) for a, b in storage.edge_index.t().tolist()
        ]
        values: list[object] = [None] * len(pairs)
        if kind[1] == "relation":
            pairs = [(*ends, key) for ends, key in zip(pairs, storage.ids, strict=True)]
            values = storage.predicates
        for name in ("role", "count"):
            if name in storage:
                values = storage[name].tolist()
        edges[kind] = dict(zip(pairs, values, strict=True))
        assert len(edges[kind]) == len(pairs)
    return edges


def test_all_levels_and_edges(
    store: GraphStore, corpus: str, batches: list[GraphBatch], vector: Callable
) -> None:
    data = export_hetero_data(store, corpus)
    data.validate(raise_on_error=True)
    assert found(data) == expected(batches)
    rows = {
        "entity": {row.id: vector(row.key) for b in batches for row in b.entities},
        "sentence": {row.id: row.embedding for b in batches for row in b.sentences},
        "chunk": {row.id: row.embedding for b in batches for row in b.chunks},
    }
    for kind, vectors in rows.items():
        assert list(data[kind].ids) == sorted(vectors)
        wanted = np.stack([vectors[key] for key in data[kind].ids])
        np.testing.assert_allclose(data[kind].x.numpy(), wanted, rtol=1e-6)
    relation = data["entity", "relation", "entity"]
    said = {row.id: row.embedding for b in batches for row in b.triples}
    wanted = np.array([said[key] for key in relation.ids])
    np.testing.assert_allclose(relation.edge_attr.numpy(), wanted, rtol=1e-6)
    assert (
        "edge_attr"
        not in export_hetero_data(store, corpus, triplets=False)["entity", "relation", "entity"]
    )


def test_a_part_and_nothing(store: GraphStore, corpus: str, batches: list[GraphBatch]) -> None:
    ada = batches[0]
    first = ada.chunks[0].id
    part = export_hetero_data(store, corpus, [first, "c0", first])
    part.validate(raise_on_error=True)
    sentences = [row for row in ada.sentences if row.chunk_id == first]
    ids = {row.id for row in sentences}
    inside = replace(
        ada,
        chunks=ada.chunks[:1],
        sentences=sentences,
        mentions=[row for row in ada.mentions if row.chunk_id == first],
        roles=[row for row in ada.roles if row.sentence_id in ids],
    )
    assert found(part) == expected([inside])
    empty = export_hetero_data(store, corpus, [])
    assert empty["chunk"].x.shape == (0, 384)
    assert all(empty[kind].edge_index.shape == (2, 0) for kind in empty.edge_types)
    assert len(empty.edge_types) == 6


def test_an_empty_corpus(store: GraphStore, corpus: str) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert export_hetero_data(store, corpus)["entity"].x.shape == (0, 384)


def test_mapped_embeddings(
    store: GraphStore, corpus: str, batches: list[GraphBatch], tmp_path: Path
) -> None:
    held = export_hetero_data(store, corpus)
    mapped = export_hetero_data(store, corpus, folder=tmp_path / "arrays")
    assert sorted(path.name for path in (tmp_path / "arrays").iterdir()) == [
        "chunk.npy",
        "entity.npy",
        "sentence.npy",
        "triplet.npy",
    ]
    for kind in held.node_types:
        np.testing.assert_array_equal(mapped[kind].x.numpy(), held[kind].x.numpy())
        saved = np.load(tmp_path / "arrays" / f"{kind}.npy", mmap_mode="r")
        np.testing.assert_array_equal(saved, held[kind].x.numpy())


def test_merged_names_are_one_edge(
    store: GraphStore, corpus: str, batches: list[GraphBatch], merge: Callable
) -> None:
    merge("byron", "ada")
    edges = found(export_hetero_data(store, corpus))
    second = batches[0].chunks[1].id
    assert edges["entity", "in", "chunk"][entity_id(corpus, "ada"), second] == 2


def test_the_neighbourhood_of_a_question(
    store: GraphStore, corpus: str, batches: list[GraphBatch], vector: Callable
) -> None:
    babbage = batches[1].chunks[0]
    near = question_neighbourhood(
        store, corpus, babbage.embedding, chunks=1, sentences=0, triples=0, entities=0
    )
    assert near == [babbage.id, batches[0].chunks[0].id]  # and what shares a name with it
    ada = batches[0].chunks
    stated = question_neighbourhood(
        store,
        corpus,
        vector("Ada know Babbage"),
        chunks=0,
        sentences=0,
        triples=1,
        entities=0,
        node_limit=6,
    )
    assert stated == [babbage.id]
    named = question_neighbourhood(
        store, corpus, vector("radium"), chunks=1, sentences=0, triples=0, entities=1
    )
    assert batches[2].chunks[0].id in named[:2]
    everything = question_neighbourhood(store, corpus, vector("anything"))
    assert set(everything) == {row.id for b in batches for row in b.chunks}
    for limit in (1, 6, 12):
        part = question_neighbourhood(store, corpus, vector("anything"), node_limit=limit)
        data = export_hetero_data(store, corpus, part)
        assert sum(len(data[kind].ids) for kind in data.node_types) <= limit
        assert part == everything[: len(part)]
    assert ada[0].id in everything
    assert question_neighbourhood(store, "elsewhere", vector("x")) == []


def test_ids_and_edges_grow_past_what_was_expected() -> None:
    names = [f"e{number:024d}" for number in range(3000)]
    ids = Ids.collect(reversed(names), 10, sort=True)
    assert list(ids) == names
    assert ids.rows([names[7], "e0", names[2999]]).tolist() == [7, -1, 2999]
    edges = Edges(ids, ids, 1, np.int8)
    for start in range(0, 3000, 500):
        pairs = [(name, names[0]) for name in names[start : start + 500]]
        kept = edges.append([*pairs, ("e0", names[0])], [*([1] * 500), 2])
        assert kept.tolist() == [True] * 500 + [False]
    assert edges.index.shape == (2, 3000)
    assert set(edges.values.tolist()) == {1}
    assert Ids.collect([], 0).rows(["e0"]).tolist() == [-1]
    with pytest.raises(IndexError):
        ids[3000]


def test_what_goes_while_it_is_read_is_left_out(
    store: GraphStore, corpus: str, batches: list[GraphBatch]
) -> None:
    # what was deleted behind the index that found it has no properties any more
    store.run_declared(
        "CYPHER 25 MATCH (c:Chunk {id: $id}) "
        "CREATE (c)-[:NEXT_CHUNK]->(:Chunk {corpus: $corpus}) "
        "CREATE (c)<-[:IN_CHUNK]-(:Sentence {corpus: $corpus}) "
        "CREATE (c)<-[:MENTIONED_IN]-(e:Entity {corpus: $corpus, named: true, type: 'PERSON'}) "
        "CREATE (e)-[:MENTIONED_IN]->(:Chunk {corpus: $corpus}) "
        "CREATE (e)-[:RELATION {corpus: $corpus}]->(e) "
        "CREATE (e)-[:RELATION {corpus: $corpus, chunk_id: $id}]->(e)",
        {"corpus": corpus, "id": batches[0].chunks[0].id},
    )
    assert found(export_hetero_data(store, corpus)) == expected(batches)
    assert None not in dict(export_entity_names(store, corpus))
    chunks = {row.id for batch in batches for row in batch.chunks}
    assert {chunk.id for chunk in export_chunks(store, corpus)} == chunks
    assert {chunk.id for chunk in export_hyperrelations(store, corpus)} == chunks
    assert None not in {shared.id for shared in shared_entities(store, corpus, 9, 1)}
