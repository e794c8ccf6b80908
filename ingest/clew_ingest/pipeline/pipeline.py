"""The pipeline: accept, then read → parse → extract → embed → write, the stages overlapping.

Each stage has a thread of its own; reading and parsing are done in child processes. Queues between
the stages are bounded, so that memory does not grow with the documents. One thread, the caller's,
writes everything, in order: a document's failure cannot overtake its chunks.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from clew_cypher.corpora import ensure_corpus
from clew_cypher.resolution.candidates import unresolved_entities
from clew_cypher.resolution.joins import documents_to_join
from clew_cypher.store import GraphStore
from clew_cypher.titles.linking import link_titles
from clew_cypher.writing.documents import accepted_documents
from clew_cypher.writing.entities import refresh_stale_entities
from clew_cypher.writing.knowledge_bases import (
    documents_with_lines,
    knowledge_bases_among,
    remove_lines,
)
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.parser import Parser
from clew_ingest.parsing.process import ParsingPool
from clew_ingest.pipeline.accepting import accept_sources, document_fingerprint
from clew_ingest.pipeline.embed_stage import EmbedStage
from clew_ingest.pipeline.extract_stage import with_triples
from clew_ingest.pipeline.knowledge_bases import KnowledgeBases
from clew_ingest.pipeline.parse_stage import ParseStage
from clew_ingest.pipeline.preparing import Preparer
from clew_ingest.pipeline.progress import AcceptReport, IngestReport, ProgressCallback, Tally
from clew_ingest.pipeline.stages import Line
from clew_ingest.pipeline.write_stage import Guard, Writer
from clew_ingest.reading.file_reader import FileReader
from clew_ingest.reading.sources import Source
from clew_ingest.resolution.resolving import resolve
from clew_ingest.triples.extraction import Extraction, build_extraction
from clew_models.embedding.base import Embedder

__all__ = ["AcceptReport", "IngestPipeline", "IngestReport", "accept_sources", "finish_run"]

_PARTS_AHEAD = 256
_SLICES_AHEAD = 64
_BATCHES_AHEAD = 2
_TRIES = 3


class IngestPipeline:
    """Ingests into any corpus of one store, with one embedder, one parser and one extraction.

    ``parser`` names the spaCy pipeline (default: en_core_web_sm); ingest runs it in child
    processes of its own. ``extraction`` says where triples come from (default: the rules);
    ``resolves``: whether entities that are surely one thing are merged at the end. An
    object may be used again and again, by one thread at a time. Within a ``with`` (or until
    ``close``) the child processes stay for the next run, which saves the seconds that loading the
    pipeline takes; otherwise each run ends its own.
    """

    def __init__(
        self,
        store: GraphStore,
        embedder: Embedder,
        parser: Parser | None = None,
        limits: IngestLimits | None = None,
        *,
        extraction: Extraction | None = None,
        resolves: bool = True,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._parser = parser or Parser()
        self._limits = limits or IngestLimits()
        self._resolves = resolves
        self._keep = False
        self._reader = FileReader(self._limits)
        self._extraction = extraction or build_extraction("rules")
        self._parsing = ParsingPool(
            self._parser.pipeline_name,
            self._limits.reader_timeout_s,
            self._limits.parser_processes,
        )

    @property
    def fingerprint(self) -> str:
        """The settings that this pipeline indexes documents with; see `document_fingerprint`."""
        return document_fingerprint(
            self._parser.pipeline_name, self._limits.chunk_tokens, self._extraction.fingerprint
        )

    def close(self) -> None:
        """End the child processes, if there are any."""
        self._reader.close()
        self._parsing.close()

    def __enter__(self) -> "IngestPipeline":
        self._keep = True
        return self

    def __exit__(self, *_: object) -> None:
        self._keep = False
        self.close()

    def accept(
        self,
        corpus: str,
        sources: Iterable[Source | str | Path],
        progress: ProgressCallback | None = None,
        *,
        job_id: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        as_triples: bool = False,
    ) -> AcceptReport:
        """Make the corpus where it is missing and store each source's bytes as a Document.

        See :func:`clew_ingest.pipeline.accepting.accept_sources`. The schema must be there.
        """
        self._ensure_corpus(corpus)
        return accept_sources(
            self._store,
            corpus,
            sources,
            self._limits,
            fingerprint=self.fingerprint,
            job_id=job_id,
            progress=progress,
            cancelled=cancelled,
            as_triples=as_triples,
        )

    def process(
        self,
        corpus: str,
        documents: Sequence[str] | None = None,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
        *,
        job_id: str | None = None,
        guard: Guard | None = None,
    ) -> IngestReport:
        """Make accepted Documents searchable; None: all that wait (of ``job_id``, if given).

        A document that cannot be ingested turns failed, with its reason, and the others go on. At
        the end, and where there is no document, comes :func:`finish_run`.
        ``cancelled`` is asked often; when True, IngestCancelled is raised and what was written
        stays. ``guard`` runs in each writing transaction (a job that lost its lease raises).
        Raises GraphUnavailable and whatever ``guard`` raises; what is not written then is
        still accepted, and the next call goes on with it.
        """
        cancelled = cancelled or (lambda: False)
        self._ensure_corpus(corpus)
        if documents is None:
            rows = accepted_documents(self._store, corpus, job_id=job_id, limit=1_000_000)
            documents = [row["id"] for row in rows]
        tally = Tally(progress, total=len(documents))
        try:
            bases = knowledge_bases_among(self._store, corpus, documents)
            KnowledgeBases(
                self._store, corpus, self._embedder, self._limits, tally, cancelled, guard
            ).write([key for key in documents if key in bases])
            documents = [key for key in documents if key not in bases]
            for document_id in documents_with_lines(self._store, documents):
                remove_lines(self._store, corpus, document_id, guard=guard)
            for _ in range(_TRIES if documents else 0):
                again = self._run(corpus, documents, tally, cancelled, guard)
                if not again:
                    break
                documents = sorted(again)
            finish_run(
                self._store,
                corpus,
                lambda: self._embedder,
                resolves=self._resolves,
                tally=tally,
                cancelled=cancelled,
                guard=guard,
            )
        finally:
            if not self._keep:
                self.close()
        return tally.report()

    def _run(
        self,
        corpus: str,
        documents: Sequence[str],
        tally: Tally,
        cancelled: Callable[[], bool],
        guard: Guard | None,
    ) -> set[str]:
        """Process the documents; return those that are to be processed again."""
        extraction = self._extraction
        with Line(cancelled) as line:

            def count_tokens(text: str) -> int:
                line.check()  # a long text has thousands of paragraphs to count
                return self._embedder.count_tokens(text)

            preparer = Preparer(
                self._store,
                corpus,
                self._reader,
                count_tokens,
                self._limits,
                self.fingerprint,
                tally,
                line.stopping,
            )
            by_rules = extraction.name == "rules"
            parsing = ParseStage(self._parsing, count_tokens, by_rules, tally, line.stopping)
            embedding = EmbedStage(
                self._store,
                corpus,
                self._embedder,
                extraction.name,
                self._limits.batch_chunks,
                tally,
                line.check,
            )
            writer = Writer(self._store, corpus, self._embedder, tally, guard)
            parts = line.stage("read", preparer.parts(documents), _PARTS_AHEAD)
            items = line.stage("parse", parsing.items(parts), _SLICES_AHEAD)
            if extraction.name not in ("rules", "none"):
                extracted = with_triples(items, extraction, tally, line.stopping)
                items = line.stage("extract", extracted, _SLICES_AHEAD)
            for work in line.stage("embed", embedding.writes(items), _BATCHES_AHEAD):
                writer.write(work)
            return writer.again

    def _ensure_corpus(self, corpus: str) -> None:
        embedder = self._embedder
        ensure_corpus(self._store, corpus, embedder=embedder.name, dimension=embedder.dimension)


def finish_run(
    store: GraphStore,
    corpus: str,
    embedder: Callable[[], Embedder],
    *,
    resolves: bool,
    tally: Tally,
    cancelled: Callable[[], bool],
    guard: Guard | None = None,
) -> None:
    """Do what ends a run: show entities with many edges anew, link titles, resolve entities.

    What waits for it may be left by a run that was killed, or by a deletion. Where nothing waits,
    this costs a few queries, and ``embedder`` is not asked for. Arguments and errors as of
    `IngestPipeline.process`.
    """
    with tally.timed("write"):
        refresh_stale_entities(store, corpus, cancelled)
    with tally.timed("link"):
        link_titles(
            store,
            corpus,
            cancelled=cancelled,
            guard=guard,
            progress=lambda *_: tally.add("link"),
        )
    if not resolves or not (documents_to_join(store, corpus) or unresolved_entities(store, corpus)):
        return
    with tally.timed("resolve"):
        found = resolve(
            store,
            corpus,
            embedder(),
            cancelled=cancelled,
            guard=guard,
            progress=lambda: tally.add("resolve"),
        )
    tally.add("resolve", merges=found.made, reviews=found.reviews)
