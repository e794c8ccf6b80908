"""Full-text search: a question's words against Lucene's index, in one corpus."""

import re

from clew_cypher.store import GraphStore, Row
from clew_cypher.word_index import index_name

SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|<>=])')
"""What Lucene's query language gives a meaning."""
WORD_LIMIT = 200
"""Lucene refuses more than 1,024 clauses; a word is one in each field, or a few."""
MARGIN = 20
"""Hits asked for beyond the limit, so that ties at it are broken by id and not by age."""


def escape(text: str) -> str:
    """Return ``text`` as words that Lucene takes literally, each once, at most 200 of them."""
    # lower case takes AND, OR, NOT and TO their meaning
    words = dict.fromkeys(text.lower().split())
    return " ".join(SPECIAL.sub(r"\\\1", word) for word in list(words)[:WORD_LIMIT])


def search_chunks(store: GraphStore, corpus: str, question: str, limit: int) -> list[Row]:
    """Return at most ``limit`` rows {id, document_id, title, text, score}, best first.

    ``score``: BM25 over title and text, comparable within one question only; its word statistics
    are those of the corpus. Nothing for a question without a word.
    """
    words = escape(question)
    if not words:
        return []
    return store.read(
        "search_chunks",
        index=index_name(corpus),
        query=f"title:({words}) text:({words})",
        width=limit + MARGIN,
        limit=limit,
    )
