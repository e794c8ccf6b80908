"""An ingest that this process does itself, without a worker or a broker, as a job of the ledger."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clew.indexing.ingesting import process
from clew.jobs.owner import owner_name
from clew.jobs.progress import ended_ingest, running_ingest
from clew.jobs.runner import JobRun, Runner

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_ingest.pipeline.progress import IngestProgress, IngestReport


def index_here(
    resources: "Resources",
    corpus: str,
    document_ids: Sequence[str],
    progress: "Callable[[IngestProgress], None] | None" = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> "IngestReport":
    """Index accepted documents in this process, now, and return the report.

    The job's lease keeps workers from doing the same meanwhile; should this process be killed, a
    worker finishes what is left. Raises IngestCancelled when the job is cancelled, or when
    ``cancelled`` says so.
    """
    if not document_ids:
        return process(resources, corpus, document_ids, progress=progress)
    reports: list[IngestReport] = []

    def work(run: JobRun) -> Mapping[str, Any]:
        def tell(state: "IngestProgress") -> None:
            run.progress(running_ingest(state))
            if progress is not None:
                progress(state)

        report = process(
            resources,
            corpus,
            document_ids,
            progress=tell,
            cancelled=lambda: run.cancelled() or cancelled(),
            guard=run.guard,
        )
        reports.append(report)
        return ended_ingest(report)

    runner = Runner(resources.store, resources.settings, owner_name())
    runner.run_here("ingest", corpus, document_ids, work)
    return reports[0]
