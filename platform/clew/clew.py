"""The facade: everything Clew does, for Python programs and the CLI. It checks and delegates.

Models are loaded when the first method needs them, once, and shared by threads; what only reads
the catalogue (corpora, documents, jobs, the graph) never loads one.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from clew.access import audit, keys, users
from clew.answering import asking
from clew.backup import Tell as BackupTell
from clew.backup import make_backup, restore_backup
from clew.errors import ClewClosed
from clew.evaluation import runs
from clew.evaluation.figures import RunFigures
from clew.evaluation.request import BenchProgress, BenchRequest, BenchRunInfo
from clew.evaluation.run import BenchRun
from clew.indexing import browsing, corpora, dry_run, ingesting, resolution
from clew.indexing.corpora import chosen_name, plain_name
from clew.jobs import here, listing, reindex, retrying, schedules, webhooks
from clew.resources.resources import Resources
from clew.results.access import (
    AccessState,
    Account,
    ApiKey,
    AuditEntry,
    NewApiKey,
    Role,
    Scope,
    User,
)
from clew.results.asked_documents import AskedDocuments
from clew.results.backup import BackupInfo
from clew.results.corpus import CorpusInfo, Deletion, GrowthDay
from clew.results.document import ChunkProvenance, DocumentDetail, DocumentInfo, EntityInfo
from clew.results.evidence import Answer, AskEvent, Evidence, Turn
from clew.results.graph import Graph
from clew.results.health import Health
from clew.results.ingest import Accepted, DryRun, Vanished
from clew.results.job import Job, JobCount, JobEvent, JobState, Retried
from clew.results.resolution import (
    Decided,
    EntityDetail,
    Judgement,
    MergeInfo,
    Resolution,
    ReviewInfo,
)
from clew.results.schedule import NewSchedule, Schedule, ScheduleRun
from clew.results.training import ModelDetail, ModelVersion, TrainingProgress
from clew.results.webhook import NewWebhook, Webhook, WebhookDelivery
from clew.settings import Settings
from clew.strategies import searching
from clew.strategies.base import Tell, only_new, untold
from clew.training import serving
from clew.training.request import TrainingRequest
from clew.training.run import run_training
from clew_cypher.checking.checks import Finding
from clew_cypher.store import Transaction
from clew_ingest.pipeline.progress import IngestReport, ProgressCallback
from clew_ingest.reading.sources import Source


class Clew:
    """Documents in, cited answers out. Use it in a ``with``; safe to be shared by threads.

    ``settings`` default to ``Settings.load(**overrides)``. Connects to ``neo4j_uri`` where that is
    set, else to the runtime that ``clew up`` started; raises RuntimeNotRunning where neither is.
    """

    def __init__(self, settings: Settings | None = None, **overrides: Any) -> None:
        self._resources = Resources(settings, **overrides)
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database connections, for good: what is asked afterwards raises ClewClosed."""
        self._closed = True
        self._resources.close()

    @property
    def resources(self) -> Resources:
        """What everything here is done with. Raises ClewClosed."""
        if self._closed:
            raise ClewClosed("This Clew was closed.", remedy="Make a new one: Clew().")
        return self._resources

    @property
    def settings(self) -> Settings:
        """The settings, as they were resolved."""
        return self._resources.settings

    # documents

    def ingest(
        self,
        *sources: str | Path | Source,
        corpus: str | None = None,
        progress: ProgressCallback | None = None,
        extractor: str | None = None,
        as_triples: bool = False,
    ) -> IngestReport:
        """Read files, folders or URLs into the graph, here and now, in this process.

        What is ready in the same version is skipped; a bad file costs that file only, with its
        error on its Document and in the report. Should this process be killed, a worker ends it.
        ``extractor``: for a corpus that is new, see ``create_corpus``. ``as_triples``: the files
        are knowledge bases, subject, relation and object a line (TSV, CSV, JSON Lines); N-Triples
        and Turtle always are.
        """
        name = self._corpus(corpus)
        accepted = ingesting.accept_report(
            self.resources, sources, name, progress, extractor, as_triples=as_triples
        )
        if not accepted.sources:  # nothing was found: no corpus is made for it
            return IngestReport(failed=(), seconds={}, wall_seconds=0.0).after(accepted)
        return here.index_here(self.resources, name, accepted.pending, progress).after(accepted)

    def dry_run(
        self,
        *sources: str | Path | Source,
        corpus: str | None = None,
        extractor: str | None = None,
        tell: Callable[[int, int], None] = lambda done, total: None,
        as_triples: bool = False,
    ) -> DryRun:
        """Say what ``ingest`` would do with these sources, what it costs and how long it takes.

        The sources are read; nothing is stored, and no language model is asked. ``tell`` is
        called with the documents looked at and the number of sources.
        """
        return dry_run.dry_run(
            self.resources, sources, self._corpus(corpus), extractor, tell, as_triples=as_triples
        )

    def accept(
        self,
        sources: Sequence[str | Path | Source],
        *,
        corpus: str | None = None,
        progress: ProgressCallback | None = None,
        extractor: str | None = None,
        as_triples: bool = False,
    ) -> Accepted:
        """Store the sources' raw bytes and register their documents; nothing is indexed yet.

        What was accepted survives anything; a job (``submit``) or ``process`` indexes it. Makes
        the corpus where it is missing, with ``extractor``. ``as_triples`` as of ``ingest``. Loads
        no model.
        """
        return ingesting.accept(
            self.resources,
            sources,
            self._corpus(corpus),
            progress,
            extractor,
            as_triples=as_triples,
        )

    def vanished(
        self, sources: Sequence[str], corpus: str | None = None, accepted: Accepted | None = None
    ) -> Vanished:
        """Return the documents whose file or page is not there any more.

        Those of files below the folders and buckets of ``sources``, and of pages that were not
        there when they were ``accepted``. What is there and cannot be read has not vanished.
        """
        gone = accepted.gone if accepted else {}
        return reindex.vanished(self.resources, self._corpus(corpus), sources, gone)

    def delete_vanished(
        self, sources: Sequence[str], corpus: str | None = None, accepted: Accepted | None = None
    ) -> Vanished:
        """Delete the documents that ``vanished`` returns, and return them.

        Raises UnreadableSource for a folder or bucket without any file from which documents came:
        it may be a disk that is not mounted.
        """
        gone = accepted.gone if accepted else {}
        return reindex.delete_vanished(self.resources, self._corpus(corpus), sources, gone)

    def process(
        self,
        corpus: str,
        document_ids: Sequence[str] | None = None,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        guard: Callable[[Transaction], None] | None = None,
    ) -> IngestReport:
        """Index accepted documents (all that wait where none are named), in this process.

        ``guard`` runs in every writing transaction: a job that lost its lease raises there.
        Raises EmbedderMismatch or EmbeddingDimensionMismatch where the graph holds vectors of
        another embedder, and as ``set_extractor`` where the corpus' extractor cannot be used.
        """
        return ingesting.process(
            self.resources, plain_name(corpus), document_ids, progress, cancelled, guard=guard
        )

    def submit(self, corpus: str, document_ids: Sequence[str], urls: Sequence[str] = ()) -> Job:
        """Have a worker index accepted documents; returns at once with the job.

        ``urls``: pages that the worker fetches and indexes too.
        """
        from clew.jobs.submit import submit_ingest

        return submit_ingest(
            self.resources.store, self.settings, plain_name(corpus), document_ids, urls
        )

    def documents(
        self,
        corpus: str | None = None,
        status: str | None = None,
        query: str | None = None,
        limit: int = 50,
        offset: int = 0,
        parent_id: str | None = None,
    ) -> list[DocumentInfo]:
        """Return a page of documents, newest first. Raises UnknownCorpus.

        ``query``: part of the title or URI. Records of a file are listed with its ``parent_id``.
        """
        return browsing.documents(
            self.resources.store, self._corpus(corpus), status, query, parent_id, limit, offset
        )

    def count_documents(
        self,
        corpus: str | None = None,
        status: str | None = None,
        query: str | None = None,
        parent_id: str | None = None,
    ) -> int:
        """Return how many documents the pages of ``documents`` have together."""
        return browsing.count_documents(
            self.resources.store, self._corpus(corpus), status, query, parent_id
        )

    def resolve_document(self, corpus: str, text: str, folder: Path | None = None) -> DocumentInfo:
        """Return the one document, or record of a file, whose id, title, URI, file name or path is
        ``text``, as they are or decoded. A path begins in ``folder``; without, it is a whole one.

        Raises UnknownDocument where there is none, InvalidRequest where there are several.
        """
        return browsing.resolve_document(self.resources.store, plain_name(corpus), text, folder)

    def document(self, corpus: str, document_id: str, *, line: int | None = None) -> DocumentDetail:
        """Return a document with its text, entities and first triples; of a knowledge base also
        those of ``line``. Raises UnknownDocument.
        """
        return browsing.document(self.resources.store, plain_name(corpus), document_id, line)

    def provenance(self, corpus: str, chunk_id: str) -> ChunkProvenance:
        """Return a chunk with its sentences, the entities and the triples found in each.

        Raises UnknownCorpus, UnknownChunk.
        """
        return browsing.provenance(self.resources.store, plain_name(corpus), chunk_id)

    def original(self, corpus: str, document_id: str) -> str | Path | None:
        """Return the address of a document's page, or its file while that is what was ingested.

        None where the original is not kept (an upload) or is gone. Raises UnknownDocument.
        """
        return browsing.original(self.resources.store, plain_name(corpus), document_id)

    def retry_documents(self, corpus: str, document_ids: Sequence[str]) -> Retried:
        """Have a worker index failed documents again, those whose file is kept and web pages.

        A file is kept until it was looked at: what failed since its job was cancelled, or its
        worker died, can be tried again. Raises UnknownCorpus, UnknownDocument.
        """
        return retrying.retry_documents(self.resources, plain_name(corpus), document_ids)

    def delete(self, corpus: str, document_id: str) -> Deletion:
        """Remove a document and all that only it supported. Raises UnknownDocument.

        Entities that it made surely one stay so until the next ingest, or ``resolve``.
        """
        return corpora.delete_document(self.resources, plain_name(corpus), document_id)

    # corpora

    def corpora(self) -> list[CorpusInfo]:
        """Return every corpus with how full it is."""
        return corpora.all_corpora(self.resources)

    def stats(self, corpus: str | None = None) -> CorpusInfo:
        """Return how full a corpus is. Raises UnknownCorpus."""
        return corpora.corpus(self.resources, self._corpus(corpus))

    def growth(self, corpus: str | None = None) -> list[GrowthDay]:
        """Return how full a corpus was at the end of each day on which it grew, oldest first.

        Counted over the documents that it has now. Raises UnknownCorpus.
        """
        return corpora.growth(self.resources.store, self._corpus(corpus))

    def create_corpus(self, name: str, extractor: str | None = None) -> CorpusInfo:
        """Make an empty corpus; one that exists is returned as it is.

        ``extractor``: who makes its triples: rules, llm, model, none or file:PATH; None: the
        setting.
        Raises InvalidRequest for a wrong name and for a corpus that has another extractor, and as
        ``set_extractor`` for an extractor that cannot be used.
        """
        kept = corpora.check_name(name)
        corpora.ensure_corpus(self.resources, kept, extractor)
        return self.stats(kept)

    def set_extractor(self, corpus: str, extractor: str) -> CorpusInfo:
        """Choose who makes the triples of what is ingested from now on.

        Documents that are ready keep their triples until they are ingested again: all of them
        count as changed then. Raises UnknownCorpus, UnknownExtractor (which names what is valid,
        or the setting that a language model needs), UnreadableSource for a file of triples.
        """
        corpora.set_extractor(self.resources, plain_name(corpus), extractor)
        return self.stats(corpus)

    def delete_corpus(self, name: str) -> Deletion:
        """Remove a corpus with all its documents. Raises UnknownCorpus."""
        deleted = corpora.delete_corpus(self.resources, plain_name(name))
        runs.mark_deleted(self.resources.store, plain_name(name))
        return deleted

    def check(self, corpus: str | None = None, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what each check found, in the database and in a corpus (None: in each).

        ``repair``: mend what is found; vectors that are missing are made by the embedder of the
        settings, which is loaded only for that. Raises UnknownCorpus; EmbedderMismatch where a
        corpus that is to be repaired was embedded by another one.
        """
        return corpora.check(self.resources, _named(corpus), repair=repair)

    # backups

    def backup(
        self, path: str | Path, tell: BackupTell = lambda what, done, total: None
    ) -> BackupInfo:
        """Write graph, accepted bytes, users, schedules and trained models into one file.

        The system may run; nothing may be written while the graph is read: it is read up to three
        times, then GraphChanged is raised. Raises InvalidRequest where the file is there already.
        """
        return make_backup(self.resources, Path(path), tell)

    def restore(
        self, path: str | Path, tell: BackupTell = lambda what, done, total: None
    ) -> BackupInfo:
        """Write what ``backup`` kept into an empty home and database; all of it, or nothing.

        Raises InvalidArchive for a file that is damaged or of another format, before anything is
        changed, and where the restored graph has another digest; HomeNotEmpty.
        """
        return restore_backup(self.resources, Path(path), tell)

    # the graph

    def neighbourhood(self, corpus: str, entity_id: str, limit: int = 50) -> Graph:
        """Return an entity with what triples join it with, the chunks that mention it, their
        documents and their other entities."""
        return browsing.neighbourhood(self.resources.store, plain_name(corpus), entity_id, limit)

    def answer_graph(
        self, corpus: str, entity_ids: Sequence[str], chunk_ids: Sequence[str], limit: int = 100
    ) -> Graph:
        """Return the part of the graph that joins an answer's entities and chunks."""
        return browsing.answer_graph(
            self.resources.store, plain_name(corpus), entity_ids, chunk_ids, limit
        )

    def path_between(self, corpus: str, a: str, b: str) -> Graph:
        """Return the shortest way from one entity to another, by their ids; empty without one.

        It goes over triples and passages that mention both ends, by at most 8 edges.
        """
        return browsing.path_between(self.resources.store, plain_name(corpus), a, b)

    def find_entities(self, corpus: str, text: str, limit: int = 10) -> list[EntityInfo]:
        """Return entities whose name has the words of ``text``, best first; for an empty one those
        that stand in most chunks, values such as dates left out, for which all are looked at.
        """
        return browsing.find_entities(self.resources.store, plain_name(corpus), text, limit)

    def entity(self, corpus: str, entity_id: str) -> EntityDetail:
        """Return an entity with its other names, passages, triples and merges.

        One that was merged is the entity that it goes by. Raises UnknownCorpus, UnknownEntity.
        """
        return resolution.entity(self.resources, plain_name(corpus), entity_id)

    # entity resolution

    def resolve(self, corpus: str | None = None) -> Resolution:
        """Merge what is surely one thing, here and now; what is unsure waits for a person.

        Ingest does so at its end, unless the setting resolve_entities is off. Raises UnknownCorpus.
        """
        return resolution.resolve(self.resources, self._corpus(corpus))

    def reviews(
        self, corpus: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[ReviewInfo]:
        """Return a page of the pairs that wait for a person, likeliest first.

        Raises UnknownCorpus.
        """
        return resolution.reviews(self.resources, self._corpus(corpus), limit, offset)

    def merges(
        self, corpus: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[MergeInfo]:
        """Return a page of what was merged, newest first. Raises UnknownCorpus."""
        return resolution.merges(self.resources, self._corpus(corpus), limit, offset)

    def count_reviews(self, corpus: str | None = None) -> int:
        """Return how many pairs wait for a person. Raises UnknownCorpus."""
        return resolution.count_waiting(self.resources, self._corpus(corpus))

    def count_merges(self, corpus: str | None = None) -> int:
        """Return how many merges there are. Raises UnknownCorpus."""
        return resolution.count_merges(self.resources, self._corpus(corpus))

    def decide(self, corpus: str, review_id: str, verdict: Decided) -> Judgement:
        """Say of a pair that waits whether it is one thing.

        "same" merges, which can be undone; "different" keeps the two apart for good. Raises
        UnknownCorpus, UnknownReview, InvalidRequest.
        """
        return resolution.decide(self.resources, plain_name(corpus), review_id, verdict)

    def merge(self, corpus: str, a: str, b: str) -> Judgement:
        """Merge two entities, by id or by name, because a person says so; it can be undone.

        Raises UnknownCorpus, UnknownEntity, and InvalidRequest where a name is that of several or
        both are one already.
        """
        return resolution.merge(self.resources, plain_name(corpus), a, b)

    def undo_merge(self, corpus: str, merge_id: str) -> None:
        """Undo a merge: the graph is as before, and the same is not merged again.

        Raises UnknownCorpus, UnknownMerge.
        """
        resolution.undo_merge(self.resources, plain_name(corpus), merge_id)

    # jobs and health

    def jobs(
        self,
        corpus: str | None = None,
        limit: int = 20,
        *,
        states: Sequence[JobState] | None = None,
        offset: int = 0,
        of_deleted: bool = True,
    ) -> list[Job]:
        """Return a page of jobs, newest first, of one corpus and some states or of all.

        ``of_deleted``: also those whose corpus was deleted since; one of its name is another.
        """
        return listing.list_jobs(
            self.resources.store, _named(corpus), limit, offset, states, of_deleted=of_deleted
        )

    def count_jobs(
        self,
        corpus: str | None = None,
        *,
        states: Sequence[JobState] | None = None,
        of_deleted: bool = True,
    ) -> int:
        """Return how many jobs the pages of ``jobs`` have together."""
        return listing.count_jobs(
            self.resources.store, _named(corpus), states, of_deleted=of_deleted
        )

    def job(self, job_id: str) -> Job:
        """Return a job. Raises UnknownJob."""
        return listing.get_job(self.resources.store, job_id)

    def jobs_with(self, corpus: str, document_ids: Sequence[str]) -> dict[str, int]:
        """Return the jobs that have still to index some of these documents, with how many of them.

        What two asked for is indexed once, by the job that was entered last.
        """
        return listing.jobs_with(self.resources.store, plain_name(corpus), document_ids)

    def job_log(self, job_id: str) -> list[JobEvent]:
        """Return what happened to a job, oldest first. Raises UnknownJob."""
        return listing.job_log(self.resources.store, job_id)

    def retry_job(self, job_id: str) -> Job:
        """Have done again what a job that is over did not do; return the new job.

        Of an ingest these are its failed documents; any other that did not end well is asked for
        anew. Raises UnknownJob, JobNotOver, InvalidRequest where nothing can be done again.
        """
        return retrying.retry_job(self.resources, job_id)

    def cancel_job(self, job_id: str) -> Job:
        """Ask a job to stop: it does within seconds. Raises UnknownJob."""
        return listing.cancel_job(self.resources.store, job_id)

    def add_webhook(self, corpus: str, url: str, kinds: Sequence[str] = ()) -> NewWebhook:
        """Have an address told whenever a job of a corpus ends, of these kinds or of any.

        The secret that signs what is sent is returned this once. Raises UnknownCorpus,
        InvalidRequest, and AddressRefused for an address inside that the settings do not allow.
        """
        return webhooks.add_webhook(self.resources, plain_name(corpus), url, kinds)

    def webhooks(self, corpus: str | None = None) -> list[Webhook]:
        """Return the webhooks of one corpus, or of all, without their secrets."""
        return webhooks.list_webhooks(self.resources.store, _named(corpus))

    def webhook(self, webhook_id: str) -> Webhook:
        """Return a webhook. Raises UnknownWebhook."""
        return webhooks.get_webhook(self.resources.store, webhook_id)

    def webhook_deliveries(self, webhook_id: str, limit: int = 20) -> list[WebhookDelivery]:
        """Return what a webhook was told, newest first. Raises UnknownWebhook."""
        return webhooks.list_deliveries(self.resources.store, webhook_id, limit)

    def retry_delivery(self, webhook_id: str, job_id: str) -> WebhookDelivery:
        """Tell a webhook of a job again, at the next look of a worker, whatever it answered before.

        One that was given up has one more try. Raises UnknownWebhook, for a job that it was not
        told of too.
        """
        return webhooks.retry_delivery(self.resources.store, webhook_id, job_id)

    def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook with its history. Raises UnknownWebhook."""
        webhooks.delete_webhook(self.resources.store, webhook_id)

    def job_counts(self) -> list[JobCount]:
        """Return how many jobs the ledger holds, by kind and state. Raises GraphUnavailable."""
        return listing.job_counts(self.resources.store)

    def health(self) -> Health:
        """Return whether questions can be answered now, service by service; never raises."""
        from clew.jobs.health import check

        return check(self.resources)

    # questions

    def search(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        tell: Tell = untold,
        documents: AskedDocuments | None = None,
    ) -> Evidence:
        """Return evidence for a question, best first, with paths and trace.

        ``tell`` is called with what happens on the way, as it happens: a Progress, TraceStep, Card
        or Round. What it raises ends the search. ``documents``: those that are asked; None: all.
        Raises UnknownCorpus, UnknownStrategy, InvalidRequest, and UnknownDocument where none is as
        those.
        """
        name = self._corpus(corpus)
        told = only_new(tell)
        return searching.search(self.resources, question, name, strategy, k, told, documents)

    def retrieve(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        tell: Tell = untold,
        documents: AskedDocuments | None = None,
    ) -> Evidence:
        """Return evidence as ``search`` does, without the paths; raises the same."""
        name = self._corpus(corpus)
        told = only_new(tell)
        return searching.retrieve(self.resources, question, name, strategy, k, told, documents)

    def ask(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        reader: str | None = None,
        tell: Tell = untold,
        documents: AskedDocuments | None = None,
        history: Sequence[Turn] = (),
    ) -> Answer:
        """Answer a question from the evidence, with citations. ``tell``, errors: as ``search``.

        ``history``: what was asked before (``Answer.as_turn``), oldest first; where the question
        leans on it ("When was she born?"), the answer's ``question`` is what was understood.
        """
        name = self._corpus(corpus)
        told = only_new(tell)
        return asking.ask(
            self.resources, question, name, strategy, k, reader, told, documents, history
        )

    def ask_events(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        reader: str | None = None,
        answer: bool = True,
        documents: AskedDocuments | None = None,
        history: Sequence[Turn] = (),
    ) -> Iterator[AskEvent]:
        """Answer step by step: progress, trace, card and round as the retrieval tells them, then
        evidence, piece*, answer; or error, never an exception that is meant for people.

        ``history``: as ``ask``. ``answer`` False: stop after the evidence. Closing the iterator
        ends the retrieval at what it tells next.
        """
        name = self._corpus(corpus)
        return asking.ask_events(
            self.resources, question, name, strategy, k, reader, answer, documents, history
        )

    def warm(self) -> None:
        """Make the schema and load what questions need, so that the first is answered quickly."""
        asking.warm(self.resources)

    # the bench

    def bench(
        self,
        request: BenchRequest,
        tell: Callable[[BenchProgress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> BenchRun:
        """Measure strategies on a data set, a folder or a corpus, here and now; the run is kept.

        ``BenchRequest(ablations=NAME)`` measures one whole and without each of its parts.
        One that was interrupted goes on where it stopped, if the same is asked for again. Raises
        InvalidDataSet, InvalidRequest, UnknownStrategy, UnknownCorpus, JobStopped.
        """
        from clew.evaluation.running import run_bench

        return run_bench(self.resources, request, tell=tell, cancelled=cancelled)

    def submit_bench(self, request: BenchRequest) -> Job:
        """Have a worker do a run of the bench; returns at once with the job.

        Raises what is wrong with the request, and InvalidDataSet for a path: workers may be on
        another machine, and callers may not read this one's files.
        """
        from clew.jobs.submit import submit_bench

        return submit_bench(self.resources.store, self.settings, request)

    def bench_runs(self, limit: int = 50) -> list[BenchRunInfo]:
        """Return the kept runs of the bench, newest first."""
        return runs.list_runs(self.resources.store, limit)

    def bench_run(self, run_id: str) -> BenchRun:
        """Return a kept run of the bench, whole. Raises UnknownBenchRun."""
        return runs.load_run(self.resources.store, run_id)

    def bench_figures(self, run_id: str) -> RunFigures:
        """Return the figures of a kept run; nothing is computed. Raises UnknownBenchRun."""
        return runs.load_figures(self.resources.store, run_id)

    def delete_bench_run(self, run_id: str) -> None:
        """Delete a kept run of the bench. Raises UnknownBenchRun."""
        runs.delete_run(self.resources.store, run_id)

    # schedules

    def schedules(self, corpus: str | None = None) -> list[Schedule]:
        """Return the schedules of a corpus, or all, by name, each with its next runs."""
        return schedules.list_schedules(self.resources.store, _named(corpus))

    def schedule(self, schedule_id: str) -> Schedule:
        """Return a schedule. Raises UnknownSchedule."""
        return schedules.get_schedule(self.resources.store, schedule_id)

    def schedule_runs(self, schedule_id: str, limit: int = 20) -> list[ScheduleRun]:
        """Return the runs of a schedule, newest first. Raises UnknownSchedule."""
        return schedules.schedule_runs(self.resources.store, schedule_id, limit)

    def add_schedule(self, asked: NewSchedule, *, confined: bool = False) -> Schedule:
        """Have workers do something again and again: re-index, train or measure.

        Exactly one run a tick, however many processes look. ``confined``: whoever asks may not
        read this machine's files but those below ``schedule_folders``. Raises InvalidRequest, and
        as what it starts: UnknownCorpus, UnknownStrategy, AddressRefused.
        """
        return schedules.add_schedule(self.resources, asked, confined=confined)

    def pause_schedule(self, schedule_id: str) -> Schedule:
        """Let a schedule rest. Raises UnknownSchedule."""
        return schedules.pause_schedule(self.resources.store, schedule_id)

    def resume_schedule(self, schedule_id: str) -> Schedule:
        """Let a schedule tick again, from now on: what it missed is not made up for.

        Raises UnknownSchedule.
        """
        return schedules.resume_schedule(self.resources.store, schedule_id)

    def run_schedule(self, schedule_id: str) -> Job:
        """Start a schedule's job now; its ticks stay as they are.

        Raises UnknownSchedule; ScheduleBusy while the job of the run before is not over.
        """
        return schedules.run_schedule(self.resources.store, self.settings, schedule_id)

    def delete_schedule(self, schedule_id: str) -> None:
        """Delete a schedule with its history; a job that it started goes on.

        Raises UnknownSchedule.
        """
        schedules.delete_schedule(self.resources.store, schedule_id)

    # training

    def train(
        self,
        method: str,
        corpus: str | None = None,
        *,
        data_set: str | None = None,
        tell: Callable[[TrainingProgress], None] = lambda progress: None,
        cancelled: Callable[[], bool] = lambda: False,
        **options: Any,
    ) -> ModelVersion:
        """Train a method on a corpus, here and now; return the new version.

        Its examples are made from the corpus' graph, or from the questions of ``data_set``, as
        `clew bench` names it. ``options``: the method's own. The version serves from now on, in
        running workers too, if it measured no worse than the one that does. A training that was
        interrupted goes on where it stopped, if the same is asked for again. Raises UnknownCorpus,
        UnknownStrategy, InvalidDataSet, InvalidRequest, ModelNotInstalled, JobStopped.
        """
        request = self._training(method, corpus, data_set, options)
        return run_training(self.resources, request, tell, cancelled)

    def submit_training(
        self,
        method: str,
        corpus: str | None = None,
        *,
        data_set: str | None = None,
        **options: Any,
    ) -> Job:
        """Have a worker of the queue gpu train a method; returns at once with the job.

        Raises as ``train``, and InvalidDataSet for a path: workers may be on another machine.
        """
        from clew.jobs.submit import submit_training

        request = self._training(method, corpus, data_set, options)
        return submit_training(self.resources.store, self.settings, request)

    def trained_models(
        self, method: str | None = None, corpus: str | None = None
    ) -> list[ModelVersion]:
        """Return the versions that were trained here or come with Clew, newest first.

        ``method``: only that one's; ``corpus``: only those that may answer its questions. Raises
        UnknownStrategy.
        """
        return serving.trained_models(self.resources, method, _named(corpus))

    def trained_model(self, method: str, version: str) -> ModelDetail:
        """Return a version with its learning curve. Raises UnknownStrategy, UnknownModelVersion."""
        return serving.trained_model(self.resources, method, version)

    def learning_curve(self, method: str, version: str) -> str:
        """Return the learning curve of a version as SVG, also while it is being trained.

        Raises UnknownStrategy, UnknownModelVersion.
        """
        return serving.curve_picture(self.resources, method, version)

    def promote(self, method: str, version: str, corpus: str | None = None) -> ModelVersion:
        """Let a version serve from now on, in running workers too, whatever it measured.

        ``corpus``: which one a general version shall serve; None: all that have none of their own.
        A method whose versions serve every corpus takes none. Raises UnknownStrategy,
        UnknownModelVersion; InvalidRequest for a version of another corpus.
        """
        return serving.promote(self.resources, method, version, _named(corpus))

    def roll_back(self, method: str, corpus: str | None = None) -> ModelVersion | None:
        """Let the version serve a corpus that did before; return it, None for the base model.

        A method whose versions serve every corpus takes none. Raises UnknownStrategy;
        InvalidRequest where nothing served before.
        """
        return serving.roll_back(self.resources, method, _named(corpus))

    # users, keys and the log of changes

    def users(self) -> list[User]:
        """Return the users by name."""
        return users.list_users(self.resources.store)

    def create_user(
        self,
        name: str,
        role: Role = "reader",
        *,
        password: str | None = None,
        corpora: Sequence[str] = (),
        all_corpora: bool = False,
    ) -> User:
        """Make a user who may see ``corpora``; without a password only keys act for them.

        Once there is a user, the web server lets nobody in who does not log in. So the first must
        be an administrator with a password. Raises InvalidRequest, UnknownCorpus.
        """
        return users.create_user(
            self.resources.store,
            name,
            role,
            password=password,
            corpora=tuple(map(plain_name, corpora)),
            all_corpora=all_corpora,
        )

    def change_user(
        self,
        name: str,
        *,
        role: Role | None = None,
        disabled: bool | None = None,
        all_corpora: bool | None = None,
        password: str | None = None,
    ) -> User:
        """Change what is given of a user. A new password, or disabling, ends their sessions.

        Running web servers notice within a second. Raises UnknownUser, and InvalidRequest where no
        administrator would be left.
        """
        return users.change_user(
            self.resources.store,
            name,
            role=role,
            disabled=disabled,
            all_corpora=all_corpora,
            password=password,
        )

    def delete_user(self, name: str) -> int:
        """Delete a user with their grants and API keys; return how many keys those were.

        Raises UnknownUser, and InvalidRequest for the last administrator who can log in: once there
        is a user, everybody has to log in.
        """
        return users.delete_user(self.resources.store, name)

    def grant(self, name: str, corpus: str) -> User:
        """Let a user see a corpus. Raises UnknownUser, UnknownCorpus."""
        return users.grant(self.resources.store, name, plain_name(corpus))

    def revoke(self, name: str, corpus: str) -> User:
        """Take a grant back. Raises UnknownUser; InvalidRequest where there is none."""
        return users.revoke(self.resources.store, name, plain_name(corpus))

    def api_keys(self) -> list[ApiKey]:
        """Return the API keys of all users, newest first; the keys themselves are not kept."""
        return keys.list_api_keys(self.resources.store)

    def create_api_key(
        self, user: str, name: str, scopes: Sequence[Scope], days: int = keys.DEFAULT_DAYS
    ) -> NewApiKey:
        """Make a key for a program that acts for a user. Its text is in the result, and nowhere
        else. Raises UnknownUser, InvalidRequest.
        """
        return keys.create_api_key(self.resources.store, user, name, scopes, days)

    def revoke_api_key(self, key_id: str) -> None:
        """End a key for good, within a second. Raises UnknownApiKey."""
        keys.revoke_api_key(self.resources.store, key_id)

    def access_state(self) -> AccessState:
        """Return whether there are users, so that callers have to prove who they are."""
        return users.access_state(self.resources.store)

    def account(self, name: str) -> Account | None:
        """Return what a user may do, None where there is none of that name."""
        return users.account(self.resources.store, name)

    def account_of_key(self, key: str) -> Account | None:
        """Return what a key may do, None where it is none, has expired or was revoked."""
        return keys.account_of_key(self.resources.store, key)

    def log_in(self, name: str, password: str) -> Account | None:
        """Return the account where name and password are right. Raises TooManyLogins."""
        return users.log_in(self.resources.store, name, password)

    def record(
        self, who: str, action: str, target: str, outcome: str = audit.DONE, address: str = ""
    ) -> None:
        """Add a line to the audit log: who did what to what, and how it ended."""
        audit.record(self.resources.store, who, action, target, outcome, address)

    def audit(
        self, who: str = "", action: str = "", limit: int = 50, offset: int = 0
    ) -> list[AuditEntry]:
        """Return a page of the audit log, newest first."""
        return audit.list_entries(self.resources.store, who, action, limit, offset)

    def audit_count(self, who: str = "", action: str = "") -> int:
        """Return how many lines `audit` has in all."""
        return audit.count_entries(self.resources.store, who, action)

    def _corpus(self, name: str | None) -> str:
        return chosen_name(self.settings, name)

    def _training(
        self, method: str, corpus: str | None, data_set: str | None, options: dict[str, Any]
    ) -> TrainingRequest:
        return TrainingRequest(
            method=method, corpus=self._corpus(corpus), options=options, data_set=data_set
        )


def _named(corpus: str | None) -> str | None:
    return None if corpus is None else plain_name(corpus)
