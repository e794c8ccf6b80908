"""Reads files in a child process that is killed when one takes too long or too much.

``python -m clew_ingest.reading.file_reader FD`` is the child.
"""

import logging
import warnings
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from clew_ingest import errors
from clew_ingest.child_process import (
    ChildFailed,
    ChildProcess,
    ChildTimeout,
    Handler,
    limit_cpu_time,
    limit_file_size,
    limit_memory,
    serve,
)
from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.read_document import ReadResult
from clew_ingest.reading.readers import read, too_large


def start(arguments: dict[str, Any]) -> Handler:
    """Set this process's limits and return what reads one file a call."""
    limits = IngestLimits(**arguments)
    logging.disable(logging.ERROR)  # libraries complain about each odd PDF object
    warnings.simplefilter("ignore")
    limit_memory(limits.reader_memory_mib)
    limit_file_size(limits.unpacked_limit_mib)

    def handle(request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        limit_cpu_time(limits.reader_timeout_s + 10)
        try:
            result = read(
                payload,
                request["name"],
                limits,
                title=request["title"],
                declared_type=request["media_type"],
            )
            return {"result": result.to_json()}
        except errors.UnreadableSource as error:
            return _refusal(type(error).__name__, error.message, error.remedy)
        except MemoryError:
            return _refusal(
                "SourceTooLarge",
                f"Reading the file takes more than {limits.reader_memory_mib} MiB of memory.",
                "Split it, or raise CLEW_READER_MEMORY_MIB.",
            ) | {"restart": True}
        except Exception as error:  # whatever a library raises on a broken file is the file's fault
            cause = f"{type(error).__name__}: {error}".rstrip(": ")[:300]
            return _refusal(
                "UnreadableSource",
                f"The file is broken or protected ({cause}).",
                "Open it in the program that made it and save it again.",
            )

    return handle


def _refusal(kind: str, message: str, remedy: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message, "remedy": remedy}}


_KINDS: dict[str, type[UnreadableSource]] = {
    "UnreadableSource": errors.UnreadableSource,
    "UnsupportedMediaType": errors.UnsupportedMediaType,
    "SourceTooLarge": errors.SourceTooLarge,
}


class FileReader:
    """Reads one file after another in one child process, which outlives none of its crimes.

    Use it in a ``with``, or ``close`` it.
    """

    def __init__(self, limits: IngestLimits) -> None:
        self._limits = limits
        self._child = ChildProcess("clew_ingest.reading.file_reader", asdict(limits))

    def read(
        self,
        data: bytes,
        name: str,
        *,
        title: str | None = None,
        declared_type: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ReadResult:
        """Return the file's documents; see :func:`clew_ingest.reading.readers.read`.

        Raises UnreadableSource (or a kind of it) with the reason, IngestCancelled when
        ``cancelled`` says so; neither harms the next file.
        """
        if len(data) > self._limits.file_bytes:
            raise too_large(len(data), self._limits)
        try:
            reply = self._child.call(
                {"name": name, "title": title, "media_type": declared_type},
                data,
                timeout_s=self._limits.reader_timeout_s,
                cancelled=cancelled,
            )
        except ChildTimeout as error:
            raise UnreadableSource(
                f"Reading the file took longer than {self._limits.reader_timeout_s:.0f} s.",
                remedy="Split it, or raise CLEW_READER_TIMEOUT_S.",
            ) from error
        except ChildFailed as error:
            raise UnreadableSource(
                f"The file brought its reader down: {error.message}",
                remedy="Open it in the program that made it and save it again.",
            ) from error
        if reply.get("restart"):
            self._child.close()
        if refusal := reply.get("error"):
            raise _KINDS[refusal["kind"]](refusal["message"], remedy=refusal["remedy"])
        return ReadResult.from_json(reply["result"])

    @property
    def pid(self) -> int | None:
        """Process id of the child, or None while there is none."""
        return self._child.pid

    def close(self) -> None:
        """End the child process."""
        self._child.close()

    def __enter__(self) -> "FileReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


if __name__ == "__main__":
    serve(start)
