"""Webhooks: who is told of which job, signed, again until it is answered, and never from inside."""

import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from clew.errors import InvalidRequest, InvalidSetting, UnknownWebhook
from clew.jobs import webhooks
from clew.jobs.webhooks import Deliverer, add_webhook, allowed_by
from clew.resources.resources import Resources
from clew.settings import Settings
from clew_cypher.corpora import delete_corpus, ensure_corpus
from clew_cypher.errors import UnknownCorpus
from clew_cypher.jobs import webhooks as kept
from clew_cypher.jobs.ledger import Job, cancel_job, close_job, create_job, take_job
from clew_cypher.jobs.schedules import (
    create_schedule,
    list_schedules,
    run_now,
    schedule_runs,
)
from clew_cypher.jobs.webhooks import enter_deliveries
from clew_cypher.store import GraphStore
from clew_ingest.errors import AddressRefused, UnreadableSource
from clew_ingest.reading.fetching import post

INSIDE = {"webhook_networks": "127.0.0.0/8"}


@dataclass
class Receiver:
    """A server that answers with the next of ``statuses``, the last again and again."""

    statuses: list[int] = field(default_factory=lambda: [200])
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.got.append((dict(self.headers), body))
            status = state.statuses.pop(0) if len(state.statuses) > 1 else state.statuses[0]
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}/hook?a=1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture
def resources(store: GraphStore) -> Iterator[Resources]:
    made = Resources(Settings.load(**INSIDE))
    made._store = store
    yield made
    for one in webhooks.list_webhooks(store, None):
        webhooks.delete_webhook(store, one.id)


def test_webhooks_and_schedules_end_with_their_corpus(
    resources: Resources, store: GraphStore, corpus: str
) -> None:
    """A later corpus of the name, which may be confidential, has none of them."""
    other = f"{corpus}-other"
    for name in (corpus, other):
        ensure_corpus(store, name, embedder="hash", dimension=384)
        webhook = add_webhook(resources, name, "https://127.0.0.1/hook", [])
        made = create_schedule(
            store,
            name="Nightly",
            kind="reindex",
            corpus=name,
            params={},
            cron="0 3 * * *",
            every_s=None,
            zone="UTC",
            start_s=0,
            next_s=2**40,
        )
        ended(store, name)
        enter_deliveries(store, 60)
        assert len(webhooks.list_deliveries(store, webhook.id, 10)) == 1
        assert run_now(store, made.id) is not None
    delete_corpus(store, corpus)
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert webhooks.list_webhooks(store, corpus) == []
    assert list_schedules(store, corpus) == []
    (kept,) = webhooks.list_webhooks(store, other)
    assert len(webhooks.list_deliveries(store, kept.id, 10)) == 1
    ((scheduled, *_),) = list_schedules(store, other)
    assert len(schedule_runs(store, scheduled.id, 10)) == 1
    delete_corpus(store, other)


def ended(store: GraphStore, corpus: str, kind: str = "ingest", state: Any = "done") -> Job:
    job = create_job(store, kind, corpus, {"secret": "params are not told"})
    taken = take_job(store, job.id, "me", lease_s=60, attempts=3)
    assert taken is not None
    closed = close_job(store, taken, state, error="why" if state == "failed" else None, progress={})
    assert closed is not None
    return closed


