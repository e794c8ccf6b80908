"""Reads files in a child process that is killed when one takes too long or too much.

``python -m clew_ingest.reading.file_reader FD`` is the child.
"""

import logging
import warnings
from collections.abc import Callable
from dataclasses import asdict, replace
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
from clew_ingest.errors import ReadingInterrupted, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.failures import broken, lacks_memory
from clew_ingest.reading.packed_files import too_large
from clew_ingest.reading.read_document import ReadResult
from clew_ingest.reading.readers import read


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
            return refusal(type(error).__name__, error.message, error.remedy)
        except Exception as error:
            if lacks_memory(error):
                return refusal(
                    "SourceTooLarge",
                    f"Reading the file takes more than {limits.reader_memory_mib} MiB of memory.",
                    "Split it, or raise CLEW_READER_MEMORY_MIB.",
                ) | {"restart": True}
            try:
                told = broken(error)
            except OSError:
                return machine_refusal(error)
            return refusal("UnreadableSource", told.message, told.remedy)

    return handle


def refusal(kind: str, message: str, remedy: str) -> dict[str, Any]:
    """Return the reply of a child that refuses a file; ``kind``: the error's class."""
    return {"error": {"kind": kind, "message": message, "remedy": remedy}}


def machine_refusal(error: Exception) -> dict[str, Any]:
    """Return the reply of a child that could not read a file for want of something else."""
    return refusal(
        "ReadingInterrupted",
        f"The file could not be read on this machine: {error}.",
        "Make room for temporary files, and try it again.",
    )


def child_arguments(limits: IngestLimits) -> dict[str, Any]:
    """Return limits for a child process that reads files: without the keys of buckets."""
    return asdict(replace(limits, buckets=None))


def interrupted(error: ChildFailed, limits: IngestLimits) -> ReadingInterrupted:
    """Return the error of a source whose reading ended before it was done."""
    if isinstance(error, ChildTimeout):
        return ReadingInterrupted(
            f"Reading the file took longer than {limits.reader_timeout_s:.0f} s.",
            remedy="Try it again, split it, or raise CLEW_READER_TIMEOUT_S.",
        )
    return ReadingInterrupted(
        f"Reading the file ended before it was done: {error.message}",
        remedy="Try it again; where that happens each time, open the file in the program that made "
        "it and save it again.",
    )


_KINDS: dict[str, type[UnreadableSource]] = {
    "UnreadableSource": errors.UnreadableSource,
    "UnsupportedMediaType": errors.UnsupportedMediaType,
    "SourceTooLarge": errors.SourceTooLarge,
    "ReadingInterrupted": errors.ReadingInterrupted,
}


def check_reply(reply: dict[str, Any]) -> None:
    """Raise the error that a child's reply tells of, if any."""
    if error := reply.get("error"):
        raise _KINDS[error["kind"]](error["message"], remedy=error["remedy"])


class FileReader:
    """Reads one file after another in one child process, which outlives none of its crimes.

    Use it in a ``with``, or ``close`` it.
    """

    def __init__(self, limits: IngestLimits) -> None:
        self._limits = limits
        self._child = ChildProcess("clew_ingest.reading.file_reader", child_arguments(limits))

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
        except ChildFailed as error:
            raise interrupted(error, self._limits) from error
        if reply.get("restart"):
            self._child.close()
        check_reply(reply)
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
