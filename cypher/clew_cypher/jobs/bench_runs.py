"""The runs of the bench that are kept: what lists show of them, and their data in parts."""

from collections.abc import Sequence

from clew_cypher.ids import content_id
from clew_cypher.store import GraphStore, Row, Transaction

PART_BYTES = 4 * 2**20


def save_bench_run(
    store: GraphStore, run_id: str, *, created_at: str, info: str, figures: bytes, data: bytes
) -> None:
    """Keep a run, all of it or nothing; one of the same id is replaced.

    ``created_at``: ISO 8601 in UTC, what lists are ordered by; ``info``: JSON for lists;
    ``figures`` and ``data``: what was computed of the run and the whole run, both compressed by
    the caller.
    """

    def save(transaction: Transaction) -> None:
        transaction.run(
            "save_bench_run", id=run_id, created_at=created_at, info=info, figures=figures
        )
        transaction.run("drop_bench_run_parts", id=run_id)
        for position, start in enumerate(range(0, len(data), PART_BYTES)):
            transaction.run(
                "save_bench_run_part",
                id=run_id,
                part_id=content_id("r", run_id, str(position)),
                position=position,
                data=data[start : start + PART_BYTES],
            )

    store.in_transaction(save)


def list_bench_runs(store: GraphStore, limit: int) -> list[Row]:
    """Return rows {info, corpus_deleted} of the runs, newest first."""
    return store.read("list_bench_runs", limit=limit)


def mark_bench_runs(store: GraphStore, ids: Sequence[str]) -> None:
    """Say of runs that the corpus that they measured was deleted."""
    store.write("mark_bench_runs", ids=list(ids))


def bench_run_figures(store: GraphStore, run_id: str) -> bytes | None:
    """Return the figures of a run; None where there is no such run."""
    rows = store.read("bench_run_figures", id=run_id)
    return rows[0]["figures"] if rows else None


def bench_run_data(store: GraphStore, run_id: str) -> bytes | None:
    """Return the data of a run; None where there is no such run."""
    rows = store.read("bench_run_parts", id=run_id)
    if not rows:
        return None
    parts = (
        store.read("bench_run_part", id=run_id, position=position)[0]["data"]
        for position in range(rows[0]["parts"])
    )
    return b"".join(parts)


def delete_bench_run(store: GraphStore, run_id: str) -> bool:
    """Delete a run; return whether there was one."""

    def delete(transaction: Transaction) -> bool:
        transaction.run("drop_bench_run_parts", id=run_id)
        return bool(transaction.run("delete_bench_run", id=run_id)[0]["deleted"])

    return store.in_transaction(delete)
