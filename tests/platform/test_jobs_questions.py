"""Questions handed to a real worker on a real broker, and their events on the way back."""

import secrets
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import SecretStr, ValidationError
from redis import Redis

from clew.errors import (
    InvalidRequest,
    PlatformError,
    QuestionTimedOut,
    RuntimeNotRunning,
    WorkerUnavailable,
)
from clew.jobs import health, pulse
from clew.jobs.app import options as celery_options
from clew.jobs.app import queue_of
from clew.jobs.broker import SOCKET_TIMEOUT_S, broker_url, events_client, events_url, graph_id
from clew.jobs.events import QuestionReader, QuestionWriter, stream_key
from clew.jobs.graph_watch import GraphWatch
from clew.jobs.health import check, held_models
from clew.jobs.owner import owner_name
from clew.jobs.pulse import Pulse, ping, queue_key, queue_pulses, worker_key
from clew.jobs.questions import Question, ask, ask_events, error_of, search
from clew.jobs.tasks import answer_question
from clew.resources.connecting import connection
from clew.resources.resources import Resources
from clew.results.evidence import AskEvent
from clew.results.health import LoadedModel
from clew.settings import Settings
from clew.telemetry.request import ID, within
from clew_cypher.errors import UnknownCorpus
from clew_cypher.migrations import VERSION
from clew_cypher.store import GraphStore

if TYPE_CHECKING:
    from .conftest import Eventually, StartWorkers, Workers


@pytest.fixture(scope="module")
def query_worker(
    job_settings: Settings,
    start_workers: "StartWorkers",
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator["Workers"]:
    """A worker of the queue `query` for the tests that leave it alive."""
    with start_workers(job_settings, tmp_path_factory.mktemp("logs")) as made:
        made.start("query", threads=4)
        made.ready("query")
        yield made


@pytest.fixture
def lonely(job_settings: Settings, job_client: Redis) -> Settings:
    """Settings of another database of the same Valkey, where no worker listens."""
    assert job_settings.broker_url is not None
    url = job_settings.broker_url.get_secret_value().removesuffix("/0") + "/1"
    return job_settings.model_copy(update={"broker_url": SecretStr(url)})


def question(text: str, **options: object) -> Question:
    return Question.model_validate({"question": text, "corpus": "any", **options})


def told(settings: Settings, asked: Question) -> Iterator[AskEvent]:
    """The events without the beats between them."""
    return (event for event in ask_events(settings, asked) if event is not None)


@pytest.mark.usefixtures("query_worker")
def test_events_come_in_order_and_the_stream_is_removed(
    job_settings: Settings, job_client: Redis
) -> None:
    asked = question("order ok", strategy="dense", k=3, reader="extractive")
    events = list(told(job_settings, asked))
    assert [event.event for event in events] == [
        "trace",
        "evidence",
        *["piece"] * 5,
        "answer",
    ]
    assert events[0].data["detail"] == {
        "strategy": "dense",
        "k": 3,
        "reader": "extractive",
        "documents": None,
        "history": [],
    }
    assert [event.data["text"] for event in events[2:7]] == [f"piece {i}" for i in range(5)]
    assert list(job_client.scan_iter(stream_key("*"))) == []


def test_the_id_of_a_request_is_in_the_workers_lines(
    query_worker: "Workers", job_settings: Settings, eventually: "Eventually"
) -> None:
    request = f"r-{secrets.token_hex(4)}"
    with within({ID: request}):
        for text in ("order ok", "crash now"):
            list(told(job_settings, question(text)))

    def lines() -> list[str]:
        found = query_worker.log.read_text().splitlines()
        return [line for line in found if f"[{request}]" in line]

    eventually(lambda: sum("is over after" in line for line in lines()) == 2, 10)
    assert sum("ERROR clew.jobs.tasks" in line for line in lines()) == 1
    assert "order ok" not in query_worker.log.read_text()


@pytest.mark.usefixtures("query_worker")
def test_pieces_are_relayed_while_the_answer_is_written(job_settings: Settings) -> None:
    token = secrets.token_hex(4)
    arrived = [
        time.monotonic()
        for event in told(job_settings, question(f"slowly 20 {token}"))
        if event.event == "piece"
    ]
    assert len(arrived) == 20
    assert arrived[-1] - arrived[0] > 0.7


@pytest.mark.usefixtures("query_worker")
def test_many_at_once_get_each_their_own(job_settings: Settings) -> None:
    def run(number: int) -> str:
        return search(job_settings, question(f"evidence for {number}")).question

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(run, range(40))) == [f"evidence for {i}" for i in range(40)]


