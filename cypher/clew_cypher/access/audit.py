"""The log of who changed what."""

import secrets

from clew_cypher.store import GraphStore, Row


def record_audit(
    store: GraphStore, *, who: str, action: str, target: str, outcome: str, address: str
) -> None:
    """Add an entry, now."""
    store.write(
        "record_audit",
        id=f"l{secrets.token_hex(12)}",
        who=who,
        action=action,
        target=target,
        outcome=outcome,
        address=address,
    )


def list_audit(
    store: GraphStore, *, who: str = "", action: str = "", limit: int, offset: int
) -> list[Row]:
    """Return rows {id, at, who, action, target, outcome, address}, newest first."""
    return store.read("list_audit", who=who, action=action, limit=limit, offset=offset)


def count_audit(store: GraphStore, *, who: str = "", action: str = "") -> int:
    """Return how many entries `list_audit` has in all."""
    return int(store.read("count_audit", who=who, action=action)[0]["entries"])
