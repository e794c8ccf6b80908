"""Documents: accepted with their bytes, then ready or failed; deleted without a rest."""

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from clew_cypher.checking.checks import check_corpus
from clew_cypher.corpora import corpus_counts, corpus_revision, ensure_corpus
from clew_cypher.errors import DocumentGone, UnknownCorpus, UnknownDocument
from clew_cypher.ids import content_id
from clew_cypher.jobs.ledger import cancel_job, create_job
from clew_cypher.rows import DocumentRow, GraphBatch
from clew_cypher.searching.documents import (
    count_documents,
    document_text,
    documents_called,
    get_document,
    list_documents,
    unchanged_records,
)
from clew_cypher.store import GraphStore
from clew_cypher.titles.linking import link_titles
from clew_cypher.writing import removal
from clew_cypher.writing.documents import (
    AcceptedDocument,
    accept_document,
    accepted_documents,
    delete_document,
    document_data,
    fail_document,
    finish_collection,
    put_off_document,
    reaccept_documents,
)
from clew_cypher.writing.writer import write_batch

from .conftest import accept as accept_batch


@pytest.fixture
def accept(store: GraphStore, corpus: str) -> Callable[..., AcceptedDocument]:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)

    def call(
        uri: str = "a.txt", data: bytes = b"text", sha256: str = "1", job_id: str | None = None
    ) -> AcceptedDocument:
        return accept_document(
            store,
            corpus,
            uri=uri,
            title=uri,
            media_type="text/plain",
            sha256=sha256,
            data=data,
            job_id=job_id,
        )

    return call


def row_of(store: GraphStore, corpus: str, document_id: str) -> DocumentRow:
    """The version that a document is in now."""
    found = get_document(store, corpus, document_id)
    named = {name: found[name] for name in ("uri", "title", "media_type", "sha256", "fingerprint")}
    return DocumentRow(document_id, **named)


def test_bytes_are_kept_whole_and_in_order(store: GraphStore, accept: Callable) -> None:
    data = os.urandom(9 * 2**20 + 5)
    accepted = accept(data=data)
    assert accepted.changed
    assert document_data(store, accepted.id) == data
    smaller = accept(data=b"new", sha256="2")
    assert smaller.id == accepted.id
    assert document_data(store, accepted.id) == b"new"


def test_empty_bytes(store: GraphStore, accept: Callable) -> None:
    assert document_data(store, accept(data=b"").id) == b""


def test_only_a_version_that_is_ready_is_unchanged(
    store: GraphStore, corpus: str, accept: Callable, ingest: Callable, bytes_left: Callable
) -> None:
    assert accept().changed
    assert accept().changed  # it still waits
    ingest("Ada", ["Ada slept."])
    key = content_id("d", corpus, "Ada.txt")
    version = get_document(store, corpus, key)["sha256"]
    assert not accept("Ada.txt", sha256=version).changed
    assert bytes_left(key) == 0
    assert accept("Ada.txt", sha256="other").changed
    assert document_text(store, corpus, key)  # the old version is there until the new one is
    fail_document(store, corpus, key, "broken")
    assert accept("Ada.txt", sha256="other").changed


def test_waiting_documents_are_listed_by_job(
    store: GraphStore, corpus: str, accept: Callable
) -> None:
    accept("b.txt", job_id="j1")
    accept("a.txt", job_id="j2")
    assert [row["uri"] for row in accepted_documents(store, corpus)] == ["b.txt", "a.txt"]
    assert [row["uri"] for row in accepted_documents(store, corpus, job_id="j2")] == ["a.txt"]
    assert len(accepted_documents(store, corpus, limit=1)) == 1


