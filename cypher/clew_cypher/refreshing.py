"""Names and types of entities with many edges, which batches leave for the end of an ingest."""

from collections.abc import Callable
from functools import partial

from clew_cypher.store import GraphStore, Transaction

BATCH = 50
"""Entities a transaction; each may have very many edges."""


def refresh_stale_entities(
    store: GraphStore, corpus: str, cancelled: Callable[[], bool] = lambda: False
) -> int:
    """Give the entities that batches only marked their name and type; return how many those were.

    One that is not reached (``cancelled``, a crash) stays marked for the next call.
    """
    done = 0
    while not cancelled():
        ids = [row["id"] for row in store.read("stale_entities", corpus=corpus, limit=BATCH)]
        if not ids:
            break
        store.in_transaction(partial(_refresh, ids=ids))
        done += len(ids)
    return done


def _refresh(transaction: Transaction, ids: list[str]) -> None:
    transaction.run("lock_entities", ids=ids)
    transaction.run("refresh_entities", ids=ids)
