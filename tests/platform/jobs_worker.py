"""A worker process for the tests: the real Celery worker, with kinds of jobs of its own.

``CLEW_TEST_KIND`` is put before the kinds' names, so that the workers of one test never take the
jobs of another. What happened is noted on the Redis list ``test:<job id>``.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from clew.errors import InvalidRequest, JobStopped, code_of
from clew.jobs import tasks, worker
from clew.jobs.app import INGEST, app
from clew.jobs.broker import events_client
from clew.jobs.kinds import KINDS, JobKind
from clew.jobs.runner import JobRun
from clew.resources.loaded import LoadedModels
from clew.results.evidence import AskEvent
from clew.settings import Settings
from clew_cypher.errors import UnknownCorpus
from clew_cypher.store import GraphStore, Neo4jConfig

PREFIX = os.environ["CLEW_TEST_KIND"]


class ScriptedResources:
    """Stands in for the resources, whose models are not the point here."""

    def __init__(self, settings: Settings) -> None:
        assert settings.neo4j_uri
        assert settings.neo4j_password
        self.settings = settings
        self.models = LoadedModels()
        self.store = GraphStore(
            Neo4jConfig(
                settings.neo4j_uri,
                settings.neo4j_username,
                settings.neo4j_password.get_secret_value(),
                settings.neo4j_database,
            )
        )

    def prepare_graph(self, *, link_titles: bool) -> None:
        """Leave the graph as it is."""

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def note(self, key: str, what: str) -> None:
        """Tell the test."""
        events_client(self.settings).rpush(f"test:{key}", what)


def scripted_events(
    resources: ScriptedResources,
    question: str,
    corpus: str,
    answer: bool = True,
    repeat: bool = False,
    **options: Any,
) -> Iterator[AskEvent]:
    """Answer by what the question says."""
    words = question.split()
    if words[0] == "unknown":
        error = UnknownCorpus("There is no corpus of that name.", remedy="Make it.")
        yield AskEvent(
            event="error",
            data={
                "code": code_of(error),
                "message": error.message,
                "remedy": error.remedy,
                "http_status": error.http_status,
            },
        )
        return
    if words[0] == "long":
        try:
            while repeat:
                time.sleep(0.05)
                yield AskEvent(event="progress", data={"text": "Reading"})
        finally:
            resources.note(words[1], "closed")
    if words[0] == "crash":
        raise ZeroDivisionError("secret detail")
    if words[0] == "die":
        yield AskEvent(event="progress", data={"text": "Loading"})
        yield AskEvent(event="trace", data={"name": "look", "seconds": 0.0, "detail": {}})
        yield AskEvent(event="round", data={"number": 1, "asked": "Who?"})
    if words[0] == "die" and events_client(resources.settings).incr(f"test:{words[1]}") == 1:
        os._exit(9)
    yield AskEvent(event="trace", data={"name": "first", "seconds": 0.0, "detail": options})
    yield AskEvent(
        event="evidence",
        data={"question": question, "corpus": corpus, "strategy": "scripted"},
    )
    if not answer:
        return
    try:
        count = int(words[1]) if words[0] == "slowly" else 5
        for i in range(count):
            if words[0] == "slowly":
                time.sleep(0.05)
                resources.note(words[2], str(i))
            yield AskEvent(event="piece", data={"text": f"piece {i}"})
    finally:
        if words[0] == "slowly":
            resources.note(words[2], "closed")
    yield AskEvent(event="answer", data={"text": "done", "pid": os.getpid()})


def count(clew: Any, run: JobRun) -> Mapping[str, Any]:
    """Count to ``steps``, a tenth of a second each."""
    clew.note(run.job.id, f"begin {os.getpid()}")
    steps = run.job.params["steps"]
    for step in range(steps):
        if run.cancelled():
            clew.note(run.job.id, "stopped")
            raise JobStopped("told to stop")
        time.sleep(0.1)
        run.progress({"done": step + 1, "total": steps})
    clew.note(run.job.id, f"end {os.getpid()}")
    return {"done": steps, "total": steps}


def poison(clew: Any, run: JobRun) -> Mapping[str, Any]:
    """Take the process down."""
    clew.note(run.job.id, "begin")
    os._exit(9)


def broken(clew: Any, run: JobRun) -> Mapping[str, Any]:
    """Fail by an error that nobody foresaw."""
    clew.note(run.job.id, "begin")
    raise ZeroDivisionError("one by zero")


def refused(clew: Any, run: JobRun) -> Mapping[str, Any]:
    """Fail by an error that no second try can cure."""
    clew.note(run.job.id, "begin")
    raise InvalidRequest("This cannot be done.", remedy="Ask for something else.")


if __name__ == "__main__":
    KINDS.clear()
    for work in (count, poison, broken, refused):
        name = f"{PREFIX}{work.__name__}"
        KINDS[name] = JobKind(name, INGEST, work)
    worker.open_resources = ScriptedResources  # type: ignore[assignment]
    worker.load_models = worker.search_once = lambda resources: None
    tasks.ask_events = scripted_events  # type: ignore[assignment]
    app.worker_main(["worker", *sys.argv[1:]])
