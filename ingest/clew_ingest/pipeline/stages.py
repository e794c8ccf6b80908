"""Stages that run in threads of their own, with bounded queues and errors that come through."""

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

from clew_ingest.errors import IngestCancelled

T = TypeVar("T")
_WAIT_S = 0.2


class _End:
    """Marks the end of what a stage hands over; ``error`` is what ended it early."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class Line:
    """An assembly line: each stage works out its items in a thread, a few ahead of the next.

    Use it in a ``with``: leaving it ends the threads. ``cancelled`` is asked a few times a
    second, by whoever waits, takes or hands over; then IngestCancelled is raised there.
    """

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self._cancelled = cancelled
        self._stopped = threading.Event()
        self._heard = threading.Event()
        self._asked = 0.0
        self._threads: list[threading.Thread] = []

    def stage(
        self, name: str, items: Generator[T, None, None], size: int
    ) -> Generator[T, None, None]:
        """Work ``items`` out in a thread, at most ``size`` ahead of whoever takes what is returned.

        What ``items`` raises is raised to the taker, after the items before it.
        """
        handed: _Belt[T] = _Belt(size, self.check)
        work = contextvars.copy_context()
        thread = threading.Thread(
            target=work.run, args=(self._work, items, handed), name=f"clew-{name}", daemon=True
        )
        self._threads.append(thread)
        thread.start()
        return handed.taken()

    def stopping(self) -> bool:
        """Whether what is being done is of no use any more."""
        if not self._heard.is_set() and self._cancelled():
            self._heard.set()
        return self._heard.is_set() or self._stopped.is_set()

    def check(self) -> None:
        """Raise IngestCancelled where the run is cancelled or ends."""
        if self._stopped.is_set():
            raise IngestCancelled("The run ends.")
        now = time.monotonic()
        if now - self._asked >= _WAIT_S:
            self._asked = now
            self.stopping()
        if self._heard.is_set():
            raise IngestCancelled("The run was cancelled.")

    def _work(self, items: Generator[T, None, None], handed: "_Belt[T]") -> None:
        try:
            for item in items:
                handed.put(item)
            end = _End()
        except BaseException as error:
            end = _End(error)
        finally:
            items.close()
        handed.end(end, self._stopped.is_set)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()


class _Belt(Generic[T]):
    """A bounded queue between two stages."""

    def __init__(self, size: int, check: Callable[[], None]) -> None:
        self._waiting: queue.Queue[T | _End] = queue.Queue(size)
        self._check = check

    def put(self, item: T) -> None:
        while True:
            self._check()
            try:
                self._waiting.put(item, timeout=_WAIT_S)
                return
            except queue.Full:
                continue

    def end(self, end: _End, stopped: Callable[[], bool]) -> None:
        while not stopped():
            try:
                self._waiting.put(end, timeout=_WAIT_S)
                return
            except queue.Full:
                continue

    def taken(self) -> Generator[T, None, None]:
        while True:
            self._check()
            try:
                item = self._waiting.get(timeout=_WAIT_S)
            except queue.Empty:
                continue
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item


def grouped(items: Iterator[T], size_of: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Yield ``items`` in lists, each as soon as its sizes reach ``limit``."""
    group: list[T] = []
    size = 0
    for item in items:
        group.append(item)
        size += size_of(item)
        if size >= limit:
            yield group
            group, size = [], 0
    if group:
        yield group
