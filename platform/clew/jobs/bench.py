"""A run of the bench as a job: handed in, done by a worker, watched through its progress."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clew.evaluation.request import BenchProgress, BenchRequest
from clew.jobs.runner import JobRun

if TYPE_CHECKING:
    from clew.resources.resources import Resources

BENCH = "bench"


def run_bench(resources: "Resources", run: JobRun) -> Mapping[str, Any]:
    """Do the job's run. A try that died midway goes on where it stopped, on the same machine."""
    from clew.evaluation import running

    request = BenchRequest.model_validate(run.job.params)
    if run.last_progress.get("run_id"):  # what an earlier try asked is not asked again
        request = request.model_copy(update={"fresh": False})
    last: dict[str, Any] = {}

    def tell(progress: BenchProgress) -> None:
        last.update(progress.model_dump(mode="json"))
        run.progress(dict(last))

    running.run_bench(resources, request, tell=tell, cancelled=run.cancelled)
    return last