@pytest.mark.usefixtures("query_worker")
def test_the_hand_over_is_quick(job_settings: Settings) -> None:
    """From the call to the evidence, with a facade that takes no time: both ways together.

    Measured on two cores: a median of 2 ms. The limit is the design page's.
    """
    times = []
    for i in range(40):
        started = time.perf_counter()
        search(job_settings, question(f"hand over {i}"))
        times.append(time.perf_counter() - started)
    print(f"hand-over: median {statistics.median(times) * 1000:.1f} ms")
    assert statistics.median(times) < 0.015


@pytest.mark.usefixtures("query_worker")
def test_evidence_alone_ends_with_the_evidence(job_settings: Settings) -> None:
    events = list(told(job_settings, question("evidence only", answer=False)))
    assert [event.event for event in events] == ["trace", "evidence"]


@pytest.mark.usefixtures("query_worker")
def test_errors_meant_for_people_arrive_as_they_are(job_settings: Settings) -> None:
    events = list(told(job_settings, question("unknown corpus")))
    assert [event.event for event in events] == ["error"]
    with pytest.raises(UnknownCorpus, match=r"no corpus of that name\. Make it\.") as caught:
        search(job_settings, question("unknown corpus"))
    assert caught.value.http_status == 404
    with pytest.raises(UnknownCorpus):
        ask(job_settings, question("unknown corpus"))


@pytest.mark.usefixtures("query_worker")
def test_a_bug_in_the_worker_is_an_error_without_its_details(job_settings: Settings) -> None:
    events = list(told(job_settings, question("crash please")))
    assert [event.event for event in events] == ["error"]
    assert "ZeroDivisionError" in events[0].data["message"]
    assert "secret detail" not in str(events[0].data)
    assert type(error_of(events[0].data)) is PlatformError


@pytest.mark.usefixtures("query_worker")
def test_the_worker_stops_when_nobody_reads_any_more(
    job_settings: Settings, job_client: Redis, eventually: "Eventually"
) -> None:
    token = secrets.token_hex(4)
    events = ask_events(job_settings, question(f"slowly 400 {token}"))
    for event in events:
        if event is not None and event.event == "piece":
            break
    events.close()  # type: ignore[attr-defined]
    noted = f"test:{token}"
    eventually(lambda: "closed" in job_client.lrange(noted, 0, -1), 3.0, "the end")
    assert job_client.llen(noted) < 20


@pytest.mark.usefixtures("query_worker")
def test_what_lasts_is_said_once_and_ends_when_nobody_reads_any_more(
    job_settings: Settings, job_client: Redis, eventually: "Eventually"
) -> None:
    token = secrets.token_hex(4)
    events = ask_events(job_settings, question(f"long {token}"))
    said = [event for event, _ in zip(events, range(3), strict=False) if event is not None]
    assert [event.data["text"] for event in said] == ["Reading"]
    events.close()  # type: ignore[attr-defined]
    noted = f"test:{token}"
    eventually(lambda: "closed" in job_client.lrange(noted, 0, -1), 3.0, "the end")


