"""The door: what it says when Neo4j is not there, what it retries, what survives a fork."""

import multiprocessing
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from neo4j import Session
from neo4j.exceptions import Neo4jError, ResultFailedError, TransientError

from clew_cypher.corpora import ensure_corpus, get_corpus
from clew_cypher.errors import DataRefused, GraphUnavailable, StatementFailed, UnknownCorpus
from clew_cypher.store import GraphStore, Neo4jConfig, Transaction


def test_nothing_listens_there() -> None:
    config = Neo4jConfig("bolt://127.0.0.1:9", "neo4j", "x")
    started = time.monotonic()
    with GraphStore(config) as store:
        for call in (store.verify, lambda: store.read("list_corpora"), lambda: store.gds):
            with pytest.raises(GraphUnavailable, match="clew up"):
                call()
    assert time.monotonic() - started < 10  # not after half a minute of retries


def test_wrong_password(neo4j_server: Neo4jConfig) -> None:
    wrong = Neo4jConfig(neo4j_server.uri, "nobody", "wrong")
    with GraphStore(wrong) as store, pytest.raises(GraphUnavailable, match="NEO4J_PASSWORD"):
        store.verify()


def test_no_address() -> None:
    with (
        GraphStore(Neo4jConfig("localhost", "neo4j", "x")) as store,
        pytest.raises(GraphUnavailable, match="no address"),
    ):
        store.verify()


def test_the_password_is_not_shown() -> None:
    assert "secret" not in repr(Neo4jConfig("bolt://x", "neo4j", "secret"))


def test_a_refused_statement_is_named(store: GraphStore) -> None:
    with pytest.raises(StatementFailed, match="sentence_vectors") as caught:
        store.read("sentence_vectors", corpus="x", ids=1, dimension="many")
    assert isinstance(caught.value.__cause__, Neo4jError)


def test_a_transaction_commits_or_leaves_nothing(store: GraphStore, corpus: str) -> None:
    values = {
        "name": corpus,
        "corpus_key": "1",
        "embedder": "x",
        "dimension": 3,
        "extractor": "rules",
    }

    def interrupted() -> None:
        with store.transaction() as transaction:
            transaction.run("ensure_corpus", **values)
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        interrupted()
    with pytest.raises(UnknownCorpus):
        get_corpus(store, corpus)
    with store.transaction() as transaction:
        transaction.run("ensure_corpus", **values)
        transaction.run("bump_revision", corpus=corpus)
    assert get_corpus(store, corpus).revision == 1


def test_a_transient_error_is_retried_but_not_out_of_memory(store: GraphStore, corpus: str) -> None:
    ensure_corpus(store, corpus, embedder="x", dimension=3)

    class Runner:
        """Stands for a server that fails in one way."""

        def run(self, *_: object) -> None:
            raise Neo4jError._hydrate_neo4j(
                code="Neo.TransientError.General.MemoryPoolOutOfMemoryError", message="too much"
            )

    with pytest.raises(StatementFailed, match="smaller batches"):
        Transaction(Runner()).run("bump_revision", corpus=corpus)
    tries = []

    def work(transaction: Transaction) -> int:
        tries.append(transaction.run("bump_revision", corpus=corpus)[0]["revision"])
        if len(tries) == 1:
            raise TransientError("a deadlock")
        return int(tries[-1])

    assert store.in_transaction(work) == 1  # the first try was rolled back
    assert tries == [1, 1]


def test_a_deadlock_is_retried_where_the_driver_tells_of_the_result_that_it_ended(
    store: GraphStore, corpus: str
) -> None:
    tries = 0

    def work(transaction: Transaction) -> int:
        nonlocal tries
        tries += 1
        result = transaction._runner.run("RETURN 1")
        if tries == 1:
            code = "Neo.TransientError.Transaction.DeadlockDetected"
            raise ResultFailedError(result, "It has failed.") from Neo4jError._hydrate_neo4j(
                code=code, message="It would wait for itself."
            )
        return len(list(result))

    assert (store.in_transaction(work), tries) == (1, 2)


@pytest.mark.parametrize("hidden", [False, True])
def test_an_index_that_another_made_meanwhile_is_there(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch, hidden: bool
) -> None:
    """Closing the transaction may raise in place of what ended it."""

    def refused(session: Session, work: object) -> None:
        code = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
        refusal = Neo4jError._hydrate_neo4j(code=code, message="It exists.")
        if not hidden:
            raise refusal
        with session.begin_transaction() as opened:
            raise ResultFailedError(opened.run("RETURN 1"), "It has failed.") from refusal

    monkeypatch.setattr(Session, "execute_write", refused)
    assert store.run_declared("CREATE INDEX of_another IF NOT EXISTS") == []


