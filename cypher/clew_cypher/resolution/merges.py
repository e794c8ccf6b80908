"""Merging entities that are one thing, and undoing it: the graph side of entity resolution.

A merged entity gives its edges to the canonical one, each with its ``origin``, and leaves the
indexes as a MergedEntity that points to the entity at the top. Merges nest: what was merged into
an entity goes along when that is merged, and comes back with it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from clew_cypher.corpora import get_corpus
from clew_cypher.errors import UnknownEntity, UnknownMerge
from clew_cypher.kinds import KIND_OF_TYPE
from clew_cypher.resolution.reviews import forget_reviews, forget_verdicts, write_verdicts
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.writing.removal import settle_entities

MOVES = (
    "move_mentions",
    "move_heads",
    "move_tails",
    "move_relation_heads",
    "move_relation_tails",
)

Guard = Callable[[Transaction], None]


@dataclass(frozen=True)
class MergeRow:
    """Entities to be one: ``merged_ids`` go into ``canonical_id``; ``reasons`` are for people."""

    id: str
    canonical_id: str
    merged_ids: tuple[str, ...]
    reasons: tuple[str, ...] = ()
    by: Literal["auto", "person"] = "auto"


@dataclass
class LockedGroups:
    """Locked groups: where each entity's root is, and what was merged into each root."""

    roots: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[Row]] = field(default_factory=dict)


def apply_merge(
    store: GraphStore, corpus: str, row: MergeRow, *, guard: Guard | None = None
) -> bool:
    """Merge in one transaction; return False where the entities are one already.

    An id of an entity that was merged before stands for the one it goes by. Raises UnknownCorpus,
    and UnknownEntity where one is not in the corpus.
    """
    get_corpus(store, corpus)

    def work(transaction: Transaction) -> bool:
        if guard is not None:
            guard(transaction)
        done = merge_entities(transaction, corpus, [row]) > 0
        if row.by == "person":
            # who merges two by hand takes back that they are kept apart
            asked = (row.canonical_id, *row.merged_ids)
            forget_verdicts(transaction, corpus, combinations(asked, 2))
        if done:
            transaction.run("bump_revision", corpus=corpus)
        return done

    return store.in_transaction(work)


def undo_merge(store: GraphStore, corpus: str, merge_id: str) -> Row:
    """Undo a merge: the graph is as it was before, and a verdict keeps its entities apart.

    Edges that were written since go to the entity that they name. Returns the merge as it was.
    Raises UnknownMerge.
    """

    def work(transaction: Transaction) -> Row:
        merge = separate_entities(transaction, corpus, merge_id)
        if merge is None:
            raise UnknownMerge(
                f"There is no merge {merge_id!r} in the corpus {corpus!r}.",
                remedy="`clew entities merges` lists them.",
            )
        ids = sorted({*(merge["asked"] or ()), merge["canonical_id"], *merge["merged_ids"]})
        pairs = [(a, b) for a in ids for b in ids if a < b]
        write_verdicts(transaction, corpus, pairs)
        transaction.run("bump_revision", corpus=corpus)
        return merge

    get_corpus(store, corpus)
    return store.in_transaction(work)


def replace_merges(
    store: GraphStore,
    corpus: str,
    undo: Sequence[str],
    rows: Sequence[MergeRow],
    again: Sequence[str] = (),
    *,
    guard: Guard | None = None,
) -> None:
    """Undo merges by their ids, without a verdict, and make ``rows``, in one transaction.

    ``again``: merges by a person, which are undone first and made again on top of ``rows``, for
    those of their entities that are there still.
    """

    def work(transaction: Transaction) -> None:
        if guard is not None:
            guard(transaction)
        by_person = [separate_entities(transaction, corpus, key) for key in again]
        for key in undo:
            separate_entities(transaction, corpus, key)
        if rows:
            merge_entities(transaction, corpus, rows)
        for merge in by_person:
            if merge is not None:
                _merge_again(transaction, corpus, merge)
        transaction.run("bump_revision", corpus=corpus)

    store.in_transaction(work)


