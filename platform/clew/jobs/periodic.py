"""What a worker does again and again beside its jobs, each in a thread of its own."""

import logging
import threading
import time
from abc import ABC, abstractmethod
from typing import ClassVar

from clew_cypher.errors import GraphError

log = logging.getLogger(__name__)

CLEAN_EVERY_S = 3600.0


class Periodic(ABC):
    """Does ``look`` at once and then every ``every_s`` seconds, and ``clean`` every hour, until it
    is stopped.

    What fails ends nothing: it is tried again, and the log says so, once until it went well or
    failed otherwise.
    """

    name: ClassVar[str]
    """What its thread is called, and the log says of it."""
    stop_s: ClassVar[float] = 5.0
    """So long, at most, the look that is being taken is waited for at the end."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._cleaned = -CLEAN_EVERY_S
        self._failed: type[Exception] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)

    @abstractmethod
    def look(self) -> object:
        """Do it once."""

    def clean(self) -> None:
        """Delete what is kept no longer."""
        return

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the look that is being taken."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(timeout=self.stop_s)

    def failed(self, error: Exception) -> None:
        """Say in the log what failed."""
        if isinstance(error, GraphError):
            log.warning("%s waits for the graph. %s", self.name, error)
        else:
            log.error("%s failed; it is tried again.", self.name, exc_info=error)

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                self.look()
                if time.monotonic() - self._cleaned > CLEAN_EVERY_S:
                    self._cleaned = time.monotonic()
                    self.clean()
                self._failed = None
            except Exception as error:  # a thread that ended would be missed by nobody
                if type(error) is not self._failed:
                    self.failed(error)
                self._failed = type(error)
            self._over.wait(self._every_s)
