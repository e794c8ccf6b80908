"""A training as a job of a real worker: killed, gone on with, cancelled; and running workers take
the new version up.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import SecretStr

from clew.clew import Clew
from clew.jobs import questions
from clew.jobs.questions import Question
from clew.resources import versions
from clew.training.curve import read_curve
from clew_cypher.store import GraphStore

from .training_corpus import FILMS as CORPUS
from .training_corpus import films_settings

if TYPE_CHECKING:
    from .conftest import Eventually

METHOD = "translator"
OPTIONS: dict[str, Any] = {
    "examples": 40,
    "held_out": 3,
    "batch": 2,
    "epochs": 4.0,
    "save_steps": 3,
    "learning_rate": 0.01,
}


@pytest.fixture(scope="module")
def clew(
    store: GraphStore,
    films: str,
    cache_dir: Path,
    valkey_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Clew]:
    settings = films_settings(store, cache_dir, tmp_path_factory.mktemp("home")).changed(
        broker_url=SecretStr(valkey_url),
        job_lease_s=10.0,
        job_reconcile_s=0.5,
        query_wait_s=60.0,
        query_timeout_s=120.0,
    )
    with Clew(settings) as made:
        yield made


@contextmanager
def worker(clew: Clew, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A real worker of questions and trainings."""
    settings = clew.settings
    assert settings.neo4j_password is not None
    assert settings.broker_url is not None
    environment = os.environ | {
        "CLEW_HOME": str(settings.home),
        "CLEW_CACHE_DIR": str(settings.cache),
        "CLEW_BROKER_URL": settings.broker_url.get_secret_value(),
        "NEO4J_URI": str(settings.neo4j_uri),
        "NEO4J_USERNAME": settings.neo4j_username,
        "NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "CLEW_JOB_LEASE_S": "10",
        "CLEW_JOB_RECONCILE_S": "0.5",
        "CLEW_TRANSLATOR_MODEL": settings.value("translator_model"),
        "CLEW_TRANSLATOR_PRECISION": "float32",
    }
    command = [sys.executable, "-m", "celery", "-A", "clew.jobs.app", "worker"]
    options = ["-Q", "query,gpu", "-P", "threads", "-c", "3", "--loglevel", "INFO"]
    with log.open("ab") as file:
        process = subprocess.Popen(
            [*command, *options, "--without-gossip", "--without-mingle"],
            env=environment,
            stdout=file,
            stderr=file,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)


def served_by(clew: Clew) -> str:
    """Ask a worker, and return the model that translated."""
    asked = Question(
        question="Who directed The Amber Door of Marlow 0?",
        corpus=CORPUS,
        strategy=METHOD,
        k=5,
        answer=False,
    )
    evidence = questions.search(clew.settings, asked)
    (loaded,) = [step for step in evidence.trace if step.name == "language model"]
    return str(loaded.detail["model"])


def begun(clew: Clew) -> Path | None:
    home = versions.corpus_folder(clew.settings.home, METHOD, CORPUS)
    found = [path.parent for path in home.glob("*/request.json")]
    return found[0] if found else None


def kept_steps(folder: Path) -> int:
    """Return the steps that the newest whole checkpoint holds; its state is written last."""
    whole = (folder / "checkpoints").glob("checkpoint-*/trainer_state.json")
    return max((int(path.parent.name.split("-")[1]) for path in whole), default=0)


@pytest.mark.timeout(600)
def test_a_training_survives_kill_9_and_the_running_worker_takes_the_version_up(
    clew: Clew, tmp_path: Path, eventually: "Eventually"
) -> None:
    job = clew.submit_training(METHOD, CORPUS, **OPTIONS)
    assert (job.kind, job.state) == ("train", "queued")

    def learning() -> bool:
        folder = begun(clew)
        return folder is not None and kept_steps(folder) > 0

    with worker(clew, tmp_path / "first.log") as first:
        eventually(learning, 240, "a checkpoint")
        first.send_signal(signal.SIGKILL)
        first.wait(timeout=30)
    folder = begun(clew)
    assert folder is not None
    assert clew.job(job.id).state == "running"  # nobody had the time to say otherwise
    kept = kept_steps(folder)
    known = [point for point in read_curve(folder) if point.step <= kept]
    assert kept
    assert known
    with worker(clew, tmp_path / "second.log"):
        before = served_by(clew)
        assert folder.name not in before
        over = ("done", "failed", "set_aside", "cancelled")
        eventually(lambda: clew.job(job.id).state in over, 240, "the end of the training")
        ended = clew.job(job.id)
        assert ended.state == "done", ended.error
        assert ended.progress["version"] == folder.name
        curve = read_curve(folder)
        steps = [point.step for point in curve if not point.held_out]
        assert steps == list(range(1, len(steps) + 1))
        assert [point for point in curve if point.step <= kept] == known  # not done twice
        # the same process answers with it from the next question on
        clew.promote(METHOD, folder.name)
        assert served_by(clew).endswith(folder.name)
        clew.roll_back(METHOD, CORPUS)
        assert served_by(clew) == before

        # a training that is cancelled keeps its checkpoints, and the same one goes on from there
        again = clew.submit_training(METHOD, CORPUS, **OPTIONS, seed=1)
        eventually(learning, 240, "a checkpoint")
        clew.cancel_job(again.id)
        eventually(lambda: clew.job(again.id).state == "cancelled", 60, "the cancellation")
        assert learning()
        assert len(clew.trained_models(METHOD, CORPUS)) == 2
