"""A child process that can be killed: the parent's side, and the child's.

Requests and replies are frames over a socket pair: JSON and, with a request, raw bytes. Not
``multiprocessing``: its spawn runs the caller's main script again and is refused inside Celery's
daemonic workers; and pickles from a process that reads hostile files must not be loaded.
"""

import contextlib
import json
import math
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from clew_cypher.embedded.child_environment import child_environment
from clew_ingest.errors import IngestCancelled, IngestError

HEADER = struct.Struct("!QQ")  # bytes of JSON, raw bytes after it
_START_TIMEOUT_S = 120.0
_POLL_S = 0.2


class ChildFailed(IngestError):
    """The child died or was killed while it worked; the next call starts a new one."""


class ChildTimeout(ChildFailed):
    """The child was killed because it took longer than the wall clock allows."""


class ChildProcess:
    """One child that serves many calls, one at a time; started at first use, again after death.

    ``module`` is run with ``python -m``; ``arguments`` (JSON) are handed to it at the start.
    """

    def __init__(self, module: str, arguments: dict[str, Any]) -> None:
        self._module = module
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._errors: IO[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Process id of the running child, or None."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def call(
        self,
        request: dict[str, Any],
        payload: bytes = b"",
        *,
        timeout_s: float,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        """Return the child's reply. Raises ChildTimeout, ChildFailed or IngestCancelled.

        After each of these the child is gone and the next call starts another.
        """
        with self._lock:
            try:
                if self.pid is None:
                    self._start()
                    self._exchange(self._arguments, b"", _START_TIMEOUT_S, cancelled)
                return self._exchange(request, payload, timeout_s, cancelled)
            except BaseException:
                self._kill()
                raise

    def close(self) -> None:
        """Kill the child, if there is one. The next call would start another."""
        with self._lock:
            self._kill()

    def _start(self) -> None:
        self._kill()
        ours, theirs = socket.socketpair()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 — lives as long as the child
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=(theirs.fileno(),),
                env=child_environment(TOKENIZERS_PARALLELISM="false", OMP_NUM_THREADS="1"),
            )
        self._socket = ours

    def _exchange(
        self,
        request: dict[str, Any],
        payload: bytes,
        timeout_s: float,
        cancelled: Callable[[], bool],
    ) -> dict[str, Any]:
        deadline = time.monotonic() + timeout_s
        body = json.dumps(request).encode()
        try:
            self._send(HEADER.pack(len(body), len(payload)) + body, deadline, cancelled)
            self._send(payload, deadline, cancelled)
            length, extra = HEADER.unpack(self._receive(HEADER.size, deadline, cancelled))
            reply: dict[str, Any] = json.loads(self._receive(length, deadline, cancelled))
        except (ConnectionError, EOFError, ValueError) as error:
            raise ChildFailed(f"The child process {self._death()}.") from error
        if extra:
            raise ChildFailed("The child process sent what it must not.")
        return reply

    def _send(self, data: bytes, deadline: float, cancelled: Callable[[], bool]) -> None:
        assert self._socket is not None
        view = memoryview(data)
        while view:
            self._socket.settimeout(_remaining(deadline, cancelled))
            with contextlib.suppress(TimeoutError):
                view = view[self._socket.send(view) :]

    def _receive(self, length: int, deadline: float, cancelled: Callable[[], bool]) -> bytes:
        assert self._socket is not None
        data = bytearray()
        while len(data) < length:
            self._socket.settimeout(_remaining(deadline, cancelled))
            with contextlib.suppress(TimeoutError):
                piece = self._socket.recv(min(length - len(data), 1 << 20))
                if not piece:
                    raise EOFError
                data += piece
        return bytes(data)

    def _death(self) -> str:
        assert self._process is not None
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "closed its connection"
        cause = f"ended with code {code}"
        if code < 0:
            cause = f"was killed by {signal.Signals(-code).name}"
        if self._errors is not None and (last := self._last_line()):
            cause += f" ({last})"
        return cause

    def _last_line(self) -> str:
        assert self._errors is not None
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 2000))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else ""

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        for closable in (self._socket, self._errors):
            if closable is not None:
                closable.close()
        self._process = self._socket = self._errors = None

    def __enter__(self) -> "ChildProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _remaining(deadline: float, cancelled: Callable[[], bool]) -> float:
    if cancelled():
        raise IngestCancelled("The run was cancelled.")
    left = deadline - time.monotonic()
    if left <= 0:
        raise ChildTimeout("The child process took too long and was killed.")
    return min(left, _POLL_S)


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
