"""The order in which documents are locked: files before their records, each by their ids.

Whoever takes away sentences or a document takes links with them (NAMES), which lock the document
at their other end, too. So all of these are locked first, in the one order: two writers then wait
for each other and do not deadlock.
"""

from collections.abc import Iterable

from clew_cypher.errors import DocumentGone
from clew_cypher.rows import DocumentRow
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


def lock_version(
    transaction: Transaction,
    corpus: str,
    row: DocumentRow,
    *,
    of: Iterable[str] = (),
    going: bool = False,
) -> None:
    """Lock a document, or the file whose record it is, as `lock_with_linked`.

    Raises DocumentGone where it was deleted, or replaced by another version, meanwhile.
    """
    key = row.parent_id or row.id
    rows = lock_with_linked(transaction, corpus, [key], of=of, going=going)
    if not rows or is_replaced(file_version(row), rows[0]):
        raise DocumentGone(
            f"{row.uri} is not accepted in this version (any more).",
            ids=(key,),
            remedy="It was deleted or replaced meanwhile: leave it out and go on.",
        )


def file_version(row: DocumentRow) -> Row:
    """Return {sha256, fingerprint} of a document, or of the file whose record it is."""
    sha256 = row.sha256 if row.parent_id is None else row.parent_sha256
    return {"sha256": sha256, "fingerprint": row.fingerprint}


def is_replaced(version: Row, present: Row) -> bool:
    """Whether another version is there than was worked on; what is not known fits any."""
    return any(
        None not in (version[name], present[name]) and version[name] != present[name]
        for name in ("sha256", "fingerprint")
    )
