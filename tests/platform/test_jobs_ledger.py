"""The ledger's promises, against a real Neo4j."""

import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from neo4j import GraphDatabase

from clew.evaluation.request import BenchRunInfo
from clew.evaluation.runs import list_runs, mark_deleted
from clew_cypher.corpora import corpus_counts, corpus_revision, delete_corpus, ensure_corpus
from clew_cypher.ids import content_id
from clew_cypher.jobs.bench_runs import delete_bench_run, save_bench_run
from clew_cypher.jobs.ledger import (
    Job,
    abandon_jobs,
    adopt_documents,
    cancel_job,
    close_job,
    close_lost_job,
    count_jobs,
    create_job,
    delete_old_jobs,
    due_jobs,
    get_job,
    job_documents,
    job_owners,
    jobs_with_documents,
    list_jobs,
    lost_jobs,
    rebase_leases,
    renew_job,
    requeue_job,
    take_job,
)
from clew_cypher.rows import ChunkRow, DocumentRow, GraphBatch
from clew_cypher.searching.documents import get_document, list_documents
from clew_cypher.store import GraphStore, Neo4jConfig
from clew_cypher.writing.documents import accept_document
from clew_cypher.writing.writer import write_batch


@pytest.fixture
def kind() -> str:
    """A kind of job that no other test uses."""
    return f"test-{uuid.uuid4().hex[:8]}"


def taken(store: GraphStore, job_id: str, owner: str = "me", lease_s: float = 30.0) -> Job:
    job = take_job(store, job_id, owner, lease_s=lease_s, attempts=3)
    assert job is not None
    return job


def accepted(store: GraphStore, corpus: str, name: str) -> str:
    ensure_corpus(store, corpus, embedder="test", dimension=384)
    document = accept_document(
        store,
        corpus,
        uri=f"file:///{name}",
        title=name,
        media_type="text/plain",
        sha256=uuid.uuid4().hex,
        data=b"text",
    )
    return document.id


def test_a_job_is_entered_once(store: GraphStore, corpus: str, kind: str) -> None:
    job = create_job(store, kind, corpus, {"n": [1, 2]})
    again = create_job(store, kind, corpus, {"n": []}, job_id=job.id)
    assert again == job
    assert (job.state, job.attempt, job.params) == ("queued", 0, {"n": [1, 2]})
    assert get_job(store, job.id) == job
    assert get_job(store, "nowhere") is None


def test_only_one_of_many_takes_a_job(store: GraphStore, corpus: str, kind: str) -> None:
    job = create_job(store, kind, corpus)
    together = threading.Barrier(16)

    def race(number: int) -> Job | None:
        together.wait()
        return take_job(store, job.id, f"worker {number}", lease_s=30, attempts=3)

    with ThreadPoolExecutor(16) as pool:
        winners = [got for got in pool.map(race, range(16)) if got is not None]
    assert len(winners) == 1
    assert winners[0].attempt == 1
    stored = get_job(store, job.id)
    assert stored is not None
    assert stored.owner == winners[0].owner


def test_a_run_out_lease_passes_to_another_and_the_stale_worker_is_refused(
    store: GraphStore, corpus: str, kind: str
) -> None:
    job = create_job(store, kind, corpus)
    assert due_jobs(store, [kind], attempts=3) == [job]  # planned now, so that it is quick then
    stale = taken(store, job.id, "stale", lease_s=2.0)
    assert due_jobs(store, [kind], attempts=3) == []
    time.sleep(2.2)
    assert [due.id for due in due_jobs(store, [kind], attempts=3)] == [job.id]
    fresh = taken(store, job.id, "fresh")
    assert fresh.fencing_token > stale.fencing_token
    assert renew_job(store, stale, lease_s=30, progress={"by": "stale"}) is None
    assert close_job(store, stale, "done") is None
    assert requeue_job(store, stale) is None
    assert renew_job(store, fresh, lease_s=30, progress={"by": "fresh"}) is not None
    closed = close_job(store, fresh, "done", progress={"documents": 2})
    assert closed is not None
    assert (closed.state, closed.progress, closed.owner) == ("done", {"documents": 2}, None)
    assert close_job(store, fresh, "failed") is None
    assert take_job(store, job.id, "late", lease_s=1, attempts=3) is None


def test_renewal_keeps_a_lease_beyond_its_first_end(
    store: GraphStore, corpus: str, kind: str
) -> None:
    job = taken(store, create_job(store, kind, corpus).id, lease_s=1.0)
    for _ in range(3):
        time.sleep(0.5)
        assert renew_job(store, job, lease_s=1.0, progress={}) is not None
        assert take_job(store, job.id, "thief", lease_s=1, attempts=3) is None