def test_data_that_is_refused_is_told_from_a_statement_that_fails(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(session: Session, work: object) -> None:
        code = "Neo.ClientError.Schema.ConstraintValidationFailed"
        with session.begin_transaction() as opened:
            raise ResultFailedError(
                opened.run("RETURN 1"), "It has failed."
            ) from Neo4jError._hydrate_neo4j(code=code, message="Too long for an index.")

    monkeypatch.setattr(Session, "execute_write", refused)
    with pytest.raises(DataRefused, match="Too long for an index"):
        store.write("bump_revision", corpus="of nobody")


def test_what_is_read_is_asked_again_where_the_database_says_that_it_may_help(
    store: GraphStore, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_corpus(store, corpus, embedder="x", dimension=3)
    tries = []

    def refused(session: object, query: object, *_: object) -> None:
        tries.append(query)
        raise Neo4jError._hydrate_neo4j(
            code="Neo.TransientError.Transaction.DeadlockDetected", message="later"
        )

    monkeypatch.setattr(Session, "run", refused)
    assert get_corpus(store, corpus).name == corpus
    assert len(tries) == 1


@contextmanager
def broken_off(server: Neo4jConfig) -> Iterator[tuple[Neo4jConfig, Callable[[], None]]]:
    """A server behind a relay, and what breaks off every connection that goes over it now."""
    port = urlsplit(server.uri).port
    ends: list[socket.socket] = []

    def relay(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(("127.0.0.1", port or 7687))
                ends.extend((near, far))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=relay, args=pair, daemon=True).start()

    def break_off() -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        address = f"bolt://127.0.0.1:{listening.getsockname()[1]}"
        try:
            yield replace(server, uri=address), break_off
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            accepting.join(10)
            break_off()
            for end in ends:
                end.close()


def test_what_is_read_or_written_after_a_lost_connection_is_tried_again(
    neo4j_server: Neo4jConfig, corpus: str
) -> None:
    with broken_off(neo4j_server) as (config, break_off), GraphStore(config) as store:
        ensure_corpus(store, corpus, embedder="x", dimension=3)
        for expected in (1, 2, 3):
            break_off()
            assert get_corpus(store, corpus).revision == expected - 1
            break_off()
            assert store.write("bump_revision", corpus=corpus)[0]["revision"] == expected


def _names_in_child(
    store: GraphStore, queue: "multiprocessing.Queue[tuple[int, list[str]]]"
) -> None:
    queue.put((os.getpid(), [row["name"] for row in store.read("list_corpora")]))
    store.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_makes_its_own_connections(neo4j_server: Neo4jConfig, corpus: str) -> None:
    with GraphStore(neo4j_server) as store:
        ensure_corpus(store, corpus, embedder="x", dimension=3)
        context = multiprocessing.get_context("fork")
        queue: multiprocessing.Queue[tuple[int, list[str]]] = context.Queue()
        child = context.Process(target=_names_in_child, args=(store, queue))
        child.start()
        pid, names = queue.get(timeout=60)
        child.join(60)
        assert child.exitcode == 0
        assert pid != os.getpid()
        assert corpus in names
        assert get_corpus(store, corpus).name == corpus  # the parent's still work


def test_a_database_that_says_nothing_is_given_up_by_who_has_no_patience() -> None:
    """One that is stopped, or swaps, takes connections, for which the driver waits for minutes."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config = Neo4jConfig(f"bolt://127.0.0.1:{silent.getsockname()[1]}", "neo4j", "any")
        store = GraphStore(config, patience_s=0.3)
        begun = time.monotonic()
        for call in (
            lambda: store.read("list_corpora"),
            lambda: store.in_transaction(lambda tx: tx.run("list_corpora")),
            lambda: store.gds,
            store.verify,
        ):
            with pytest.raises(GraphUnavailable, match="does not answer"):
                call()
        assert time.monotonic() - begun < 5


def test_a_database_that_answers_is_asked_so_once_a_second(store: GraphStore) -> None:
    hasty = GraphStore(store.config, patience_s=30)
    asked: list[float] = []
    verify = hasty._verify

    def noted() -> None:
        asked.append(time.monotonic())
        verify()

    hasty._verify = noted  # type: ignore[method-assign]
    with hasty:
        begun = time.monotonic()
        while time.monotonic() - begun < 2.5:
            hasty.read("list_corpora")
    assert 2 <= len(asked) <= 4
