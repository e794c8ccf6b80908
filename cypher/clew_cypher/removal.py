"""Taking chunks out of the graph, with all that only they supported, in an open transaction."""

from collections.abc import Iterable, Sequence

from clew_cypher.store import Transaction


def remove_chunks(
    transaction: Transaction, chunk_ids: Sequence[str], touched: Iterable[str] = ()
) -> dict[str, int]:
    """Delete the chunks, their sentences and the entities that no other chunk mentions.

    ``touched``: entities that lost a mention otherwise. Entities that stay get the name and type
    that their other mentions give them. Returns how many chunks, sentences and entities went.
    """
    ids = sorted(chunk_ids)
    entities = {row["id"] for row in transaction.run("entities_of_chunks", ids=ids)}
    gone = transaction.run("delete_chunks", ids=ids)[0]
    affected = sorted(entities.union(touched))
    orphans = transaction.run("delete_orphan_entities", ids=affected)[0]["deleted"]
    transaction.run("refresh_entities", ids=affected)
    return {"chunks": gone["chunks"], "sentences": gone["sentences"], "entities": orphans}


def remove_documents(
    transaction: Transaction, corpus: str, document_ids: Sequence[str]
) -> dict[str, int]:
    """Delete documents with their bytes and chunks; the corpus' revision moves on.

    Returns how many documents, chunks, sentences and entities went.
    """
    ids = sorted(document_ids)
    transaction.run("lock_documents", corpus=corpus, ids=ids)
    chunks = [row["id"] for row in transaction.run("chunks_of_documents", ids=ids)]
    counts = remove_chunks(transaction, chunks)
    transaction.run("drop_blobs", ids=ids)
    deleted = transaction.run("delete_document_nodes", corpus=corpus, ids=ids)[0]["deleted"]
    if chunks:
        transaction.run("bump_revision", corpus=corpus)
    return {"documents": deleted, **counts}
