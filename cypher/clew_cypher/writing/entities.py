"""Entities that writes touch: locked in one order, and shown anew when their mentions changed.

Two transactions that lock in the same order do not deadlock. What is read under the lock (who is
merged into whom, who is left without support) holds until the transaction ends.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from clew_cypher.kinds import KIND_OF_TYPE
from clew_cypher.store import GraphStore, Transaction


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


BATCH = 50
"""Entities a transaction; each may have very many edges."""


def refresh_stale_entities(
    store: GraphStore, corpus: str, cancelled: Callable[[], bool] = lambda: False
) -> int:
    """Give the entities that batches only marked their name and type; return how many those were.

    What they are called can be searched, so the revision grows. One that is not reached
    (``cancelled``, a crash) stays marked for the next call.
    """
    done = 0
    while not cancelled():
        ids = [row["id"] for row in store.read("stale_entities", corpus=corpus, limit=BATCH)]
        if not ids:
            break
        store.in_transaction(partial(_refresh, corpus=corpus, ids=ids))
        done += len(ids)
    return done


def _refresh(transaction: Transaction, corpus: str, ids: list[str]) -> None:
    transaction.run("lock_entities", ids=ids)
    transaction.run("refresh_entities", ids=ids, kinds=KIND_OF_TYPE)
    transaction.run("bump_revision", corpus=corpus)
