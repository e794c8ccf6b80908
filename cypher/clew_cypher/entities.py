"""Entities by their names."""

from collections.abc import Sequence

from clew_cypher.full_text import escape
from clew_cypher.ids import content_id, corpus_key
from clew_cypher.store import GraphStore, Row

ALIAS_LIMIT = 50
"""Entities looked at for one name that may be another name of several."""


def find_entities(store: GraphStore, corpus: str, keys: Sequence[str]) -> list[Row]:
    """Return the entities that go by these normalised names, in the order of ``keys``.

    Rows {asked, id, key, name, type, matched, chunk_count}; ``asked``: the key of ``keys``;
    ``matched``: 'name', or 'alias' where the key is another name of the entity; "ed wood" is the
    name of one entity and an alias of "ed wood (film)". The entity of that name comes first, then
    those with the alias, in most chunks first. ``chunk_count``: how many chunks hold the entity.
    """
    wanted = list(dict.fromkeys(keys))
    ids = {content_id("e", corpus, key): key for key in wanted}
    rows = store.read("entities_by_id", corpus=corpus, ids=sorted(ids))
    found: dict[str, list[Row]] = {key: [] for key in wanted}
    for row in rows:
        found[ids[row["id"]]].append(_found(row, ids[row["id"]], "name"))
    for key, named in _by_alias(store, corpus, wanted).items():
        found[key] += [_found(row, key, "alias") for row in named if row["key"] != key]
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


def document_entities(store: GraphStore, corpus: str, document_id: str, limit: int) -> list[Row]:
    """Return the entities of a document: its title, then what it names most often.

    Rows {id, key, name, type, mentions, chunk_count}; ``mentions``: in this document.
    """
    return store.read("document_entities", corpus=corpus, document_id=document_id, limit=limit)


def _by_alias(store: GraphStore, corpus: str, keys: Sequence[str]) -> dict[str, list[Row]]:
    phrases = [
        f'aliases:"{_quoted(key)}"'
        for key in keys
        if escape(key).replace("\\", "").replace('"', "")
    ]
    if not phrases:
        return {}
    query = f"+corpus_key:{corpus_key(corpus)}^0 +({' '.join(phrases)})"
    rows = store.read(
        "search_entities", query=query, corpus=corpus, limit=ALIAS_LIMIT * len(phrases)
    )
    rows.sort(key=lambda row: (-row["chunk_count"], row["id"]))
    return {key: [row for row in rows if key in row["aliases"]] for key in keys}


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
