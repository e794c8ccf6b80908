"""The one door to Neo4j: named statements, managed transactions, one pool a process."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

from clew_cypher.driver import neo4j
from clew_cypher.errors import (
    DataRefused,
    GraphError,
    GraphUnavailable,
    StatementFailed,
    StatementParameters,
)
from clew_cypher.statements import Statement, statement

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience

T = TypeVar("T")
Row = dict[str, Any]

POOL_SIZE = 32
CONNECTION_LIFETIME_S = 3000.0
"""Below the hour after which load balancers commonly cut a connection."""
LIVENESS_CHECK_S = 30.0
"""A connection that idled longer is tested before use: servers restart under a pool."""
RETRY_S = 30.0
ANSWERED_S = 1.0
"""So long ago, at most, did the database answer where it is not asked whether it does."""
RACE_ATTEMPTS = 5
RACES = ("Neo.ClientError.Statement.EntityNotFound",)
"""A node read by this transaction was deleted by another before it was written."""
MADE_MEANWHILE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
"""Of several that make the same index at once, one makes it; IF NOT EXISTS fails for the others."""
OF_DATA = (
    "Neo.ClientError.Statement.TypeError",
    "Neo.ClientError.Statement.ArgumentError",
    "Neo.ClientError.Schema.ConstraintValidationFailed",
    "Neo.DatabaseError.Statement.ExecutionFailed",
)
"""Codes of what is refused for what it was to write, such as a value too long for an index."""


@dataclass(frozen=True)
class Neo4jConfig:
    """Where a Neo4j is and who we are there."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str = "neo4j"


class Transaction:
    """An open transaction; ``run`` takes the statements of the ``.cypher`` files by name.

    A session stands for one, too: each of its statements is a transaction of its own.
    """

    def __init__(self, runner: Any) -> None:
        self._runner = runner

    def run(self, name: str, /, **params: Any) -> list[Row]:
        """Run the statement ``name`` and return its rows."""
        found = statement(name)
        found.check(params)
        try:
            return [dict(record.items()) for record in self._runner.run(found.text, params)]
        except neo4j.exceptions.TransientError as error:
            if "OutOfMemory" in (error.code or ""):
                # "transient" to the driver, but a retry would only run out of memory again
                raise StatementFailed(
                    f"Neo4j ran out of memory in {name}: {error.message}",
                    remedy="Write smaller batches, or raise Neo4j's heap and "
                    "transaction memory limits.",
                ) from error
            raise