def test_a_beat_comes_while_the_worker_is_silent(lonely: Settings) -> None:
    """So that whoever relays the events can notice that nobody reads any more."""
    client = events_client(lonely)
    client.flushdb()
    events = ask_events(lonely, question("long in the making"))
    (key,) = client.scan_iter(stream_key("*"))
    writer = QuestionWriter(client, str(key).removeprefix(stream_key("")))
    assert writer.take(owner_name())
    assert next(events) is None
    assert writer.add(AskEvent(event="progress", data={"text": "Loading"}))
    assert next(events) == AskEvent(event="progress", data={"text": "Loading"})
    assert next(events) is None
    events.close()  # type: ignore[attr-defined]
    assert not writer.add(AskEvent(event="progress", data={"text": "Loaded"}))


@pytest.mark.usefixtures("query_worker")
def test_a_question_that_takes_too_long_is_given_up(
    job_settings: Settings, job_client: Redis, eventually: "Eventually"
) -> None:
    token = secrets.token_hex(4)
    hurried = job_settings.model_copy(update={"query_timeout_s": 1.0})
    with pytest.raises(QuestionTimedOut, match="longer than 1 s"):
        list(told(hurried, question(f"slowly 400 {token}")))
    noted = f"test:{token}"
    eventually(lambda: "closed" in job_client.lrange(noted, 0, -1), 3.0, "the end")


def test_a_worker_that_dies_over_a_question_is_replaced_once(
    query_worker: "Workers", job_settings: Settings, eventually: "Eventually"
) -> None:
    """The question is put again to whoever comes next; a second death would end it."""
    token = secrets.token_hex(4)
    patient = job_settings.model_copy(update={"query_wait_s": 60.0, "query_timeout_s": 60.0})
    events = told(patient, question(f"die {token}"))
    names: list[str] = []
    reader = threading.Thread(target=lambda: names.extend(event.event for event in events))
    reader.start()
    victim = query_worker.processes[-1]
    eventually(lambda: victim.poll() is not None, what="the death")
    query_worker.start("query", threads=4)
    query_worker.ready("query")
    reader.join(timeout=60)
    assert names[-1] == "answer"
    assert names.count("evidence") == 1