def test_a_job_that_ended_is_told_once_and_signed(
    resources: Resources, store: GraphStore, corpus: str, receiver: Receiver
) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    before = ended(store, corpus)
    made = add_webhook(resources, corpus, receiver.url, ["ingest", "bench"])
    job = ended(store, corpus, state="failed")
    ended(store, corpus, kind="train")
    ended(store, corpus + "-other")
    create_job(store, "ingest", corpus)  # waits
    deliverers = [Deliverer(store, resources.settings) for _ in range(3)]
    threads = [threading.Thread(target=one.look) for one in deliverers * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ((headers, body),) = receiver.got
    value = json.loads(body)
    assert value["event"] == "job.ended"
    assert value["job"]["id"] == job.id != before.id
    assert (value["job"]["state"], value["job"]["error"]) == ("failed", "why")
    assert b"secret" not in body
    moment, _, digest = headers["X-Clew-Signature"].removeprefix("t=").partition(",v1=")
    signed = hmac.new(made.secret.encode(), f"{moment}.".encode() + body, hashlib.sha256)
    assert digest == signed.hexdigest()
    assert abs(int(moment) - time.time()) < 30
    (delivery,) = webhooks.list_deliveries(store, made.id, 5)
    assert headers["X-Clew-Delivery"] == delivery.id == value["delivery"]
    assert (delivery.state, delivery.attempt, delivery.status) == ("delivered", 1, 200)
    assert delivery.next_at is None
    assert made.secret not in webhooks.list_webhooks(store, corpus)[0].model_dump_json()
    waiting = create_job(store, "ingest", corpus)
    cancel_job(store, waiting.id)
    assert deliverers[0].look() == 1
    assert json.loads(receiver.got[-1][1])["job"]["state"] == "cancelled"


def test_a_look_at_which_no_job_has_ended_writes_nothing(
    resources: Resources, store: GraphStore, corpus: str, receiver: Receiver
) -> None:
    """A backup is made of a graph that nobody writes to."""
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    made = add_webhook(resources, corpus, receiver.url)
    deliverer = Deliverer(store, resources.settings)
    for tries in (0, 1):
        if tries:
            ended(store, corpus)
        assert deliverer.look() == tries
        before = store.bookmark()
        assert deliverer.look() == 0
        assert store.bookmark() == before
    assert kept.delete_old_deliveries(store, days=0) == 0  # its job would be told again
    assert [one.state for one in webhooks.list_deliveries(store, made.id, 5)] == ["delivered"]


def test_what_is_not_answered_well_is_tried_again_and_then_given_up(
    resources: Resources, store: GraphStore, corpus: str, receiver: Receiver
) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    made = add_webhook(resources, corpus, receiver.url)
    ended(store, corpus)
    receiver.statuses = [500, 302, 204]
    later = Deliverer(store, resources.settings, waits_s=(600, 600))
    assert later.look() == 1
    (delivery,) = webhooks.list_deliveries(store, made.id, 5)
    assert (delivery.state, delivery.status) == ("queued", 500)
    assert delivery.next_at is not None
    assert later.look() == 0  # not due before ten minutes are over
    due_now(store)
    soon = Deliverer(store, resources.settings, waits_s=(0, 0))
    assert soon.look() == 2  # a redirect is not followed: it is no answer
    (delivery,) = webhooks.list_deliveries(store, made.id, 5)
    assert (delivery.state, delivery.attempt, delivery.status) == ("delivered", 3, 204)
    assert len({headers["X-Clew-Delivery"] for headers, _ in receiver.got}) == 1
    receiver.statuses = [503]
    ended(store, corpus)
    assert soon.look() == 3
    newest = webhooks.list_deliveries(store, made.id, 5)[0]
    assert (newest.state, newest.attempt, newest.error) == ("failed", 3, "It answered 503.")
    receiver.statuses = [500, 200]  # by hand: one try of a delivery that was given up
    for state in ("failed", "delivered"):
        asked = webhooks.retry_delivery(store, made.id, newest.job_id)
        assert (asked.id, asked.state) == (newest.id, "queued")
        assert soon.look() == 1
        assert webhooks.list_deliveries(store, made.id, 5)[0].state == state
    with pytest.raises(UnknownWebhook, match="was not told of"):
        webhooks.retry_delivery(store, made.id, "no-such-job")
    webhooks.delete_webhook(store, made.id)
    with pytest.raises(UnknownWebhook):
        webhooks.list_deliveries(store, made.id, 5)
    with pytest.raises(UnknownWebhook):
        webhooks.retry_delivery(store, made.id, newest.job_id)


def test_a_worker_that_dies_while_it_tells_leaves_it_to_another(
    resources: Resources,
    store: GraphStore,
    corpus: str,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    made = add_webhook(resources, corpus, receiver.url)
    ended(store, corpus)
    dying = Deliverer(store, resources.settings)
    with monkeypatch.context() as patched:
        patched.setattr(dying, "_send", lambda delivery: (_ for _ in ()).throw(SystemExit(9)))
        with pytest.raises(SystemExit):
            dying.look()
    other = Deliverer(store, resources.settings)
    assert other.look() == 0  # the lease of the first is not over
    due_now(store)
    assert other.look() == 1
    assert len(receiver.got) == 1
    (delivery,) = webhooks.list_deliveries(store, made.id, 5)
    assert (delivery.state, delivery.attempt) == ("delivered", 2)


def test_addresses_inside_are_refused_when_made_and_when_told(
    resources: Resources, store: GraphStore, corpus: str, receiver: Receiver
) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    closed = Resources(Settings.load())
    closed._store = store
    for url in (receiver.url, "http://169.254.169.254/latest", "http://[::1]/", "http://10.1.2.3/"):
        with pytest.raises(AddressRefused):
            add_webhook(closed, corpus, url)
    for url in ("ftp://example.org/x", "nothing", "http://", "https://u:p@example.org/"):
        with pytest.raises((UnreadableSource, AddressRefused)):
            add_webhook(closed, corpus, url)
    with pytest.raises(AddressRefused):
        add_webhook(resources, corpus, "http://10.1.2.3/")
    with pytest.raises(InvalidRequest, match="no kind of job"):
        add_webhook(resources, corpus, receiver.url, ["dance"])
    with pytest.raises(UnknownCorpus):
        add_webhook(resources, corpus + "-not", receiver.url)
    made = add_webhook(resources, corpus, receiver.url)  # allowed then, and no longer
    ended(store, corpus)
    assert Deliverer(store, closed.settings, waits_s=()).look() == 1
    assert receiver.got == []
    (delivery,) = webhooks.list_deliveries(store, made.id, 5)
    assert delivery.state == "failed"
    assert "webhook_networks" in str(delivery.error)
    with pytest.raises(InvalidSetting, match="no list of networks"):
        allowed_by(Settings.load(webhook_networks="10.0.0.0/8,everything"))


def test_a_server_that_never_answers_costs_its_time_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        began = time.monotonic()
        with pytest.raises(OSError, match=r".*"):
            post(url, b"{}", {}, 0.5, allowed=lambda address: True)
        assert 0.4 < time.monotonic() - began < 5


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A server that takes connections and does not answer; closed, it cuts them."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
        yield server


def test_one_that_does_not_answer_keeps_no_other_waiting(
    resources: Resources,
    store: GraphStore,
    corpus: str,
    receiver: Receiver,
    silent: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 60.0)
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    dead = add_webhook(resources, corpus, f"http://127.0.0.1:{silent.getsockname()[1]}/")
    well = add_webhook(resources, corpus, receiver.url)
    for _ in range(3):
        ended(store, corpus)
    deliverer = Deliverer(
        store, resources.settings.model_copy(update={"webhook_look_s": 0.2}), (60, 60)
    )
    looking = threading.Thread(target=deliverer.look)
    looking.start()
    await_told(receiver, 3)
    late = ended(store, corpus)  # while the dead one is waited for
    await_told(receiver, 4)
    silent.close()
    looking.join()
    assert json.loads(receiver.got[3][1])["job"]["id"] == late.id
    assert {one.state for one in webhooks.list_deliveries(store, well.id, 9)} == {"delivered"}
    # left alone after the first try: each of the others would take as long
    tries = [one.attempt for one in webhooks.list_deliveries(store, dead.id, 9)]
    assert sorted(tries) == [0, 0, 0, 1]
    assert deliverer.look() == 0
    waiting = next(one for one in webhooks.list_deliveries(store, dead.id, 9) if not one.attempt)
    webhooks.retry_delivery(store, dead.id, waiting.job_id)  # by hand, it is tried at once
    assert deliverer.look() == 1


def test_of_many_who_take_a_delivery_one_has_it(
    resources: Resources, store: GraphStore, corpus: str
) -> None:
    """Also where it is settled, and its webhook free again, before the last of them looks."""
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    add_webhook(resources, corpus, "http://127.0.0.1:9/")

    def tell(_: int) -> int:
        taken = kept.take_delivery(store, 30)
        if taken is None:
            return 0
        outcome: dict[str, Any] = {"state": "delivered", "status": 200, "error": None}
        kept.settle_delivery(store, taken, **outcome, wait_s=0, silent=0, rest_s=0)
        return 1

    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            ended(store, corpus)
            enter_deliveries(store, 60)
            assert sum(pool.map(tell, range(8))) == 1


def await_told(receiver: Receiver, count: int) -> None:
    limit = time.monotonic() + 30
    while len(receiver.got) < count:
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_what_waited_too_long_is_given_up_at_its_next_try(
    resources: Resources, store: GraphStore, corpus: str, receiver: Receiver
) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    made = add_webhook(resources, corpus, receiver.url)
    ended(store, corpus)
    enter_deliveries(store, 60)
    aged = "CYPHER 25 MATCH (d:WebhookDelivery) SET d.created_at = d.created_at - duration('P1D')"
    store.run_declared(aged)
    receiver.statuses = [500]
    assert Deliverer(store, resources.settings).look() == 1
    (delivery,) = webhooks.list_deliveries(store, made.id, 5)
    assert (delivery.state, delivery.attempt) == ("failed", 1)


def test_an_error_that_nobody_expected_is_a_try_that_failed(
    resources: Resources,
    store: GraphStore,
    corpus: str,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    made = add_webhook(resources, corpus, receiver.url)
    ended(store, corpus)
    monkeypatch.setattr(webhooks, "post", lambda *args, **options: [][1])
    assert Deliverer(store, resources.settings).look() == 1
    (delivery,) = webhooks.list_deliveries(store, made.id, 5)
    assert (delivery.state, "IndexError" in str(delivery.error)) == ("queued", True)


def test_a_clock_set_back_keeps_no_webhook_waiting(
    resources: Resources, store: GraphStore, corpus: str, receiver: Receiver
) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    made = add_webhook(resources, corpus, receiver.url)
    ended(store, corpus)
    receiver.statuses = [500, 200]
    deliverer = Deliverer(store, resources.settings)
    assert deliverer.look() == 1
    assert deliverer.look() == 0
    store.run_declared(SET_BACK)
    ended(store, corpus)
    assert deliverer.look() == 2
    assert deliverer.look() == 0
    assert {one.state for one in webhooks.list_deliveries(store, made.id, 5)} == {"delivered"}


SET_BACK = """CYPHER 25
WITH duration({hours: 5}) AS hours
MATCH (d:WebhookDelivery)-[:DELIVERY_OF]->(w:Webhook)
SET
  w.created_at = w.created_at + hours,
  w.looked_until = w.looked_until + hours,
  w.told_at = w.told_at + hours,
  w.free_at = w.free_at + hours,
  d.created_at = d.created_at + hours,
  d.tried_at = d.tried_at + hours,
  d.due_at = d.due_at + hours
"""
"""What was written before a clock was set back by five hours lies in the future."""


def due_now(store: GraphStore) -> None:
    store.run_declared(
        "CYPHER 25 MATCH (d:WebhookDelivery)-[:DELIVERY_OF]->(w:Webhook) "
        "SET d.due_at = datetime.realtime(), w.free_at = datetime.realtime()"
    )
