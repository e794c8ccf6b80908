"""What a worker of questions has loaded before the graph is there, and before anybody asks."""

import logging
from pathlib import Path

import pytest
from pydantic import SecretStr

from clew.answering.asking import FIRST_QUESTION, load_models
from clew.jobs import worker
from clew.resources.resources import Resources
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
        made._first_search.start()
        made._first_search.join(timeout=20)
    assert "the graph went away" in caplog.text
    assert not made._first_search.is_alive()
