"""What is known of a run while it goes on: means so far, and how long it will still take."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence

from clew.evaluation.request import BenchProgress, StrategyProgress
from clew.evaluation.run import Outcome
from clew.evaluation.scoring import scores
from clew.results.data_set import BenchQuestion

RECALL, F1 = "recall@5", "f1"
TELL_S = 0.2
"""Shortest time between two reports: computing one takes longer the more was asked."""

Tell = Callable[[BenchProgress], None]


class _Strategy:
    def __init__(self, name: str) -> None:
        self.name = name
        self.failed = 0
        self.recalls: list[float] = []
        self.f1s: list[float] = []
        self.seconds: list[float] = []

    def add(self, outcome: Outcome, found: Mapping[str, float | None]) -> None:
        failed = outcome.error is not None
        self.failed += failed
        if not failed:
            self.seconds.append(outcome.seconds)
        for name, values in ((RECALL, self.recalls), (F1, self.f1s)):
            value = found[name]
            if value is not None:
                values.append(value)

    def progress(self) -> StrategyProgress:
        return StrategyProgress(
            strategy=self.name,
            questions=len(self.seconds) + self.failed,
            failed=self.failed,
            recall_at_5=statistics.fmean(self.recalls) if self.recalls else None,
            f1=statistics.fmean(self.f1s) if self.f1s else None,
            median_seconds=statistics.median(self.seconds) if self.seconds else None,
        )


class Tracker:
    """Tells ``tell`` how far a run is. ``total``: retrievals that it will make."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self.run_id = ""
        self._strategies: dict[str, _Strategy] = {}
        self._depth = 0
        self._reads = False
        self._total = 0
        self._done = 0
        self._done_before = 0
        self._started = 0.0
        self._told = 0.0

    def stage(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Tell of a stage that is not asking."""
        self._report(stage, done, total, None)

    def begin(self, strategies: Sequence[str], total: int, depth: int, reads: bool) -> None:
        """Asking begins; what earlier sessions asked is added before ``start``."""
        self._strategies = {name: _Strategy(name) for name in strategies}
        self._depth, self._reads = depth, reads
        self._total = total

    def start(self) -> None:
        """What is added from now on takes time."""
        self._done_before = self._done
        self._started = time.monotonic()
        self._ask(force=True)

    def add(self, question: BenchQuestion, outcome: Outcome) -> None:
        """Count an outcome, and tell now and then."""
        found = scores(question, outcome, depth=self._depth, reader=self._reads, only=(RECALL, F1))
        self._strategies[outcome.strategy].add(outcome, found)
        self._done += 1
        if self._started:
            self._ask(force=self._done == self._total)

    def _ask(self, force: bool) -> None:
        now = time.monotonic()
        if not force and now - self._told < TELL_S:
            return
        self._told = now
        new = self._done - self._done_before
        remaining = (now - self._started) / new * (self._total - self._done) if new else None
        self._report("ask", self._done, self._total, remaining)

    def _report(self, stage: str, done: int, total: int, remaining: float | None) -> None:
        if self._tell is None:
            return
        self._tell(
            BenchProgress.model_validate(
                {
                    "stage": stage,
                    "done": done,
                    "total": total,
                    "run_id": self.run_id,
                    "remaining_seconds": remaining,
                    "strategies": tuple(s.progress() for s in self._strategies.values()),
                }
            )
        )