def test_a_requeued_job_waits_and_counts_its_tries(
    store: GraphStore, corpus: str, kind: str
) -> None:
    job = taken(store, create_job(store, kind, corpus).id)
    back = requeue_job(store, job, error="it broke", wait_s=0.4)
    assert back is not None
    assert (back.state, back.attempt, back.error) == ("queued", 1, "it broke")
    assert take_job(store, job.id, "eager", lease_s=1, attempts=3) is None
    time.sleep(0.5)
    job = taken(store, job.id)
    assert job.attempt == 2
    returned = requeue_job(store, job, counts=False)
    assert returned is not None
    assert (returned.attempt, returned.error) == (1, "it broke")


def test_cancelling(store: GraphStore, corpus: str, kind: str) -> None:
    waiting = create_job(store, kind, corpus)
    cancelled = cancel_job(store, waiting.id)
    assert cancelled is not None
    assert cancelled.state == "cancelled"
    assert cancelled.finished_at is not None

    running = taken(store, create_job(store, kind, corpus).id)
    asked = cancel_job(store, running.id)
    assert asked is not None
    assert (asked.state, asked.cancel_requested) == ("running", True)
    renewed = renew_job(store, running, lease_s=30, progress={})
    assert renewed is not None
    assert renewed.cancel_requested

    done = taken(store, create_job(store, kind, corpus).id)
    close_job(store, done, "done")
    after = cancel_job(store, done.id)
    assert after is not None
    assert (after.state, after.cancel_requested) == ("done", False)
    assert cancel_job(store, "nowhere") is None


@pytest.mark.parametrize("options", [{"counts": False}, {"error": "It broke.", "wait_s": 60.0}])
def test_a_job_that_is_given_back_while_it_is_cancelled_ends(
    store: GraphStore, corpus: str, kind: str, options: dict[str, Any]
) -> None:
    document = accepted(store, corpus, "a")
    job = taken(store, create_job(store, kind, corpus, document_ids=[document]).id)
    cancel_job(store, job.id)
    ended = requeue_job(store, job, **options)
    assert ended is not None
    assert (ended.state, ended.owner, ended.error) == ("cancelled", None, options.get("error"))
    assert ended.finished_at is not None
    assert "Cancelled." in ended.log[-1]
    assert due_jobs(store, [kind], attempts=3) == []
    row = get_document(store, corpus, document)
    assert (row["status"], "cancelled" in row["error"]) == ("failed", True)


def test_jobs_that_lost_their_worker_are_ended(store: GraphStore, corpus: str, kind: str) -> None:
    poison, asked = (create_job(store, kind, corpus) for _ in range(2))
    for _ in range(3):
        taken(store, poison.id, lease_s=0.0)
        time.sleep(0.01)
    assert take_job(store, poison.id, "me", lease_s=1, attempts=3) is None
    job = taken(store, asked.id, "dead owner")
    cancel_job(store, asked.id)
    assert "dead owner" in job_owners(store)
    assert abandon_jobs(store, ["dead owner"]) == 1
    assert {poison.id, asked.id} <= set(lost_jobs(store, attempts=3))
    ended = {key: close_lost_job(store, key, attempts=3) for key in (poison.id, asked.id)}
    assert [job and job.state for job in ended.values()] == ["set_aside", "cancelled"]
    assert "3 tries" in str(getattr(ended[poison.id], "error", ""))
    assert close_job(store, job, "done") is None


def test_due_jobs_come_oldest_first_and_of_their_kind(
    store: GraphStore, corpus: str, kind: str
) -> None:
    jobs = [create_job(store, kind, corpus) for _ in range(3)]
    create_job(store, f"{kind}-other", corpus)
    assert [job.id for job in due_jobs(store, [kind], attempts=3)] == [job.id for job in jobs]
    assert len(due_jobs(store, [kind], attempts=3, limit=2)) == 2
    taken(store, jobs[0].id)
    assert [job.id for job in list_jobs(store, corpus, limit=2, offset=1)] == [
        jobs[2].id,
        jobs[1].id,
    ]
    assert [job.id for job in list_jobs(store, corpus, ["running"])] == [jobs[0].id]


