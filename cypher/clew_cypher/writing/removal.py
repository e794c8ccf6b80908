"""Taking chunks out of the graph, with all that only they supported, in an open transaction."""

from collections.abc import Iterable, Sequence

from clew_cypher.kinds import KIND_OF_TYPE
from clew_cypher.store import Transaction
from clew_cypher.writing.entities import LockedEntities, lock_entities
from clew_cypher.writing.locking import lock_with_linked

Counts = dict[str, int]

HUB_EDGES = 256
"""Mentions or triples of an entity from which on an ingest refreshes it at its end only."""


def remove_chunks(
    transaction: Transaction,
    chunk_ids: Sequence[str],
    locked: LockedEntities | None = None,
    *,
    later: bool = False,
) -> Counts:
    """Delete the chunks, their sentences and triples, and the entities that nothing else needs.

    An entity is there as long as a chunk mentions it or a triple needs it. ``locked``: what the
    caller has locked already; ``later``: see :func:`settle_entities`. Returns how many chunks,
    sentences, triples and entities went.
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
        "entities": settle_entities(transaction, locked.ends, locked.origins, later=later),
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


def remove_documents(transaction: Transaction, corpus: str, document_ids: Sequence[str]) -> Counts:
    """Delete documents with their bytes and chunks; the corpus' revision moves on.

    What named them is to be linked anew afterwards (`link_titles`). Returns how many documents,
    chunks, sentences, triples and entities went.
    """
    ids = sorted(document_ids)
    lock_with_linked(transaction, corpus, ids, going=True)
    transaction.run("forget_titles", corpus=corpus, ids=ids)
    chunks = [row["id"] for row in transaction.run("chunks_of_documents", ids=ids)]
    counts = remove_chunks(transaction, chunks)
    transaction.run("drop_blobs", ids=ids)
    deleted = transaction.run("delete_document_nodes", corpus=corpus, ids=ids)[0]["deleted"]
    if chunks:
        transaction.run("bump_revision", corpus=corpus)
    return {"documents": deleted, **counts}
