"""A run of the bench as a job: handed in, done by a worker, watched through its progress."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clew.catalogue import Job
from clew.errors import InvalidDataSet
from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, BenchProgress, BenchRequest
from clew.jobs.runner import JobRun
from clew.settings import Settings
from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore

if TYPE_CHECKING:
    from clew.clew import Clew

BENCH = "bench"


def submit_bench(store: GraphStore, settings: Settings, request: BenchRequest) -> Job:
    """Enter a run into the ledger, wake a worker, and return the job.

    Raises what is wrong with the request, UnknownCorpus, and InvalidDataSet for a path.
    """
    from clew.evaluation.request_checks import check_request
    from clew.jobs.submit import submit

    named = request.data_set
    if named != SAMPLE and not named.startswith(CORPUS_PREFIX):
        raise InvalidDataSet(
            f"A worker cannot read {named!r}.",
            remedy=f"Name '{SAMPLE}' or '{CORPUS_PREFIX}NAME'; for files there is `clew bench`.",
        )
    check_request(settings, request)
    corpus = named.removeprefix(CORPUS_PREFIX)
    if named != SAMPLE:
        get_corpus(store, corpus)
    return submit(store, settings, BENCH, corpus, request.model_dump(mode="json"))


def run_bench(clew: "Clew", run: JobRun) -> Mapping[str, Any]:
    """Do the job's run. A try that died midway goes on where it stopped, on the same machine."""
    request = BenchRequest.model_validate(run.job.params)
    last: dict[str, Any] = {}

    def tell(progress: BenchProgress) -> None:
        last.update(progress.model_dump(mode="json"))
        run.progress(dict(last))

    clew.bench(request, tell, run.cancelled)
    return last
