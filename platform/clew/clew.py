"""The facade: everything Clew does, for Python programs, the CLI, the workers and the web server.

Models are loaded when the first method needs them, once, and shared by threads; what only reads
the catalogue (corpora, documents, jobs, the graph) never loads one.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from clew import catalogue_reader
from clew.answering.base import whole_answer
from clew.catalogue import (
    Accepted,
    AcceptedDocument,
    DocumentDetail,
    DocumentInfo,
    DryRun,
    EntityInfo,
    Graph,
    Health,
    Job,
    SkippedSource,
)
from clew.check_methods import CheckMethods
from clew.corpus_methods import CorpusMethods
from clew.errors import CLEW_ERRORS, InvalidRequest
from clew.evidence import Answer, AskEvent, Evidence, ScoredChunk, TraceStep
from clew.explaining import with_paths
from clew.extractors import fingerprint_of, forgetting_replies, opened_extraction
from clew.ingest_limits import limits_of
from clew.resolution_methods import ResolutionMethods
from clew.training_methods import TrainingMethods
from clew_cypher.corpora import DEFAULT_EXTRACTOR, ensure_corpus, list_corpora
from clew_cypher.schema import ensure_schema
from clew_cypher.store import Transaction
from clew_cypher.word_index import ensure_word_indexes
from clew_ingest.accepting import AcceptReport, accept_sources
from clew_ingest.pipeline import IngestPipeline
from clew_ingest.progress import IngestReport, ProgressCallback
from clew_ingest.sources import Source


class Clew(CorpusMethods, CheckMethods, ResolutionMethods, TrainingMethods):
    """Documents in, cited answers out. Use it in a ``with``; safe to be shared by threads.

    ``settings`` default to ``Settings.load(**overrides)``. Connects to ``neo4j_uri`` where that is
    set, else to the runtime that ``clew up`` started; raises RuntimeNotRunning where neither is.
    """

    # documents

    def ingest(
        self,
        *sources: str | Path | Source,
        corpus: str | None = None,
        progress: ProgressCallback | None = None,
        extractor: str | None = None,
    ) -> IngestReport:
        """Read files, folders or URLs into the graph, here and now, in this process.

        What is ready in the same version is skipped; a bad file costs that file only, with its
        error on its Document and in the report. Should this process be killed, a worker ends it.
        ``extractor``: for a corpus that is new, see ``create_corpus``.
        """
        from clew.jobs.here import index_here

        name = corpus or self.settings.corpus
        accepted = self._accept(sources, name, progress, extractor)
        return index_here(self, name, accepted.pending, progress).after(accepted)

    def dry_run(
        self,
        *sources: str | Path | Source,
        corpus: str | None = None,
        extractor: str | None = None,
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> DryRun:
        """Say what ``ingest`` would do with these sources, what it costs and how long it takes.

        The sources are read; nothing is stored, and no language model is asked. ``tell`` is
        called with the documents looked at and the number of sources.
        """
        from clew.dry_run import dry_run

        return dry_run(self, sources, corpus or self.settings.corpus, extractor, tell)

    def accept(
        self,
        sources: Sequence[str | Path | Source],
        *,
        corpus: str | None = None,
        progress: ProgressCallback | None = None,
        extractor: str | None = None,
    ) -> Accepted:
        """Store the sources' raw bytes and register their documents; nothing is indexed yet.

        What was accepted survives anything; a job (``submit``) or ``process`` indexes it. Makes
        the corpus where it is missing, with ``extractor``. Loads no model.
        """
        report = self._accept(sources, corpus or self.settings.corpus, progress, extractor)
        return Accepted(
            documents=tuple(
                AcceptedDocument(id=item.id, uri=item.uri, changed=item.changed, error=item.error)
                for item in report.sources
            ),
            skipped=tuple(
                SkippedSource(uri=item.uri, reason=item.reason) for item in report.skipped
            ),
        )

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
        self.prepare_graph()
        ensure_corpus(
            self.store, corpus, embedder=self.embedder.name, dimension=self.embedder.dimension
        )
        extractor = catalogue_reader.extractor_of(self.store, corpus) or DEFAULT_EXTRACTOR
        limits = limits_of(self.settings)
        with (
            forgetting_replies(self.settings, self.store, corpus, document_ids),
            opened_extraction(self.settings, extractor) as extraction,
        ):
            pipeline = IngestPipeline(
                self.store,
                self.embedder,
                self.parser,
                limits,
                extraction=extraction,
                resolves=self.settings.resolve_entities,
            )
            return pipeline.process(corpus, document_ids, progress, cancelled, guard=guard)

    def prepare_graph(self) -> None:
        """Make the graph's constraints and indexes where they are missing; cheap when they exist.

        Raises EmbeddingDimensionMismatch where the graph holds vectors of another embedder.
        """
        ensure_schema(self.store, self.embedder.dimension)
        ensure_word_indexes(self.store)

    def submit(self, corpus: str, document_ids: Sequence[str]) -> Job:
        """Have a worker index accepted documents; returns at once with the job."""
        from clew.jobs.submit import submit_ingest

        return submit_ingest(self.store, self.settings, corpus, document_ids)

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
        return catalogue_reader.documents(
            self.store, corpus or self.settings.corpus, status, query, parent_id, limit, offset
        )

    def resolve_document(self, corpus: str, text: str) -> DocumentInfo:
        """Return the one document whose id, URI or title is ``text``.

        Raises UnknownDocument where there is none, InvalidRequest where there are several.
        """
        return catalogue_reader.resolve_document(self.store, corpus, text)

    def document(self, corpus: str, document_id: str) -> DocumentDetail:
        """Return a document with its text and entities. Raises UnknownDocument."""
        return catalogue_reader.document(self.store, corpus, document_id)

    # the graph

    def neighbourhood(self, corpus: str, entity_id: str, limit: int = 50) -> Graph:
        """Return an entity with the chunks that mention it and their other entities."""
        return catalogue_reader.neighbourhood(self.store, corpus, entity_id, limit)

    def answer_graph(
        self, corpus: str, entity_ids: Sequence[str], chunk_ids: Sequence[str], limit: int = 100
    ) -> Graph:
        """Return the part of the graph that joins an answer's entities and chunks."""
        return catalogue_reader.answer_graph(self.store, corpus, entity_ids, chunk_ids, limit)

    def find_entities(self, corpus: str, text: str, limit: int = 10) -> list[EntityInfo]:
        """Return entities whose name holds ``text``, most mentioned first."""
        return catalogue_reader.find_entities(self.store, corpus, text, limit)

    # jobs and health

    def jobs(self, corpus: str | None = None, limit: int = 20) -> list[Job]:
        """Return jobs, newest first."""
        from clew.jobs.submit import list_jobs

        return list_jobs(self.store, corpus, limit)

    def job(self, job_id: str) -> Job:
        """Return a job. Raises UnknownJob."""
        from clew.jobs.submit import get_job

        return get_job(self.store, job_id)

    def cancel_job(self, job_id: str) -> Job:
        """Ask a job to stop: it does within seconds. Raises UnknownJob."""
        from clew.jobs.submit import cancel_job

        return cancel_job(self.store, job_id)

    def health(self) -> Health:
        """Return whether questions can be answered now, service by service; never raises."""
        from clew.health import check

        return check(self)

    # questions

    def search(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
    ) -> Evidence:
        """Return evidence for a question, best first, with paths and trace.

        Raises UnknownCorpus, UnknownStrategy, InvalidRequest.
        """
        return with_paths(self.store, self.retrieve(question, corpus, strategy, k))

    def retrieve(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
    ) -> Evidence:
        """Return evidence as ``search`` does, without the paths; raises the same."""
        from clew.strategies.catalogue import build_strategy, plain_name

        if not question.strip():
            raise InvalidRequest("The question is empty.", remedy="Ask in words.")
        size = len(question.encode())
        if size > self.settings.question_limit_bytes:
            raise InvalidRequest(
                f"The question has {size} bytes, over {self.settings.question_limit_bytes}.",
                remedy="Ask a shorter question; long texts belong into documents.",
            )
        name = corpus or self.settings.corpus
        chosen = build_strategy(strategy or self.settings.strategy, self.context)
        evidence = chosen.retrieve(question, name, k or self.settings.top_k)
        self._used.add(plain_name(chosen.name))
        return evidence

    def ask(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        reader: str | None = None,
    ) -> Answer:
        """Answer a question from the evidence, with citations. Errors as ``search``."""
        evidence = self.search(question, corpus, strategy, k)
        return whole_answer(self.reader(reader), evidence)

    def ask_events(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        reader: str | None = None,
        answer: bool = True,
    ) -> Iterator[AskEvent]:
        """Answer step by step: progress*, trace*, evidence, piece*, answer; or error, never an
        exception that is meant for people. ``answer`` False: stop after the evidence."""
        from clew.strategies.catalogue import check_strategy, plain_name, spec_of

        started = time.perf_counter()
        try:
            name = strategy or self.settings.strategy
            check_strategy(name, self.settings)
            waited_for = spec_of(name).first
            if waited_for and plain_name(name) not in self._used:
                yield AskEvent(event="progress", data={"text": waited_for})
            evidence = self.search(question, corpus, strategy, k)
            for step in evidence.trace:
                yield AskEvent(event="trace", data=step.model_dump(mode="json"))
            yield AskEvent(event="evidence", data=evidence.model_dump(mode="json"))
            if not answer:
                return
            for piece in self.reader(reader).read(evidence):
                if isinstance(piece, Answer):
                    whole = TraceStep(name="total", seconds=time.perf_counter() - started)
                    final = piece.model_copy(update={"trace": (*piece.trace, whole)})
                    yield AskEvent(event="answer", data=final.model_dump(mode="json"))
                else:
                    yield AskEvent(event="piece", data={"text": piece})
        except CLEW_ERRORS as error:
            yield AskEvent(
                event="error",
                data={
                    "code": type(error).__name__,
                    "message": error.message,
                    "remedy": error.remedy,
                    "http_status": error.http_status,
                },
            )

    def _accept(
        self,
        sources: Sequence[str | Path | Source],
        corpus: str,
        progress: ProgressCallback | None,
        extractor: str | None,
    ) -> AcceptReport:
        chosen = self._ensure_corpus(corpus, extractor)
        return accept_sources(
            self.store,
            corpus,
            sources,
            limits_of(self.settings),
            fingerprint=fingerprint_of(self.settings, chosen),
            progress=progress,
        )

    def warm(self) -> None:
        """Make the schema, load every model that a question needs, and answer one, so that the
        first that is asked is quick: without, it took 10 s on a busy machine. No language model
        that may cost money or be away is asked."""
        from clew.strategies.catalogue import plain_name

        # the settings' strategy alone: the model of translator takes 1.1 GiB, three times what a
        # worker needs without it, so that only who asks it waits for it (see ``ask_events``)
        self.prepare_graph()
        name = next((row["name"] for row in list_corpora(self.store) if row["documents"]), None)
        question = "Where was Ada Lovelace born?"
        evidence = (
            Evidence(question=question, corpus="", strategy="")
            if name is None
            else self.search(question, name, plain_name(self.settings.strategy))
        )
        if not evidence.chunks:
            self.parser.question_mentions(question)
            text = "Ada Lovelace was born in London, where her mother raised her."
            chunk = ScoredChunk(id="", document_id="", title="Ada Lovelace", text=text, score=1.0)
            evidence = evidence.model_copy(update={"chunks": (chunk,)})
        if self.settings.reader == "extractive" or not self.settings.llm_model:
            for _ in self.reader().read(evidence):
                pass
