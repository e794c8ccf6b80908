"""Accepting sources: each becomes a Document with its raw bytes in the graph, before any work.

It needs no model, so that a web server can do it: what was accepted survives whatever is killed.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from clew_cypher.ids import content_id
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import accept_document, fail_document, is_current, is_ready
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

VERSION = 2
"""To be raised when the pipeline makes other rows of the same document."""


def document_fingerprint(parser: str, chunk_tokens: int, extraction: str) -> str:
    """Return the fingerprint of documents that are indexed with these settings.

    ``parser``: the spaCy pipeline's name; ``extraction``: its ``fingerprint``.
    """
    return content_id("f", str(VERSION), parser, str(chunk_tokens), extraction)


UNKNOWN_TYPE = "application/octet-stream"


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
        waiting.update({source.uri: source for source in found})
        skipped += left_out
    tally = Tally(progress, total=len(waiting))
    accepted = []
    for source in waiting.values():
        if cancelled():
            raise IngestCancelled("The run was cancelled.")
        with tally.timed("accept"):
            item = _accept(store, corpus, source, limits, fingerprint, job_id, as_triples)
        accepted.append(item)
        if item.error is not None:
            tally.fail("accept", FailedDocument(item.id, item.uri, item.error))
        else:
            tally.add("accept", ready=1)
    return AcceptReport(tuple(accepted), tuple(skipped))


def _accept(
    store: GraphStore,
    corpus: str,
    source: Source,
    limits: IngestLimits,
    fingerprint: str | None,
    job_id: str | None,
    as_triples: bool,
) -> AcceptedSource:
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
        if is_ready(store, corpus, document_id):
            return AcceptedSource(
                document_id,
                source.uri,
                changed=False,
                error=str(error),
                gone=isinstance(error, SourceGone),
            )
    kind = claimed(name, declared, served=source.url is not None)
    triples = as_triples or kind in ALWAYS_TRIPLES
    accepted = accept_document(
        store,
        corpus,
        uri=source.uri,
        title=title_of_name(name),
        media_type=kind or UNKNOWN_TYPE,
        # An error is no version: whatever the file holds when it can be read again is new.
        sha256=hashlib.sha256(data).hexdigest() if error is None else "",
        data=data,
        job_id=job_id,
        fingerprint=knowledge_fingerprint(limits) if triples else fingerprint,
        as_triples=triples,
        etag=etag if error is None else None,
    )
    item = AcceptedSource(accepted.id, source.uri, accepted.changed)
    if error is None:
        return item
    fail_document(store, corpus, accepted.id, str(error))
    return replace(item, error=str(error), gone=isinstance(error, SourceGone))
