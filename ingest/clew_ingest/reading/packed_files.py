"""Files that hold others packed: gzip, and the ZIP archives of Office, within limits."""

import gzip
import io
import zlib

from clew_ingest.errors import SourceTooLarge, UnreadableSource, protected
from clew_ingest.limits import MIB, IngestLimits
from clew_ingest.reading import media_types

GZIP = b"\x1f\x8b"
"""What a file that is packed by gzip begins with."""


def too_large(size: int, limits: IngestLimits) -> SourceTooLarge:
    """Return the error for a file of ``size`` bytes."""
    return SourceTooLarge(
        f"The file has {size / 1048576:.0f} MiB, more than {limits.file_limit_mib}.",
        remedy="Split it, or raise CLEW_FILE_LIMIT_MIB.",
    )


def unpacked(data: bytes, limits: IngestLimits) -> bytes:
    """Return what gzip packed. Raises UnreadableSource for broken data, SourceTooLarge."""
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            found = packed.read(limits.file_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableSource(
            f"The file is broken: {error}.", remedy="Pack it again, or add it unpacked."
        ) from error
    if len(found) > limits.file_bytes:
        raise SourceTooLarge(
            f"The file unpacks to more than {limits.file_limit_mib} MiB.",
            remedy="Split it into several files, or raise CLEW_FILE_LIMIT_MIB.",
        )
    return found


def check_archive(data: bytes, limits: IngestLimits) -> None:
    """Raise SourceTooLarge for an archive beyond the limits, UnreadableSource for a broken one.

    The sizes are those the archive's directory declares; Python's zipfile never unpacks more
    than is declared, so that a lie makes the reading fail and not the memory.
    """
    entries = media_types.archive_entries(data)
    if len(entries) > limits.archive_entries:
        raise SourceTooLarge(
            f"The file holds {len(entries)} parts, more than {limits.archive_entries}.",
            remedy="Split it into several files.",
        )
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > limits.unpacked_bytes:
        raise SourceTooLarge(
            f"The file unpacks to {unpacked // MIB} MiB, more than {limits.unpacked_limit_mib}.",
            remedy="Split it, or raise CLEW_UNPACKED_LIMIT_MIB.",
        )
    if unpacked > MIB and unpacked > limits.unpacked_ratio * len(data):
        raise SourceTooLarge(
            f"The file unpacks to {unpacked // max(1, len(data))} times its size, more than "
            f"{limits.unpacked_ratio} times: it looks like a ZIP bomb.",
            remedy="Save it again from the program that made it.",
        )
    if any(entry.flag_bits & 1 for entry in entries):
        raise protected()
