"""The bench's part of the fake facade: checks as the real one does, runs nothing."""

from functools import cache
from typing import Any

from clew.errors import InvalidDataSet
from clew.evaluation.figures import RunFigures
from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, BenchRequest, BenchRunInfo
from clew.evaluation.run import BenchRun
from clew.evaluation.runs import unknown_run
from clew.evaluation.summary import summarise
from clew.results.job import Job

WHEN = "2026-11-21T03:00:00+00:00"


@cache
def _figures(content: str) -> RunFigures:
    # summarising takes a while, and the real facade does it once, when the run is kept
    return summarise(BenchRun.model_validate_json(content))


@cache
def _info(content: str) -> BenchRunInfo:
    from clew.evaluation.runs import info_of

    return info_of(BenchRun.model_validate_json(content), _figures(content))


class FakeBench:
    """Keeps the runs it is given; a job that was submitted stays as the test sets it."""

    settings: Any
    calls: list[tuple[Any, ...]]
    job_list: list[Job]
    error: Exception | None
    kept: dict[str, BenchRun]
    of_deleted: set[str]

    def submit_bench(self, request: BenchRequest) -> Job:
        from clew.evaluation.request_checks import check_request

        if request.data_set != SAMPLE and not request.data_set.startswith(CORPUS_PREFIX):
            raise InvalidDataSet("A worker cannot read files.", remedy="Name a corpus.")
        check_request(self.settings, request)
        corpus = request.data_set.removeprefix(CORPUS_PREFIX)
        if request.data_set != SAMPLE:
            self.stats(corpus)  # type: ignore[attr-defined]
        self.calls.append(("submit_bench", request))
        return add_job(self, "bench", corpus, "queued", {})

    def bench_runs(self, limit: int = 50) -> list[BenchRunInfo]:
        if self.error is not None:
            raise self.error
        newest_first = sorted(self.kept.values(), key=lambda run: run.created_at, reverse=True)
        return [
            _info(run.model_dump_json()).model_copy(
                update={"corpus_deleted": run.id in self.of_deleted}
            )
            for run in newest_first[:limit]
        ]

    def bench_run(self, run_id: str) -> BenchRun:
        if run_id not in self.kept:
            raise unknown_run(run_id)
        return self.kept[run_id]

    def bench_figures(self, run_id: str) -> RunFigures:
        return _figures(self.bench_run(run_id).model_dump_json())

    def delete_bench_run(self, run_id: str) -> None:
        self.bench_run(run_id)
        del self.kept[run_id]


def add_job(clew: FakeBench, kind: str, corpus: str, state: Any, progress: dict[str, Any]) -> Job:
    """Put a job into the fake's list, in the state that is given."""
    job = Job(
        id=f"j{len(clew.job_list) + 1}",
        kind=kind,
        corpus=corpus,
        state=state,
        attempt=1,
        progress=progress,
        error=None,
        created_at=WHEN,
        started_at=None if state == "queued" else WHEN,
        finished_at=None if state in ("queued", "running") else WHEN,
    )
    clew.job_list.insert(0, job)
    return job
