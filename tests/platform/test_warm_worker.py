"""What a worker of questions has loaded before the graph is there, and before anybody asks."""

import dataclasses
import logging
import threading
from pathlib import Path

import pytest
from pydantic import SecretStr

from clew.answering.asking import FIRST_QUESTION, load_models
from clew.jobs import worker
from clew.resources.resources import Resources
from clew.resources.runtime_state import (
    RuntimeState,
    ServiceRow,
    ServiceState,
    supervisor_lock,
    write_state,
)
from clew.settings import Settings


@pytest.fixture
def alone(tmp_path: Path, cache_dir: Path) -> Settings:
    """Settings of a Neo4j that is not there."""
    return Settings(
        home=tmp_path,
        cache_dir=cache_dir,
        neo4j_uri="bolt://127.0.0.1:1",
        neo4j_password=SecretStr("nothing"),
        embed_threads=1,
    )


def test_what_reads_questions_is_loaded_without_the_graph(alone: Settings) -> None:
    resources = Resources(alone)
    load_models(resources)
    held = {model.name for model in resources.models.report()}
    assert "the reader's span model" in held
    assert any("embed" in name for name in held), held
    vector = resources.embedder.embed([FIRST_QUESTION])
    assert vector.shape == (1, resources.embedder.dimension)
    resources.close()


def test_a_first_search_that_fails_is_told_and_ends_nothing(
    alone: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(resources: Resources) -> None:
        raise RuntimeError("the graph went away")

    monkeypatch.setattr(worker, "search_once", fail)
    made = worker.Worker(alone, {"query"}, 2)
    with caplog.at_level(logging.WARNING, logger="clew.jobs.worker"):
        made._later.start()
        made._later.join(timeout=20)
    assert "the graph went away" in caplog.text
    assert not made._later.is_alive()


def test_what_can_wait_waits_for_the_services_beside(
    alone: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = threading.Event()
    monkeypatch.setattr(worker, "search_once", lambda resources: searched.set())
    made = worker.Worker(alone, {"query"}, 2)
    row = ServiceRow("web", "Web UI", ServiceState.STARTING)
    with supervisor_lock(alone.home):
        write_state(alone.home, RuntimeState(1, services=[row]))
        made._later.start()
        assert not searched.wait(1)
        ready = dataclasses.replace(row, state=ServiceState.HEALTHY)
        write_state(alone.home, RuntimeState(1, services=[ready]))
        assert searched.wait(20)
    made._later.join(timeout=20)


def test_a_worker_that_ends_meanwhile_begins_nothing(
    alone: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "search_once", lambda resources: pytest.fail("it has ended"))
    made = worker.Worker(alone, {"query", "ingest"}, 2)
    row = ServiceRow("web", "Web UI", ServiceState.STARTING)
    with supervisor_lock(alone.home):
        write_state(alone.home, RuntimeState(1, services=[row]))
        made._later.start()
        made.stopping = True
        made._over.set()
        made._later.join(timeout=20)
    assert not made._later.is_alive()
    assert [one for one in made._watchers if one._thread.ident is not None] == []