def test_a_worker_that_misses_its_pulse_is_not_asked_twice(
    lonely: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question that holds the interpreter keeps its worker from saying that it lives."""
    client = events_client(lonely)
    here = owner_name()
    elsewhere = here.replace(socket.gethostname(), "elsewhere", 1)
    hurried = lonely.model_copy(update={"query_timeout_s": 6.0})
    for worker, silence_s, asked in ((here, 1.0, 1), (elsewhere, 60.0, 1), (elsewhere, 1.0, 2)):
        monkeypatch.setattr("clew.jobs.questions.SILENCE_S", silence_s)
        client.flushdb()
        events = ask_events(hurried, question("busy"))
        (key,) = client.scan_iter(stream_key("*"))
        writer = QuestionWriter(client, str(key).removeprefix(stream_key("")))
        assert writer.take(worker)  # and then not a word, no pulse either
        with pytest.raises(WorkerUnavailable):
            list(events)
        assert client.llen(queue_of(graph_id(lonely), "query").name) == asked, (worker, silence_s)


def test_without_a_worker_a_question_fails_soon_with_what_to_do(lonely: Settings) -> None:
    started = time.monotonic()
    with pytest.raises(WorkerUnavailable, match="No worker took the question") as caught:
        search(lonely, question("is anybody there"))
    assert time.monotonic() - started < 5
    assert "clew up" in caught.value.remedy


@pytest.mark.usefixtures("query_worker")
def test_clews_of_two_graphs_share_a_broker_and_take_nothing_of_each_other(
    job_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(told(job_settings, question("order ok")))[-1].event == "answer"
    with monkeypatch.context() as another:
        for module in ("app", "pulse"):
            another.setattr(f"clew.jobs.{module}.graph_id", lambda settings: "another")
        assert pulse.queue_pulses(job_settings, "query") == []
        with pytest.raises(WorkerUnavailable, match="No worker took the question"):
            search(job_settings, question("order ok"))
        with pytest.raises(WorkerUnavailable, match="No worker of the queue"):
            ping(job_settings, "query", timeout_s=1.0)
    assert list(told(job_settings, question("order ok")))[-1].event == "answer"


@pytest.mark.usefixtures("query_worker")
def test_a_question_finds_the_workers_of_a_database_that_took_the_place_of_another(
    job_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried = job_settings.model_copy(update={"query_wait_s": 1.0})
    before = {connection(job_settings).neo4j: "another"}
    monkeypatch.setattr("clew.jobs.broker._GRAPHS", before)
    monkeypatch.setattr("clew.jobs.broker._LOOKED", {})
    assert list(told(hurried, question("order ok")))[-1].event == "answer"
    monkeypatch.setattr("clew.jobs.broker._GRAPHS", {**before, next(iter(before)): "another"})
    monkeypatch.setattr("clew.jobs.broker._LOOKED", {})
    with pytest.raises(WorkerUnavailable, match="No worker of the queue"):
        ping(hurried, "query", timeout_s=1.0)
    assert ping(hurried, "query") < 10


@pytest.mark.usefixtures("query_worker")
def test_a_worker_that_is_older_than_the_graph_answers_no_questions(
    job_settings: Settings, store: GraphStore, eventually: "Eventually"
) -> None:
    def states() -> set[str]:
        return {one["state"] for one in queue_pulses(job_settings, "query")}

    store.write("enter_schema_version", version=VERSION + 1)
    try:
        eventually(lambda: states() == {"outdated"}, 20, what="the worker's look at the graph")
        (event,) = told(job_settings, question("order ok"))
        assert (event.event, event.data["code"]) == ("error", "graph_is_newer")
        assert f"schema version {VERSION + 1}" in event.data["message"]
        with closing(Resources(job_settings)) as resources:
            worker = next(one for one in check(resources).services if one.name == "query worker")
        assert (worker.ok, worker.detail) == (False, "is older than the graph and does nothing")
    finally:
        store.write("enter_schema_version", version=VERSION)
    eventually(lambda: states() == {"ready"}, 20, what="the worker's next look")
    assert list(told(job_settings, question("order ok")))[-1].event == "answer"


def test_an_older_worker_leaves_questions_to_one_that_is_ready(
    lonely: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = events_client(lonely)
    client.flushdb()
    older = SimpleNamespace(settings=lonely, outdated=True, name="older", question=lambda by: None)
    monkeypatch.setattr("clew.jobs.tasks.current", lambda: older)
    asked = question("order ok").model_dump_json()
    queue = queue_of(graph_id(lonely), "query").name
    said = {"state": "ready", "busy": 0, "memory_mib": 100.0, "models": []}
    Pulse(lonely, "newer", ["query"], lambda: said).look()
    answer_question.run("id", asked, None)
    assert client.llen(queue) == 1
    assert client.exists(stream_key("id")) == 0  # nobody took it


def test_a_worker_whose_database_is_another_one_ends(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    watch = GraphWatch(store, lambda: ended.append("ended"))
    watch.look()
    watch.look()
    assert ended == []
    monkeypatch.setattr(GraphStore, "read", lambda self, name, **params: [{"id": "another"}])
    watch.look()
    assert ended == ["ended"]


def test_a_canary_may_take_longer_than_a_socket_waits(lonely: Settings) -> None:
    started = time.monotonic()
    with pytest.raises(WorkerUnavailable, match="No worker of the queue"):
        ping(lonely, "query", timeout_s=SOCKET_TIMEOUT_S + 0.5)
    assert time.monotonic() - started > SOCKET_TIMEOUT_S


def test_without_a_broker_a_question_fails_at_once(job_settings: Settings) -> None:
    nowhere = job_settings.model_copy(
        update={"broker_url": SecretStr("redis://127.0.0.1:1/0"), "query_wait_s": 1.0}
    )
    started = time.monotonic()
    with pytest.raises(WorkerUnavailable, match="broker does not answer"):
        ask_events(nowhere, question("is anybody there"))
    assert time.monotonic() - started < 10


def test_a_stream_that_nobody_reads_takes_no_events(job_client: Redis) -> None:
    name = secrets.token_hex(4)
    writer = QuestionWriter(job_client, name)
    assert not writer.take("a worker")
    reader = QuestionReader(job_client, name)
    reader.open()
    assert writer.take("a worker")
    assert reader.read(10) == [("taken", {"worker": "a worker"})]
    assert 0 < int(job_client.ttl(stream_key(name))) <= 60
    reader.close()
    assert not writer.take("a worker")
    assert not reader.keep_alive()


def test_questions_are_checked_before_they_are_sent(lonely: Settings) -> None:
    for bad in ("", "   ", "?!", "a\x00b", "a\x1b[31mb", "lone \ud800 surrogate"):
        with pytest.raises(ValidationError):
            question(bad)
    for wrong in ({"k": 0}, {"k": 101}, {"corpus": ""}, {"strategy": ""}, {"unknown": 1}):
        with pytest.raises(ValidationError):
            question("fine", **wrong)
    assert question("  Where is\nKöln? \t").question == "Where is\nKöln?"
    short = lonely.model_copy(update={"question_limit_bytes": 64})
    with pytest.raises(InvalidRequest, match="66 bytes, over 64"):
        ask_events(short, question("ü" * 33))
    with pytest.raises(InvalidRequest, match="7001 words and signs, over 1500"):
        ask_events(lonely, question("who " + "?!" * 3500))


def test_only_redis_or_valkey_carries_events(tmp_path: Path) -> None:
    rabbit = Settings(home=tmp_path, broker_url=SecretStr("amqp://host//"))
    with pytest.raises(PlatformError, match="amqp broker cannot carry"):
        events_url(rabbit)
    both = rabbit.model_copy(update={"events_url": SecretStr("redis://host/0")})
    assert events_url(both) == "redis://host/0"


@pytest.mark.parametrize(("given", "meant"), [("valkey", "redis"), ("valkeys", "rediss")])
def test_the_broker_may_be_named_as_valkey(tmp_path: Path, given: str, meant: str) -> None:
    one = Settings(home=tmp_path, broker_url=SecretStr(f"{given}://:valkey@host:6379/0"))
    assert broker_url(one) == events_url(one) == f"{meant}://:valkey@host:6379/0"
    assert celery_options(one)["broker_url"] == f"{meant}://:valkey@host:6379/0"
    other = one.model_copy(update={"events_url": SecretStr(f"{given}://events/0")})
    assert events_url(other) == f"{meant}://events/0"


def test_each_worker_of_a_queue_is_heard(lonely: Settings) -> None:
    """Whoever spoke last does not hide the others, and who is silent does not count."""
    client = events_client(lonely)
    client.flushdb()

    def pulse_of(worker: str, state: str, busy: int, mib: float) -> Pulse:
        chains = LoadedModel(
            name=f"chains of {worker}",
            kind="chains",
            device="cpu",
            mib=1.0,
            load_seconds=1.0,
            idle_seconds=1.0,
        )
        said = {"state": state, "busy": busy, "memory_mib": mib, "models": [chains.model_dump()]}
        return Pulse(lonely, worker, ["query"], lambda: said)

    def heard() -> tuple[bool, str]:
        with closing(Resources(lonely)) as resources:
            services = {service.name: service for service in check(resources).services}
        return services["query worker"].ok, services["query worker"].detail

    ready, loading = pulse_of("one", "ready", 2, 900.0), pulse_of("two", "loading", 0, 150.0)
    assert heard() == (False, "no worker of the queue query lives")
    for last in (loading, ready, loading):
        last.look()
    assert heard() == (True, "1 of 2 workers ready, 2 at work")
    held = held_models(lonely)["query"]
    assert held.memory_mib == 1050.0
    assert [model.name for model in held.models] == ["chains of one", "chains of two"]
    client.delete(worker_key("one"))
    assert heard() == (False, "is loading its models")
    pulse_of("two", "outdated", 0, 150.0).look()
    assert heard() == (False, "is older than the graph and does nothing")
    assert held_models(lonely)["query"].memory_mib == 150.0
    assert client.smembers(queue_key(lonely, "query")) == {"two"}
    ready.look()
    client.delete(worker_key("two"))
    assert heard() == (True, "ready, 2 at work")


def test_a_worker_of_the_gpu_alone_is_heard_and_missed(lonely: Settings) -> None:
    client = events_client(lonely)
    client.flushdb()

    def pulse(worker: str, *queues: str) -> None:
        said = {"state": "ready", "busy": 0, "memory_mib": 100.0, "models": []}
        Pulse(lonely, worker, queues, lambda: said).look()

    def heard() -> dict[str, bool]:
        with closing(Resources(lonely)) as resources:
            found = {one.name: one.ok for one in check(resources).services}
        return {name: ok for name, ok in found.items() if name in ("ingest worker", "gpu worker")}

    assert heard() == {"ingest worker": False}
    pulse("both", "ingest", "gpu")
    assert heard() == {"ingest worker": True}
    assert set(held_models(lonely)) == {"ingest"}  # it holds what it holds once
    client.flushdb()
    pulse("reads", "ingest")
    assert heard() == {"ingest worker": True, "gpu worker": False}
    pulse("learns", "gpu")
    assert heard() == {"ingest worker": True, "gpu worker": True}
    assert set(held_models(lonely)) == {"ingest", "gpu"}


def test_each_queue_is_listened_to_once(lonely: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    def noted(settings: Settings, queue: str) -> list[dict[str, Any]]:
        heard.append(queue)
        return queue_pulses(settings, queue)

    monkeypatch.setattr(health, "queue_pulses", noted)
    with closing(Resources(lonely)) as resources:
        check(resources)
    assert sorted(heard) == ["gpu", "ingest", "query"]


def test_the_pulse_outlives_what_it_cannot_be_sent_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    eventually: "Eventually",
) -> None:
    asked: list[str] = []

    def broken(settings: Settings) -> Redis:
        asked.append("client")
        raise RuntimeNotRunning("Nothing runs here.", remedy="Start it.")

    monkeypatch.setattr(pulse, "graph_id", lambda settings: "graph")
    monkeypatch.setattr(pulse, "events_client", broken)
    monkeypatch.setattr(pulse, "PULSE_S", 0.01)
    beating = Pulse(Settings(home=tmp_path), "worker", ["query"], dict)
    beating.start()
    eventually(lambda: len(asked) > 3)
    beating.stop()
    said = [line for line in caplog.messages if "could not be sent" in line]
    assert said == ["The pulse could not be sent: Nothing runs here. Start it."]


def test_a_database_that_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    """One that is stopped, or swaps: it takes connections, for which the driver waits."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = Settings(
            home=tmp_path,
            neo4j_uri=f"bolt://127.0.0.1:{silent.getsockname()[1]}",
            neo4j_password=SecretStr("any"),
            broker_url=SecretStr("redis://127.0.0.1:1/0"),
        )
        started = time.monotonic()
        graph = check(Resources(settings)).services[0]
    assert (graph.name, graph.ok) == ("neo4j", False)
    assert graph.detail == "No answer within 5 s."
    assert time.monotonic() - started < 15


def test_a_database_that_went_away_is_told_at_once(tmp_path: Path) -> None:
    """A statement is tried for half a minute: who looks at the health does not wait so long."""
    settings = Settings(
        home=tmp_path,
        neo4j_uri="bolt://127.0.0.1:9",
        neo4j_password=SecretStr("any"),
        broker_url=SecretStr("redis://127.0.0.1:1/0"),
    )
    resources = Resources(settings)
    resources.store._driver = resources.store._new_driver()  # it was there once
    started = time.monotonic()
    graph = check(resources).services[0]
    resources.close()
    assert (graph.name, graph.ok) == ("neo4j", False)
    assert "does not answer" in graph.detail
    assert time.monotonic() - started < 25