def list_merges(store: GraphStore, corpus: str, limit: int = 50, offset: int = 0) -> list[Row]:
    """Return a page of merges, newest first; raises UnknownCorpus.

    Rows {id, canonical, merged, reasons, by, created_at}; ``canonical`` and each of ``merged`` are
    {id, key, name, type}, with nothing but the id where a document's deletion took the entity.
    ``canonical`` also has goes_by: the name it has since the merge, where that is another.
    """
    get_corpus(store, corpus)
    return store.read("list_merges", corpus=corpus, ids=None, limit=limit, offset=offset)


def merges_of_entity(store: GraphStore, corpus: str, entity_id: str) -> list[Row]:
    """Return the merges that gave an entity what it has of others; rows as of ``list_merges``."""
    ids = [row["id"] for row in store.read("merges_of_entity", id=entity_id)]
    return store.read("list_merges", corpus=corpus, ids=ids, limit=len(ids), offset=0)


def merges_by_id(store: GraphStore, corpus: str, ids: Iterable[str]) -> dict[str, Row]:
    """Return merges by id: rows {id, canonical_id, merged_ids, asked, reasons, by, created_at}."""
    rows = store.read("merges_by_id", corpus=corpus, ids=sorted(set(ids)))
    return {row["id"]: row for row in rows}


def count_merges(store: GraphStore, corpus: str) -> int:
    """Return how many merges a corpus has."""
    return int(store.read("count_merges", corpus=corpus)[0]["total"])


def merge_entities(transaction: Transaction, corpus: str, rows: Sequence[MergeRow]) -> int:
    """Make merges in an open transaction, all at once where none has to do with another.

    Returns how many had something to merge; see :func:`apply_merge`.
    """
    asked = {key for row in rows for key in (row.canonical_id, *row.merged_ids)}
    groups = locked_groups(transaction, asked)
    missing = sorted(asked - groups.roots.keys())
    if missing:
        raise UnknownEntity(
            f"{missing[0]!r} is no entity of the corpus {corpus!r}.",
            remedy="Entities that only deleted documents named are gone; search by name again.",
        )
    found = [_Joined.of(row, groups) for row in rows]
    joined = [one for one in found if one.below]
    touched = [key for one in joined for key in (one.root, *one.below)]
    if len(set(touched)) < len(touched):  # one builds on another: each by itself, in their order
        return sum(merge_entities(transaction, corpus, [row]) for row in rows)
    if joined:
        _join(transaction, corpus, joined, groups)
    return len(joined)


@dataclass(frozen=True)
class _Joined:
    """A merge as the graph is: the entities at the top that go ``below`` another, the ``root``."""

    row: MergeRow
    root: str
    below: tuple[str, ...]

    @classmethod
    def of(cls, row: MergeRow, groups: LockedGroups) -> "_Joined":
        root = groups.roots[row.canonical_id]
        return cls(row, root, tuple(sorted({groups.roots[key] for key in row.merged_ids} - {root})))


def _join(
    transaction: Transaction, corpus: str, joined: Sequence[_Joined], groups: LockedGroups
) -> None:
    pairs = [(one, key) for one in joined for key in one.below]
    members = {key: [member["id"] for member in groups.members[key]] for _, key in pairs}
    moves: list[Row] = []
    for one, key in pairs:
        moves += _moves(key, one.root, key, groups.members[key])
    _move(transaction, moves)
    repointed = [{"id": id_, "root": one.root} for one, key in pairs for id_ in members[key]]
    transaction.run("repoint_merged", rows=repointed)
    transaction.run(
        "demote_entities",
        kinds=sorted(set(KIND_OF_TYPE.values())),
        rows=[{"id": key, "root": one.root, "merge_id": one.row.id} for one, key in pairs],
    )
    rows = [
        {
            "id": one.row.id,
            "canonical_id": one.root,
            "merged_ids": list(one.below),
            "asked": sorted({one.row.canonical_id, *one.row.merged_ids}),
            "reasons": list(one.row.reasons),
            "by": one.row.by,
        }
        for one in joined
    ]
    transaction.run("write_merges", corpus=corpus, rows=rows)
    below = {id_ for _, key in pairs for id_ in (key, *members[key])}
    forget_reviews(transaction, corpus, sorted(below))
    settle_entities(transaction, [one.root for one in joined])


