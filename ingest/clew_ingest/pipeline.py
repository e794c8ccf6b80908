"""The pipeline: accept, then read → parse → chunk → embed → write, the stages overlapping.

Reading and parsing run in two child processes, fed by one thread; this one embeds; another thread
writes. Queues between them are bounded, so that memory does not grow with the documents. One
thread writes everything, in order: a document's failure cannot overtake its chunks.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from clew_cypher.corpora import ensure_corpus
from clew_cypher.documents import accepted_documents
from clew_cypher.store import GraphStore
from clew_cypher.writer import existing_ids
from clew_ingest.accepting import AcceptReport, accept_sources
from clew_ingest.errors import IngestCancelled
from clew_ingest.file_reader import FileReader
from clew_ingest.graph_rows import graph_batch
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing import Parser
from clew_ingest.parsing_process import ParsingProcess
from clew_ingest.prepared import CollectionEnd, DocumentFailure, DocumentSlice, Item
from clew_ingest.preparing import Preparer
from clew_ingest.progress import IngestReport, ProgressCallback, Tally
from clew_ingest.sources import Source
from clew_ingest.stages import Consumer, running_ahead
from clew_ingest.writing import Guard, Write, Writer
from clew_models.embedding.base import Embedder

__all__ = ["AcceptReport", "IngestPipeline", "IngestReport", "accept_sources"]

_AHEAD = 64
_REMEMBERED = 200_000


class IngestPipeline:
    """Ingests into any corpus of one store, with one embedder and one parser.

    ``parser`` names the spaCy pipeline (default: en_core_web_sm); ingest runs it in a child
    process of its own. An object may be used again and again, by one thread at a time. Within a
    ``with`` (or until ``close``) the child processes stay for the next run, which saves the
    seconds that loading the pipeline takes; otherwise each run ends its own.
    """

    def __init__(
        self,
        store: GraphStore,
        embedder: Embedder,
        parser: Parser | None = None,
        limits: IngestLimits | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._parser = parser or Parser()
        self._limits = limits or IngestLimits()
        self._keep = False
        self._reader = FileReader(self._limits)
        self._parsing = ParsingProcess(self._parser.pipeline_name, self._limits.reader_timeout_s)

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
    ) -> AcceptReport:
        """Make the corpus where it is missing and store each source's bytes as a Document.

        See :func:`clew_ingest.accepting.accept_sources`. The schema must be there.
        """
        self._ensure_corpus(corpus)
        return accept_sources(
            self._store,
            corpus,
            sources,
            self._limits,
            job_id=job_id,
            progress=progress,
            cancelled=cancelled,
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

        A document that cannot be ingested turns failed, with its reason, and the others go on.
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
        if not documents:
            return tally.report()
        try:
            self._run(corpus, documents, tally, cancelled, guard)
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
    ) -> None:
        preparer = Preparer(
            self._store,
            corpus,
            self._reader,
            self._parsing,
            self._embedder.count_tokens,
            self._limits,
            tally,
            cancelled,
        )
        writer = Writer(self._store, corpus, self._embedder, tally, guard)
        consumer = Consumer(writer.write, size=2)
        try:
            with running_ahead(preparer.items(documents), _AHEAD) as items:
                self._embed(corpus, items, consumer, tally, cancelled)
        except BaseException:
            consumer.abandon()
            raise
        consumer.finish()

    def _ensure_corpus(self, corpus: str) -> None:
        embedder = self._embedder
        ensure_corpus(self._store, corpus, embedder=embedder.name, dimension=embedder.dimension)

    def _embed(
        self,
        corpus: str,
        items: Iterable[Item],
        consumer: Consumer[Write],
        tally: Tally,
        cancelled: Callable[[], bool],
    ) -> None:
        remembered: set[str] = set()
        slices: list[DocumentSlice] = []
        after: list[DocumentFailure | CollectionEnd] = []
        size = 0

        def known(ids: Sequence[str]) -> set[str]:
            seen = remembered.intersection(ids)
            seen |= existing_ids(self._store, "Entity", [key for key in ids if key not in seen])
            if len(remembered) > _REMEMBERED:
                remembered.clear()
            remembered.update(ids)
            return seen

        def flush() -> None:
            nonlocal slices, after, size
            with tally.timed("embed"):
                batch = graph_batch(corpus, slices, self._embedder, known)
            consumer.put(Write(batch, tuple(after)))
            slices, after, size = [], [], 0

        for item in items:
            if cancelled():
                raise IngestCancelled("The run was cancelled.")
            if isinstance(item, DocumentSlice):
                slices.append(item)
                size += len(item.chunks)
            else:
                after.append(item)
            if size >= self._limits.batch_chunks or len(after) >= self._limits.batch_chunks:
                flush()
        if slices or after:
            flush()
