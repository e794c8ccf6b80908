"""The bench as REST and the pages share it: starting a run, and what is computed of kept ones."""

from clew.errors import InvalidRequest
from clew.evaluation.figures import RunComparison, RunFigures
from clew.evaluation.request import SAMPLE, BenchRequest
from clew.evaluation.run import BenchRun
from clew.results.data_set import BenchQuestion
from clew.results.job import Job
from clew_web.api.bench_models import BenchChoices
from clew_web.backend import backend, current_caller


def start(body: BenchChoices, questions: list[BenchQuestion] | None) -> Job:
    """Have a worker measure what is asked for; return the job.

    Refuses before a job is made: UnknownStrategy, UnknownCorpus, and InvalidRequest for an unknown
    reader, or for questions where the data set has its own.
    """
    if body.data_set == SAMPLE and questions is not None:
        raise InvalidRequest(
            "The sample corpus comes with questions of its own.",
            remedy="Leave the questions out, or choose a corpus that they are about.",
        )
    fields = body.model_dump(exclude={"questions", "strategies"})
    job: Job = backend().clew.submit_bench(
        BenchRequest(
            **fields,
            strategies=tuple(dict.fromkeys(body.strategies)) if body.strategies else None,
            questions=tuple(questions) if questions is not None else None,
        )
    )
    return job


def figures_of(run_id: str) -> RunFigures:
    """Return a run's figures, computed when it ended: doing that here would load much.

    Raises UnknownBenchRun.
    """
    found: RunFigures = backend().clew.bench_figures(run_id)
    return found


def compared(run: BenchRun, against: BenchRun) -> RunComparison:
    """Return how a run compares with an earlier one."""
    from clew.evaluation.comparing import compare_runs

    key = ("comparison", _version(run), _version(against))
    return backend().computed.get(key, lambda: compare_runs(run, against))


def report_of(run: BenchRun, against: BenchRun | None) -> str:
    """Return a run's report, HTML that needs nothing from elsewhere."""
    from clew.evaluation.report import render_report

    def render() -> str:
        comparison = None if against is None else compared(run, against)
        return render_report(run, figures_of(run.id), comparison)

    return backend().reports.get((_version(run), against and _version(against)), render)


def kept_run(run_id: str) -> BenchRun:
    """Return a kept run. Raises UnknownBenchRun."""
    run: BenchRun = backend().clew.bench_run(run_id)
    return run


def _version(run: BenchRun) -> tuple[str, str, bool]:
    # a run that is measured afresh may keep its id; who sees some corpora only gets less of it
    return run.id, run.finished_at, current_caller().corpora is None
