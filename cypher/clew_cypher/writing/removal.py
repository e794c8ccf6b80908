"""Taking chunks out of the graph, with all that only they supported.

What is removed takes memory until the commit, so that one transaction takes only so much: a step
does as much as it may and says whether that was all, and `in_steps` repeats it. Who is killed in
between does it again.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from clew_cypher.kinds import KIND_OF_TYPE
from clew_cypher.store import GraphStore, Transaction
from clew_cypher.writing.entities import LockedEntities, lock_entities
from clew_cypher.writing.locking import lock_with_linked

Counts = dict[str, int]
Step = tuple[Counts, bool]
"""What went in one transaction, and whether that was all."""

HUB_EDGES = 64
"""Mentions or triples of an entity from which on it is refreshed last, once."""
CHUNKS_AT_ONCE = 500
DOCUMENTS_AT_ONCE = 200
"""What one transaction takes out, at the most; a chunk goes with its sentences and edges."""
BEING_REMOVED = "Some of its text is removed already. Delete it again, or ingest it anew."


def in_steps(store: GraphStore, step: Callable[[Transaction], Step]) -> Counts:
    """Run ``step`` in one transaction after another until that was all; return what went."""
    total: Counter[str] = Counter()
    whole = False
    while not whole:
        counts, whole = store.in_transaction(step)
        total.update(counts)
    return dict(total)


def remove_chunks(
    transaction: Transaction, chunk_ids: Sequence[str], locked: LockedEntities | None = None
) -> Counts:
    """Delete the chunks, their sentences and triples, and the entities that nothing else needs.

    An entity is there as long as a chunk mentions it or a triple needs it. One with many edges is
    only marked: call `refresh_stale_entities` at the end. ``locked``: what the caller has locked
    already. Returns how many chunks, sentences, triples and entities went.
    """
    ids = sorted(chunk_ids)
    if locked is None:
        locked = lock_entities(transaction, ids)
    triples = transaction.run("delete_triples_of_chunks", ids=ids)[0]["deleted"]
    gone = transaction.run("delete_chunks", ids=ids)[0]
    return {
        "chunks": gone["chunks"],
        "sentences": gone["sentences"],
        "triples": triples,
        "entities": settle_entities(transaction, locked.ends, locked.origins, later=True),
    }


def settle_entities(
    transaction: Transaction,
    entity_ids: Iterable[str],
    origins: Iterable[str] = (),
    *,
    later: bool = False,
) -> int:
    """Delete those of locked entities that nothing needs; the others get their name and type anew.

    ``origins``: merged entities that lost an edge; those that no edge comes from any more go, with
    their part of the merge. Pairs to review go with either of the two. ``later``: entities with
    many edges are only marked, for `refresh_stale_entities`, since what follows from all their
    edges would take longer with every batch. Returns how many entities went.
    """
    ids = sorted(entity_ids)
    merged = sorted(origins)
    if merged:
        transaction.run("delete_unsupported_merged", ids=merged)
    gone = {row["id"] for row in transaction.run("delete_orphan_entities", ids=ids)}
    if gone:
        transaction.run("delete_reviews_of", ids=sorted(gone))
    left = [key for key in ids if key not in gone]
    if later:
        hubs = {row["id"] for row in transaction.run("mark_hubs", ids=left, least=HUB_EDGES)}
        left = [key for key in left if key not in hubs]
    transaction.run("refresh_entities", ids=left, kinds=KIND_OF_TYPE)
    return len(gone)


def remove_text(
    transaction: Transaction, corpus: str, document_ids: Sequence[str], *, going: bool = False
) -> Step:
    """Take chunks of locked documents out; the corpus' revision moves on.

    While some are left, none of the documents is whole: what was ready has failed, and a version
    that waits has no earlier one. ``going``: who indexes them meanwhile is refused, too.
    """
    ids = sorted(document_ids)
    transaction.run("forget_titles", corpus=corpus, ids=ids)
    rows = transaction.run("chunks_of_documents", ids=ids, limit=CHUNKS_AT_ONCE + 1)
    if not rows:
        return {}, True
    whole = len(rows) <= CHUNKS_AT_ONCE
    if not whole:
        transaction.run("shorten_documents", ids=ids, going=going, error=BEING_REMOVED)
    counts = remove_chunks(transaction, [row["id"] for row in rows[:CHUNKS_AT_ONCE]])
    transaction.run("bump_revision", corpus=corpus)
    return counts, whole


def remove_documents(transaction: Transaction, corpus: str, document_ids: Sequence[str]) -> Step:
    """Delete documents, `DOCUMENTS_AT_ONCE` at the most, with their bytes and chunks.

    The documents go with the last of their chunks. What named them is to be linked anew afterwards
    (`link_titles`). Counts how many documents, chunks, sentences, triples and entities went.
    """
    ids = sorted(document_ids)
    lock_with_linked(transaction, corpus, ids, going=True)
    counts, whole = remove_text(transaction, corpus, ids, going=True)
    if not whole:
        return counts, False
    transaction.run("drop_blobs", ids=ids)
    deleted = transaction.run("delete_document_nodes", corpus=corpus, ids=ids)[0]["deleted"]
    return {"documents": deleted, **counts}, True


def remove_records(transaction: Transaction, corpus: str, file_ids: Sequence[str]) -> Step:
    """Delete the records of locked files that are files of records no longer."""
    rows = transaction.run(
        "records_of", corpus=corpus, ids=sorted(file_ids), limit=DOCUMENTS_AT_ONCE
    )
    if not rows:
        return {}, True
    counts, whole = remove_documents(transaction, corpus, [row["id"] for row in rows])
    return counts, whole and len(rows) < DOCUMENTS_AT_ONCE


def remove_begun(
    transaction: Transaction, corpus: str, ids: Sequence[str]
) -> tuple[list[str], bool]:
    """Take out what was written of accepted documents, as far as goes in this transaction.

    Where chunks of a new version were written, nothing tells any more which of them the earlier
    one had: then all chunks go. So do records of a file that were begun. Returns the ids of the
    documents that were begun, and whether that was all.
    """
    waiting = sorted(ids)
    begun = [row["id"] for row in transaction.run("begun_documents", ids=waiting)]
    records = [
        row["id"]
        for row in transaction.run("unfinished_records", ids=waiting, limit=DOCUMENTS_AT_ONCE)
    ]
    lock_with_linked(transaction, corpus, begun, of=records, going=True, also=waiting)
    whole = len(records) < DOCUMENTS_AT_ONCE
    if records:
        whole = remove_documents(transaction, corpus, records)[1] and whole
    if whole:
        whole = remove_text(transaction, corpus, begun)[1]
    return begun, whole
