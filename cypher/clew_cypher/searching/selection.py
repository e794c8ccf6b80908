"""Some of a corpus' documents: what they are chosen by, and their chunks nearest to a question."""

from collections.abc import Iterator, Sequence

from clew_cypher.corpora import get_corpus
from clew_cypher.rows import Vector
from clew_cypher.store import GraphStore, Row
from clew_cypher.vectors import check_dimension, to_driver


def selectable_documents(store: GraphStore, corpus: str) -> Iterator[Row]:
    """Yield the documents of a corpus of which a version can be searched: rows {id, uri, title,
    file_uri, accepted_at (ISO 8601), metadata (JSON or None), chunks}. Raises UnknownCorpus.
    """
    get_corpus(store, corpus)
    yield from store.stream("selectable_documents", corpus=corpus)


def nearest_of_documents(
    store: GraphStore, corpus: str, document_ids: Sequence[str], vector: Vector, limit: int
) -> list[tuple[str, float]]:
    """Return the chunks of documents nearest to ``vector`` [D], with (1 + cosine) / 2."""
    check_dimension([vector], get_corpus(store, corpus).dimension, corpus)
    rows = store.read(
        "nearest_of_documents",
        corpus=corpus,
        document_ids=list(document_ids),
        vector=to_driver(vector),
        limit=limit,
    )
    return [(row["id"], float(row["score"])) for row in rows]
