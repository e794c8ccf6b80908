"""Entities by their names."""

from collections.abc import Iterator, Mapping, Sequence

from clew_cypher.errors import UnknownEntity
from clew_cypher.ids import ENTITY_KINDS, corpus_key, entity_id
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.searching.words import escape
from clew_cypher.store import GraphStore, Row

ALIAS_LIMIT = 50
"""Entities looked at for one name that may be another name of several."""
ALIAS_WORDS = 900
"""Lucene refuses a query of more than 1,024 terms."""


def find_entities(store: GraphStore, corpus: str, keys: Sequence[str]) -> list[Row]:
    """Return the entities that go by these normalised names, in the order of ``keys``.

    Rows {asked, id, key, name, type, matched, chunk_count}; ``asked``: the key of ``keys``;
    ``matched``: 'name', or 'alias' where the key is another name of the entity; "ed wood" is the
    name of one entity and an alias of "ed wood (film)". Entities of that name come first (homonyms
    of several kinds are several), then those with the alias, in most chunks first. Concepts, which
    name nothing, are left out. ``chunk_count``: how many chunks hold the entity.
    """
    wanted = [key for key in dict.fromkeys(keys) if escape(key)]
    if not wanted:
        return []
    phrases = " ".join(f'aliases:"{_quoted(key)}"' for key in _few_words(wanted))
    rows = store.read(
        "entities_named",
        corpus=corpus,
        ids=sorted(entity_id(corpus, key, kind) for key in wanted for kind in ENTITY_KINDS),
        query=f"+corpus_key:{corpus_key(corpus)}^0 +({phrases})",
        limit=ALIAS_LIMIT * len(wanted),
    )
    rows.sort(key=lambda row: (-row["chunk_count"], row["id"]))
    found: list[Row] = []
    for key in wanted:
        found += [_found(row, key, "name") for row in rows if row["key"] == key]
        found += [
            _found(row, key, "alias") for row in rows if row["key"] != key and key in row["aliases"]
        ]
    return found


def entities_by_id(store: GraphStore, corpus: str, ids: Sequence[str]) -> list[Row]:
    """Return rows {id, key, name, type, aliases, chunk_count} in the order of ``ids``.

    Ids that the corpus does not have are left out. A concept is in no chunk.
    """
    rows = store.read("entities_by_id", corpus=corpus, ids=list(dict.fromkeys(ids)))
    by_id = {row["id"]: row for row in rows}
    return [by_id[key] for key in dict.fromkeys(ids) if key in by_id]


def search_entities(store: GraphStore, corpus: str, text: str, limit: int = 20) -> list[Row]:
    """Return entities whose name, or another name, has all words of ``text``, best first.

    ``text``: normalised, as the names in the index are; its last word may be the beginning of one.
    Concepts are not found by name. Rows as of :func:`entities_by_id`, with ``score``.
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


def most_mentioned_entities(store: GraphStore, corpus: str, limit: int = 20) -> list[Row]:
    """Return the names that stand in most chunks, but for values, such as dates.

    Rows as of :func:`entities_by_id`. Reads all entities of the corpus.
    """
    rows = store.read(
        "most_mentioned_entities", corpus=corpus, value_types=list(VALUE_TYPES), limit=limit
    )
    return sorted(rows, key=lambda row: (-row["chunk_count"], -row["triple_count"], row["key"]))


def entities_spelt_like(
    store: GraphStore, corpus: str, words: Mapping[str, int], limit: int = 50
) -> list[Row]:
    """Return entities whose names have all ``words``, each with as many letters wrong as it says.

    ``words``: the most wrong letters (Damerau–Levenshtein; Lucene takes 0 to 2), by word. Rows as
    of :func:`search_entities`, the best first.
    """
    clauses = []
    for word, wrong in words.items():
        literal = escape(word)
        if literal:
            term = f"{literal}~{wrong}" if wrong else f"({literal})"
            clauses.append(f"+(key:{term} aliases:{term})")
    if not clauses:
        return []
    query = f"+corpus_key:{corpus_key(corpus)}^0 {' '.join(clauses)}"
    rows = store.read("search_entities", query=query, corpus=corpus, limit=limit * 5)
    rows.sort(key=lambda row: (-row["score"], -row["chunk_count"], row["key"]))
    return rows[:limit]


def document_entities(store: GraphStore, corpus: str, document_id: str, limit: int) -> list[Row]:
    """Return the entities of a document: its title, then what it names most often.

    Rows {id, key, name, type, mentions, chunk_count}; ``mentions``: in this document.
    """
    return store.read("document_entities", corpus=corpus, document_id=document_id, limit=limit)


def entity_under_id(store: GraphStore, corpus: str, entity_id: str) -> str:
    """Return the id of the entity that ``entity_id`` goes by: its own, unless it was merged.

    Raises UnknownEntity.
    """
    rows = store.read("entity_under_id", corpus=corpus, id=entity_id)
    if not rows:
        raise UnknownEntity(
            f"There is no entity {entity_id!r} in the corpus {corpus!r}.",
            remedy="Find it by its name.",
        )
    return str(rows[0]["id"])


def entity_passages(store: GraphStore, corpus: str, entity_id: str, limit: int) -> list[Row]:
    """Return the chunks that mention an entity, those that do so most often first.

    Rows {chunk_id, document_id, title, position, text, surfaces, mentions}; ``surfaces``: how it is
    written there.
    """
    return store.read("entity_passages", corpus=corpus, id=entity_id, limit=limit)


def entity_triples(store: GraphStore, corpus: str, entity_id: str, limit: int) -> list[Row]:
    """Return triples that have an entity as head or tail, by predicate.

    Rows {id, chunk_id, document_id, head_id, head, predicate, tail_id, tail, ttr, sentence,
    extractor, line}; ``line`` and no chunk where a knowledge base says it.
    """
    return store.read("entity_triples", corpus=corpus, id=entity_id, limit=limit)


def _few_words(keys: Sequence[str]) -> Iterator[str]:
    """Yield the first keys, as many as Lucene takes in one query."""
    words = 0
    for key in keys:
        words += len(key) // 2 + 1
        if words > ALIAS_WORDS and words > len(key) // 2 + 1:
            return
        yield key


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
