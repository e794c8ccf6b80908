"""Chunks as the reader gets them."""

from collections.abc import Sequence

from clew_cypher.store import GraphStore, Row


def chunks_by_id(store: GraphStore, corpus: str, ids: Sequence[str]) -> list[Row]:
    """Return rows {id, document_id, title, text, position} in the order of ``ids``.

    Ids that the corpus does not have are left out.
    """
    rows = store.read("chunks_by_id", corpus=corpus, ids=list(ids))
    by_id = {row["id"]: row for row in rows}
    return [by_id[key] for key in dict.fromkeys(ids) if key in by_id]
