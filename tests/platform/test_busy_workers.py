"""A worker with more to do than it has threads is not taken for one that is stuck."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from celery.utils.nodenames import default_nodename

from clew.errors import WorkerUnavailable
from clew.jobs.pulse import ping
from clew.jobs.questions import Question, ask_events
from clew.runtime.probe import probe
from clew.runtime.services import WorkerService
from clew.settings import Settings
from clew_cypher.errors import GraphUnavailable

if TYPE_CHECKING:
    from .conftest import StartWorkers


@pytest.fixture
def service(
    job_settings: Settings,
    start_workers: "StartWorkers",
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[WorkerService]:
    """A worker of one thread, by the name that it has in a container, each check with a canary."""
    node = default_nodename(None)
    monkeypatch.setattr(WorkerService, "node", node)
    monkeypatch.setattr("clew.runtime.services.CANARY_EVERY", 1)
    monkeypatch.setattr("clew.runtime.services.CANARY_S", 1.0)
    monkeypatch.setattr("clew.runtime.probe.TIMEOUT_S", 1.0)
    service = WorkerService(job_settings, "worker-query", "Questions", ("query",), 1)
    with start_workers(job_settings, tmp_path) as made:
        made.start("query", threads=1, name=node)
        made.ready("query")
        while not service.check():
            time.sleep(0.1)
        yield service


@contextmanager
def asked(settings: Settings, times: int, pieces: int) -> Iterator[None]:
    """Ask so many questions at once, each answered in so many pieces of 0.05 s."""
    over, submitted = threading.Event(), threading.Semaphore(0)

    def ask(number: int) -> None:
        text = f"slowly {pieces} busy-{number}"
        events = ask_events(settings, Question(question=text, corpus="any"))
        submitted.release()
        for _ in events:
            if over.is_set():
                break
        events.close()  # type: ignore[attr-defined]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(times)]
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            assert submitted.acquire(timeout=60)  # what is asked next waits behind all of them
        with pytest.raises(WorkerUnavailable):
            ping(settings, "query", timeout_s=1.0)
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_one_that_gets_on_with_its_tasks_is_well(
    service: WorkerService, job_settings: Settings
) -> None:
    with asked(job_settings, times=30, pieces=10):
        assert [service.check() for _ in range(3)] == [True] * 3
        for _ in range(2):
            assert "others are done" in probe("query", job_settings)


def test_one_is_well_while_neo4j_is_away(
    service: WorkerService, job_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = job_settings.model_copy(update={"neo4j_uri": "bolt://127.0.0.1:1"})
    assert "graph is away" in probe("query", away)
    monkeypatch.setattr("clew.runtime.probe._node", lambda: "celery@nobody")
    with pytest.raises(GraphUnavailable):
        probe("query", away)


def test_one_that_begins_no_task_is_not(service: WorkerService, job_settings: Settings) -> None:
    with asked(job_settings, times=1, pieces=2400):
        service.check()
        assert [service.check() for _ in range(2)] == [False] * 2
        probe("query", job_settings)  # the first look
        with pytest.raises(WorkerUnavailable, match="No worker of the queue"):
            probe("query", job_settings)
