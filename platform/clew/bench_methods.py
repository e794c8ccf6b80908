"""The facade's methods of the bench: a part of `Clew`, in a file of its own."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from clew.catalogue import Job
from clew.components import Components

if TYPE_CHECKING:
    from clew.clew import Clew
    from clew.evaluation.figures import RunFigures
    from clew.evaluation.request import BenchProgress, BenchRequest, BenchRunInfo
    from clew.evaluation.run import BenchRun


class BenchMethods(Components):
    """Measuring strategies, and the runs that are kept."""

    def bench(
        self,
        request: "BenchRequest",
        tell: "Callable[[BenchProgress], None] | None" = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> "BenchRun":
        """Measure strategies on a data set, a folder or a corpus, here and now; the run is kept.

        One that was interrupted goes on where it stopped, if the same is asked for again. Raises
        InvalidDataSet, InvalidRequest, UnknownStrategy, UnknownCorpus, JobStopped.
        """
        from clew.evaluation.running import run_bench

        return run_bench(cast("Clew", self), request, tell=tell, cancelled=cancelled)

    def submit_bench(self, request: "BenchRequest") -> Job:
        """Have a worker do a run of the bench; returns at once with the job.

        Raises what is wrong with the request, and InvalidDataSet for a path: workers may be on
        another machine, and callers may not read this one's files.
        """
        from clew.jobs.bench import submit_bench

        return submit_bench(self.store, self.settings, request)

    def bench_runs(self, limit: int = 50) -> "list[BenchRunInfo]":
        """Return the kept runs of the bench, newest first."""
        from clew.evaluation.runs import list_runs

        return list_runs(self.store, limit)

    def bench_run(self, run_id: str) -> "BenchRun":
        """Return a kept run of the bench, whole. Raises UnknownBenchRun."""
        from clew.evaluation.runs import load_run

        return load_run(self.store, run_id)

    def bench_figures(self, run_id: str) -> "RunFigures":
        """Return the figures of a kept run; nothing is computed. Raises UnknownBenchRun."""
        from clew.evaluation.runs import load_figures

        return load_figures(self.store, run_id)

    def delete_bench_run(self, run_id: str) -> None:
        """Delete a kept run of the bench. Raises UnknownBenchRun."""
        from clew.evaluation.runs import delete_run

        delete_run(self.store, run_id)
