"""How one job is run: progress, cancellation, failures, a lost lease."""

import dataclasses
import itertools
import json
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InvalidRequest, JobStopped, RunsElsewhere, WorkerUnavailable
from clew.jobs import runner as runner_module
from clew.jobs.graph_watch import GraphWatch
from clew.jobs.here import index_here
from clew.jobs.kinds import index_documents
from clew.jobs.lanes import Lanes
from clew.jobs.owner import owner_name
from clew.jobs.progress import FAILURES, ended_ingest, running_ingest
from clew.jobs.reconciler import Reconciler
from clew.jobs.runner import JobRun, Runner
from clew.settings import Settings
from clew_cypher.corpora import delete_corpus, ensure_corpus
from clew_cypher.errors import UnknownCorpus
from clew_cypher.jobs.ledger import (
    Job,
    abandon_jobs,
    cancel_job,
    create_job,
    get_job,
    job_documents,
    list_jobs,
    take_job,
)
from clew_cypher.migrations import VERSION, check_version
from clew_cypher.schema import ensure_schema
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import accept_document
from clew_ingest.pipeline.progress import FailedDocument, IngestProgress, IngestReport
from clew_models.errors import LanguageModelUnavailable

MakeRunner = Callable[..., Runner]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, job_lease_s=1.5, job_reconcile_s=0.2)


@pytest.fixture
def make_runner(store: GraphStore, settings: Settings) -> MakeRunner:
    return lambda **options: Runner(store, settings, "me", **options)


@pytest.fixture
def job(store: GraphStore, corpus: str) -> Job:
    return create_job(store, f"test-{uuid.uuid4().hex[:8]}", corpus)


def state(store: GraphStore, job: Job) -> Job:
    found = get_job(store, job.id)
    assert found is not None
    return found


def test_a_long_job_keeps_its_lease_and_ends(
    store: GraphStore, make_runner: MakeRunner, job: Job
) -> None:
    seen: list[tuple[Job, Job | None]] = []

    def work(run: JobRun) -> Mapping[str, Any]:
        for i in range(1000):
            run.progress({"done": i})
            time.sleep(0.0025)
        held = state(store, job)
        seen.append((held, take_job(store, job.id, "thief", lease_s=1, attempts=3)))
        return {"done": 1000}

    ended = make_runner().run(job.id, work)
    assert ended is not None
    assert (ended.state, ended.progress) == ("done", {"done": 1000})
    ((held, stolen),) = seen
    assert held.progress["done"] > 0
    assert stolen is None