def separate_entities(transaction: Transaction, corpus: str, merge_id: str) -> Row | None:
    """Undo a merge in an open transaction, without a verdict; return it, None if there is none.

    What was merged into an entity before it was itself merged comes back with it.
    """
    found = transaction.run("merges_by_id", corpus=corpus, ids=[merge_id])
    if not found:
        return None
    merge = found[0]
    ids = {merge["canonical_id"], *merge["merged_ids"]}
    groups = locked_groups(transaction, ids)
    changed = set(groups.roots.values())
    for root in sorted(changed):
        tree = groups.members[root]
        for key in merge["merged_ids"]:
            changed |= _separate(transaction, corpus, merge_id, key, root, tree)
    transaction.run("delete_merges", corpus=corpus, ids=[merge_id])
    # what only deleted documents had supported goes
    settle_entities(transaction, changed)
    return merge


def _merge_again(transaction: Transaction, corpus: str, merge: Row) -> None:
    there = [row["id"] for row in transaction.run("lock_group", ids=merge["asked"])]
    if len(there) < 2:
        return
    first = merge["canonical_id"] if merge["canonical_id"] in there else there[0]
    merged = tuple(key for key in there if key != first)
    row = MergeRow(merge["id"], first, merged, tuple(merge["reasons"]), merge["by"])
    merge_entities(transaction, corpus, [row])


def _separate(
    transaction: Transaction, corpus: str, merge_id: str, key: str, root: str, tree: Sequence[Row]
) -> set[str]:
    """Take ``key`` and what was merged into it out of the group of ``root``; return the tops."""
    below = _below(key, tree)
    own = [row for row in tree if row["id"] == key and row["merge_id"] == merge_id]
    if own:
        transaction.run("promote_entities", ids=[key])
        transaction.run("repoint_merged", rows=[{"id": row["id"], "root": key} for row in below])
        _move(transaction, _moves(root, key, None, below, key))
        return {key}
    if not below or any(row["id"] == key for row in tree):
        return set()
    # it is gone: what was merged into it is one thing still
    heir, rest = below[0], below[1:]
    orphaned = sorted({row["merge_id"] for row in below if row["parent"] == key})
    transaction.run("promote_entities", ids=[heir["id"]])
    transaction.run("repoint_merged", rows=[{"id": r["id"], "root": heir["id"]} for r in rest])
    _move(transaction, _moves(root, heir["id"], None, rest, heir["id"]))
    transaction.run("inherit_merges", corpus=corpus, ids=orphaned, gone=key, heir=heir["id"])
    return {heir["id"]}


def _below(key: str, tree: Iterable[Row]) -> list[Row]:
    """Return what was merged into ``key``, and into that, and so on, by id."""
    found: dict[str, Row] = {}
    waiting = [key]
    while waiting:
        parent = waiting.pop()
        for row in tree:
            if row["parent"] == parent and row["id"] not in found:
                found[row["id"]] = row
                waiting.append(row["id"])
    return [found[name] for name in sorted(found)]


def locked_groups(transaction: Transaction, ids: Iterable[str]) -> LockedGroups:
    """Lock the groups of entities and return them; what is not in the graph is left out."""
    groups = LockedGroups()
    waiting = set(ids)
    while waiting:
        for row in transaction.run("lock_group", ids=sorted(waiting)):
            groups.roots[row["id"]] = row["root"]
        waiting = set(groups.roots.values()) - groups.roots.keys()
    groups.members = {root: [] for root in set(groups.roots.values())}
    for row in transaction.run("group_members", roots=sorted(groups.members)):
        groups.members[row["root"]].append(row)
    return groups


def _moves(
    holder: str, to: str, origin: str | None, members: Iterable[Row], own: str | None = None
) -> list[Row]:
    """Return the moves of an entity's edges, and of those that came from what it had merged."""
    first = {"holder": holder, "came_from": own or holder, "to": to, "origin": origin}
    rest = [
        {"holder": holder, "came_from": row["id"], "to": to, "origin": row["id"]} for row in members
    ]
    return [first, *rest]


def _move(transaction: Transaction, rows: Sequence[Row]) -> None:
    for name in MOVES:
        transaction.run(name, rows=list(rows))
