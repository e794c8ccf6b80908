"""Replies of language models, kept on disk so that a run done again costs nothing.

One SQLite file, for any number of threads and processes. What it holds is only ever a copy of what
could be asked again: a damaged file is set aside and begun anew.
"""

import fcntl
import hashlib
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from clew_ingest.errors import IngestError

log = logging.getLogger(__name__)
T = TypeVar("T")

FILE = "replies.sqlite"
LEAST_BYTES = 64 * 1024
"""The smallest bound that makes sense: a few pages are taken by the empty table."""

_PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA journal_size_limit = 4194304;
PRAGMA secure_delete = ON;
PRAGMA foreign_keys = ON;
"""
_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, source TEXT NOT NULL, reply TEXT NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS replies_used ON replies (used);
CREATE INDEX IF NOT EXISTS replies_source ON replies (source);
CREATE TABLE IF NOT EXISTS further_sources (
    key TEXT NOT NULL REFERENCES replies (key) ON DELETE CASCADE, source TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS further_sources_key ON further_sources (key);
CREATE INDEX IF NOT EXISTS further_sources_source ON further_sources (source);
"""
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def reply_key(*parts: str) -> str:
    """Return the key of a reply: a hash of all that it depends on, in this order."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class ReplyCache:
    """The replies kept in ``directory``, which is made where it is missing.

    ``max_bytes``: the most that the file's pages may take; beyond it, the replies that were used
    longest ago go. Safe for threads and for several processes, but not across a fork: open it
    where it is used. Raises IngestError where the directory cannot be written to.
    """

    def __init__(self, directory: Path, *, max_bytes: int = 1 << 30) -> None:
        if max_bytes < LEAST_BYTES:
            raise ValueError(f"max_bytes is {max_bytes}; it must be {LEAST_BYTES} or more.")
        self.path = directory / FILE
        self.max_bytes = max_bytes
        self._lock = threading.RLock()
        self._inode = 0
        self._open: sqlite3.Connection | None = None
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._healed(lambda connection: None)
        except (OSError, sqlite3.OperationalError) as error:
            raise IngestError(
                f"The cache of replies in {directory} cannot be opened: {error}.",
                remedy="Name a directory that can be written to.",
            ) from error

    def get(self, key: str) -> str | None:
        """Return the reply that is kept under ``key``, and note that it was used; else None."""
        return self._healed(lambda connection: _get(connection, key))

    def put(self, key: str, reply: str, *, source: str, further: Sequence[str] = ()) -> None:
        """Keep a reply; ``source`` and ``further``: what it was made from, by any of which it can
        be forgotten: texts, or ids of triples.

        A reply that cannot be kept (a full disk, over a quarter of the bound) is told to the log.
        """
        if len(reply.encode()) > self.max_bytes // 4:
            log.warning("A reply of %d characters is too long to be kept.", len(reply))
            return
        row = (key, _source_key(source), reply, time.time_ns())
        try:
            keys = [_source_key(other) for other in further]
            self._healed(lambda connection: _put(connection, row, keys, self.max_bytes))
        except sqlite3.OperationalError as error:
            log.warning("A reply could not be kept in %s: %s.", self.path, error)

    def known(self, sources: Iterable[str]) -> set[str]:
        """Return those of ``sources`` of which replies are kept."""
        by_key = {_source_key(source): source for source in sources}
        found = self._healed(lambda connection: _known(connection, list(by_key)))
        return {by_key[key] for key in found}

    def forget(self, sources: Iterable[str]) -> int:
        """Drop every reply that was made from these sources; return how many there were."""
        keys = [(_source_key(source),) for source in sources]
        return self._healed(lambda connection: _forget(connection, keys)) if keys else 0

    def __len__(self) -> int:
        return int(
            self._healed(
                lambda connection: connection.execute("SELECT count(*) FROM replies").fetchone()[0]
            )
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; it is opened again where the cache is used after all."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def _healed(self, act: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                return act(self._connection())
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGE:
                    raise
                self._set_aside(error)
                return act(self._connection())

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            with self._alone():
                self.path.touch()
                self._inode = self.path.stat().st_ino
                self._open = _connect(self.path)
        return self._open

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        # Another process may have set the same file aside and begun a new one: that one stays.
        aside = self.path.with_name(f"{FILE}.damaged")
        self.close()
        with self._alone():
            if self.path.exists() and self.path.stat().st_ino == self._inode:
                log.warning(
                    "The cache of replies is damaged (%s). It is now %s, and a new one begins.",
                    error,
                    aside,
                )
                os.replace(self.path, aside)
                for suffix in ("-wal", "-shm"):
                    self.path.with_name(FILE + suffix).unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with open(self.path.with_name(f"{FILE}.lock"), "w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    try:
        connection.executescript(_PRAGMAS)
        connection.executescript(_TABLE)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _source_key(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def _get(connection: sqlite3.Connection, key: str) -> str | None:
    row = connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    try:
        connection.execute("UPDATE replies SET used = ? WHERE key = ?", (time.time_ns(), key))
    except sqlite3.OperationalError as error:  # a full disk, say: the reply is there all the same
        log.debug("The use of a reply could not be noted: %s.", error)
    return str(row[0])


def _put(
    connection: sqlite3.Connection,
    row: tuple[str, str, str, int],
    further: Sequence[str],
    max_bytes: int,
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)
        connection.executemany(
            "INSERT INTO further_sources VALUES (?, ?)", [(row[0], source) for source in further]
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
    while _used_bytes(connection) > max_bytes:
        # a tenth at a time, so that a full cache does not delete at every reply
        count = connection.execute("SELECT count(*) FROM replies").fetchone()[0]
        gone = connection.execute(
            "DELETE FROM replies WHERE key IN (SELECT key FROM replies ORDER BY used LIMIT ?)",
            (max(1, count // 10),),
        )
        if gone.rowcount < 1:
            return


def _known(connection: sqlite3.Connection, keys: list[str]) -> list[str]:
    rows = connection.execute(
        """WITH asked AS (SELECT value FROM json_each(?))
        SELECT source FROM replies WHERE source IN asked
        UNION SELECT source FROM further_sources WHERE source IN asked""",
        (json.dumps(keys),),
    )
    return [row[0] for row in rows]


def _forget(connection: sqlite3.Connection, keys: list[tuple[str]]) -> int:
    gone = connection.executemany(
        """DELETE FROM replies WHERE source = ?1
        OR key IN (SELECT key FROM further_sources WHERE source = ?1)""",
        keys,
    ).rowcount
    # what is deleted must not linger in the log of changes either
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return gone


def _used_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
