"""pdfminer with a bound on what the streams of a PDF unpack to.

pdfminer unpacks a stream whole: 2.3 KB that are packed twice became 1 GB, which only the memory
limit of the process stopped. Its modules know zlib by name, so that this stands in for it there.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clew_ingest.errors import SourceTooLarge
from clew_ingest.limits import IngestLimits


class BoundedZlib:
    """What pdfminer uses of zlib, for streams of at most ``limits.unpacked_bytes`` together."""

    error = zlib.error

    def __init__(self, limits: IngestLimits) -> None:
        self._limits = limits
        self._left = limits.unpacked_bytes

    def decompress(self, data: bytes) -> bytes:
        """Return the data unpacked, as zlib.decompress. Raises SourceTooLarge, zlib.error."""
        stream = zlib.decompressobj()
        unpacked = self._counted(stream.decompress(data, self._left + 1))
        if not stream.eof:
            raise zlib.error("the stream is not complete")
        return unpacked

    def decompressobj(self) -> Any:
        """Return what unpacks a broken stream byte by byte."""
        return _BoundedStream(self)

    def _counted(self, unpacked: bytes) -> bytes:
        if len(unpacked) > self._left:
            # for good: what asks for the next stream of this file is refused too
            self._left = 0
            raise SourceTooLarge(
                f"The PDF unpacks to more than {self._limits.unpacked_limit_mib} MiB.",
                remedy="Split it, or raise CLEW_UNPACKED_LIMIT_MIB.",
            )
        self._left -= len(unpacked)
        return unpacked


class _BoundedStream:
    def __init__(self, bounds: BoundedZlib) -> None:
        self._bounds = bounds
        self._stream = zlib.decompressobj()

    def decompress(self, data: bytes) -> bytes:
        return self._bounds._counted(self._stream.decompress(data))


@contextmanager
def bounded_pdf(limits: IngestLimits) -> Iterator[None]:
    """Hold what pdfminer unpacks to the limits; for one thread at a time."""
    from pdfminer import pdftypes

    library: Any = pdftypes
    library.zlib = BoundedZlib(limits)
    try:
        yield
    finally:
        library.zlib = zlib
