"""What is too large for one transaction goes in steps; killed in between, it is gone on with."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from clew_cypher.checking.checks import check_corpus
from clew_cypher.corpora import corpus_counts
from clew_cypher.ids import content_id
from clew_cypher.jobs.ledger import cancel_job, create_job
from clew_cypher.rows import GraphBatch
from clew_cypher.searching.documents import document_text, get_document
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.writing import removal, writer
from clew_cypher.writing.documents import delete_document, fail_document
from clew_cypher.writing.writer import write_batch

from .conftest import accept

LONG = [f"Ada met {name}." for name in ("Byron", "Curie", "Darwin", "Euler", "Fermi")]


class Killed(BaseException):
    """Stands for the end of a process in the middle of its work."""


class Steps:
    """How many chunks each transaction took out; the one of number ``killed_at`` is not reached."""

    def __init__(self) -> None:
        self.chunks: list[int] = []
        self.killed_at = -1


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """Two chunks go in one transaction, at the most."""
    seen = Steps()
    run = Transaction.run

    def counted(transaction: Transaction, name: str, /, **params: object) -> list[Row]:
        if name == "delete_chunks":
            if len(seen.chunks) == seen.killed_at:
                seen.killed_at = -1
                raise Killed
            seen.chunks.append(len(params["ids"]))  # type: ignore[arg-type]
        return run(transaction, name, **params)

    monkeypatch.setattr(Transaction, "run", counted)
    for module in (removal, writer):
        monkeypatch.setattr(module, "CHUNKS_AT_ONCE", 2)
    return seen


@pytest.fixture
def shorter(store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable) -> GraphBatch:
    """A short version of a document that is there in a long one: accepted, and not yet written."""
    ingest("Ada", LONG)
    batch: GraphBatch = make_batch("Ada", ["Ada slept."])
    accept(store, corpus, batch)
    return batch


def test_a_large_document_is_deleted_in_steps(
    store: GraphStore, corpus: str, ingest: Callable, steps: Steps
) -> None:
    ingest("Ada", LONG)
    key = content_id("d", corpus, "Ada.txt")
    steps.killed_at = 2
    with pytest.raises(Killed):
        delete_document(store, corpus, key)
    found = get_document(store, corpus, key)
    assert (found["status"], found["chunks"], found["ready_at"]) == ("failed", 0, None)
    assert "Delete it again" in found["error"]
    assert [row["text"] for row in document_text(store, corpus, key)] == LONG[:1]
    assert delete_document(store, corpus, key)["documents"] == 1
    assert steps.chunks == [2, 2, 1]
    assert set(corpus_counts(store, corpus).values()) == {0}


def test_what_is_half_deleted_can_be_ingested_anew(
    store: GraphStore, corpus: str, ingest: Callable, steps: Steps
) -> None:
    ingest("Ada", LONG)
    key = content_id("d", corpus, "Ada.txt")
    steps.killed_at = 1
    with pytest.raises(Killed):
        delete_document(store, corpus, key)
    ingest("Ada", LONG)
    assert get_document(store, corpus, key)["status"] == "ready"
    assert [row["text"] for row in document_text(store, corpus, key)] == LONG
    assert not [one.check for one in check_corpus(store, corpus) if one.found]


def test_a_large_document_fails_in_steps(
    store: GraphStore, corpus: str, shorter: GraphBatch, steps: Steps
) -> None:
    key = shorter.documents[0].id
    steps.killed_at = 1
    with pytest.raises(Killed):
        fail_document(store, corpus, key, "It is encrypted.")
    found = get_document(store, corpus, key)
    assert (found["status"], found["ready_at"]) == ("accepted", None), "the job goes on with it"
    fail_document(store, corpus, key, "It is encrypted.")
    assert get_document(store, corpus, key)["status"] == "failed"
    assert document_text(store, corpus, key) == []
    assert steps.chunks == [2, 2, 1]


def test_a_job_ends_whose_large_document_was_begun(
    store: GraphStore, corpus: str, shorter: GraphBatch, steps: Steps
) -> None:
    key = shorter.documents[0].id
    write_batch(store, corpus, replace(shorter, finished=()))
    job = create_job(store, "ingest", corpus, document_ids=[key])
    steps.killed_at = 2
    with pytest.raises(Killed):
        cancel_job(store, job.id)
    assert get_document(store, corpus, key)["status"] == "accepted"
    ended = cancel_job(store, job.id)
    assert ended is not None
    assert ended.state == "cancelled"
    found = get_document(store, corpus, key)
    assert (found["status"], found["ready_at"]) == ("failed", None)
    assert document_text(store, corpus, key) == []
    assert max(steps.chunks) == 2


def test_a_large_older_version_goes_in_steps(
    store: GraphStore, corpus: str, shorter: GraphBatch, steps: Steps
) -> None:
    key = shorter.documents[0].id
    steps.killed_at = 1
    with pytest.raises(Killed):
        write_batch(store, corpus, shorter)
    found = get_document(store, corpus, key)
    assert (found["status"], found["ready_at"]) == ("accepted", None), "it is whole in no version"
    assert write_batch(store, corpus, shorter).documents == 1
    assert get_document(store, corpus, key)["status"] == "ready"
    assert [row["text"] for row in document_text(store, corpus, key)] == ["Ada slept."]
    assert steps.chunks == [2, 2, 1]
    assert corpus_counts(store, corpus)["entities"] == 1
