"""Writing: the same twice is once, in any order; what is replaced or refused leaves nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from clew_cypher.corpora import corpus_counts, corpus_revision, ensure_corpus
from clew_cypher.errors import (
    DocumentGone,
    EmbeddingDimensionMismatch,
    EntityVectorsMissing,
    GraphError,
    UnknownCorpus,
)
from clew_cypher.ids import content_id
from clew_cypher.rows import GraphBatch, KeptChunk
from clew_cypher.searching.documents import document_text, get_document
from clew_cypher.searching.entities import find_entities
from clew_cypher.store import GraphStore, Transaction
from clew_cypher.titles.linking import link_titles
from clew_cypher.writing.documents import delete_document
from clew_cypher.writing.writer import existing_ids, write_batch

from .conftest import accept

ADA = ("Ada", ["Ada knew Byron. Byron wrote in 1816.", "Ada met Babbage."])
BABBAGE = ("Babbage", ["Babbage built Engines. Ada wrote to Babbage."])

Snapshot = Callable[[str], dict[str, object]]


def test_writes_what_the_batch_holds(store: GraphStore, corpus: str, ingest: Callable) -> None:
    counts = ingest(*ADA)
    assert (counts.documents, counts.chunks, counts.sentences) == (1, 2, 3)
    assert corpus_counts(store, corpus) == {
        "documents": 1,
        "collections": 0,
        "failed": 0,
        "accepted": 0,
        "chunks": 2,
        "sentences": 3,
        "entities": 4,
        "concepts": 0,
        "mentions": 5,
        "triples": 0,
        "failed_chunks": 0,
    }
    assert counts.revision == corpus_revision(store, corpus) == 1


def test_writing_twice_changes_nothing(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable, snapshot: Snapshot
) -> None:
    ingest(*ADA)
    before = snapshot(corpus)
    write_batch(store, corpus, make_batch(*ADA))
    link_titles(store, corpus)
    assert snapshot(corpus) == before


def test_the_order_of_documents_leaves_no_trace(
    store: GraphStore, ingest: Callable, corpus: str, snapshot: Snapshot
) -> None:
    surfaces = [("Zoe", ["ada Zoe. Zoe."]), ADA, BABBAGE]
    for document in surfaces:
        ingest(*document)
    first = snapshot(corpus)
    for document in surfaces:
        delete_document(store, corpus, content_id("d", corpus, f"{document[0]}.txt"))
    assert snapshot(corpus) == {"nodes": [], "edges": []}
    for document in reversed(surfaces):
        ingest(*document)
    assert snapshot(corpus) == first


def test_a_replaced_version_leaves_nothing(
    store: GraphStore, corpus: str, ingest: Callable, snapshot: Snapshot
) -> None:
    ingest("Ada", ["Ada met Babbage. Ada slept."])
    clean = snapshot(corpus)
    delete_document(store, corpus, content_id("d", corpus, "Ada.txt"))
    ingest("Ada", ["Ada knew Byron.", "Ada met Curie.", "Ada left."])
    counts = ingest("Ada", ["Ada met Babbage. Ada slept."])
    assert counts.removed_chunks == 3
    assert counts.removed_entities == 2
    assert snapshot(corpus) == clean
    assert not find_entities(store, corpus, ["byron", "curie"])


def test_a_shared_chunk_survives_a_new_version(
    store: GraphStore, corpus: str, ingest: Callable
) -> None:
    ingest("Ada", ["Ada met Babbage.", "Ada knew Byron."])
    ingest("Ada", ["Ada met Babbage.", "Ada knew Curie."])
    text = document_text(store, corpus, content_id("d", corpus, "Ada.txt"))
    assert [row["text"] for row in text] == ["Ada met Babbage.", "Ada knew Curie."]
    assert {row["key"] for row in find_entities(store, corpus, ["byron", "babbage"])} == {"babbage"}


def test_a_chunk_written_again_with_less_loses_the_rest(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable
) -> None:
    """Another parser may see other sentences and entities in the same text."""
    ingest("Ada", ["Ada knew Byron. Ada met Babbage."])
    full = make_batch("Ada", ["Ada knew Byron. Ada met Babbage."])
    byron = content_id("e", corpus, "byron")
    kept = {full.sentences[1].id}
    less = replace(
        full,
        sentences=[row for row in full.sentences if row.id in kept],
        entities=[row for row in full.entities if row.id != byron],
        mentions=[row for row in full.mentions if row.entity_id != byron],
        roles=[row for row in full.roles if row.sentence_id in kept],
    )
    write_batch(store, corpus, less)
    counts = corpus_counts(store, corpus)
    assert (counts["sentences"], counts["entities"], counts["mentions"]) == (1, 2, 2)


def of_chunk(whole: GraphBatch, position: int) -> GraphBatch:
    """The part of a batch that is of one chunk."""
    chunk = whole.chunks[position]
    sentences = [row for row in whole.sentences if row.chunk_id == chunk.id]
    ids = {row.id for row in sentences}
    return replace(
        whole,
        chunks=[chunk],
        sentences=sentences,
        mentions=[row for row in whole.mentions if row.chunk_id == chunk.id],
        roles=[row for row in whole.roles if row.sentence_id in ids],
    )


def test_a_document_in_slices_is_ready_with_the_last(
    store: GraphStore, corpus: str, make_batch: Callable
) -> None:
    whole = make_batch("Ada", ["Ada knew Byron.", "Ada met Babbage."])
    accept(store, corpus, whole)
    key = whole.documents[0].id
    first, second = whole.chunks
    write_batch(store, corpus, replace(of_chunk(whole, 0), finished=()))
    assert get_document(store, corpus, key)["status"] == "accepted"
    write_batch(store, corpus, of_chunk(whole, 1))
    found = get_document(store, corpus, key)
    assert (found["status"], found["chunks"], found["error"]) == ("ready", 2, None)
    links = store.run_declared(
        "CYPHER 25 MATCH (:Chunk {id: $a})-[:NEXT_CHUNK]->(:Chunk {id: $b}) RETURN count(*) AS n",
        {"a": first.id, "b": second.id},
    )
    assert links[0]["n"] == 1
    follow = store.run_declared(
        "CYPHER 25 MATCH (a:Sentence {corpus: $corpus})-[:NEXT_SENTENCE]->(b) "
        "RETURN a.text AS a, b.text AS b",
        {"corpus": corpus},
    )
    assert follow == [{"a": "Ada knew Byron.", "b": "Ada met Babbage."}]


def test_what_is_added_in_a_batch_of_its_own_is_linked_once(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable
) -> None:
    texts = ["Ada slept.", "Ada woke.", "Ada left."]
    ingest("Ada", texts[:2])
    new = make_batch("Ada", texts)
    accept(store, corpus, new)
    kept = tuple(KeptChunk(row.id, row.document_id, row.position) for row in new.chunks[:2])
    write_batch(store, corpus, GraphBatch(new.documents, (), (), (), (), kept=kept))
    write_batch(store, corpus, of_chunk(new, 2))
    for label, kind in (("Chunk", "NEXT_CHUNK"), ("Sentence", "NEXT_SENTENCE")):
        rows = store.run_declared(
            f"CYPHER 25 MATCH (a:{label} {{corpus: $corpus}})-[:{kind}]->(b) "
            "RETURN a.text AS before, b.text AS after ORDER BY a.text",
            {"corpus": corpus},
        )
        assert [(row["before"], row["after"]) for row in rows] == [
            ("Ada slept.", "Ada woke."),
            ("Ada woke.", "Ada left."),
        ]


def test_names_and_types_follow_all_mentions(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable
) -> None:
    def renamed(uri: str, surface: str, kind: str, count: int) -> None:
        batch = make_batch("Notes", ["Ada spoke."], uri=uri)
        accept(store, corpus, batch)
        ada = content_id("e", corpus, "ada")
        mentions = [
            replace(row, surface=surface, type=kind, count=count) if row.entity_id == ada else row
            for row in batch.mentions
        ]
        write_batch(store, corpus, replace(batch, mentions=mentions))

    def ada() -> tuple[str, str]:
        (row,) = find_entities(store, corpus, ["ada"])
        return row["name"], row["type"]

    renamed("1", "ADA", "ORG", 2)
    assert ada() == ("ADA", "ORG")
    renamed("2", "Ada", "PERSON", 3)
    assert ada() == ("Ada", "PERSON")
    renamed("3", "Ada L.", "PERSON", 3)
    assert ada() == ("Ada L.", "PERSON")  # as many: the longest
    delete_document(store, corpus, content_id("d", corpus, "3"))
    delete_document(store, corpus, content_id("d", corpus, "2"))
    assert ada() == ("ADA", "ORG")


def test_other_names_go_with_the_title_that_brought_them(
    store: GraphStore, corpus: str, ingest: Callable
) -> None:
    ingest("Ada", ["Ada slept."], aliases=["countess"])
    ingest("Byron", ["Byron named Ada."])
    (row,) = find_entities(store, corpus, ["countess"])
    assert (row["key"], row["matched"], row["chunk_count"]) == ("ada", "alias", 2)
    delete_document(store, corpus, content_id("d", corpus, "Ada.txt"))
    assert find_entities(store, corpus, ["countess"]) == []
    assert find_entities(store, corpus, ["ada"])[0]["chunk_count"] == 1


def test_another_dimension_is_refused(store: GraphStore, corpus: str, make_batch: Callable) -> None:
    batch = make_batch(*ADA)
    accept(store, corpus, batch)
    short = [replace(row, embedding=np.ones(3, np.float32)) for row in batch.chunks]
    with pytest.raises(EmbeddingDimensionMismatch, match=r"\[3\].*384") as caught:
        write_batch(store, corpus, replace(batch, chunks=short))
    assert "another corpus" in caught.value.remedy
    assert corpus_counts(store, corpus)["chunks"] == 0


def test_a_deleted_document_does_not_come_back(
    store: GraphStore, corpus: str, make_batch: Callable
) -> None:
    batch = make_batch(*ADA)
    key = batch.documents[0].id
    accept(store, corpus, batch)
    delete_document(store, corpus, key)
    with pytest.raises(DocumentGone) as caught:
        write_batch(store, corpus, batch)
    assert caught.value.ids == (key,)
    assert existing_ids(store, "Document", [key]) == set()


def test_an_older_version_does_not_overwrite_a_newer_one(
    store: GraphStore, corpus: str, make_batch: Callable
) -> None:
    old, new = make_batch("Ada", ["Ada slept."]), make_batch("Ada", ["Ada woke."])
    accept(store, corpus, old)
    accept(store, corpus, new)
    with pytest.raises(DocumentGone):
        write_batch(store, corpus, old)
    write_batch(store, corpus, new)
    assert [r["text"] for r in document_text(store, corpus, new.documents[0].id)] == ["Ada woke."]


def test_an_entity_without_vector_must_be_in_the_graph(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable
) -> None:
    batch = make_batch(*ADA)
    accept(store, corpus, batch)
    bare = replace(batch, entities=[replace(row, embedding=None) for row in batch.entities])
    with pytest.raises(EntityVectorsMissing) as caught:
        write_batch(store, corpus, bare)
    assert set(caught.value.ids) == {row.id for row in batch.entities}
    assert corpus_counts(store, corpus)["entities"] == 0
    write_batch(store, corpus, batch)
    assert write_batch(store, corpus, bare).entities == 4


def test_a_row_that_hangs_in_the_air_is_refused(
    store: GraphStore, corpus: str, make_batch: Callable
) -> None:
    batch = make_batch(*ADA)
    accept(store, corpus, batch)
    with pytest.raises(GraphError, match="write_mentions"):
        write_batch(store, corpus, replace(batch, entities=batch.entities[1:], roles=[]))
    assert corpus_counts(store, corpus)["chunks"] == 0


def test_a_guard_refuses_the_whole_batch(
    store: GraphStore, corpus: str, make_batch: Callable
) -> None:
    batch = make_batch(*ADA)
    accept(store, corpus, batch)

    def lost(transaction: Transaction) -> None:
        raise PermissionError("the lease is another's")

    with pytest.raises(PermissionError, match="lease"):
        write_batch(store, corpus, batch, guard=lost)
    assert corpus_counts(store, corpus)["chunks"] == 0


def test_unknown_corpus_and_label(store: GraphStore, make_batch: Callable) -> None:
    with pytest.raises(UnknownCorpus, match="nowhere"):
        write_batch(store, "nowhere", make_batch(*ADA))
    with pytest.raises(ValueError, match="Corpus"):
        existing_ids(store, "Corpus", [])


def test_existing_ids(store: GraphStore, corpus: str, ingest: Callable) -> None:
    ingest(*ADA)
    known, unknown = content_id("e", corpus, "ada"), content_id("e", corpus, "nobody")
    assert existing_ids(store, "Entity", [known, unknown, known]) == {known}
    ensure_corpus(store, corpus, embedder="hash", dimension=384)


def test_writers_and_deleters_at_once(
    store: GraphStore, corpus: str, ingest: Callable, snapshot: Snapshot
) -> None:
    """Documents that share their entities, written and deleted by four threads."""
    names = ["Ada", "Babbage", "Byron", "Curie"]
    kept = [(f"Kept{c}", [f"{a} met {b}."]) for c in "abcdef" for a, b in [names[:2]]]
    doomed = [
        (f"Gone{c}", [f"{a} met {b} and {c.upper()}x."]) for c in "abcdef" for a, b in [names[2:]]
    ]

    def write_and_delete(document: tuple[str, list[str]]) -> None:
        ingest(*document)
        delete_document(store, corpus, content_id("d", corpus, f"{document[0]}.txt"))

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(ingest, *document) for document in kept]
        futures += [pool.submit(write_and_delete, document) for document in doomed]
        for future in futures:
            future.result(timeout=120)
    parallel = snapshot(corpus)
    for document in kept:
        delete_document(store, corpus, content_id("d", corpus, f"{document[0]}.txt"))
    assert snapshot(corpus) == {"nodes": [], "edges": []}
    for document in kept:
        ingest(*document)
    assert snapshot(corpus) == parallel
