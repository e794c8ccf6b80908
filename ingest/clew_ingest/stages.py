"""Threads between the stages of the pipeline, with bounded queues and errors that come through."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")
_WAIT_S = 0.2


class _End:
    """Marks the end of what a thread hands over; ``error`` is what ended it early."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


@contextmanager
def running_ahead(items: Iterator[T], size: int) -> Iterator[Iterator[T]]:
    """Work ``items`` out in a thread, at most ``size`` ahead of whoever takes them.

    What ``items`` raises is raised to the taker. Leaving the block ends the thread at its next
    item.
    """
    waiting: queue.Queue[T | _End] = queue.Queue(size)
    stopped = threading.Event()

    def put(item: "T | _End") -> None:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=_WAIT_S)
                return
            except queue.Full:
                continue

    def work() -> None:
        try:
            for item in items:
                put(item)
                if stopped.is_set():
                    return
            put(_End())
        except BaseException as error:
            put(_End(error))

    def taken() -> Iterator[T]:
        while True:
            item = waiting.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item

    thread = threading.Thread(target=work, name="clew-ingest-prepare", daemon=True)
    thread.start()
    try:
        yield taken()
    finally:
        stopped.set()
        thread.join()


class Consumer(Generic[T]):
    """Handles items in a thread, in order, at most ``size`` waiting.

    What ``handle`` raises is raised by the next ``put`` or by ``finish``; later items are dropped.
    """

    def __init__(self, handle: Callable[[T], None], size: int) -> None:
        self._handle = handle
        self._waiting: queue.Queue[T | _End] = queue.Queue(size)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="clew-ingest-write", daemon=True)
        self._thread.start()

    def put(self, item: T) -> None:
        """Hand over an item; waits while too many wait."""
        self._raise()
        self._waiting.put(item)

    def finish(self) -> None:
        """Wait until everything is handled."""
        self._waiting.put(_End())
        self._thread.join()
        self._raise()

    def abandon(self) -> None:
        """Drop what waits, and wait for what is being handled."""
        self._error = self._error or RuntimeError("abandoned")
        self._waiting.put(_End())
        self._thread.join()

    def _work(self) -> None:
        while True:
            item = self._waiting.get()
            if isinstance(item, _End):
                return
            if self._error is None:
                try:
                    self._handle(item)
                except BaseException as error:
                    self._error = error

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error
