"""Whose fault it is that a library fails on a file: the file's, the machine's, or its memory's."""

import errno

from clew_ingest.errors import UnreadableSource

MACHINE_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EIO})
"""What is never the fault of a file: a full disk, too many open files, a disk that is broken."""


def lacks_memory(error: BaseException) -> bool:
    """Whether an error is for want of memory, or came up while one of that kind was handled."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, MemoryError):
        found = found.__context__
    return found is not None


def broken(error: Exception) -> UnreadableSource:
    """Return the error of a file on which a library failed: whatever it raises, that is the file's
    fault. Raises ``error`` again where it is the machine's.
    """
    if isinstance(error, OSError) and error.errno in MACHINE_ERRORS:
        raise error
    cause = f"{type(error).__name__}: {error}".rstrip(": ")[:300]
    return UnreadableSource(
        f"The file is broken or protected ({cause}).",
        remedy="Open it in the program that made it and save it again.",
    )
