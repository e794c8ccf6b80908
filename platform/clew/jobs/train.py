"""A training as a job: handed in, done by a worker of the queue gpu, watched by its progress."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clew.jobs.runner import JobRun
from clew.results.training import TrainingProgress
from clew.training.request import TrainingRequest

if TYPE_CHECKING:
    from clew.resources.resources import Resources


def run_train(resources: "Resources", run: JobRun) -> Mapping[str, Any]:
    """Do the job's training. A try that died midway goes on where it stopped."""
    from clew.training.run import run_training

    request = TrainingRequest.model_validate(run.job.params)
    last: dict[str, Any] = {"method": request.method}

    def tell(progress: TrainingProgress) -> None:
        last.update(progress.model_dump(mode="json"))
        run.progress(dict(last))

    version = run_training(resources, request, tell, run.cancelled, token=run.job.id)
    return {
        **last,
        "version": version.version,
        "stage": "done",
        "serves": version.serves,
        "promotion": version.promotion,
    }
