"""Documents that are deleted or replaced while others work on them."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest

from clew_cypher import corpora
from clew_cypher.corpora import corpus_counts, delete_corpus, ensure_corpus, get_corpus
from clew_cypher.errors import DocumentGone, UnknownCorpus, UnknownDocument
from clew_cypher.ids import content_id, entity_id
from clew_cypher.kinds import KIND_OF_TYPE
from clew_cypher.rows import DocumentRow, GraphBatch
from clew_cypher.searching.documents import get_document, list_documents
from clew_cypher.store import GraphStore, Transaction
from clew_cypher.writing.documents import (
    accept_document,
    delete_document,
    document_data,
    document_parameters,
    fail_document,
    finish_collection,
    put_off_document,
)
from clew_cypher.writing.knowledge_bases import finish_knowledge_base, write_knowledge
from clew_cypher.writing.writer import write_batch

Accept = Callable[..., DocumentRow]


@pytest.fixture
def accept(store: GraphStore, corpus: str) -> Accept:
    """Accepts a file in a version, and returns it."""
    ensure_corpus(store, corpus, embedder="hash", dimension=384)

    def call(version: str = "1", uri: str = "all.jsonl", fingerprint: str = "f") -> DocumentRow:
        made = DocumentRow(
            content_id("d", corpus, uri), uri, uri, "text/plain", version, fingerprint=fingerprint
        )
        accept_document(
            store,
            corpus,
            uri=uri,
            title=uri,
            media_type="text/plain",
            sha256=version,
            data=version.encode(),
            fingerprint=fingerprint,
        )
        return made

    return call


@pytest.fixture
def record(make_batch: Callable[..., GraphBatch]) -> Callable[[DocumentRow, str], GraphBatch]:
    """``record(file, "Ada")``: a record of a file in its version, with one chunk."""

    def make(file: DocumentRow, title: str) -> GraphBatch:
        batch = make_batch(title, [f"{title} slept."], uri=f"{file.uri}#{title}", parent_id=file.id)
        row = replace(batch.documents[0], fingerprint=file.fingerprint, parent_sha256=file.sha256)
        return replace(batch, documents=(row,))

    return make


@contextmanager
def waited_for(store: GraphStore, work: Callable[[], object]) -> Iterator[Transaction]:
    """A transaction that ends when ``work``, begun at the end of the block, waits for its locks."""
    with ThreadPoolExecutor(1) as pool:
        with store.transaction() as transaction:
            yield transaction
            waiting = pool.submit(work)
            for _ in range(600):
                time.sleep(0.05)
                if waiting.done() or blocked(store):
                    break
        waiting.result(timeout=60)


def blocked(store: GraphStore) -> bool:
    rows = store.run_declared(
        "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"
    )
    return bool(rows)


def test_records_that_come_while_their_file_is_deleted_go_with_it(
    store: GraphStore, corpus: str, accept: Accept, record: Callable
) -> None:
    file = accept()
    write_batch(store, corpus, record(file, "Ada"))
    late = record(file, "Byron").documents[0]
    with waited_for(store, lambda: delete_document(store, corpus, file.id)) as transaction:
        transaction.run("lock_documents", corpus=corpus, ids=[file.id])
        transaction.run("write_documents", corpus=corpus, rows=[document_parameters(late)])
    assert set(corpus_counts(store, corpus).values()) == {0}


def test_a_file_that_comes_while_its_corpus_is_deleted_goes_with_it(
    store: GraphStore, corpus: str, accept: Accept, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = accept()
    dropped = corpora.drop_projections
    late: list[DocumentRow] = []

    def meanwhile(store: GraphStore, name: str) -> None:
        if not late:
            late.append(accept(uri="late.txt"))
        dropped(store, name)

    monkeypatch.setattr(corpora, "drop_projections", meanwhile)
    delete_corpus(store, corpus)
    assert late[0].id != first.id
    with pytest.raises(UnknownCorpus):
        get_corpus(store, corpus)
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert set(corpus_counts(store, corpus).values()) == {0}


def test_a_file_that_waits_for_the_deletion_of_its_corpus_is_refused(
    store: GraphStore, corpus: str, accept: Accept
) -> None:
    accept()
    refused: list[UnknownCorpus] = []

    def late() -> None:
        with pytest.raises(UnknownCorpus) as caught:
            accept(uri="late.txt")
        refused.append(caught.value)

    corpora.delete_corpus_content(store, corpus)
    with waited_for(store, late) as transaction:
        transaction.run("lock_corpus", corpus=corpus)
        assert transaction.run("delete_corpus", corpus=corpus)[0]["deleted"]
    assert len(refused) == 1
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert set(corpus_counts(store, corpus).values()) == {0}


def test_lines_that_come_while_their_file_is_deleted_go_with_it(
    store: GraphStore, corpus: str, accept: Accept
) -> None:
    file = accept(uri="facts.tsv")
    ends = {key: entity_id(corpus, key) for key in ("curie", "radium")}
    rows = [
        {"id": id_, "key": key, "name": key, "type": "", "named": True, "iri": None}
        for key, id_ in sorted(ends.items())
    ]
    line = {
        "id": content_id("t", file.id),
        "line": 1,
        "head_id": ends["curie"],
        "tail_id": ends["radium"],
        "relation": "found",
        "predicate": "find",
    }
    with waited_for(store, lambda: delete_document(store, corpus, file.id)) as transaction:
        transaction.run("lock_documents", corpus=corpus, ids=[file.id])
        transaction.run("write_named_entities", corpus=corpus, kinds=KIND_OF_TYPE, rows=rows)
        transaction.run("write_lines", corpus=corpus, document_id=file.id, version="1", rows=[line])
    assert set(corpus_counts(store, corpus).values()) == {0}


@pytest.mark.parametrize("whole", [False, True])
def test_a_record_does_not_fail_without_its_file(
    store: GraphStore, corpus: str, accept: Accept, record: Callable, whole: bool
) -> None:
    file = accept()
    row = record(file, "Ada").documents[0]
    if whole:
        delete_corpus(store, corpus)
    else:
        delete_document(store, corpus, file.id)
    with pytest.raises(DocumentGone):
        fail_document(store, corpus, row.id, "It has no text.", row=row)
    assert (
        store.run_declared(
            "CYPHER 25 MATCH (d:Document {corpus: $corpus}) RETURN d.uri AS uri", {"corpus": corpus}
        )
        == []
    )


def test_a_file_that_is_replaced_is_not_finished_nor_are_its_records_touched(
    store: GraphStore, corpus: str, accept: Accept, record: Callable
) -> None:
    old = accept("1")
    write_batch(store, corpus, record(old, "Ada"))
    new = accept("2")
    write_batch(store, corpus, record(new, "Byron"))
    for refused in (
        lambda: write_batch(store, corpus, record(old, "Curie")),
        lambda: fail_document(store, corpus, "d0", "x", row=record(old, "Curie").documents[0]),
        lambda: finish_collection(store, corpus, old, [record(old, "Ada").documents[0].id]),
    ):
        with pytest.raises(DocumentGone) as caught:
            refused()
        assert old.id in caught.value.ids
    found = get_document(store, corpus, old.id)
    assert (found["status"], found["sha256"]) == ("accepted", "2")
    assert document_data(store, old.id) == b"2"
    finish_collection(store, corpus, new, [record(new, "Byron").documents[0].id])
    assert [row["title"] for row in list_documents(store, corpus, parent_id=old.id)] == ["Byron"]


@pytest.mark.parametrize("other", [{"version": "2"}, {"fingerprint": "g"}])
def test_a_file_that_is_replaced_does_not_fail_for_what_it_was(
    store: GraphStore, corpus: str, accept: Accept, other: dict[str, str]
) -> None:
    old = accept()
    accept(**other)
    for refused in (
        lambda: fail_document(store, corpus, old.id, "It is broken.", row=old),
        lambda: put_off_document(store, corpus, old.id, "It was killed.", row=old),
        lambda: finish_knowledge_base(store, corpus, old, vectors=True, seconds=0.1),
    ):
        with pytest.raises(DocumentGone):
            refused()
    assert get_document(store, corpus, old.id)["status"] == "accepted"
    assert document_data(store, old.id)


def test_bytes_that_go_while_they_are_read(store: GraphStore, corpus: str, accept: Accept) -> None:
    file = accept()
    # of two parts that were counted, another run took the first meanwhile
    store.run_declared(
        "CYPHER 25 MATCH (:Document {id: $id})<-[:BLOB_OF]-(b:Blob) SET b.position = 1",
        {"id": file.id},
    )
    with pytest.raises(UnknownDocument):
        document_data(store, file.id)


def test_a_knowledge_base_whose_corpus_goes(store: GraphStore, corpus: str, accept: Accept) -> None:
    file = accept()
    delete_corpus(store, corpus)
    with pytest.raises(UnknownCorpus):
        write_knowledge(store, corpus, file, [], [], {})
