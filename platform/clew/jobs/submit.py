"""Enters jobs into the ledger and wakes a worker. Loads no model."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from kombu.exceptions import OperationalError

from clew.errors import InvalidDataSet, PlatformError
from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, BenchRequest
from clew.jobs.app import RUN_JOB, publish
from clew.jobs.bench import BENCH
from clew.jobs.kinds import KINDS
from clew.jobs.listing import as_job
from clew.results.job import Job
from clew.settings import Settings
from clew.telemetry.request import carried
from clew.training.request import TRAIN, TrainingRequest, checked_options
from clew_cypher.corpora import get_corpus
from clew_cypher.errors import GraphUnavailable
from clew_cypher.jobs import ledger
from clew_cypher.store import GraphStore

log = logging.getLogger(__name__)


def submit_ingest(
    store: GraphStore,
    settings: Settings,
    corpus: str,
    document_ids: Sequence[str],
    urls: Sequence[str] = (),
) -> Job:
    """Enter a job that indexes accepted documents, and pages that it fetches from ``urls``; wake a
    worker, and return the job.

    The ledger is the truth: if the broker cannot be reached, the job is entered all the same and
    a worker's reconciler finds it within seconds of being there.
    """
    params: dict[str, Any] = {"documents": len(document_ids)}
    if urls:
        params["urls"] = list(urls)
    return submit(store, settings, "ingest", corpus, params, document_ids)


def submit(
    store: GraphStore,
    settings: Settings,
    kind: str,
    corpus: str,
    params: Mapping[str, Any],
    document_ids: Sequence[str] = (),
) -> Job:
    """Enter a job of a kind, wake a worker, and return the job."""
    job = ledger.create_job(
        store, kind, corpus, dict(params), document_ids=document_ids, request=carried()
    )
    wake(settings, job.id, job.kind)
    return as_job(job)


def wake(settings: Settings, job_id: str, kind: str) -> bool:
    """Tell the workers that a job waits; False (and a log line) if the broker is not there."""
    try:
        publish(settings, RUN_JOB, (job_id,), KINDS[kind].queue)
    except (OperationalError, PlatformError, GraphUnavailable, OSError) as error:
        log.warning("No worker could be woken for job %s: %s", job_id, error)
        return False
    return True


def submit_bench(store: GraphStore, settings: Settings, request: BenchRequest) -> Job:
    """Enter a run into the ledger, wake a worker, and return the job.

    Raises what is wrong with the request, UnknownCorpus, and InvalidDataSet for a path.
    """
    from clew.evaluation.request_checks import check_request

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


def submit_training(store: GraphStore, settings: Settings, request: TrainingRequest) -> Job:
    """Enter a training into the ledger, wake a worker, and return the job.

    Raises what is wrong with the request, UnknownCorpus, and InvalidDataSet for a path.
    """
    checked_options(request)
    get_corpus(store, request.corpus)
    if request.data_set not in (None, SAMPLE):
        raise InvalidDataSet(
            f"A worker cannot read {request.data_set!r}.",
            remedy=f"Train here, by `clew train {request.method} --data-set PATH`; or leave the "
            "data set out: the examples are made from the corpus' graph.",
        )
    return submit(store, settings, TRAIN, request.corpus, request.model_dump(mode="json"))
