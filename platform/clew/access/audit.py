"""The audit log: who changed what, when, and how it ended. No secret, no text of a question."""

from clew.results.access import AuditEntry
from clew_cypher.access import audit as kept
from clew_cypher.store import GraphStore

LONGEST = 500
DONE = "done"


def record(
    store: GraphStore, who: str, action: str, target: str, outcome: str = DONE, address: str = ""
) -> None:
    """Add a line, now; what is longer than 500 characters is cut."""
    kept.record_audit(
        store,
        who=who[:LONGEST],
        action=action[:LONGEST],
        target=target[:LONGEST],
        outcome=outcome[:LONGEST],
        address=address[:LONGEST],
    )


def list_entries(
    store: GraphStore, who: str = "", action: str = "", limit: int = 50, offset: int = 0
) -> list[AuditEntry]:
    """Return a page of the log, newest first: of one person, and of actions that begin so."""
    rows = kept.list_audit(store, who=who, action=action, limit=limit, offset=offset)
    return [AuditEntry(**row) for row in rows]


def count_entries(store: GraphStore, who: str = "", action: str = "") -> int:
    """Return how many lines the log has in all: of one person, of actions that begin so."""
    return kept.count_audit(store, who=who, action=action)
