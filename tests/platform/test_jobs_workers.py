"""Real workers on a real broker: what is killed or lost, the job is done once in the end."""

import signal
import time
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest
from redis import Redis

from clew.jobs.app import RUN_JOB, publish
from clew.jobs.listing import cancel_job
from clew.jobs.pulse import ping, queue_pulses
from clew.settings import Settings
from clew_cypher.jobs.ledger import Job, create_job, get_job
from clew_cypher.store import GraphStore

if TYPE_CHECKING:
    from .conftest import Eventually, StartWorkers, Workers


@pytest.fixture(scope="module")
def both_workers(
    job_settings: Settings,
    start_workers: "StartWorkers",
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator["Workers"]:
    """Two workers for all tests of this file."""
    with start_workers(job_settings, tmp_path_factory.mktemp("logs")) as made:
        for _ in range(2):
            made.start()
        yield made


@pytest.fixture
def workers(both_workers: "Workers") -> "Workers":
    """The two workers, those that the test before killed started again."""
    both_workers.restart_dead()
    both_workers.ready()
    return both_workers


def submit(
    store: GraphStore, workers: "Workers", corpus: str, kind: str, wake: bool = True, **params: int
) -> Job:
    job = create_job(store, workers.prefix + kind, corpus, params)
    if wake:
        publish(workers.settings, RUN_JOB, (job.id,), "ingest")
    return job


def ended(store: GraphStore, job: Job) -> Job | None:
    found = get_job(store, job.id)
    return None if found is None or found.live else found


def notes(client: Redis, job: Job) -> list[str]:
    return [str(note).split()[0] for note in client.lrange(f"test:{job.id}", 0, -1)]


def begun(client: Redis, job: Job, eventually: "Eventually") -> int:
    """Wait until a worker has begun the job; return the worker's process id."""
    eventually(lambda: notes(client, job) == ["begin"], what="the start")
    return int(str(client.lindex(f"test:{job.id}", 0)).split()[1])


def test_two_workers_do_each_job_once(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    jobs = [submit(store, workers, corpus, "count", steps=3) for _ in range(6)]
    for job in jobs:  # every message twice, as after a redelivery
        publish(workers.settings, RUN_JOB, (job.id,), "ingest")
    for job in jobs:
        eventually(partial(ended, store, job), what="the job")
        assert notes(job_client, job) == ["begin", "end"]
        final = ended(store, job)
        assert final is not None
        assert (final.state, final.attempt) == ("done", 1)
        assert final.progress == {"done": 3, "total": 3}


def test_a_killed_worker_s_job_is_finished_by_another(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    job = submit(store, workers, corpus, "count", steps=15)
    victim = workers.with_pid(begun(job_client, job, eventually))
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    eventually(lambda: ended(store, job), 30, "the job")
    final = ended(store, job)
    assert final is not None
    assert (final.state, final.fencing_token) == ("done", 2)
    assert notes(job_client, job) == ["begin", "begin", "end"]


def test_a_frozen_worker_loses_its_job_and_its_end_counts_for_nothing(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    job = submit(store, workers, corpus, "count", steps=10)
    frozen = workers.with_pid(begun(job_client, job, eventually))
    frozen.send_signal(signal.SIGSTOP)
    try:
        eventually(lambda: ended(store, job), 30, "the job")
        before = ended(store, job)
    finally:
        frozen.send_signal(signal.SIGCONT)
    eventually(lambda: len(notes(job_client, job)) == 4, what="the thawed worker's last word")
    time.sleep(0.5)
    assert ended(store, job) == before
    assert before is not None
    assert (before.state, before.fencing_token) == ("done", 2)


def test_a_broker_that_forgot_everything_costs_nothing_but_time(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    jobs = [submit(store, workers, corpus, "count", steps=2) for _ in range(6)]
    job_client.flushall()
    late = submit(store, workers, corpus, "count", wake=False, steps=2)
    for job in (*jobs, late):
        eventually(partial(ended, store, job), what="the job after the wipe")
        final = ended(store, job)
        assert final is not None
        assert (final.state, final.attempt) == ("done", 1)
    assert notes(job_client, late) == ["begin", "end"]


def test_a_job_is_cancelled_while_it_runs(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    job = submit(store, workers, corpus, "count", steps=200)
    begun(job_client, job, eventually)
    asked = time.monotonic()
    cancel_job(store, job.id)
    eventually(lambda: ended(store, job), what="the cancellation")
    assert time.monotonic() - asked < 5.0
    final = ended(store, job)
    assert final is not None
    assert final.state == "cancelled"
    assert notes(job_client, job) == ["begin", "stopped"]


def test_a_stopped_worker_hands_its_job_to_the_next_at_once(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    job = submit(store, workers, corpus, "count", steps=20)
    stopped = workers.with_pid(begun(job_client, job, eventually))
    stopped.send_signal(signal.SIGTERM)
    assert stopped.wait(timeout=15) == 0
    eventually(lambda: ended(store, job), 30, "the job")
    final = ended(store, job)
    assert final is not None
    assert (final.state, final.attempt) == ("done", 1)
    assert notes(job_client, job) == ["begin", "stopped", "begin", "end"]


def test_a_canary_comes_back_while_a_job_runs(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    jobs = [submit(store, workers, corpus, "count", steps=300) for _ in range(2)]
    for job in jobs:
        begun(job_client, job, eventually)
    for _ in range(4):
        assert ping(workers.settings, "ingest", timeout_s=5.0) < 5.0

    def busy() -> bool:
        pulses = queue_pulses(workers.settings, "ingest")
        return [pulse["busy"] for pulse in pulses] == [1, 1]

    eventually(busy)
    pulses = queue_pulses(workers.settings, "ingest")
    assert {pulse["state"] for pulse in pulses} == {"ready"}
    for process in workers.processes:
        assert sum(f"/{process.pid}/" in pulse["worker"] for pulse in pulses) == 1
    for job in jobs:
        cancel_job(store, job.id)
        eventually(partial(ended, store, job), what="the cancellation")


def test_no_message_waits_for_the_end_of_its_job(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    """RabbitMQ ends the worker that holds one for half an hour."""
    job = submit(store, workers, corpus, "count", steps=30)
    begun(job_client, job, eventually)
    eventually(lambda: not job_client.hlen("unacked"), 2, "the receipt")
    assert ended(store, job) is None
    cancel_job(store, job.id)
    eventually(lambda: ended(store, job), what="the job")


def test_a_poison_job_is_set_aside_and_the_next_is_done(
    store: GraphStore,
    corpus: str,
    workers: "Workers",
    job_client: Redis,
    eventually: "Eventually",
) -> None:
    poison = submit(store, workers, corpus, "poison")
    healthy = submit(store, workers, corpus, "count", steps=1)

    def watched() -> bool:
        workers.restart_dead()
        return ended(store, poison) is not None and ended(store, healthy) is not None

    eventually(watched, 90, "both jobs")
    final = ended(store, poison)
    assert final is not None
    assert (final.state, final.attempt) == ("set_aside", 3)
    assert "3 tries" in str(final.error)
    assert notes(job_client, poison) == ["begin"] * 3
    assert notes(job_client, healthy) == ["begin", "end"]


def test_a_jobs_lines_tell_the_request_that_asked_for_it(
    store: GraphStore, workers: "Workers", corpus: str, eventually: "Eventually"
) -> None:
    kind = f"{workers.prefix}count"
    job = create_job(store, kind, corpus, {"steps": 1}, request={"request_id": "asked-by-me"})
    publish(workers.settings, RUN_JOB, (job.id,), "ingest")
    eventually(lambda: ended(store, job), 20)

    def told() -> list[str]:
        found = workers.log.read_text().splitlines()
        return [line for line in found if f"{job.id} is done" in line]

    eventually(told, 5)
    assert all("[asked-by-me]" in line for line in told())
