"""The order in which documents are locked: files before their records, each by their ids.

Whoever takes away sentences or a document takes links with them (NAMES), which lock the document
at their other end, too. So all of these are locked first, in the one order: two writers then wait
for each other and do not deadlock.
"""

from collections.abc import Iterable

from clew_cypher.store import Row, Transaction


def lock_in_order(transaction: Transaction, corpus: str, ids: Iterable[str]) -> None:
    """Lock documents, and the files whose records they are."""
    rows = transaction.run("files_of_documents", ids=sorted(set(ids)))
    files = {row["file_id"] for row in rows}
    records = {row["id"] for row in rows} - files
    for level in (files, records):
        if level:
            transaction.run("lock_documents", corpus=corpus, ids=sorted(level))


def lock_with_linked(
    transaction: Transaction,
    corpus: str,
    ids: Iterable[str],
    *,
    of: Iterable[str] = (),
    going: bool = False,
    also: Iterable[str] = (),
) -> list[Row]:
    """Lock documents, and those that they name, since their sentences may go; return the former.

    ``of``: further documents, such as records, that need no lock of their own but whose sentences
    may go, too. ``going``: the documents go themselves, so that those that name them are locked.
    ``also``: documents that lose nothing, but are written to. Rows {id, sha256, fingerprint,
    status} of those that are there.
    """
    asked = sorted(set(ids))
    losing = sorted({*asked, *of})
    statements = ("named_documents", "naming_documents") if going else ("named_documents",)
    linked = {row["id"] for name in statements for row in transaction.run(name, ids=losing)}
    linked.update(also)
    if linked:
        lock_in_order(transaction, corpus, linked.union(losing))
    return transaction.run("lock_documents", corpus=corpus, ids=asked)
