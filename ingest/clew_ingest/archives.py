"""Archives are checked before they are opened: entries, unpacked size, ratio."""

import io
import zipfile

from clew_ingest.errors import SourceTooLarge, UnreadableSource
from clew_ingest.limits import MIB, IngestLimits


def check_archive(data: bytes, limits: IngestLimits) -> None:
    """Raise SourceTooLarge for an archive beyond the limits, UnreadableSource for a broken one.

    The sizes are those the archive's directory declares; Python's zipfile never unpacks more
    than is declared, so that a lie makes the reading fail and not the memory.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UnreadableSource(
            f"The file is broken: {error}.", remedy="Save it again from the program that made it."
        ) from error
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
        raise UnreadableSource(
            "The file is protected by a password.", remedy="Save it without one."
        )
