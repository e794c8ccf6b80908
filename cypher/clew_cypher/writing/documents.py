"""Documents as they come and go: accepted with their bytes, indexed, failed, put off, deleted."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from clew_cypher.corpora import unknown_corpus
from clew_cypher.errors import UnknownDocument
from clew_cypher.ids import content_id
from clew_cypher.rows import DocumentRow
from clew_cypher.searching.documents import get_document, unknown_document
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.titles.linking import link_titles
from clew_cypher.writing.entities import refresh_stale_entities
from clew_cypher.writing.knowledge_bases import remove_lines
from clew_cypher.writing.locking import lock_version, lock_with_linked
from clew_cypher.writing.removal import (
    BEING_REMOVED,
    DOCUMENTS_AT_ONCE,
    Counts,
    Step,
    in_steps,
    remove_begun,
    remove_documents,
    remove_text,
)

BLOB_BYTES = 4 * 2**20
NONE = dict.fromkeys(("documents", "chunks", "sentences", "triples", "entities"), 0)
EARLIER_STAYS = "Until then its earlier version stays searchable."


@dataclass(frozen=True)
class Arrival:
    """A file that is to be accepted, with its bytes.

    A version is the content (``sha256``) with the settings it is indexed with (``fingerprint``).
    ``as_triples``: it is a knowledge base. ``etag``: what its server calls this version, see
    ``is_current``.
    """

    uri: str
    title: str
    media_type: str
    sha256: str
    data: bytes
    fingerprint: str | None = None
    as_triples: bool = False
    etag: str | None = None


@dataclass(frozen=True)
class AcceptedDocument:
    """An accepted file. ``changed`` is False where this version is ready already.

    ``failed_before``: it failed in this version, or an extractor on chunks of it, and is tried
    again.
    """

    id: str
    changed: bool
    failed_before: bool


def accept_documents(
    store: GraphStore, corpus: str, arrivals: Sequence[Arrival], *, job_id: str | None = None
) -> list[AcceptedDocument]:
    """Store files' bytes and mark them ``accepted``, all in one transaction.

    A document that is ready in this version is left as it is, unless an extractor failed on chunks
    of it; what there is stays searchable until the new one is ready. Each ``uri`` stands once.
    Raises UnknownCorpus.
    """
    by_id = {content_id("d", corpus, one.uri): one for one in arrivals}
    place = {key: number for number, key in enumerate(by_id)}
    ids = sorted(by_id)  # two that accept the same files wait for each other, and do not deadlock

    def accept(transaction: Transaction) -> list[AcceptedDocument]:
        rows = transaction.run(
            "accept_documents",
            corpus=corpus,
            job_id=job_id,
            rows=[{**_arrival_row(key, by_id[key]), "place": place[key]} for key in ids],
        )
        if ids and not rows:
            raise unknown_corpus(corpus)
        changed = {row["id"] for row in rows if row["changed"]}
        if changed:
            transaction.run("drop_blobs", ids=sorted(changed))
            blobs = [blob for key in ids if key in changed for blob in _blobs(key, by_id[key].data)]
            for together in _of_size(blobs, BLOB_BYTES):
                transaction.run("write_blobs", rows=together)
        # behind the documents, as an ingest does it: in another order they would deadlock
        if ids and not transaction.run("lock_corpus", corpus=corpus):
            raise unknown_corpus(corpus)
        failed = {row["id"] for row in rows if row["failed_before"]}
        return [AcceptedDocument(key, key in changed, key in failed) for key in by_id]

    return store.in_transaction(accept)


def accept_document(
    store: GraphStore,
    corpus: str,
    *,
    uri: str,
    title: str,
    media_type: str,
    sha256: str,
    data: bytes,
    job_id: str | None = None,
    fingerprint: str | None = None,
    as_triples: bool = False,
    etag: str | None = None,
) -> AcceptedDocument:
    """Accept one file, as ``accept_documents``; what is asked for is described at `Arrival`."""
    arrival = Arrival(uri, title, media_type, sha256, data, fingerprint, as_triples, etag)
    return accept_documents(store, corpus, [arrival], job_id=job_id)[0]


def _arrival_row(document_id: str, arrival: Arrival) -> Row:
    return {
        "id": document_id,
        "uri": arrival.uri,
        "title": arrival.title,
        "media_type": arrival.media_type,
        "sha256": arrival.sha256,
        "fingerprint": arrival.fingerprint,
        "reads_as": "triples" if arrival.as_triples else None,
        "bytes": len(arrival.data),
        "etag": arrival.etag,
    }


def _blobs(document_id: str, data: bytes) -> Iterator[Row]:
    for position, start in enumerate(range(0, len(data), BLOB_BYTES)):
        yield {
            "id": document_id,
            "blob_id": content_id("b", document_id, str(position)),
            "position": position,
            "data": data[start : start + BLOB_BYTES],
        }


def _of_size(blobs: Sequence[Row], most: int) -> Iterator[list[Row]]:
    """Yield parts of at most so many bytes, or of one blob."""
    part: list[Row] = []
    size = 0
    for blob in blobs:
        if part and size + len(blob["data"]) > most:
            yield part
            part, size = [], 0
        part.append(blob)
        size += len(blob["data"])
    if part:
        yield part


def claim_document(
    store: GraphStore, corpus: str, document_id: str, sha256: str, fingerprint: str | None
) -> bool:
    """Have an accepted document indexed with other settings than it was accepted with.

    Whoever indexes it with the settings of before is refused from then on (DocumentGone). Returns
    whether it still waits with this content.
    """
    return bool(
        store.write(
            "claim_document",
            corpus=corpus,
            id=document_id,
            sha256=sha256,
            fingerprint=fingerprint,
        )
    )


def document_data(store: GraphStore, document_id: str) -> bytes:
    """Return the bytes of an accepted document; raises UnknownDocument.

    A document that is ready has no bytes left, and gives b"".
    """
    rows = store.read("document_blobs", id=document_id)
    if not rows:
        raise unknown_document(document_id)
    parts: list[bytes] = []
    for position in range(rows[0]["parts"]):
        found = store.read("blob_data", id=document_id, position=position)
        if not found:  # it was deleted, or indexed by another run, meanwhile
            raise unknown_document(document_id)
        parts.append(found[0]["data"])
    return b"".join(parts)


def was_read(store: GraphStore, corpus: str, document_id: str, sha256: str) -> bool:
    """Say whether a document has passages that were read of these bytes, under any settings."""
    rows = store.read("was_read", corpus=corpus, id=document_id, sha256=sha256)
    return bool(rows) and bool(rows[0]["known"])


def accepted_documents(
    store: GraphStore, corpus: str, job_id: str | None = None, limit: int = 1000
) -> list[Row]:
    """Return rows {id, uri, title, media_type, sha256, fingerprint, bytes, job_id} of what waits,
    the oldest first.

    With ``job_id``, only what that job accepted. Records of a file are not listed: the file is.
    """
    return store.read("accepted_documents", corpus=corpus, job_id=job_id, limit=limit)


def reaccept_documents(store: GraphStore, corpus: str, ids: Sequence[str]) -> list[str]:
    """Have failed documents wait again; return the ids of those whose bytes are still there."""
    rows = store.write("reaccept_documents", corpus=corpus, ids=sorted(set(ids)))
    return [row["id"] for row in rows]


def fail_document(
    store: GraphStore, corpus: str, document_id: str, error: str, *, row: DocumentRow | None = None
) -> None:
    """Mark a document ``failed`` with the reason; what was written of any version of it goes.

    So do the records of a file, and its bytes. ``row``: the version that failed; needed for a
    record of a file, which may not be in the graph yet. Raises UnknownDocument, and DocumentGone
    where that version, or the file of the record, was replaced or deleted.
    """

    def fail(transaction: Transaction) -> Step:
        if row is not None and row.parent_id is not None:
            transaction.run("write_documents", corpus=corpus, rows=[document_parameters(row)])
            _lock(transaction, corpus, document_id)
        counts, whole = remove_text(transaction, corpus, [document_id])
        if whole:
            transaction.run("drop_blobs", ids=[document_id])
            transaction.run("fail_document", corpus=corpus, id=document_id, error=error)
        return counts, whole

    _empty(store, corpus, document_id, fail, row=row)


def put_off_document(
    store: GraphStore, corpus: str, document_id: str, error: str, *, row: DocumentRow | None = None
) -> None:
    """Put one document off, as `put_off_documents`.

    ``row``: the version that is put off. Raises UnknownDocument, and DocumentGone where that
    version was replaced or deleted.
    """

    def put_off(transaction: Transaction) -> Step:
        _lock(transaction, corpus, document_id, row)
        return {}, put_off_documents(transaction, corpus, [document_id], error)

    in_steps(store, put_off)


def put_off_documents(
    transaction: Transaction, corpus: str, ids: Sequence[str], error: str
) -> bool:
    """Mark accepted documents ``failed`` that nothing is known to be wrong with.

    Their bytes stay, so that they can be tried again, and so does an earlier version, which can be
    searched, unless the new one was begun (`remove_begun`). Returns False, and marks none, where
    more was begun than goes in this transaction.
    """
    if not ids:
        return True
    begun, whole = remove_begun(transaction, corpus, ids)
    if whole:
        transaction.run(
            "put_off_documents",
            corpus=corpus,
            ids=sorted(ids),
            begun=begun,
            error=error,
            note=EARLIER_STAYS,
        )
    return whole


def finish_collection(
    store: GraphStore, corpus: str, document: DocumentRow, keep_ids: Sequence[str]
) -> Counts:
    """Mark a file of records ``ready``; records not in ``keep_ids`` go, and the file's bytes.

    Returns what went. Raises DocumentGone where the file was deleted or replaced.
    """

    def finish(transaction: Transaction) -> Step:
        # it may have been a plain text before
        counts, whole = remove_text(transaction, corpus, [document.id])
        if whole:
            transaction.run("drop_blobs", ids=[document.id])
            transaction.run("finish_collection", corpus=corpus, id=document.id)
        return counts, whole

    return _empty(store, corpus, document.id, finish, row=document, keep_ids=keep_ids)


def delete_documents(store: GraphStore, corpus: str, ids: Iterable[str]) -> Counts:
    """Delete documents, their records, and what only they supported.

    What somebody else has deleted meanwhile is passed over. Sentences that named them name what
    else they may. Returns how many documents, chunks, sentences, triples and entities went.
    """
    total = Counter(NONE)
    for document_id in ids:
        delete = partial(remove_documents, corpus=corpus, document_ids=[document_id])
        with suppress(UnknownDocument):
            total.update(_empty(store, corpus, document_id, delete))
    refresh_stale_entities(store, corpus)
    link_titles(store, corpus)
    return dict(total)


def delete_document(store: GraphStore, corpus: str, document_id: str) -> Counts:
    """Delete one document, as `delete_documents`; raises UnknownDocument."""
    get_document(store, corpus, document_id)
    return delete_documents(store, corpus, [document_id])


def document_parameters(row: DocumentRow) -> Row:
    """Return a DocumentRow as a statement's parameter."""
    return {
        "id": row.id,
        "uri": row.uri,
        "title": row.title,
        "media_type": row.media_type,
        "sha256": row.sha256,
        "parent_id": row.parent_id,
        "metadata": row.metadata,
        "left_out": row.left_out,
        "fingerprint": row.fingerprint,
    }


