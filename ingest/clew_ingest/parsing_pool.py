"""Several parsing processes, so that the cores stay busy."""

import queue
from collections.abc import Callable, Sequence

from clew_ingest.parsing import ParsedText
from clew_ingest.parsing_process import ParsingProcess


class ParsingPool:
    """``size`` parsing processes, each started at its first use; to be closed."""

    def __init__(self, pipeline_name: str, timeout_s: float, size: int) -> None:
        if size < 1:
            raise ValueError(f"{size} processes cannot parse anything; 1 or more can.")
        self.size = size
        self._processes = [ParsingProcess(pipeline_name, timeout_s) for _ in range(size)]
        # The last that was used first: one document after another needs one process only.
        self._free: queue.LifoQueue[ParsingProcess] = queue.LifoQueue()
        for process in self._processes:
            self._free.put(process)

    def parse(
        self,
        texts: Sequence[str],
        titles: Sequence[str] | None = None,
        *,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[ParsedText]:
        """Parse in a process that is free, waiting for one; see ParsingProcess."""
        process = self._free.get()
        try:
            return process.parse(texts, titles=titles, cancelled=cancelled)
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End the child processes."""
        for process in self._processes:
            process.close()
