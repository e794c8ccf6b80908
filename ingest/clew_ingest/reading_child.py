"""The child process that reads files: ``python -m clew_ingest.reading_child FD``."""

import logging
import warnings
from typing import Any

from clew_ingest import errors
from clew_ingest.child_loop import (
    Handler,
    limit_cpu_time,
    limit_file_size,
    limit_memory,
    serve,
)
from clew_ingest.limits import IngestLimits
from clew_ingest.readers import read


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


if __name__ == "__main__":
    serve(start)