def test_progress_is_written_at_most_twice_a_second(
    make_runner: MakeRunner, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[float] = []
    real = runner_module.renew_job

    def counted(*args: Any, **options: Any) -> Job | None:
        writes.append(time.monotonic())
        return real(*args, **options)

    monkeypatch.setattr(runner_module, "renew_job", counted)

    def work(run: JobRun) -> Mapping[str, Any]:
        for i in range(1500):
            run.progress({"done": i})
            time.sleep(0.001)
        return {}

    make_runner().run(job.id, work)
    assert 2 <= len(writes) <= 5
    assert min(b - a for a, b in itertools.pairwise(writes)) >= 0.49


def test_a_cancelled_job_stops_within_seconds(
    store: GraphStore, make_runner: MakeRunner, job: Job
) -> None:
    stopped: list[float] = []

    def work(run: JobRun) -> Mapping[str, Any]:
        cancel_job(store, job.id)
        asked = time.monotonic()
        while not run.cancelled():
            assert time.monotonic() - asked < 10
            time.sleep(0.01)
        stopped.append(time.monotonic() - asked)
        run.progress({"done": 7})
        raise JobStopped("told to stop")

    ended = make_runner().run(job.id, work)
    assert ended is not None
    assert (ended.state, ended.progress) == ("cancelled", {"done": 7})
    assert stopped[0] < 3.0


def test_a_stopping_worker_gives_its_job_back_uncounted(
    store: GraphStore, make_runner: MakeRunner, job: Job
) -> None:
    def work(run: JobRun) -> Mapping[str, Any]:
        assert run.cancelled()
        raise JobStopped("told to stop")

    given_back = make_runner(stopping=lambda: True).run(job.id, work)
    assert given_back is not None
    assert (given_back.state, given_back.attempt, given_back.owner) == ("queued", 0, None)


def test_an_unforeseen_error_is_tried_again_then_set_aside_with_its_reason(
    make_runner: MakeRunner, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "RETRY_WAIT_S", 0.0)

    def work(run: JobRun) -> Mapping[str, Any]:
        raise ZeroDivisionError("one by zero")

    states = [make_runner().run(job.id, work) for _ in range(4)]
    assert [ended.state if ended else None for ended in states] == [
        "queued",
        "queued",
        "set_aside",
        None,
    ]
    assert states[2] is not None
    assert "3 tries" in str(states[2].error)
    assert "one by zero" in str(states[2].error)


def test_tries_count_from_the_last_one_that_got_on(
    make_runner: MakeRunner, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes days is interrupted more often than a job is tried."""
    monkeypatch.setattr(runner_module, "RETRY_WAIT_S", 0.0)
    done = iter([5, 5, 9, 3, 9])  # the fourth begins anew, and does nothing that was not done

    def work(run: JobRun) -> Mapping[str, Any]:
        run.progress({"done": next(done)})
        raise ZeroDivisionError("one by zero")

    ends = [make_runner().run(job.id, work) for _ in range(5)]
    assert [(ended.state, ended.attempt) if ended else None for ended in ends] == [
        ("queued", 1),
        ("queued", 2),
        ("queued", 1),
        ("queued", 2),
        ("set_aside", 3),
    ]


def test_an_ingest_waits_for_a_model_that_is_away_and_loses_nothing(
    make_runner: MakeRunner, store: GraphStore, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "AWAY_WAIT_S", 0.0)
    ensure_corpus(store, corpus, embedder="test", dimension=384)
    document = accept_document(
        store, corpus, uri="file:///a", title="a", media_type="text/plain", sha256="1", data=b"text"
    )
    job = create_job(store, f"test-{uuid.uuid4().hex[:8]}", corpus, document_ids=[document.id])
    away = True

    def work(run: JobRun) -> Mapping[str, Any]:
        if away:
            raise LanguageModelUnavailable("The endpoint does not answer.")
        return {"done": 1}

    states = [make_runner().run(job.id, work) for _ in range(5)]
    for ended in states:
        assert ended is not None
        assert (ended.state, ended.attempt) == ("queued", 0)
        assert "does not answer" in str(ended.error)
        assert job_documents(store, ended) == [document.id]
    away = False
    done = make_runner().run(job.id, work)
    assert done is not None
    assert done.state == "done"


def test_a_job_that_another_process_has_under_way_is_tried_again_later(
    store: GraphStore, make_runner: MakeRunner, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a worker that lost the job and has not heard of it yet: it still holds what it locked."""
    held = True

    def work(run: JobRun) -> Mapping[str, Any]:
        if held:
            raise RunsElsewhere("The same training runs already.")
        return {"done": 1}

    waiting = make_runner().run(job.id, work)
    assert waiting is not None
    assert (waiting.state, waiting.attempt) == ("queued", 0)
    assert "runs already" in str(waiting.error)
    assert make_runner().run(job.id, work) is None  # not at once
    monkeypatch.setattr(runner_module, "AWAY_WAIT_S", 0.0)
    later = create_job(store, job.kind, job.corpus)
    for _ in range(5):
        again = make_runner().run(later.id, work)
        assert again is not None
        assert (again.state, again.attempt) == ("queued", 0)
    held = False
    done = make_runner().run(later.id, work)
    assert done is not None
    assert done.state == "done"


def test_a_job_without_documents_does_not_wait_for_ever(
    make_runner: MakeRunner, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "RETRY_WAIT_S", 0.0)

    def work(run: JobRun) -> Mapping[str, Any]:
        raise LanguageModelUnavailable("The endpoint does not answer.")

    states = [make_runner().run(job.id, work) for _ in range(3)]
    assert [ended.state if ended else None for ended in states] == ["queued", "queued", "set_aside"]


def test_a_job_on_a_graph_that_a_newer_clew_upgraded_waits_for_its_workers(
    make_runner: MakeRunner, store: GraphStore, corpus: str
) -> None:
    ensure_corpus(store, corpus, embedder="test", dimension=384)
    document = accept_document(
        store, corpus, uri="file:///a", title="a", media_type="text/plain", sha256="1", data=b"text"
    )
    job = create_job(store, f"test-{uuid.uuid4().hex[:8]}", corpus, document_ids=[document.id])

    def work(run: JobRun) -> Mapping[str, Any]:
        check_version(VERSION + 1)
        return {}

    for _ in range(5):
        ended = make_runner().run(job.id, work)
        assert ended is not None
        assert (ended.state, ended.attempt) == ("queued", 0)
        assert "newer Clew" in str(ended.error)
        assert job_documents(store, ended) == [document.id]


def test_an_older_worker_takes_no_jobs_and_says_why_once(
    store: GraphStore,
    settings: Settings,
    corpus: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    ensure_schema(store, 384)
    kind = f"test-{uuid.uuid4().hex[:8]}"
    job = create_job(store, kind, corpus)
    taken: list[Job] = []

    def carry_out(job: Job) -> None:
        taken.append(job)
        runner.run(job.id, lambda run: {})

    runner = Runner(store, settings, "me")
    watch = GraphWatch(store, lambda: None)
    lanes = Lanes(
        store,
        settings,
        [kind],
        limit=1,
        run=carry_out,
        fits=watch.fits,
        stopping=lambda: False,
    )
    with monkeypatch.context() as older:
        older.setattr("clew_cypher.migrations.VERSION", VERSION - 1)
        assert [lanes.work() for _ in range(3)] == [0, 0, 0]
        assert watch.outdated
        assert lanes.busy == 0
    assert (taken, state(store, job).state) == ([], "queued")
    told = [line for line in caplog.messages if "newer Clew" in line]
    assert len(told) == 1
    assert f"schema version {VERSION}" in told[0]
    assert lanes.work() == 1
    assert not watch.outdated
    assert state(store, job).state == "done"


def test_an_error_that_no_try_can_cure_fails_the_job_at_once(
    make_runner: MakeRunner, job: Job
) -> None:
    def work(run: JobRun) -> Mapping[str, Any]:
        raise InvalidRequest("This cannot be done.", remedy="Do that.")

    ended = make_runner().run(job.id, work)
    assert ended is not None
    assert (ended.state, ended.error) == ("failed", "This cannot be done. Do that.")


def test_a_worker_that_lost_its_lease_hears_it_and_writes_nothing(
    store: GraphStore, make_runner: MakeRunner, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the process had been frozen: nothing is renewed until another has the job."""
    frozen = threading.Event()
    real = runner_module.renew_job

    def renew(*args: Any, **options: Any) -> Job | None:
        frozen.wait(10)
        return real(*args, **options)

    monkeypatch.setattr(runner_module, "renew_job", renew)

    def work(run: JobRun) -> Mapping[str, Any]:
        time.sleep(1.7)
        assert take_job(store, job.id, "another", lease_s=30, attempts=3) is not None
        frozen.set()
        deadline = time.monotonic() + 5
        while not run.cancelled():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert run.lost
        return {"by": "the stale one"}

    assert make_runner().run(job.id, work) is None
    assert (state(store, job).state, state(store, job).owner) == ("running", "another")
    assert state(store, job).progress == {}


def test_lanes_run_all_that_is_due_one_at_a_time(
    store: GraphStore, settings: Settings, corpus: str
) -> None:
    kind = f"test-{uuid.uuid4().hex[:8]}"
    jobs = [create_job(store, kind, corpus) for _ in range(4)]
    order: list[str] = []
    running, most = 0, 0
    lock = threading.Lock()

    def work(run: JobRun) -> Mapping[str, Any]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        order.append(run.job.id)
        with lock:
            running -= 1
        return {}

    def carry_out(job: Job) -> None:
        runner.run(job.id, work)

    runner = Runner(store, settings, "me")
    lanes = Lanes(
        store,
        settings,
        [kind],
        limit=1,
        run=carry_out,
        fits=lambda: True,
        stopping=lambda: False,
    )
    threads = [threading.Thread(target=lanes.work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert order == [job.id for job in jobs]
    assert most == 1
    assert lanes.busy == 0


def test_the_reconciler_wakes_what_is_due_and_frees_the_jobs_of_the_dead(
    store: GraphStore, settings: Settings, corpus: str
) -> None:
    kind = f"test-{uuid.uuid4().hex[:8]}"
    queued, mine, orphan = (create_job(store, kind, corpus) for _ in range(3))
    dead = subprocess.run(
        [sys.executable, "-c", "from clew.jobs.owner import *; print(owner_name())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert take_job(store, mine.id, owner_name(), lease_s=30, attempts=3) is not None
    assert take_job(store, orphan.id, dead, lease_s=30, attempts=3) is not None
    woken: list[str] = []
    reconciler = Reconciler(store, settings, [kind], lambda job_id, _: woken.append(job_id))
    assert reconciler.look() == woken == [queued.id, orphan.id]


def test_a_lost_job_that_cannot_be_ended_keeps_no_other_waiting(
    store: GraphStore, settings: Settings, corpus: str, caplog: pytest.LogCaptureFixture
) -> None:
    kind = f"test-{uuid.uuid4().hex[:8]}"
    broken, lost, due = (
        create_job(store, kind, corpus, job_id=f"{kind}-{number}") for number in range(3)
    )
    for job in (broken, lost):
        assert take_job(store, job.id, kind, lease_s=30, attempts=3) is not None
        cancel_job(store, job.id)
    abandon_jobs(store, [kind])
    store.run_declared("CYPHER 25 MATCH (j:Job {id: $id}) SET j.log = [5]", {"id": broken.id})
    woken: list[str] = []
    reconciler = Reconciler(store, settings, [kind], lambda job_id, _: woken.append(job_id))
    try:
        assert reconciler.look() == woken == [due.id]
    finally:
        store.run_declared("CYPHER 25 MATCH (j:Job {id: $id}) DELETE j", {"id": broken.id})
    ended = get_job(store, lost.id)
    assert ended is not None
    assert ended.state == "cancelled"
    assert f"Job {broken.id} lost its worker and cannot be ended" in caplog.text


def progress_of(**options: Any) -> IngestProgress:
    given = {"documents_done": 3, "documents_failed": 1, "documents_total": 9, "chunks": 20}
    return IngestProgress(**{"stage": "embed", "seconds": {}, **given, **options})


def test_an_ingest_tells_counts_that_are_json() -> None:
    failed = tuple(FailedDocument(f"d{i}", f"file:///{i}", "It is empty.") for i in range(30))
    running = running_ingest(progress_of(seconds={"embed": 0.123456}, failed=failed[0]))
    assert json.loads(json.dumps(running)) == running
    assert (running["done"], running["failed"], running["total"]) == (3, 1, 9)
    assert (running["chunks"], running["seconds"]) == (20, {"embed": 0.12})
    again = running_ingest(progress_of(), before=5)
    assert (again["done"], again["total"]) == (8, 14)
    report = IngestReport(
        ready=2, unchanged=3, superseded=4, chunks=20, failed=failed, seconds={}, wall_seconds=1.0
    )
    ended = ended_ingest(report)
    assert json.loads(json.dumps(ended)) == ended
    assert (ended["stage"], ended["done"], ended["total"]) == ("done", 39, 39)
    assert ended["failed"] == 30
    assert len(ended["failures"]) == FAILURES < 30


def test_work_done_here_is_a_job_too(store: GraphStore, make_runner: MakeRunner) -> None:
    kind, corpus = f"test-{uuid.uuid4().hex[:8]}", "any"
    seen: list[Job] = []

    def work(run: JobRun) -> Mapping[str, Any]:
        seen.append(state(store, run.job))
        with store.transaction() as transaction:
            run.guard(transaction)
        return {"done": 1}

    assert make_runner().run_here(kind, corpus, [], work) == {"done": 1}
    assert (seen[0].state, seen[0].owner, seen[0].attempt) == ("running", "me", 1)
    assert state(store, seen[0]).state == "done"

    def fail(run: JobRun) -> Mapping[str, Any]:
        seen.append(run.job)
        raise ZeroDivisionError("one by zero")

    with pytest.raises(ZeroDivisionError):
        make_runner().run_here(kind, corpus, [], fail)
    assert (state(store, seen[1]).state, seen[1].attempt) == ("failed", 1)


def test_an_error_meant_for_people_is_told_once_and_without_a_traceback(
    store: GraphStore, make_runner: MakeRunner, job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(run: JobRun) -> Mapping[str, Any]:
        raise WorkerUnavailable("The endpoint is away.", remedy="Start it.")

    with pytest.raises(WorkerUnavailable):
        make_runner().run_here(f"test-{uuid.uuid4().hex[:8]}", "any", [], fail)
    assert [record.getMessage() for record in caplog.records] == []
    make_runner().run(job.id, fail)
    (record,) = [one for one in caplog.records if one.levelname == "WARNING"]
    assert "The endpoint is away. Start it." in record.getMessage()
    assert not record.exc_info


class ScriptedProcess:
    """Resources without models, and what would index with them."""

    def __init__(self, store: GraphStore, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self.jobs: list[Job] = []

    def process(
        self, resources: Any, corpus: str, document_ids: list[str], progress: Any, **options: Any
    ) -> IngestReport:
        if options:
            with self.store.transaction() as transaction:
                options["guard"](transaction)
            assert not options["cancelled"]()
            self.jobs = list_jobs(self.store, corpus)
        progress(progress_of(documents_total=1))
        return IngestReport(ready=len(document_ids), failed=(), seconds={}, wall_seconds=0.1)


def test_an_ingest_in_process_holds_a_job_and_tells_its_progress(
    store: GraphStore, settings: Settings, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted: Any = ScriptedProcess(store, settings)
    monkeypatch.setattr("clew.jobs.here.process", scripted.process)
    told: list[IngestProgress] = []
    assert index_here(scripted, corpus, [], told.append).ready == 0
    assert list_jobs(store, corpus) == []
    assert index_here(scripted, corpus, ["d1"], told.append).ready == 1
    assert len(told) == 2
    assert [(job.state, job.owner) for job in scripted.jobs] == [("running", owner_name())]
    after = list_jobs(store, corpus)
    assert [(job.state, job.progress["total"]) for job in after] == [("done", 1)]


def test_a_try_that_finds_no_document_left_says_that_all_are_done(
    store: GraphStore, settings: Settings, corpus: str
) -> None:
    """An earlier try did them, and lost its lease before it could note its end."""
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    entered = create_job(store, "ingest", corpus, {"documents": 3})
    taken = take_job(store, entered.id, "me", lease_s=30, attempts=3)
    assert taken is not None
    stopped_at = {"stage": "read", "done": 0, "failed": 0, "total": 3}
    job = dataclasses.replace(taken, progress=stopped_at)
    run = JobRun(store, job, lease_s=30, stopping=lambda: False)
    unloaded: Any = ScriptedProcess(store, settings)
    ended = {"stage": "done", "done": 3, "failed": 0, "total": 3, "failures": []}
    assert index_documents(unloaded, run) == ended
    first = JobRun(store, taken, lease_s=30, stopping=lambda: False)
    elsewhere = {**ended, "superseded": 3}  # a job that was entered for them later has them
    assert index_documents(unloaded, first) == elsewhere
    delete_corpus(store, corpus)
    with pytest.raises(UnknownCorpus):  # not done: there is nothing to be found of it
        index_documents(unloaded, run)


def test_the_writes_of_a_stale_worker_are_refused(
    store: GraphStore, make_runner: MakeRunner, job: Job
) -> None:
    """The guard locks the job: nobody takes it between the check and the commit."""
    stale = take_job(store, job.id, "stale", lease_s=0.0, attempts=3)
    assert stale is not None
    run = JobRun(store, stale, lease_s=30, stopping=lambda: False)
    taker: list[Job | None] = []
    thread = threading.Thread(
        target=lambda: taker.append(take_job(store, job.id, "new", lease_s=30, attempts=3))
    )
    with store.transaction() as transaction:
        run.guard(transaction)
        thread.start()
        time.sleep(0.3)
        assert taker == []
    thread.join()
    assert taker[0] is not None
    with pytest.raises(JobStopped), store.transaction() as transaction:
        run.guard(transaction)
    assert run.lost
