"""Reads files of triples in a child process, which hands the facts out in batches.

``python -m clew_ingest.reading.triple_reader FD`` is the child.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clew_ingest.child_process import (
    ChildFailed,
    ChildProcess,
    ChildTimeout,
    Handler,
    limit_cpu_time,
    limit_memory,
    serve,
)
from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.triple_spool import Fact, NamedEnd, TripleSpool

BATCH = 4_000
"""Facts that are handed out together."""


def start(arguments: dict[str, Any]) -> Handler:
    """Set this process's limits and return what opens a file and hands out its facts."""
    limits = IngestLimits(**arguments)
    limit_memory(limits.reader_memory_mib)
    folder = tempfile.TemporaryDirectory(prefix="clew-triples-")
    spool: list[TripleSpool] = []

    def handle(request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        limit_cpu_time(limits.reader_timeout_s + 10)
        if "after" in request:
            facts, last = spool[-1].facts(request["after"], BATCH)
            return {"facts": facts, "last": last}
        path = Path(folder.name, "statements")
        try:
            while spool:
                spool.pop().close()
            path.unlink(missing_ok=True)
            spool.append(TripleSpool(path, payload, request["media_type"], request["title"]))
        except UnreadableSource as error:
            return {"error": [error.message, error.remedy]}
        except MemoryError:
            return {
                "error": [
                    f"Reading the file takes more than {limits.reader_memory_mib} MiB of memory.",
                    "Split it, or raise CLEW_READER_MEMORY_MIB.",
                ]
            }
        return {"total": spool[-1].total}

    return handle


class TripleReader:
    """Reads one file of triples after another; use it in a ``with``, or ``close`` it."""

    def __init__(self, limits: IngestLimits) -> None:
        self._limits = limits
        self._child = ChildProcess("clew_ingest.reading.triple_reader", asdict(limits))

    def open(
        self,
        data: bytes,
        media_type: str,
        title: str,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> int:
        """Read and check a file; return how many triples it states.

        Raises UnreadableSource with the first lines that are none, and IngestCancelled.
        """
        reply = self._call({"media_type": media_type, "title": title}, data, cancelled)
        if refusal := reply.get("error"):
            self._child.close()
            raise UnreadableSource(refusal[0], remedy=refusal[1])
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
        except ChildTimeout as error:
            raise UnreadableSource(
                f"Reading the file took longer than {timeout:.0f} s.",
                remedy="Split it, or raise CLEW_READER_TIMEOUT_S.",
            ) from error
        except ChildFailed as error:
            raise UnreadableSource(
                f"The file brought its reader down: {error.message}", remedy="Split it."
            ) from error

    def close(self) -> None:
        """End the child process."""
        self._child.close()

    def __enter__(self) -> "TripleReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


if __name__ == "__main__":
    serve(start)