def test_a_failure_is_visible_and_leaves_nothing(
    store: GraphStore, corpus: str, ingest: Callable, bytes_left: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron."])
    key = content_id("d", corpus, "Ada.txt")
    revision = corpus_revision(store, corpus)
    fail_document(store, corpus, key, "The file is encrypted.")
    found = get_document(store, corpus, key)
    assert (found["status"], found["error"]) == ("failed", "The file is encrypted.")
    assert bytes_left(key) == 0
    counts = corpus_counts(store, corpus)
    assert (counts["failed"], counts["chunks"], counts["entities"]) == (1, 0, 0)
    assert corpus_revision(store, corpus) == revision + 1


def drift(store: GraphStore, corpus: str) -> set[str]:
    return {finding.check for finding in check_corpus(store, corpus) if finding.found}


def test_a_file_that_fails_takes_its_records_along(
    store: GraphStore, corpus: str, accept: Callable, ingest: Callable
) -> None:
    parent = accept("all.jsonl").id
    for name in ("Ada", "Byron"):
        ingest(name, [f"{name} slept."], uri=f"all.jsonl#{name}", parent_id=parent)
    keep = [row["id"] for row in list_documents(store, corpus, parent_id=parent)]
    finish_collection(store, corpus, row_of(store, corpus, parent), keep)
    accept("all.jsonl", sha256="2")
    fail_document(store, corpus, parent, "It is broken.")
    assert get_document(store, corpus, parent)["records"] == 0
    counts = corpus_counts(store, corpus)
    assert (counts["failed"], counts["chunks"], counts["entities"]) == (1, 0, 0)


def test_what_a_cancelled_job_had_not_begun_keeps_its_earlier_version(
    store: GraphStore, corpus: str, accept: Callable, ingest: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron."])
    ingest("Byron", ["Byron wrote to Ada."])
    revision = corpus_revision(store, corpus)
    key = accept("Ada.txt", b"Ada slept.", sha256="2").id
    new = accept("new.txt").id
    job = create_job(store, "ingest", corpus, document_ids=[key, new])
    cancel_job(store, job.id)
    found = get_document(store, corpus, key)
    assert (found["status"], found["chunks"]) == ("failed", 1)
    assert found["error"].endswith("Try it again. Until then its earlier version stays searchable.")
    assert get_document(store, corpus, new)["error"].endswith("processed. Try it again.")
    assert [row["text"] for row in document_text(store, corpus, key)] == ["Ada knew Byron."]
    assert corpus_revision(store, corpus) == revision
    assert drift(store, corpus) == set()
    assert reaccept_documents(store, corpus, [key, new]) == sorted([key, new])
    assert document_data(store, key) == b"Ada slept."


def test_what_was_begun_anew_is_searchable_in_no_version(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable, bytes_left: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron.", "Ada slept."])
    batch: GraphBatch = make_batch("Ada", ["Ada knew Byron.", "Ada woke."])
    row = batch.documents[0]
    accept_batch(store, corpus, batch)
    write_batch(store, corpus, replace(batch, finished=()))
    put_off_document(store, corpus, row.id, "Killed.")
    found = get_document(store, corpus, row.id)
    assert (found["status"], found["error"], found["ready_at"]) == ("failed", "Killed.", None)
    assert document_text(store, corpus, row.id) == []
    assert bytes_left(row.id) == 1
    link_titles(store, corpus)
    assert drift(store, corpus) == set()


def test_pages_of_documents(store: GraphStore, corpus: str, accept: Callable) -> None:
    for i in range(5):
        accept(f"{i}.txt")
    fail_document(store, corpus, content_id("d", corpus, "3.txt"), "broken")
    assert [row["uri"] for row in list_documents(store, corpus, limit=2)] == ["4.txt", "3.txt"]
    page = list_documents(store, corpus, limit=2, offset=4)
    assert [row["uri"] for row in page] == ["0.txt"]
    assert [row["uri"] for row in list_documents(store, corpus, status="failed")] == ["3.txt"]
    assert [row["uri"] for row in list_documents(store, corpus, query="2.TXT")] == ["2.txt"]
    assert count_documents(store, corpus) == 5
    assert count_documents(store, corpus, status="accepted") == 4


ACCENTED = "file:///inbox/2024/R%C3%A9sum%C3%A9%20%28last%29.eml"
DECOMPOSED = "upload:Re%CC%81sume%CC%81.eml"
PAGE = "https://example.org/wiki/R%C3%A9sum%C3%A9_(last)"


@pytest.mark.parametrize(
    ("name", "uris"),
    [
        (ACCENTED, [ACCENTED]),
        ("file:///inbox/2024/Résumé (last).eml", [ACCENTED]),
        ("Résumé (last).eml", [ACCENTED]),
        ("R%C3%A9sum%C3%A9%20%28last%29.eml", [ACCENTED]),
        ("(last).eml", []),
        ("2024/Résumé (last).eml", []),
        ("Résumé.eml", [DECOMPOSED]),
        ("Re\u0301sume\u0301.eml", [DECOMPOSED]),
        ("https://example.org/wiki/Résumé_(last)", [PAGE]),
        ("Résumé_(last)", [PAGE]),
    ],
)
def test_a_document_is_called_by_its_name_encoded_or_not(
    store: GraphStore, corpus: str, accept: Callable, name: str, uris: list[str]
) -> None:
    for uri in (ACCENTED, DECOMPOSED, PAGE):
        accept(uri)
    assert [row["uri"] for row in documents_called(store, corpus, [name], limit=9)] == uris


def test_documents_are_searched_by_parts_of_names_encoded_or_not(
    store: GraphStore, corpus: str, accept: Callable
) -> None:
    for uri in (ACCENTED, DECOMPOSED, PAGE):
        accept(uri)
    for query, found in (
        ("résumé", {ACCENTED, DECOMPOSED, PAGE}),
        ("RÉSUMÉ (LAST)", {ACCENTED}),
        ("%c3%a9%20%28last", {ACCENTED}),
        ("inbox/2024/Résumé", {ACCENTED}),
        ("resume", set()),
    ):
        assert {row["uri"] for row in list_documents(store, corpus, query=query)} == found, query
        assert count_documents(store, corpus, query=query) == len(found)


def test_records_of_a_collection(
    store: GraphStore, corpus: str, accept: Callable, ingest: Callable
) -> None:
    parent = accept("all.jsonl", data=b"[]").id

    def record(name: str, text: str) -> str:
        ingest(name, [text], uri=f"all.jsonl#{name}", parent_id=parent)
        return content_id("d", corpus, f"all.jsonl#{name}")

    ada, byron, curie = (record(name, f"{name} slept.") for name in ("Ada", "Byron", "Curie"))
    version = get_document(store, corpus, ada)["sha256"]
    assert unchanged_records(store, corpus, parent, {ada: version, byron: "x", "d0": "y"}) == {ada}
    removed = finish_collection(store, corpus, row_of(store, corpus, parent), [ada, byron])
    assert (removed["documents"], removed["chunks"], removed["entities"]) == (1, 1, 1)
    found = get_document(store, corpus, parent)
    assert (found["kind"], found["status"], found["records"]) == ("collection", "ready", 2)
    assert document_data(store, parent) == b""
    listed = list_documents(store, corpus)
    assert [(row["uri"], row["records"]) for row in listed] == [("all.jsonl", 2)]
    records = list_documents(store, corpus, parent_id=parent)
    assert {row["id"] for row in records} == {ada, byron}
    times = [get_document(store, corpus, row["id"])["accepted_at"] for row in records]
    assert [row["accepted_at"] for row in records] == times
    assert all(times)
    by_index = store.run_declared(
        "CYPHER 25 MATCH (d:Document {corpus: $corpus}) WHERE d.accepted_at IS NOT NULL "
        "RETURN d.id AS id",
        {"corpus": corpus},
    )
    assert by_index == [{"id": parent}]  # what the index that lists files has to pass by
    assert curie not in {row["id"] for row in records}
    removed = delete_document(store, corpus, parent)
    assert removed == {"documents": 3, "chunks": 2, "sentences": 2, "triples": 0, "entities": 2}
    counts = corpus_counts(store, corpus)
    assert set(counts.values()) == {0}


def test_a_record_can_fail(
    store: GraphStore, corpus: str, accept: Callable, make_batch: Callable
) -> None:
    parent = accept("all.jsonl").id
    row = make_batch("Ada", ["x"], uri="all.jsonl#1", parent_id=parent).documents[0]
    fail_document(store, corpus, row.id, "The record has no text.", row=row)
    (found,) = list_documents(store, corpus, status="failed", parent_id=parent)
    assert found["error"] == "The record has no text."


@pytest.mark.parametrize("at_once", [1, 200])
def test_a_file_may_become_a_collection_and_back(
    store: GraphStore,
    corpus: str,
    accept: Callable,
    ingest: Callable,
    at_once: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(removal, "DOCUMENTS_AT_ONCE", at_once)
    ingest("Ada", ["Ada slept."], uri="x")
    key = content_id("d", corpus, "x")
    accept("x", sha256="2")
    ingest("Byron", ["Byron slept."], uri="x#1", parent_id=key)
    record = content_id("d", corpus, "x#1")
    finish_collection(store, corpus, row_of(store, corpus, key), [record])
    assert document_text(store, corpus, key) == []
    assert corpus_counts(store, corpus)["entities"] == 1
    ingest("Ada", ["Ada woke."], uri="x")
    assert get_document(store, corpus, key)["records"] == 0
    assert corpus_counts(store, corpus)["chunks"] == 1


def test_deleting_keeps_what_others_support(
    store: GraphStore, corpus: str, ingest: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron."])
    ingest("Byron", ["Byron wrote."])
    removed = delete_document(store, corpus, content_id("d", corpus, "Ada.txt"))
    assert removed == {"documents": 1, "chunks": 1, "sentences": 1, "triples": 0, "entities": 1}
    assert corpus_counts(store, corpus)["entities"] == 1


def test_what_is_not_there(store: GraphStore, corpus: str, accept: Callable) -> None:
    for call in (
        lambda: get_document(store, corpus, "d0"),
        lambda: delete_document(store, corpus, "d0"),
        lambda: document_data(store, "d0"),
        lambda: fail_document(store, corpus, "d0", "x"),
        lambda: put_off_document(store, corpus, "d0", "x"),
        lambda: document_text(store, corpus, "d0"),
    ):
        with pytest.raises(UnknownDocument, match="d0"):
            call()
    with pytest.raises(DocumentGone):
        finish_collection(store, corpus, DocumentRow("d0", "a", "a", "text/plain", "1"), [])
    with pytest.raises(UnknownCorpus):
        list_documents(store, "nowhere")
    with pytest.raises(UnknownCorpus):
        accept_document(store, "nowhere", uri="a", title="a", media_type="x", sha256="1", data=b"")
