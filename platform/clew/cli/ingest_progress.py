"""The bar of an ingest, fed by this process or by a job's progress."""

from types import TracebackType
from typing import Any, Self

from clew.cli.output import Lines, progress_bar
from clew.jobs.progress import running_ingest
from clew_ingest.pipeline.progress import IngestProgress

COUNTS = ("parsed", "chunks", "triples", "llm_calls", "failed")


class IngestBar:
    """Shows documents done, the stage and what was found; use it in a ``with``."""

    def __init__(self) -> None:
        self._bar = progress_bar()
        self._task = self._bar.add_task("Waiting", total=None)
        self._lines = Lines()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def report(self, state: IngestProgress) -> None:
        """Show the progress of an ingest in this process."""
        self.show(running_ingest(state))

    def show(self, progress: dict[str, Any]) -> None:
        """Show the progress that a job's ledger holds."""
        if not progress:
            return
        words, done = progress_words(progress), progress.get("done", 0)
        total = progress.get("total") or None
        self._bar.update(self._task, description=words, total=total, completed=done)
        self._lines.tell(words, done, total)


def progress_words(progress: dict[str, Any]) -> str:
    """Return a job's progress in a line: the stage, what was read and written, what failed."""
    counts = {name: progress.get(name, 0) for name in COUNTS}
    calls = f", {counts['llm_calls']} calls" if counts["llm_calls"] else ""
    stated, kept = progress.get("triples_total", 0), progress.get("triples_kept", 0)
    of_total = f" ({counts['triples'] + kept} of {stated} lines)" if stated else ""
    failed = f", {counts['failed']} failed" if counts["failed"] else ""
    ahead = f"{counts['parsed']} chunks read, " if counts["parsed"] > counts["chunks"] else ""
    written = f"{counts['chunks']} {'written' if ahead else 'chunks'}"
    found = f"{ahead}{written}, {counts['triples']} triples{of_total}{calls}{failed}"
    return f"{str(progress.get('stage', 'waiting')).capitalize():<8}{found}"
