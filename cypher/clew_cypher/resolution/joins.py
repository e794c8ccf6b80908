"""Short forms at the entity of the full name, for one document: edges move, entities do not merge.

An edge that was moved remembers the entity it is of (``short``, with its key and surface), so that
a changed document is joined anew from what its chunks say.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from clew_cypher.corpora import get_corpus
from clew_cypher.resolution.merges import Guard, locked_groups
from clew_cypher.rows import Vector
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.vectors import to_driver
from clew_cypher.writing.removal import settle_entities

JOINS = (
    "join_mentions",
    "join_heads",
    "join_tails",
    "join_relation_heads",
    "join_relation_tails",
)


@dataclass(frozen=True)
class JoinRow:
    """Mentions of the entity ``base`` in a chunk, which are to be at ``target`` (or at itself).

    ``came_from``: the entity they are at now; ``joined``: whether that is a full name's;
    ``full``: the full name as it is written.
    """

    chunk_id: str
    base: str
    key: str
    surface: str
    came_from: str
    joined: bool
    target: str
    full: str

    @property
    def stays(self) -> bool:
        """Whether the mentions are where they should be."""
        return self.came_from == self.target and self.joined == (self.target != self.base)


def documents_to_join(store: GraphStore, corpus: str) -> list[str]:
    """Return documents of several chunks whose short forms are not joined in this version."""
    get_corpus(store, corpus)
    return [row["id"] for row in store.read("documents_to_join", corpus=corpus)]


def document_mentions(store: GraphStore, document_id: str) -> list[Row]:
    """Return a document's mentions in order, each with the entity it is of and the one it is at.

    Rows {chunk_id, came_from, base, key, joined, surface, type, is_title, count}.
    """
    return store.read("document_mentions", id=document_id)


def join_document(
    store: GraphStore,
    corpus: str,
    document_id: str,
    sha256: str,
    rows: Sequence[JoinRow],
    embed: Callable[[Sequence[str]], Iterable[Vector]],
    guard: Guard | None = None,
) -> int:
    """Put the mentions of a document where ``rows`` say, in one transaction; return how many moved.

    ``sha256``: the version that was read; nothing is done where the document has another one.
    ``embed`` is called for entities that had lost all mentions to full names and are back.
    """
    moves = [row for row in rows if not row.stays]
    back = sorted({row.key for row in moves if row.joined})
    vectors = dict(zip(back, embed(back), strict=True)) if back else {}

    def work(transaction: Transaction) -> int:
        if guard is not None:
            guard(transaction)
        found = transaction.run("lock_ready_document", id=document_id)
        if not found or found[0]["sha256"] != sha256:
            return 0
        if moves:
            _move(transaction, corpus, moves, vectors)
            transaction.run("bump_revision", corpus=corpus)
        joins = sum(row.target != row.base for row in rows)
        transaction.run("mark_joined", id=document_id, joins=joins)
        return len(moves)

    return store.in_transaction(work)


def _move(
    transaction: Transaction,
    corpus: str,
    moves: Sequence[JoinRow],
    vectors: Mapping[str, Vector],
) -> None:
    ids = {key for row in moves for key in (row.base, row.came_from, row.target)}
    groups = locked_groups(transaction, ids)
    lost = {row.base: row.key for row in moves if row.base not in groups.roots}
    if lost:
        made = [{"id": key, "key": lost[key]} for key in sorted(lost)]
        transaction.run("write_entities", corpus=corpus, rows=made)
        embedded = [{"id": row["id"], "embedding": to_driver(vectors[row["key"]])} for row in made]
        transaction.run("write_entity_vectors", rows=embedded)
        groups.roots.update({key: key for key in lost})
    parameters = []
    for row in moves:
        root, short = groups.roots[row.target], row.target != row.base
        parameters.append(
            {
                "chunk_id": row.chunk_id,
                "came_from": row.came_from,
                "was_short": row.base if row.joined else "",
                "to": root,
                "origin": row.target if root != row.target else None,
                "short": row.base if short else None,
                "short_key": row.key if short else None,
                "surface": row.surface,
                "full": row.full,
            }
        )
    for name in JOINS:
        transaction.run(name, rows=parameters)
    merged = {key for key in ids if groups.roots[key] != key}
    settle_entities(transaction, set(groups.roots.values()), merged)
