"""Reads files in a child process that is killed when one takes too long or too much."""

from collections.abc import Callable
from dataclasses import asdict

from clew_ingest import errors
from clew_ingest.child_process import ChildFailed, ChildProcess, ChildTimeout
from clew_ingest.documents import ReadResult
from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.readers import too_large

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
        self._child = ChildProcess("clew_ingest.reading_child", asdict(limits))

    def read(
        self,
        data: bytes,
        name: str,
        *,
        title: str | None = None,
        declared_type: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ReadResult:
        """Return the file's documents; see :func:`clew_ingest.readers.read`.

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