class GraphStore:
    """A Neo4j database, reached by named statements. A context manager; safe to share by threads.

    Nothing is connected before the first call, and a forked child makes its own pool (the driver
    does not survive a fork). ``patience_s``: so long, at most, is a database waited for that takes
    connections and says nothing (it is stopped, or swaps), for which the driver waits for minutes;
    what takes long otherwise may do so. None: as long as the driver waits.
    """

    def __init__(self, config: Neo4jConfig, *, patience_s: float | None = None) -> None:
        self.config = config
        self.patience_s = patience_s
        self._ping: tuple[float, Future[None]] | None = None
        self._answered = -ANSWERED_S
        self._lock = threading.Lock()
        self._pinging = threading.Lock()
        self._driver: neo4j.Driver | None = None
        self._gds: GraphDataScience | None = None
        self._pid = os.getpid()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, name: str, /, **params: Any) -> list[Row]:
        """Run a read statement and return its rows; again where the database says that it may help.

        At first without the messages that begin and end a transaction: a third of what a small
        statement takes.
        """
        _checked(name, "read", params)
        with self._errors(name), self._session(neo4j.READ_ACCESS) as session:
            try:
                return Transaction(session).run(name, **params)
            except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError) as error:
                if not error.is_retryable():
                    raise
            return session.execute_read(lambda tx: Transaction(tx).run(name, **params))

    def write(self, name: str, /, **params: Any) -> list[Row]:
        """Run a write statement in a managed transaction and return its rows."""
        _checked(name, "write", params)
        return self._managed(name, lambda transaction: transaction.run(name, **params))

    def stream(
        self, name: str, rows: int = 2000, timeout_s: float | None = None, /, **params: Any
    ) -> Iterator[Row]:
        """Yield the rows of a read statement as they come; not retried once rows have come.

        ``rows`` are fetched at once: few where each is big. ``timeout_s``: how long it may take,
        what is done with the rows included; 0: any time, None: as long as the server says.
        """
        found = _checked(name, "read", params)
        query = neo4j.Query(found.text, timeout=timeout_s)
        with self._errors(name), self._session(neo4j.READ_ACCESS, fetch_size=rows) as session:
            for record in session.run(query, params):
                yield dict(record.items())

    def in_transaction(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one write transaction and return what it returns.

        ``work`` is run again after a deadlock or a lost connection, so it must be idempotent.
        """
        return self._managed("a transaction", work)

    def _managed(self, what: str, work: Callable[[Transaction], T]) -> T:
        with self._errors(what):
            return self._tried(lambda tx: work(Transaction(tx)))

    def _tried(self, work: Callable[[neo4j.ManagedTransaction], T]) -> T:
        """Run ``work`` in a write transaction, again where another one was in the way.

        The driver does so itself after a deadlock, but not where a failed result hides it.
        """
        for attempt in range(1, RACE_ATTEMPTS + 1):
            try:
                with self._session(neo4j.WRITE_ACCESS) as session:
                    return session.execute_write(work)
            except (neo4j.exceptions.Neo4jError, neo4j.exceptions.ResultFailedError) as error:
                refusal = _refusal(error)
                raced = refusal is not error and refusal.is_retryable()
                raced = raced or getattr(refusal, "code", None) in RACES
                if not raced or attempt == RACE_ATTEMPTS:
                    raise refusal from None
        raise AssertionError  # the loop returns or raises

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Open one write transaction for several statements; it is not retried.

        Commits on leaving the block, rolls back on an exception. Where a retry is wanted, use
        :meth:`in_transaction`.
        """
        with (
            self._errors("a transaction"),
            self._session(neo4j.WRITE_ACCESS) as session,
            session.begin_transaction() as opened,
        ):
            yield Transaction(opened)
            opened.commit()

    def run_declared(self, text: str, parameters: dict[str, Any] | None = None) -> list[Row]:
        """Run a schema command made from `schema.py`. What another made meanwhile is there."""

        def run(opened: Any) -> list[Row]:
            return [dict(record.items()) for record in opened.run(text, parameters or {})]

        with self._errors("a schema command"):
            try:
                return self._tried(run)
            except neo4j.exceptions.ClientError as error:
                if error.code != MADE_MEANWHILE:
                    raise
                return []

    def verify(self) -> None:
        """Raise GraphUnavailable unless the database answers with these credentials."""
        self._wait_for_an_answer()
        self._verify()

    def _verify(self) -> None:
        with (
            self._errors("the check of the connection"),
            self._session(neo4j.READ_ACCESS, patient=True) as session,
        ):
            session.run(neo4j.Query("RETURN 1")).consume()

    def bookmark(self) -> frozenset[str]:
        """Return what moves with each transaction that is committed, and with nothing else."""
        with (
            self._errors("the look for the last transaction"),
            self._session(neo4j.READ_ACCESS) as session,
        ):
            session.run(neo4j.Query("RETURN 1")).consume()
            return session.last_bookmarks().raw_values

    def close(self) -> None:
        """Close every connection; the store may be used again afterwards."""
        with self._lock:
            driver, self._driver, self._gds = self._driver, None, None
        if driver is not None and self._pid == os.getpid():
            driver.close()

    @property
    def gds(self) -> "GraphDataScience":
        """The graphdatascience client over this store's pool, made when first used."""
        with self._errors("the connection of the GDS client"):
            self._wait_for_an_answer()
            driver = self._connected()
            with self._lock:
                if self._gds is None:
                    from graphdatascience import GraphDataScience

                    self._gds = GraphDataScience(
                        driver, database=self.config.database, arrow=False, show_progress=False
                    )
                return self._gds

    def _session(self, access: str, *, patient: bool = False, **options: Any) -> neo4j.Session:
        if not patient:
            self._wait_for_an_answer()
        return self._connected().session(
            database=self.config.database, default_access_mode=access, **options
        )

    def _wait_for_an_answer(self) -> None:
        """Raise GraphUnavailable where the database says nothing for ``patience_s``.

        That it is away is for the driver to say, which tries again for a while.
        """
        if self.patience_s is None:
            return
        with self._pinging:
            now = time.monotonic()
            if now - self._answered < ANSWERED_S:
                return
            if self._ping is None or self._ping[1].done():
                self._ping = now, Future()
                threading.Thread(target=self._send_ping, args=(self._ping[1],), daemon=True).start()
            began, answer = self._ping
        wait((answer,), max(0.0, began + self.patience_s - time.monotonic()))
        if not answer.done():
            raise GraphUnavailable(
                f"Neo4j at {self.config.uri} does not answer: it says nothing for "
                f"{self.patience_s:g} s.",
                remedy="It may be stopped, or short of memory: its log and `clew status` say more.",
            )

    def _send_ping(self, answer: "Future[None]") -> None:
        try:
            self._verify()
            self._answered = time.monotonic()
        except GraphError:
            pass
        finally:
            answer.set_result(None)

    def _connected(self) -> neo4j.Driver:
        with self._lock:
            if self._pid != os.getpid():
                # the parent's sockets: dropped, not closed, since the parent still uses them
                self._driver, self._gds, self._pid = None, None, os.getpid()
            if self._driver is None:
                driver = self._new_driver()
                try:
                    # once, at first: with nothing there, the retries would take half a minute
                    driver.verify_connectivity()
                except BaseException:
                    driver.close()
                    raise
                self._driver = driver
            return self._driver

    def _new_driver(self) -> neo4j.Driver:
        try:
            return neo4j.GraphDatabase.driver(
                self.config.uri,
                auth=(self.config.username, self.config.password),
                max_connection_pool_size=POOL_SIZE,
                max_connection_lifetime=CONNECTION_LIFETIME_S,
                liveness_check_timeout=LIVENESS_CHECK_S,
                max_transaction_retry_time=RETRY_S,
                notifications_min_severity="OFF",
            )
        except (neo4j.exceptions.ConfigurationError, ValueError) as error:
            raise GraphUnavailable(
                f"{self.config.uri!r} is no address of a Neo4j: {error}",
                remedy="Use one such as neo4j://host:7687 or bolt://127.0.0.1:7687.",
            ) from error

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Turn the driver's errors into this layer's."""
        try:
            yield
        except GraphError:
            raise
        except neo4j.exceptions.AuthError as error:
            raise GraphUnavailable(
                f"Neo4j at {self.config.uri} refuses the user {self.config.username!r}.",
                remedy="Check NEO4J_USERNAME and NEO4J_PASSWORD.",
            ) from error
        except (neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.SessionExpired) as error:
            raise GraphUnavailable(
                f"Neo4j at {self.config.uri} does not answer: {error}",
                remedy="Start it with `clew up`, or check NEO4J_URI.",
            ) from error
        except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError) as error:
            refusal = _refusal(error)
            code = getattr(refusal, "code", None) or type(refusal).__name__
            kind = DataRefused if code in OF_DATA else StatementFailed
            raise kind(
                f"Neo4j refused {what}: {getattr(refusal, 'message', None) or refusal} ({code})",
                remedy="The database's logs tell more; please report it with this message.",
            ) from error


def _refusal(
    error: neo4j.exceptions.Neo4jError | neo4j.exceptions.DriverError,
) -> neo4j.exceptions.Neo4jError | neo4j.exceptions.DriverError:
    """Return what the database said where the driver tells of the result that failed by it.

    Closing a transaction, or reading from it, may raise so in place of what ended it.
    """
    hides = isinstance(error, neo4j.exceptions.ResultFailedError)
    cause = error.__cause__
    return cause if hides and isinstance(cause, neo4j.exceptions.Neo4jError) else error


def _checked(name: str, mode: str, params: Row) -> Statement:
    """Return a statement that is declared for this mode and takes these parameters."""
    found = statement(name)
    found.check(params)
    if found.mode != mode:
        raise StatementParameters(
            f"The statement {name} is declared `{found.mode}`, not `{mode}`.",
            remedy=f"Call it with store.{found.mode}(…).",
        )
    return found
