"""A run of the bench while it goes on: a bar, and the strategies' figures so far."""

from types import TracebackType
from typing import Self

from rich.console import Group
from rich.live import Live

from clew.cli.bench_table import shown
from clew.cli.output import Lines, errors, progress_bar
from clew.evaluation.report.tables import progress_table
from clew.evaluation.request import BenchProgress

STAGES = {
    "load": "Reading the data set",
    "index": "Indexing",
    "warm up": "Loading models",
    "ask": "Asking",
    "check": "Checking evidence",
    "judge": "Judging",
    "done": "Done",
}


class BenchWatch:
    """Shows the progress on standard error; use it in a ``with``."""

    def __init__(self) -> None:
        self._bar = progress_bar()
        self._task = self._bar.add_task("Waiting", total=None)
        self._lines = Lines()
        self._live = Live(self._bar, console=errors, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()
        if kind is KeyboardInterrupt:
            errors.print("What was asked is kept: the same command goes on where it stopped.")

    def show(self, progress: BenchProgress) -> None:
        """Show where the run stands."""
        if not errors.is_terminal:
            stage = progress.stage
            self._lines.tell(STAGES[stage], progress.done, progress.total or None, stage=stage)
            return
        left = progress.remaining_seconds
        words = STAGES[progress.stage] + ("" if left is None else f", {_duration(left)} left")
        self._bar.update(
            self._task,
            description=words,
            total=progress.total or None,
            completed=progress.done,
        )
        asked = any(strategy.questions for strategy in progress.strategies)
        self._live.update(
            Group(shown(progress_table(progress.strategies)), self._bar) if asked else self._bar
        )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"
