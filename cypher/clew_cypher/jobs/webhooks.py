"""Webhooks as they are kept, and what is to be told to them."""

from collections.abc import Sequence

from clew_cypher.store import GraphStore, Row


def create_webhook(
    store: GraphStore, webhook_id: str, *, url: str, secret: str, corpus: str, kinds: Sequence[str]
) -> Row:
    """Keep a webhook and return {id, url, corpus, kinds, created_at}."""
    rows = store.write(
        "create_webhook", id=webhook_id, url=url, secret=secret, corpus=corpus, kinds=list(kinds)
    )
    return dict(rows[0]["webhook"])


def list_webhooks(store: GraphStore, corpus: str | None = None) -> list[Row]:
    """Return such rows of one corpus, or of all, newest first."""
    return [row["webhook"] for row in store.read("list_webhooks", corpus=corpus)]


def get_webhook(store: GraphStore, webhook_id: str) -> Row | None:
    """Return one such row, None where there is none of that id."""
    rows = store.read("get_webhook", id=webhook_id)
    return rows[0]["webhook"] if rows else None


def delete_webhook(store: GraphStore, webhook_id: str) -> bool:
    """Delete a webhook with its deliveries; False where there is none of that id."""
    return bool(store.write("delete_webhook", id=webhook_id))


def enter_deliveries(store: GraphStore, overlap_s: float) -> None:
    """Enter a delivery for each webhook and job that ended since the last one entered, once.

    ``overlap_s``: so long before that jobs are looked at again. Writes nothing where none ended.
    """
    overlap_ms = int(overlap_s * 1000)
    if store.read("untold_jobs", overlap_ms=overlap_ms)[0]["jobs"]:
        store.write("enter_deliveries", overlap_ms=overlap_ms)


def take_delivery(store: GraphStore, lease_s: float) -> Row | None:
    """Take a delivery that is due, for so long, and its webhook, which is told of nothing else
    meanwhile: {id, attempt, age_s, silent, url, secret, job}; None: none is.

    ``age_s``: seconds since it was entered; ``silent``: tries of the webhook in a row before this
    one that had no answer; ``job`` is None where it is no longer kept.
    """
    rows = store.write("take_delivery", lease_ms=int(lease_s * 1000))
    return rows[0] if rows else None


def settle_delivery(
    store: GraphStore,
    delivery: Row,
    *,
    state: str,
    status: int | None,
    error: str | None,
    wait_s: float,
    silent: int,
    rest_s: float,
) -> None:
    """Note how a try ended; nothing where another process has taken the delivery since.

    ``wait_s``: until its next try; ``silent``: tries in a row without an answer, with this one;
    ``rest_s``: so long its webhook is told of nothing.
    """
    store.write(
        "settle_delivery",
        id=delivery["id"],
        attempt=delivery["attempt"],
        state=state,
        status=status,
        error=error,
        wait_ms=int(wait_s * 1000),
        silent=silent,
        rest_ms=int(rest_s * 1000),
    )


def list_deliveries(store: GraphStore, webhook_id: str, limit: int) -> list[Row]:
    """Return rows {id, job_id, state, attempt, status, error, created_at, tried_at, next_at}."""
    rows = store.read("list_deliveries", webhook_id=webhook_id, limit=limit)
    return [row["delivery"] for row in rows]


def retry_delivery(store: GraphStore, webhook_id: str, job_id: str) -> Row | None:
    """Have a delivery be due now and return such a row; None where there is none of that job."""
    rows = store.write("retry_delivery", id=f"{webhook_id}-{job_id}")
    return rows[0]["delivery"] if rows else None


def delete_old_deliveries(store: GraphStore, *, days: int, limit: int = 10_000) -> int:
    """Forget deliveries that were entered over ``days`` days ago, and whose jobs are forgotten;
    return how many.
    """
    return int(store.write("delete_old_deliveries", days=days, limit=limit)[0]["deleted"])
