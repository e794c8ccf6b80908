"""A child process that can be killed: the child's side."""

import contextlib
import json
import math
import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from clew_ingest.child_process import HEADER

Handler = Callable[[dict[str, Any], bytes], dict[str, Any]]


def serve(start: Callable[[dict[str, Any]], Handler]) -> None:
    """Answer calls until the parent is gone.

    ``start`` gets the arguments of the first frame and returns what handles each further one;
    an exception of a handler ends the process, since it is a bug: expected errors are replies.
    """
    connection = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    handler: Handler | None = None
    while frame := _receive_frame(connection):
        request, payload = frame
        if handler is None:
            handler = start(request)
            reply: dict[str, Any] = {}
        else:
            reply = handler(request, payload)
        body = json.dumps(reply).encode()
        del frame, request, payload, reply  # nothing of one file stays while waiting for the next
        connection.sendall(HEADER.pack(len(body), 0) + body)


def limit_memory(mebibytes: int) -> None:
    """Let no allocation take this process beyond so much memory: it gets a MemoryError."""
    size = mebibytes * 1024 * 1024
    for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
        # The address space also holds mapped libraries, so that it needs some room above.
        room = size if kind == resource.RLIMIT_DATA else size + 1024 * 1024 * 1024
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (room, resource.getrlimit(kind)[1]))


def limit_file_size(mebibytes: int) -> None:
    """Let no file that this process writes grow beyond so much."""
    size = mebibytes * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(
            resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
        )


def limit_cpu_time(seconds: float) -> None:
    """Have the kernel end this process after so much more processor time, parent or no parent."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = usage.ru_utime + usage.ru_stime
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(
            resource.RLIMIT_CPU,
            (math.ceil(used + seconds), resource.getrlimit(resource.RLIMIT_CPU)[1]),
        )


def _receive_frame(connection: socket.socket) -> tuple[dict[str, Any], bytes] | None:
    header = _receive(connection, HEADER.size)
    if header is None:
        return None
    body_length, payload_length = HEADER.unpack(header)
    body = _receive(connection, body_length)
    payload = _receive(connection, payload_length)
    return None if body is None or payload is None else (json.loads(body), payload)


def _receive(connection: socket.socket, length: int) -> bytes | None:
    data = bytearray()
    while len(data) < length:
        piece = connection.recv(min(length - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)


def _end_with(parent: int) -> None:
    # The parent-death signal would come when the parent's *thread* ends; so look once a second.
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
