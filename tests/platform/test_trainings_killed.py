"""Trainings that are killed with signal 9 after a checkpoint go on from it, in a process of their
own each time.
"""

import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.clew import Clew
from clew.results.training import TrainingProgress
from clew.settings import Settings
from clew.training.request import LEARN, TrainingRequest
from clew.training.run import run_training
from clew_cypher.store import GraphStore
from clew_models.fitting import CHECKPOINT

from ..tiny_model import tiny_model
from .training_corpus import documents, films_settings

CORPUS = "test-trainings-killed"
CHECKPOINT_AT, KILLED_AT = 2, 3
"""Steps: the last checkpoint is older than what was learned when the training is killed."""
TRAININGS: dict[str, dict[str, Any]] = {
    "planner": {
        "examples": 60,
        "held_out": 5,
        "layers": 1,
        "heads": 2,
        "dimension": 16,
        "rank": 2,
        "batch": 8,
        "save_steps": CHECKPOINT_AT,
        "unaided": 0,
    },
    "graph-network": {
        "examples": 60,
        "batch": 8,
        "layers": 2,
        "save_steps": CHECKPOINT_AT,
        "start": "untrained",
        "dimension": 32,
    },
    "partial-alignment": {"examples": 60, "batch": 8, "rank": 2, "save_steps": CHECKPOINT_AT},
    "text-to-triples": {"examples": 60, "batch": 8, "rank": 2, "save_steps": CHECKPOINT_AT},
}


@pytest.fixture(scope="module")
def settings(
    store: GraphStore, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    home = tmp_path_factory.mktemp("home")
    base = tiny_model(home / "tiny-planner")
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 4096}))
    found = films_settings(store, cache_dir, home).changed(
        planner_base=str(base), extractor_base=str(base)
    )
    with Clew(found) as made:
        made.ingest(*documents(), corpus=CORPUS)
        yield found
        made.delete_corpus(CORPUS)


def train_until_killed(settings: Settings, request: TrainingRequest) -> None:
    """Train; kill this process at a step behind a checkpoint."""

    def tell(told: TrainingProgress) -> None:
        if told.stage == LEARN and told.done == KILLED_AT:
            os.kill(os.getpid(), signal.SIGKILL)

    with Clew(settings) as clew:
        run_training(clew.resources, request, tell=tell)


@pytest.mark.parametrize("method", TRAININGS)
def test_a_training_that_was_killed_goes_on_from_its_checkpoint(
    settings: Settings, method: str
) -> None:
    request = TrainingRequest(method=method, corpus=CORPUS, options=TRAININGS[method])
    child = multiprocessing.get_context("spawn").Process(
        target=train_until_killed, args=(settings, request)
    )
    child.start()
    child.join(300)
    assert child.exitcode == -signal.SIGKILL
    (checkpoint,) = (settings.home / "models" / method).glob(f"*/*/{CHECKPOINT}")
    steps: list[tuple[int, int]] = []
    with Clew(settings) as clew:
        version = run_training(
            clew.resources,
            request,
            tell=lambda told: (
                steps.append((told.done, told.total))
                if told.stage == LEARN and told.done and (told.done, told.total) not in steps
                else None
            ),
        )
        curve = clew.trained_model(method, version.version).curve
    assert Path(version.folder) == checkpoint.parent
    total = steps[-1][1]
    assert total > KILLED_AT
    # none before the checkpoint is done again, and none after it is left out
    assert steps == [(step, total) for step in range(CHECKPOINT_AT + 1, total + 1)]
    looks = [point.step for point in curve if point.held_out]
    assert looks == sorted({*range(0, total + 1, CHECKPOINT_AT), total})