def test_no_document_stays_unfinished_when_its_job_ends(
    store: GraphStore, corpus: str, kind: str
) -> None:
    first, second, third = (accepted(store, corpus, name) for name in ("a", "b", "c"))
    job = create_job(store, kind, corpus, document_ids=[first, second])
    assert job_documents(store, job) == sorted([first, second])
    close_job(store, taken(store, job.id), "failed", error="The disk is full.")
    for document_id in (first, second):
        row = get_document(store, corpus, document_id)
        assert row["status"] == "failed"
        assert "The disk is full." in row["error"]
    assert get_document(store, corpus, third)["status"] == "accepted"
    waiting = create_job(store, kind, corpus, document_ids=[third])
    cancel_job(store, waiting.id)
    assert "cancelled" in get_document(store, corpus, third)["error"]


def test_nothing_half_written_stays_when_its_job_ends(
    store: GraphStore, corpus: str, kind: str
) -> None:
    document_id = accepted(store, corpus, "long")
    job = create_job(store, kind, corpus, document_ids=[document_id])
    row = get_document(store, corpus, document_id)
    vector = np.ones(384, dtype=np.float32) / np.float32(384) ** 0.5
    begun = GraphBatch(
        documents=[
            DocumentRow(document_id, row["uri"], "long", "text/plain", row["sha256"]),
            DocumentRow("r" + document_id, "uri#1", "record", "text/plain", "0", document_id),
        ],
        chunks=[
            ChunkRow(content_id("c", document_id, "0"), document_id, 0, "long", "half", vector)
        ],
    )
    write_batch(store, corpus, begun)
    assert corpus_counts(store, corpus)["chunks"] == 1
    revision = corpus_revision(store, corpus)
    close_job(store, taken(store, job.id), "failed", error="The disk is full.")
    assert corpus_counts(store, corpus)["chunks"] == 0
    assert corpus_revision(store, corpus) > revision
    assert [row["status"] for row in list_documents(store, corpus)] == ["failed"]
    assert list_documents(store, corpus, parent_id=document_id) == []


def test_documents_without_a_live_job_are_adopted_once(
    store: GraphStore, corpus: str, kind: str
) -> None:
    left, cared_for = accepted(store, corpus, "left"), accepted(store, corpus, "cared for")
    create_job(store, kind, corpus, document_ids=[cared_for])
    assert adopt_documents(store, kind, grace_s=3600) == []
    time.sleep(0.05)

    def adopt(_: int) -> list[str]:
        found = adopt_documents(store, kind, grace_s=0.0)
        return [job.id for job in found if job.corpus == corpus]

    with ThreadPoolExecutor(4) as pool:
        adopted = {job_id for found in pool.map(adopt, range(4)) for job_id in found}
    assert len(adopted) == 1
    job = get_job(store, adopted.pop())
    assert job is not None
    assert job_documents(store, job) == [left]


def test_jobs_that_ended_long_ago_are_forgotten(
    store: GraphStore, corpus: str, kind: str, neo4j_server: Neo4jConfig
) -> None:
    old, recent, live = (create_job(store, kind, corpus) for _ in range(3))
    for job in (old, recent):
        close_job(store, taken(store, job.id), "done")
    backdate = "MATCH (j:Job {id: $id}) SET j.finished_at = datetime() - duration('P91D')"
    auth = (neo4j_server.username, neo4j_server.password)
    with GraphDatabase.driver(neo4j_server.uri, auth=auth) as driver:
        driver.execute_query(backdate, id=old.id)
    assert delete_old_jobs(store, days=90) >= 1
    assert get_job(store, old.id) is None
    assert get_job(store, recent.id) is not None
    assert get_job(store, live.id) is not None


def test_a_clock_set_back_keeps_no_job_waiting(store: GraphStore, corpus: str, kind: str) -> None:
    given_back = taken(store, create_job(store, kind, corpus).id)
    requeue_job(store, given_back, error="x", wait_s=30)
    fresh = create_job(store, kind, corpus)
    held = taken(store, create_job(store, kind, corpus).id, lease_s=0.5)
    orphan = accepted(store, corpus, "orphan")
    set_back = """CYPHER 25
        MATCH (n:Job|Document {corpus: '%s'})
        SET n += {%s}
    """
    names = ("created_at", "not_before", "given_back_at", "lease_until", "leased_at", "accepted_at")
    moved = ", ".join(f"{name}: n.{name} + duration({{hours: 5}})" for name in names)
    store.run_declared(set_back % (corpus, moved))

    def due() -> set[str]:
        return {job.id for job in due_jobs(store, [kind], attempts=3)}

    assert due() == {given_back.id, fresh.id}
    assert take_job(store, given_back.id, "me", lease_s=9, attempts=3) is not None
    assert rebase_leases(store) == 1
    assert rebase_leases(store) == 0
    assert take_job(store, held.id, "thief", lease_s=9, attempts=3) is None  # who lives renews it
    time.sleep(0.6)
    assert due() == {fresh.id, held.id}
    assert take_job(store, held.id, "another", lease_s=9, attempts=3) is not None
    (adopted,) = adopt_documents(store, kind, grace_s=3600)
    assert job_documents(store, adopted) == [orphan]


