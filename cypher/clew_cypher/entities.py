"""Entities by their names."""

from collections.abc import Sequence

from clew_cypher.full_text import escape
from clew_cypher.ids import content_id, corpus_key
from clew_cypher.store import GraphStore, Row

ALIAS_LIMIT = 50
"""Entities looked at for one name that is no entity's own."""


def find_entities(store: GraphStore, corpus: str, keys: Sequence[str]) -> list[Row]:
    """Return the entities with these normalised names, in the order of ``keys``.

    Rows {asked, id, key, name, type, matched, chunk_count}; ``asked``: the key of ``keys``;
    ``matched``: 'name', or 'alias' where the key is another name of the entity (then there may
    be several, those in most chunks first). ``chunk_count``: how many chunks hold the entity.
    """
    wanted = list(dict.fromkeys(keys))
    ids = {content_id("e", corpus, key): key for key in wanted}
    rows = store.read("entities_by_id", corpus=corpus, ids=sorted(ids))
    found: dict[str, list[Row]] = {
        ids[row["id"]]: [_found(row, ids[row["id"]], "name")] for row in rows
    }
    for key in wanted:
        if key not in found:
            found[key] = [_found(row, key, "alias") for row in _by_alias(store, corpus, key)]
    return [row for key in wanted for row in found[key]]


def entities_by_id(store: GraphStore, corpus: str, ids: Sequence[str]) -> list[Row]:
    """Return rows {id, key, name, type, aliases, chunk_count} in the order of ``ids``.

    Ids that the corpus does not have are left out.
    """
    rows = store.read("entities_by_id", corpus=corpus, ids=list(dict.fromkeys(ids)))
    by_id = {row["id"]: row for row in rows}
    return [by_id[key] for key in dict.fromkeys(ids) if key in by_id]


def search_entities(store: GraphStore, corpus: str, text: str, limit: int = 20) -> list[Row]:
    """Return entities whose name, or another name, has all words of ``text``, best first.

    The last word may be the beginning of one. Rows as of :func:`entities_by_id`, with ``score``.
    """
    words = escape(text).split()
    if not words:
        return []
    last = words[-1]
    clauses = [f"+(key:({word}) aliases:({word}))" for word in words[:-1]]
    clauses.append(f"+(key:({last}) key:{last}* aliases:({last}) aliases:{last}*)")
    query = f"+corpus_key:{corpus_key(corpus)}^0 {' '.join(clauses)}"
    rows = store.read("search_entities", query=query, corpus=corpus, limit=limit * 5)
    rows.sort(key=lambda row: (-row["score"], -row["chunk_count"], row["key"]))
    return rows[:limit]


def _by_alias(store: GraphStore, corpus: str, key: str) -> list[Row]:
    words = escape(key).replace("\\", "").replace('"', "")
    if not words:
        return []
    query = f'+corpus_key:{corpus_key(corpus)}^0 +aliases:"{_quoted(key)}"'
    rows = store.read("search_entities", query=query, corpus=corpus, limit=ALIAS_LIMIT)
    named = [row for row in rows if key in row["aliases"]]
    return sorted(named, key=lambda row: (-row["chunk_count"], row["id"]))


def _quoted(text: str) -> str:
    """Return ``text`` for use within quotation marks of Lucene's query language."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _found(row: Row, asked: str, matched: str) -> Row:
    return {
        "asked": asked,
        "id": row["id"],
        "key": row["key"],
        "name": row["name"],
        "type": row["type"],
        "matched": matched,
        "chunk_count": row["chunk_count"],
    }
