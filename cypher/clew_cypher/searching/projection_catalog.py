"""Which GDS projections exist for a corpus, and their end."""

from clew_cypher.ids import corpus_key
from clew_cypher.store import GraphStore

MENTIONS = "mentions"


def name_before_revision(corpus: str, kind: str) -> str:
    """Return the name of a projection of ``kind`` without its end, the corpus' revision."""
    return f"{_prefix(corpus)}{kind}-"


def drop_projections(store: GraphStore, corpus: str, keep: str | None = None) -> int:
    """Drop the projections of ``corpus`` except the one named ``keep``; return how many went."""
    rows = store.read("projection_names", prefix=_prefix(corpus))
    names = [row["name"] for row in rows if row["name"] != keep]
    for name in names:
        store.gds.graph.drop(name, fail_if_missing=False)
    return len(names)


def _prefix(corpus: str) -> str:
    return f"clew-{corpus_key(corpus)}-"