def test_the_log_says_what_happened_to_a_job(store: GraphStore, corpus: str, kind: str) -> None:
    job = taken(store, create_job(store, kind, corpus).id, owner="ada")
    renew_job(store, job, lease_s=30, progress={"stage": "read"}, notes=["Stage: read."])
    requeue_job(store, job, error="The model is away.")
    again = taken(store, job.id)
    close_job(store, again, "set_aside", error="Tried enough.")
    found = get_job(store, job.id)
    assert found is not None
    assert [line.partition("\t")[2] for line in found.log] == [
        "Queued.",
        "Try 1 begins, by ada.",
        "Stage: read.",
        "Given back, to be tried again. The model is away.",
        "Try 2 begins, by me.",
        "Ended: set aside. Tried enough.",
    ]
    moments = [line.partition("\t")[0] for line in found.log]
    assert moments == sorted(moments)


def test_a_log_stays_short(store: GraphStore, corpus: str, kind: str) -> None:
    job = taken(store, create_job(store, kind, corpus).id)
    renew_job(store, job, lease_s=30, progress={}, notes=[f"n{number}" for number in range(500)])
    found = get_job(store, job.id)
    assert found is not None
    assert len(found.log) == 200
    assert found.log[-1].endswith("\tn499")


def test_jobs_are_counted_by_state(store: GraphStore, corpus: str, kind: str) -> None:
    for _ in range(3):
        create_job(store, kind, corpus)
    cancel_job(store, create_job(store, kind, corpus).id)
    assert count_jobs(store, corpus) == 4
    assert count_jobs(store, corpus, ["cancelled"]) == 1
    assert count_jobs(store, corpus, ["done", "failed"]) == 0


def test_jobs_and_runs_of_a_deleted_corpus_are_none_of_a_later_one(
    store: GraphStore, corpus: str, kind: str
) -> None:
    ensure_corpus(store, corpus, embedder="any", dimension=0)
    create_job(store, kind, corpus, job_id=f"{corpus}-before")
    for name in (f"corpus:{corpus}", "corpus:another"):
        info = BenchRunInfo(
            id=f"{corpus}-{name}",
            created_at="2026-11-19T10:00:00+00:00",
            data_set=name,
            synthetic=True,
            questions=1,
            reader=None,
            seed=0,
            seconds=1.0,
            fingerprint="f",
            main={},
            median_seconds={},
        )
        save_bench_run(
            store,
            info.id,
            created_at=info.created_at,
            info=info.model_dump_json(),
            figures=b"",
            data=b"",
        )
    delete_corpus(store, corpus)
    mark_deleted(store, corpus)
    ensure_corpus(store, corpus, embedder="any", dimension=0)
    create_job(store, kind, corpus, job_id=f"{corpus}-after")
    jobs = {job.id: job.corpus_deleted for job in list_jobs(store, corpus)}
    assert jobs == {f"{corpus}-before": True, f"{corpus}-after": False}
    assert [job.id for job in list_jobs(store, corpus, of_deleted=False)] == [f"{corpus}-after"]
    assert (count_jobs(store, corpus), count_jobs(store, corpus, of_deleted=False)) == (2, 1)
    own = [run for run in list_runs(store, 1000) if run.id.startswith(corpus)]
    assert {run.data_set: run.corpus_deleted for run in own} == {
        f"corpus:{corpus}": True,
        "corpus:another": False,
    }
    for run in own:
        delete_bench_run(store, run.id)


def test_whose_documents_another_job_has(store: GraphStore, corpus: str, kind: str) -> None:
    ids = [accepted(store, corpus, name) for name in ("one", "two", "three")]
    create_job(store, kind, corpus, document_ids=ids, job_id=f"{corpus}-a")
    create_job(store, kind, corpus, document_ids=ids[:2], job_id=f"{corpus}-b")
    assert jobs_with_documents(store, corpus, ids) == {f"{corpus}-a": 1, f"{corpus}-b": 2}
    assert jobs_with_documents(store, corpus, ids[:1]) == {f"{corpus}-b": 1}
    cancel_job(store, f"{corpus}-b")
    assert jobs_with_documents(store, corpus, ids) == {f"{corpus}-a": 1}
