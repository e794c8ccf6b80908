"""What a job leaves behind when it ends: documents that were accepted and never processed."""

from clew_cypher.removal import remove_chunks, remove_documents
from clew_cypher.store import Transaction


def fail_unfinished(transaction: Transaction, corpus: str, job_id: str, error: str) -> int:
    """Fail the documents that the job has not processed, with the reason; return how many.

    As for any failed document, nothing of it stays in the graph: neither an older version, nor
    what was written of the new one, nor its bytes, nor records that were begun.
    """
    waiting = transaction.run("job_documents", job_id=job_id, corpus=corpus)
    ids = [row["id"] for row in waiting]
    if not ids:
        return 0
    transaction.run("lock_documents", corpus=corpus, ids=ids)
    records = [row["id"] for row in transaction.run("unfinished_records", ids=ids)]
    if records:
        remove_documents(transaction, corpus, records)
    chunks = [row["id"] for row in transaction.run("chunks_of_documents", ids=ids)]
    if chunks:
        remove_chunks(transaction, chunks)
        transaction.run("bump_revision", corpus=corpus)
    transaction.run("drop_blobs", ids=ids)
    return int(transaction.run("fail_documents", corpus=corpus, ids=ids, error=error)[0]["failed"])