def _empty(
    store: GraphStore,
    corpus: str,
    document_id: str,
    last: Callable[[Transaction], Step],
    *,
    row: DocumentRow | None = None,
    keep_ids: Sequence[str] = (),
) -> Counts:
    """Take a file's records, but ``keep_ids``, and its triples out in batches; return what went.

    ``last`` runs in the transaction that finds none left, and again until it says that was all;
    what it removes counts, too. Whoever writes more of them meanwhile waits for the file's lock.
    ``row``, and errors, as of `_lock`.
    """
    total = Counter(NONE)
    surplus = {"corpus": corpus, "id": document_id, "keep_ids": sorted(keep_ids)}

    def remove(transaction: Transaction, records: Sequence[str]) -> Step:
        _lock(transaction, corpus, document_id, row, records)
        transaction.run(
            "shorten_documents", ids=[document_id], going=row is None, error=BEING_REMOVED
        )
        return remove_documents(transaction, corpus, records)

    def end(transaction: Transaction) -> Step:
        _lock(transaction, corpus, document_id, row)
        if transaction.run("surplus_records", **surplus) or transaction.run(
            "lines_of_document", document_id=document_id, version=None, limit=1
        ):
            return {}, False
        return last(transaction)

    whole = False
    while not whole:
        ids = [record["id"] for record in store.read("surplus_records", **surplus)]
        for batch in _batches(ids, DOCUMENTS_AT_ONCE):
            total.update(in_steps(store, partial(remove, records=batch)))
        lock = partial(_lock, corpus=corpus, document_id=document_id, row=row)
        total.update(remove_lines(store, corpus, document_id, guard=lock))
        counts, whole = store.in_transaction(end)
        total.update(counts)
    return dict(total)


def _lock(
    transaction: Transaction,
    corpus: str,
    document_id: str,
    row: DocumentRow | None = None,
    records: Sequence[str] = (),
) -> None:
    """Lock a document that loses what it has, and some records of it; raises UnknownDocument.

    ``row``: the version that it must have (DocumentGone); of a record, its file is locked.
    """
    if row is not None:
        lock_version(transaction, corpus, row, of=records, going=True)
    elif not lock_with_linked(transaction, corpus, [document_id], of=records, going=True):
        raise unknown_document(document_id)


def _batches(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
