"""Reads files of triples in a child process, which hands the facts out in batches.

``python -m clew_ingest.reading.triple_reader FD`` is the child.
"""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from clew_ingest.child_process import (
    ChildFailed,
    ChildProcess,
    Handler,
    limit_cpu_time,
    limit_memory,
    serve,
)
from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.file_reader import (
    check_reply,
    child_arguments,
    interrupted,
    machine_refusal,
    refusal,
)
from clew_ingest.reading.packed_files import GZIP, unpacked
from clew_ingest.reading.triple_spool import Fact, NamedEnd, TripleSpool

BATCH = 4_000
"""Facts that are handed out together."""


def start(arguments: dict[str, Any]) -> Handler:
    """Set this process's limits and return what opens a file and hands out its facts."""
    limits = IngestLimits(**arguments)
    limit_memory(limits.reader_memory_mib)
    spool: list[TripleSpool] = []

    def handle(request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        limit_cpu_time(limits.reader_timeout_s + 10)
        if "after" in request:
            facts, last = spool[-1].facts(request["after"], BATCH)
            return {"facts": facts, "last": last}
        try:
            while spool:
                spool.pop().close()
            if payload.startswith(GZIP):
                payload = unpacked(payload, limits)
            spool.append(TripleSpool(payload, request["media_type"], request["owner"]))
        except UnreadableSource as error:
            return refusal(type(error).__name__, error.message, error.remedy)
        except MemoryError:
            return refusal(
                "SourceTooLarge",
                f"Reading the file takes more than {limits.reader_memory_mib} MiB of memory.",
                "Split it, or raise CLEW_READER_MEMORY_MIB.",
            )
        except sqlite3.Error as error:  # the disk is full, or it cannot be written to
            return machine_refusal(error)
        return {"total": spool[-1].total}

    return handle


class TripleReader:
    """Reads one file of triples after another; use it in a ``with``, or ``close`` it."""

    def __init__(self, limits: IngestLimits) -> None:
        self._limits = limits
        self._child = ChildProcess("clew_ingest.reading.triple_reader", child_arguments(limits))

    def open(
        self,
        data: bytes,
        media_type: str,
        owner: str,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> int:
        """Read and check a file; return how many triples it states. ``owner``: see TripleSpool.

        Raises UnreadableSource with the first lines that are none, and IngestCancelled.
        """
        reply = self._call({"media_type": media_type, "owner": owner}, data, cancelled)
        if "error" in reply:
            self._child.close()
        check_reply(reply)
        return int(reply["total"])

    def batches(self, cancelled: Callable[[], bool] = lambda: False) -> Iterator[list[Fact]]:
        """Yield the facts of the file that is open, in the order of its lines."""
        after = 0
        while True:
            reply = self._call({"after": after}, b"", cancelled)
            if not reply["facts"]:
                return
            yield [
                Fact(line, NamedEnd(*head), relation, iri, NamedEnd(*tail), language)
                for line, head, relation, iri, tail, language in reply["facts"]
            ]
            after = reply["last"]

    def _call(
        self, request: dict[str, Any], data: bytes, cancelled: Callable[[], bool]
    ) -> dict[str, Any]:
        timeout = self._limits.reader_timeout_s
        try:
            return self._child.call(request, data, timeout_s=timeout, cancelled=cancelled)
        except ChildFailed as error:
            raise interrupted(error, self._limits) from error

    def close(self) -> None:
        """End the child process."""
        self._child.close()

    def __enter__(self) -> "TripleReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


if __name__ == "__main__":
    serve(start)
