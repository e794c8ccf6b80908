"""Locks on the entities that a transaction touches, taken in one order, and what was merged.

Two transactions that lock in the same order do not deadlock. What is read under the lock (who is
merged into whom, who is left without support) holds until the transaction ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew_cypher.store import Transaction


@dataclass(frozen=True)
class LockedEntities:
    """What is locked. ``canonical``: by the id of a merged entity, the one it goes by.

    ``ends``: the entities of the chunks that are cleared or removed, and ``origins`` the merged
    entities that edges of these chunks came from: both may lose their support.
    """

    canonical: dict[str, str]
    ends: frozenset[str]
    origins: frozenset[str]


def lock_entities(
    transaction: Transaction, chunk_ids: Sequence[str], entity_ids: Iterable[str] = ()
) -> LockedEntities:
    """Lock ``entity_ids``, what they are merged into, and the entities of the chunks.

    Entities of a chunk: those it mentions and the arguments of its triples.
    """
    asked, chunks = sorted(set(entity_ids)), sorted(chunk_ids)
    locked: set[str] = set()
    while True:
        ends = transaction.run("entities_of_chunks", ids=chunks) if chunks else []
        rows = transaction.run("merged_into", ids=asked) if asked else []
        canonical = {row["id"]: row["canonical_id"] for row in rows}
        wanted = {*asked, *(row["id"] for row in ends), *canonical.values()} - locked
        if not wanted:
            return LockedEntities(
                canonical,
                frozenset(row["id"] for row in ends),
                frozenset(row["origin"] for row in ends if row["origin"] is not None),
            )
        # a merge may have moved edges before we got the lock: look again, now under it
        transaction.run("lock_entities", ids=sorted(wanted))
        locked |= wanted
