"""What a retrieval tells reaches who asks while it runs; who goes away ends it. No database."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from clew.answering.asking import ask, ask_events
from clew.errors import InvalidRequest
from clew.resources.resources import Resources
from clew.results.evidence import Evidence, Progress, TraceStep
from clew.results.explanation import QuotesCard, Round
from clew.settings import Settings
from clew.strategies import catalogue, searching
from clew.strategies.base import StrategySpec, Tell, untold
from clew_cypher.corpora import AskedCorpus, Corpus
from clew_cypher.store import GraphStore
from clew_models.language_model import metered
from clew_models.language_model.usage import note_call

PATIENCE_S = 20.0
TOLD = (
    Progress(text="Loading"),
    TraceStep(name="look", seconds=0.1, detail={"seen": 2}),
    QuotesCard(title="Reasons"),
    Round(number=1, asked="Who?"),
)


class Script:
    """What the toy strategy does when it is asked; set by each test."""

    work: Callable[[Tell], None]


class Toy:
    """Tells what the test wants, finds nothing."""

    name = "toy"

    def __init__(self, resources: Resources) -> None:
        self.resources = resources

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        Script.work(tell)
        return Evidence(question=question, corpus=corpus, strategy=self.name)


@pytest.fixture
def resources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache_dir: Path) -> Resources:
    spec = StrategySpec("toy", "Tells.", "none", f"{__name__}:Toy")
    monkeypatch.setattr(catalogue, "STRATEGIES", (spec,))

    # names, texts and documents that wait are looked up in the graph, and there is none
    def asked(store: GraphStore, name: str, ids: None) -> AskedCorpus:
        return AskedCorpus(Corpus(name, 1, "hashing", 8, "2026-01-01"), 0, False)

    monkeypatch.setattr(searching, "asked_corpus", asked)
    monkeypatch.setattr(searching, "has_chunks", lambda store, corpus: True)
    monkeypatch.setattr(
        searching, "spelt_right", lambda resources, question, corpus: (question, ())
    )
    settings = Settings(
        home=tmp_path,
        cache_dir=cache_dir,
        neo4j_uri="bolt://127.0.0.1:1",
        neo4j_password=SecretStr("x"),
    )
    return Resources(settings)


def retrievals() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "retrieval"]


def test_events_arrive_before_the_retrieval_ends(resources: Resources) -> None:
    steps = threading.Semaphore(0)

    def work(tell: Tell) -> None:
        for told in TOLD:
            tell(told)
            assert steps.acquire(timeout=PATIENCE_S)

    Script.work = work
    events = ask_events(resources, "Who?", strategy="toy", answer=False)
    for told, name in zip(TOLD, ("progress", "trace", "card", "round"), strict=True):
        event = next(events)  # the retrieval waits for the semaphore meanwhile
        assert (event.event, event.data) == (name, told.model_dump(mode="json"))
        assert len(retrievals()) == 1
        steps.release()
    assert [event.event for event in events] == ["evidence"]
    assert retrievals() == []


def test_closing_the_stream_ends_the_retrieval(resources: Resources) -> None:
    ended: list[float] = []

    def work(tell: Tell) -> None:
        try:
            while True:
                try:
                    tell(TOLD[0])
                except Exception:  # what a careless strategy does does not keep it going
                    continue
                time.sleep(0.005)
        finally:
            ended.append(time.monotonic())

    Script.work = work
    events = ask_events(resources, "Who?", strategy="toy")
    assert next(events).event == "progress"
    assert ended == []
    events.close()  # type: ignore[attr-defined]
    assert len(ended) == 1
    assert retrievals() == []


@pytest.mark.parametrize("repeat", [False, True])
def test_what_lasts_is_told_once_unless_it_is_asked_for_again(
    resources: Resources, repeat: bool
) -> None:
    def work(tell: Tell) -> None:
        for told in (TOLD[0], TOLD[0], TOLD[1], TOLD[0]):
            tell(told)

    Script.work = work
    events = ask_events(resources, "Who?", strategy="toy", answer=False, repeat=repeat)
    assert [event.event for event in events] == [
        *["progress"] * (1 + repeat),
        "trace",
        "progress",
        "evidence",
    ]


def test_an_error_for_people_comes_after_what_was_told(resources: Resources) -> None:
    def work(tell: Tell) -> None:
        tell(TOLD[1])
        raise InvalidRequest("That is no question.", remedy="Ask another.")

    Script.work = work
    trace, error = ask_events(resources, "Who?", strategy="toy")
    assert trace.event == "trace"
    assert (error.event, error.data["message"]) == ("error", "That is no question.")
    assert error.data["http_status"] == InvalidRequest.http_status


def test_a_fault_is_raised_where_the_events_are_read(resources: Resources) -> None:
    def work(tell: Tell) -> None:
        raise ZeroDivisionError("one by zero")

    Script.work = work
    with pytest.raises(ZeroDivisionError, match="one by zero"):
        next(ask_events(resources, "Who?", strategy="toy"))


def test_what_is_asked_of_language_models_counts_for_the_caller(resources: Resources) -> None:
    Script.work = lambda tell: note_call()
    with metered() as meter:
        assert [e.event for e in ask_events(resources, "?", strategy="toy", answer=False)] == [
            "evidence"
        ]
    assert meter.calls == 1


@pytest.mark.parametrize("streamed", [True, False])
def test_a_reader_that_is_not_there_is_told_before_anything_is_searched_for(
    resources: Resources, streamed: bool
) -> None:
    asked: list[Tell] = []
    Script.work = asked.append
    if streamed:
        events = list(ask_events(resources, "Who?", "corpus", "toy", reader="nobody"))
        assert [event.event for event in events] == ["error"]
        assert events[0].data["code"] == "invalid_request"
    else:
        with pytest.raises(InvalidRequest, match="nobody"):
            ask(resources, "Who?", "corpus", "toy", reader="nobody")
    assert asked == []
