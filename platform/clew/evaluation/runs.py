"""The runs that are kept: in the graph, whole and compressed; as JSON wherever one is wanted."""

import gzip
import json
from pathlib import Path

from pydantic import ValidationError

from clew.errors import InvalidRequest, UnknownBenchRun, problem_words
from clew.evaluation.comparing import shared_questions
from clew.evaluation.figures import RunFigures
from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, BenchRunInfo
from clew.evaluation.run import BenchRun
from clew.evaluation.summary import MAIN, summarise
from clew.results.result import Result
from clew_cypher.jobs import bench_runs
from clew_cypher.store import GraphStore

MOST = 100_000
LATEST = "latest"
"""Names the newest kept run of the same data set with one of the same strategies and questions."""


def save_run(store: GraphStore, run: BenchRun) -> None:
    """Keep a run with its figures in the graph; one with its id is replaced."""
    figures = summarise(run)
    bench_runs.save_bench_run(
        store,
        run.id,
        created_at=run.created_at,
        info=info_of(run, figures).model_dump_json(),
        figures=_packed(figures),
        data=_packed(run),
    )


def list_runs(store: GraphStore, limit: int = 50) -> list[BenchRunInfo]:
    """Return the kept runs, newest first."""
    return [
        BenchRunInfo.model_validate_json(row["info"]).model_copy(
            update={"corpus_deleted": row["corpus_deleted"]}
        )
        for row in bench_runs.list_bench_runs(store, limit)
    ]


def mark_deleted(store: GraphStore, corpus: str) -> None:
    """Say of the runs over a corpus that it was deleted."""
    names = {CORPUS_PREFIX + corpus, *({SAMPLE} & {corpus})}
    ids = [run.id for run in list_runs(store, MOST) if run.data_set in names]
    if ids:
        bench_runs.mark_bench_runs(store, ids)


def load_run(store: GraphStore, run_id: str) -> BenchRun:
    """Return a kept run. Raises UnknownBenchRun."""
    data = bench_runs.bench_run_data(store, run_id)
    if data is None:
        raise unknown_run(run_id)
    return BenchRun.model_validate_json(gzip.decompress(data))


def load_figures(store: GraphStore, run_id: str) -> RunFigures:
    """Return the figures of a kept run, as they were computed when it ended; cheap.

    Raises UnknownBenchRun.
    """
    data = bench_runs.bench_run_figures(store, run_id)
    if data is None:
        raise unknown_run(run_id)
    return RunFigures.model_validate_json(gzip.decompress(data))


def delete_run(store: GraphStore, run_id: str) -> None:
    """Delete a kept run. Raises UnknownBenchRun."""
    if not bench_runs.delete_bench_run(store, run_id):
        raise unknown_run(run_id)


def find_run(store: GraphStore, name: str, run: BenchRun | None = None) -> BenchRun:
    """Return the run that ``name`` means: an id, a JSON file, or 'latest' for the newest other run
    of ``run``'s data set that has one of its strategies and questions (for the newest of all,
    where none is given). Raises UnknownBenchRun, InvalidRequest.
    """
    if name == LATEST:
        for info in list_runs(store, limit=1000):
            if run is None:
                return load_run(store, info.id)
            if _alike(info, run) and shared_questions(run, found := load_run(store, info.id)):
                return found
        raise UnknownBenchRun(
            "No run is kept yet."
            if run is None
            else "No earlier run of this data set has one of the same strategies and questions.",
            remedy="`clew bench --list` lists the runs.",
        )
    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        return read_run(path)
    return load_run(store, name)


def _alike(info: BenchRunInfo, run: BenchRun) -> bool:
    same = info.id != run.id and info.data_set == run.data_set.name
    return same and not info.main.keys().isdisjoint(run.options.strategies)


def read_run(path: Path) -> BenchRun:
    """Return the run in a JSON file; figures in it are left aside: they follow from the run.

    Raises InvalidRequest where the file holds no run.
    """
    try:
        values = json.loads(path.read_bytes())
        if isinstance(values, dict):
            values.pop("figures", None)
        return BenchRun.model_validate(values)
    except (OSError, ValueError) as error:
        reason = str(error)
        if isinstance(error, ValidationError):
            said = error.errors(include_url=False, include_input=False)[0]
            reason = problem_words(said)
        raise InvalidRequest(
            f"The file {path} holds no run of the bench: {reason}.",
            remedy="`clew bench DATASET --output FOLDER` writes them as RUN.json.",
        ) from error


def info_of(run: BenchRun, figures: RunFigures) -> BenchRunInfo:
    """Return what lists show of a run; a strategy that always raised has no median."""
    return BenchRunInfo(
        id=run.id,
        created_at=run.created_at,
        data_set=run.data_set.name,
        synthetic=run.data_set.synthetic,
        questions=len(run.questions),
        reader=run.options.reader,
        seed=run.options.seed,
        seconds=run.seconds,
        fingerprint=run.data_set.fingerprint,
        ablations=None if run.options.ablations is None else run.options.ablations.strategy,
        main={
            strategy.strategy: {metric: strategy.metrics[metric].value for metric in MAIN}
            for strategy in figures.strategies
        },
        median_seconds={
            strategy.strategy: strategy.cost.median_seconds
            for strategy in figures.strategies
            if strategy.failed < strategy.questions
        },
    )


def _packed(value: Result) -> bytes:
    return gzip.compress(value.model_dump_json().encode(), compresslevel=6, mtime=0)


def unknown_run(run_id: str) -> UnknownBenchRun:
    """Return the error for a run that does not exist."""
    return UnknownBenchRun(
        f"There is no run {run_id!r} of the bench.", remedy="`clew bench --list` lists the runs."
    )
