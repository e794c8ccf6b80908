"""Accepting sources: each becomes a Document with its raw bytes in the graph, before any work.

It needs no model, so that a web server can do it: what was accepted survives whatever is killed.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from clew_cypher.ids import content_id
from clew_cypher.searching.documents import is_current, is_searchable
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import Arrival, accept_documents, fail_document
from clew_cypher.writing.entities import refresh_stale_entities
from clew_ingest.errors import AddressRefused, IngestCancelled, SourceGone, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.pipeline.knowledge_bases import knowledge_fingerprint
from clew_ingest.pipeline.progress import (
    AcceptedSource,
    AcceptReport,
    FailedDocument,
    ProgressCallback,
    Tally,
)
from clew_ingest.reading.media_types import ALWAYS_TRIPLES, claimed
from clew_ingest.reading.readers import title_of_name
from clew_ingest.reading.sources import SkippedSource, Source, find_sources, load

TOGETHER = 64
TOGETHER_BYTES = 4 * 2**20
"""Files, and bytes, from which on those that wait are stored."""
VERSION = 8
"""To be raised when the pipeline makes other rows of the same document."""


def document_fingerprint(parser: str, chunk_tokens: int, extraction: str) -> str:
    """Return the fingerprint of documents that are indexed with these settings.

    ``parser``: the spaCy pipeline's name; ``extraction``: its ``fingerprint``.
    """
    return content_id("f", str(VERSION), parser, str(chunk_tokens), extraction)


UNKNOWN_TYPE = "application/octet-stream"
SAME_NAME = (
    "Another one of this name came behind it in the same upload: rename one of them; texts may "
    "have a uri of their own."
)


def accept_sources(
    store: GraphStore,
    corpus: str,
    sources: Iterable[Source | str | Path],
    limits: IngestLimits,
    *,
    fingerprint: str | None = None,
    job_id: str | None = None,
    progress: ProgressCallback | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    as_triples: bool = False,
) -> AcceptReport:
    """Store each source's bytes as an accepted Document of ``corpus``, which must exist.

    Paths, folders, URLs and buckets (text) stand for the sources that are found there.
    ``fingerprint``: the settings they are to be indexed with (see `document_fingerprint`).
    ``as_triples``: they are knowledge bases, a triple a line; N-Triples and Turtle always are.
    A source whose bytes cannot be had becomes a failed Document; an object of a bucket whose ETag
    is that of before is not fetched; an address that must not be fetched becomes none.
    Raises IngestCancelled, and UnreadableSource for a bucket that cannot be listed; what was
    accepted until then stays accepted.
    """
    waiting: dict[str, Source] = {}
    skipped: list[SkippedSource] = []
    for given in sources:
        found, left_out = (
            ([given], []) if isinstance(given, Source) else find_sources([given], limits)
        )
        for source in found:
            before = waiting.get(source.uri)
            if before is not None and before.data != source.data:
                skipped.append(SkippedSource(before.uri, SAME_NAME))
            waiting[source.uri] = source
        skipped += left_out
    tally = Tally(progress, total=len(waiting))
    accepting = _Accepting(store, corpus, job_id, tally)
    try:
        for source in waiting.values():
            if cancelled():
                raise IngestCancelled("The run was cancelled.")
            with tally.timed("accept"):
                accepting.take(_read(store, corpus, source, limits, fingerprint, as_triples))
    finally:
        with tally.timed("accept"):
            accepting.store_waiting()
    if any(item.error is not None for item in accepting.done):
        refresh_stale_entities(store, corpus)  # of earlier versions that went
    return AcceptReport(tuple(accepting.done), tuple(skipped))


@dataclass(frozen=True)
class _Arrived:
    """A source that was read. ``error``: why its bytes could not be had."""

    source: Source
    arrival: Arrival
    error: UnreadableSource | None


class _Accepting:
    """Stores what was read, small files together: each transaction has its price.

    ``done``: what became of the sources, in their order.
    """

    def __init__(self, store: GraphStore, corpus: str, job_id: str | None, tally: Tally) -> None:
        self.done: list[AcceptedSource] = []
        self._store = store
        self._corpus = corpus
        self._job_id = job_id
        self._tally = tally
        self._waiting: list[_Arrived] = []
        self._bytes = 0

    def take(self, read: _Arrived | AcceptedSource) -> None:
        """Take a source in, to be stored soon; or what became of it without that."""
        if isinstance(read, AcceptedSource):
            self.store_waiting()
            self._tell(read)
            return
        self._waiting.append(read)
        self._bytes += len(read.arrival.data)
        full = len(self._waiting) >= TOGETHER or self._bytes >= TOGETHER_BYTES
        fetched = read.source.url is not None or read.source.object is not None
        if full or fetched or read.error is not None:  # the next fetch may take long
            self.store_waiting()

    def store_waiting(self) -> None:
        """Store what waits, in one transaction."""
        together, self._waiting, self._bytes = self._waiting, [], 0
        if not together:
            return
        arrivals = [one.arrival for one in together]
        stored = accept_documents(self._store, self._corpus, arrivals, job_id=self._job_id)
        for one, document in zip(together, stored, strict=True):
            item = AcceptedSource(
                document.id,
                one.source.uri,
                document.changed,
                failed_before=document.failed_before,
            )
            if one.error is not None:
                fail_document(self._store, self._corpus, document.id, str(one.error))
                gone = isinstance(one.error, SourceGone)
                item = replace(item, error=str(one.error), gone=gone)
            self._tell(item)

    def _tell(self, item: AcceptedSource) -> None:
        self.done.append(item)
        if item.error is not None:
            self._tally.fail("accept", FailedDocument(item.id, item.uri, item.error))
        else:
            self._tally.add("accept", ready=1)


def _read(
    store: GraphStore,
    corpus: str,
    source: Source,
    limits: IngestLimits,
    fingerprint: str | None,
    as_triples: bool,
) -> _Arrived | AcceptedSource:
    """Read a source; return what became of it where nothing is to be stored."""
    name, declared = source.name, source.media_type
    etag = None if source.object is None else source.object.etag
    if etag and fingerprint is not None:
        triples = as_triples or claimed(name, None, served=False) in ALWAYS_TRIPLES
        wanted = knowledge_fingerprint(limits) if triples else fingerprint
        document_id = content_id("d", corpus, source.uri)
        if is_current(store, corpus, document_id, etag=etag, fingerprint=wanted):
            return AcceptedSource(document_id, source.uri, changed=False)
    error: UnreadableSource | None = None
    data = b""
    try:
        loaded = load(source, limits)
        data, name, declared = loaded.data, loaded.name, loaded.media_type
    except AddressRefused as refused:  # nothing was there to be kept, and nothing will be
        return AcceptedSource(
            content_id("d", corpus, source.uri), source.uri, changed=False, error=str(refused)
        )
    except UnreadableSource as caught:
        error = caught
        # A page that is down or a file that is locked today takes nothing away that was there.
        document_id = content_id("d", corpus, source.uri)
        if is_searchable(store, corpus, document_id):
            return AcceptedSource(
                document_id,
                source.uri,
                changed=False,
                error=str(error),
                gone=isinstance(error, SourceGone),
            )
    kind = claimed(name, declared, served=source.url is not None)
    triples = as_triples or kind in ALWAYS_TRIPLES
    arrival = Arrival(
        uri=source.uri,
        title=title_of_name(name),
        media_type=kind or UNKNOWN_TYPE,
        # An error is no version: whatever the file holds when it can be read again is new.
        sha256=hashlib.sha256(data).hexdigest() if error is None else "",
        data=data,
        fingerprint=knowledge_fingerprint(limits) if triples else fingerprint,
        as_triples=triples,
        etag=etag if error is None else None,
    )
    return _Arrived(source, arrival, error)
