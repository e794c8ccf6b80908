"""Reading triples, and whether cited ones exist."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from clew_cypher.checking.validity import Cited, CitedEdge, existing
from clew_cypher.errors import GraphError, UnknownChunk
from clew_cypher.export.question_neighbourhood import triples_of_chunks, triples_of_entity
from clew_cypher.ids import content_id, entity_id
from clew_cypher.rows import EntityRow, TripleRow
from clew_cypher.searching.chunks import chunk_provenance
from clew_cypher.searching.entities import entity_passages, entity_triples
from clew_cypher.searching.triples import (
    Surroundings,
    nearest_triples,
    triple_vectors,
    triples_stated_by,
)
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import accept_document
from clew_cypher.writing.writer import write_batch

DIMENSION = 384


@pytest.fixture
def say(
    store: GraphStore, corpus: str, make_batch: Callable, vector: Callable
) -> Callable[..., list[TripleRow]]:
    """Writes a document of one chunk with triples, each embedded as its predicate.

    ``shared``: those predicates whose triples have the vector of their sentence.
    """

    def write(
        title: str, text: str, *triples: Sequence[str], shared: Sequence[str] = ()
    ) -> list[TripleRow]:
        batch = make_batch(title, [text])
        row = batch.documents[0]
        entities = {entity.id: entity for entity in batch.entities}
        rows = []
        for head, predicate, tail in triples:
            ends = entity_id(corpus, head.lower()), entity_id(corpus, tail.lower())
            for key, name in zip(ends, (head, tail), strict=True):
                entities.setdefault(key, EntityRow(key, name.lower(), vector(name.lower())))
            sentence = next(s for s in batch.sentences if head in s.text)
            rows.append(
                TripleRow(
                    content_id("t", sentence.id, head, predicate, tail),
                    *ends,
                    *(head, predicate, tail, sentence.text, sentence.chunk_id, sentence.id),
                    "rules",
                    None if predicate in shared else vector(predicate),
                )
            )
        accept_document(
            store,
            corpus,
            uri=row.uri,
            title=title,
            media_type="text/plain",
            sha256=row.sha256,
            data=b"",
        )
        batch = replace(batch, entities=tuple(entities.values()), triples=rows)
        write_batch(store, corpus, batch)
        return rows

    return write


def test_the_nearest_triples(
    store: GraphStore, corpus: str, say: Callable, vector: Callable
) -> None:
    meet, be = say("Ada", "Ada met Byron.", ("Ada", "meet", "Byron"), ("Ada", "be", "a poet"))
    found = nearest_triples(store, corpus, vector("be"), 5)
    assert [row["id"] for row in found] == [be.id, meet.id]
    assert found[0]["score"] == pytest.approx(1, abs=1e-6)
    assert found[1]["score"] == pytest.approx(float(vector("be") @ vector("meet")), abs=1e-6)
    assert found[0]["head_entity"] == {
        "id": be.head_id,
        "key": "ada",
        "name": "Ada",
        "type": "PERSON",
        "named": True,
    }
    assert found[0]["tail_entity"]["type"] == "CONCEPT"
    assert found[0]["ttr"] == "Ada met Byron."
    assert len(nearest_triples(store, corpus, vector("be"), 1)) == 1
    assert nearest_triples(store, "elsewhere", vector("be"), 5) == []


def test_a_triple_without_vector_has_that_of_its_sentence(
    store: GraphStore, corpus: str, say: Callable, vector: Callable
) -> None:
    said = (("Ada", "meet", "Byron"), ("Ada", "be", "a poet"), ("Byron", "be", "a lord"))
    meet, be, lord = say("Ada", "Ada met Byron. Ada slept.", *said, shared=["meet"])
    asked = vector("Ada met Byron.")
    cosines = {
        meet.id: 1.0,
        be.id: float(asked @ vector("be")),
        lord.id: float(asked @ vector("be")),
    }
    order = sorted(cosines, key=lambda key: (-cosines[key], key))
    rows = nearest_triples(store, corpus, asked, 5)
    stated = triples_stated_by(store, corpus, [meet.chunk_id], asked, 5)
    for found in (rows, stated):
        assert [row["id"] for row in found] == order
        assert [row["score"] for row in found] == pytest.approx([cosines[key] for key in order])
    around = Surroundings(store, corpus, asked)
    around.read([meet.head_id])
    assert [way.triple for way in around.ways(meet.head_id)] == [
        key for key in order if key != lord.id
    ]
    assert around.ways(meet.head_id)[order.index(meet.id)].score == pytest.approx(1)
    vectors = triple_vectors(store, corpus, [meet.id, be.id], DIMENSION)
    expected = {meet.id: asked, be.id: vector("be")}
    assert vectors == pytest.approx(np.stack([expected[key] for key in sorted(expected)]))


def test_a_triple_has_a_vector_or_the_text_of_its_sentence(
    store: GraphStore, corpus: str, say: Callable, make_batch: Callable
) -> None:
    (row,) = say("Ada", "Ada met Byron.", ("Ada", "meet", "Byron"), shared=["meet"])
    batch = replace(make_batch("Ada", ["Ada met Byron."]), triples=(replace(row, ttr="Else."),))
    with pytest.raises(GraphError, match="neither a vector nor the text of a sentence"):
        write_batch(store, corpus, batch)


def test_triples_of_chunks_come_in_the_order_asked(
    store: GraphStore, corpus: str, say: Callable
) -> None:
    (b,) = say("Byron", "Byron wrote.", ("Byron", "write", "a poem"))
    second, first = say(
        "Ada", "Ada slept. Curie met Ada.", ("Curie", "meet", "Ada"), ("Ada", "sleep", "a night")
    )
    found = triples_of_chunks(store, corpus, [first.chunk_id, "c0", b.chunk_id, first.chunk_id])
    assert [row["id"] for row in found] == [first.id, second.id, b.id]
    assert triples_of_chunks(store, "elsewhere", [b.chunk_id]) == []
    assert triples_of_chunks(store, corpus, []) == []


def test_triples_of_an_entity(store: GraphStore, corpus: str, say: Callable) -> None:
    meet, loop = say("Ada", "Ada met Byron.", ("Ada", "meet", "Byron"), ("Ada", "be", "Ada"))
    found = triples_of_entity(store, corpus, entity_id(corpus, "ada"), 9)
    assert [row["id"] for row in found] == [loop.id, meet.id]
    (row,) = triples_of_entity(store, corpus, entity_id(corpus, "byron"), 9)
    assert (row["head"], row["predicate"], row["tail"]) == ("Ada", "meet", "Byron")
    assert len(triples_of_entity(store, corpus, entity_id(corpus, "ada"), 1)) == 1
    assert triples_of_entity(store, "elsewhere", entity_id(corpus, "ada"), 9) == []


def test_what_is_cited_is_looked_up_by_kind_and_direction(
    store: GraphStore, corpus: str, say: Callable
) -> None:
    (meet,) = say("Ada", "Ada met Byron.", ("Ada", "meet", "Byron"))
    head, tail, chunk = meet.head_id, meet.tail_id, meet.chunk_id
    (row,) = store.run_declared(
        "MATCH (s:Sentence)-[:IN_CHUNK]->(:Chunk {id: $id}) RETURN s.id AS id", {"id": chunk}
    )
    sentence = row["id"]
    real = {
        CitedEdge(head, chunk, "MENTIONED_IN"),
        CitedEdge(head, tail, "RELATION"),
        CitedEdge(head, sentence, "HEAD_OF"),
        CitedEdge(sentence, tail, "HAS_TAIL"),
        CitedEdge(sentence, chunk, "IN_CHUNK"),
    }
    turned = {CitedEdge(edge.target, edge.source, edge.kind) for edge in real}
    there = Cited(
        chunks=frozenset([chunk]),
        entities=frozenset([head, tail]),
        sentences=frozenset([sentence]),
        triples=frozenset([meet.id]),
        edges=frozenset(real),
    )
    invented = Cited(
        chunks=frozenset(["c0"]),
        entities=frozenset([chunk]),
        sentences=frozenset([head]),
        triples=frozenset(["t0"]),
        edges=frozenset(turned | {CitedEdge(head, chunk, "RELATION")}),
    )
    both = Cited.union([there, invented])
    found = existing(store, corpus, both)
    assert found == there
    assert both - found == invented
    assert len(both) == len(there) + len(invented) == 10 + 10
    assert len(invented.words()) == 10
    assert existing(store, "elsewhere", both) == Cited()


@pytest.mark.parametrize(
    "name",
    ["delete_triples_of_chunks", "entities_of_chunks", "triples_of_chunks", "existing_triples"],
)
def test_triples_are_found_by_index(store: GraphStore, name: str) -> None:
    from clew_cypher.statements import statement

    found = statement(name)
    rows = store.run_declared(f"EXPLAIN {found.text}", dict.fromkeys(found.parameters))
    assert rows == []
    with store._session("READ") as session:  # the plan is not among the rows
        plan = session.run(f"EXPLAIN {found.text}", dict.fromkeys(found.parameters)).consume().plan
    assert plan is not None
    operators: list[str] = []
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        operators.append(node["operatorType"].split("@")[0])
        waiting += node.get("children", [])
    assert not [name for name in operators if "Scan" in name]
    assert [name for name in operators if name.startswith("DirectedRelationship")]


def test_a_chunk_is_read_down_to_its_triples_and_an_entity_up_to_them(
    store: GraphStore, corpus: str, say: Callable
) -> None:
    (meet,) = say("Ada", "Ada met Byron. It rained.", ("Ada", "meet", "Byron"))
    found = chunk_provenance(store, corpus, meet.chunk_id)
    assert (found["document"], found["position"]) == ("Ada", 0)
    (first, *_) = found["sentences"]
    assert [one["name"] for one in first["heads"]] == ["Ada"]
    assert [one["name"] for one in first["tails"]] == ["Byron"]
    assert {"Ada", "Byron"} <= {one["name"] for one in found["mentions"]}
    (stated,) = found["triples"]
    assert (stated["sentence_id"], stated["predicate"]) == (first["id"], "meet")
    for end in (meet.head_id, meet.tail_id):
        (triple,) = entity_triples(store, corpus, end, 10)
        assert (triple["head"], triple["tail"]) == ("Ada", "Byron")
        assert triple["document_id"] == found["document_id"]
        (passage,) = entity_passages(store, corpus, end, 10)
        assert passage["chunk_id"] == meet.chunk_id
    with pytest.raises(UnknownChunk):
        chunk_provenance(store, corpus, "none")


def test_of_many_triples_of_an_entity_some_of_every_predicate_are_shown(
    store: GraphStore, corpus: str, say: Callable
) -> None:
    said = [
        say(f"Ada {number} {predicate}", f"Ada {predicate}s Byron.", ("Ada", predicate, "Byron"))[0]
        for number in range(4)
        for predicate in ("annoy", "befriend", "call")
    ]
    ada = said[0].head_id
    everything = entity_triples(store, corpus, ada, 50)
    assert [row["predicate"] for row in everything] == [
        *("annoy",) * 4, *("befriend",) * 4, *("call",) * 4
    ]  # fmt: skip
    shown = entity_triples(store, corpus, ada, 5)
    assert sorted(row["id"] for row in shown) == sorted(triple.id for triple in said)[:5]
    assert [row["predicate"] for row in shown] == sorted(row["predicate"] for row in shown)
