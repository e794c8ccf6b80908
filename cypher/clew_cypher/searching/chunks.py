"""Chunks as the reader gets them, what they state, and the texts that caches know them by."""

from collections.abc import Collection, Iterator, Sequence

from clew_cypher.errors import UnknownChunk
from clew_cypher.store import GraphStore, Row

DOCUMENTS = 200
"""Documents whose texts are read together."""

TEXTS = 1000
"""Texts of a corpus that are read together."""


def chunks_by_id(store: GraphStore, corpus: str, ids: Sequence[str]) -> list[Row]:
    """Return rows {id, document_id, title, text, position} in the order of ``ids``.

    Ids that the corpus does not have are left out; so is what is deleted while it is read, whose
    properties are null then.
    """
    rows = store.read("chunks_by_id", corpus=corpus, ids=list(ids))
    by_id = {row["id"]: row for row in rows if None not in row.values()}
    return [by_id[key] for key in dict.fromkeys(ids) if key in by_id]


def chunks_of_document(store: GraphStore, corpus: str, document_id: str, limit: int) -> list[Row]:
    """Return the chunks of a document in its order, at most ``limit``: rows as of
    :func:`chunks_by_id`."""
    rows = store.read("chunks_of_document", corpus=corpus, document_id=document_id, limit=limit)
    return [row for row in rows if None not in row.values()]


def first_chunks_with_fields(store: GraphStore, corpus: str, most: int) -> list[Row]:
    """Return where documents that have fields begin, by title, none where they are more than
    ``most``: rows as of :func:`chunks_by_id`."""
    rows = store.read("first_chunks_with_fields", corpus=corpus, limit=most + 1)
    return [] if len(rows) > most else [row for row in rows if None not in row.values()]


def first_chunks_of_documents(store: GraphStore, corpus: str, ids: Collection[str]) -> list[Row]:
    """Return where those of the documents begin that have fields: rows as of
    :func:`chunks_by_id`, by title."""
    return store.read("first_chunks_of_documents", corpus=corpus, ids=sorted(ids))


def documents_with_originals(store: GraphStore, ids: Collection[str]) -> set[str]:
    """Return which of the documents have an original that may be had: no upload has."""
    if not ids:
        return set()
    return {row["id"] for row in store.read("documents_with_originals", ids=sorted(ids))}


def texts_of_documents(store: GraphStore, corpus: str, ids: Sequence[str]) -> Iterator[str]:
    """Yield the texts of all chunks of documents, and of their records where they are files."""
    for start in range(0, len(ids), DOCUMENTS):
        some = list(ids[start : start + DOCUMENTS])
        for row in store.read("texts_of_documents", corpus=corpus, ids=some):
            yield row["text"]


def texts_of_corpus(store: GraphStore, corpus: str) -> Iterator[str]:
    """Yield the texts of all chunks of a corpus, in the order of their ids."""
    after = ""
    while rows := store.read("texts_of_corpus", corpus=corpus, after=after, limit=TEXTS):
        for row in rows:
            yield row["text"]
        after = rows[-1]["id"]


def document_triples(store: GraphStore, corpus: str, document_id: str, limit: int) -> list[Row]:
    """Return a document's triples in the order of its text, at most ``limit``.

    Rows {id, chunk_id, head_id, head, predicate, tail_id, tail, ttr, sentence, extractor};
    ``sentence``: None where the extractor does not say which.
    """
    return store.read("document_triples", corpus=corpus, document_id=document_id, limit=limit)


def chunk_provenance(store: GraphStore, corpus: str, chunk_id: str) -> Row:
    """Return a chunk with what was found in it: {id, document_id, document, position, title, text,
    mentions, sentences, triples}.

    ``sentences``: rows {id, text, heads, tails, names} in their order; ``triples`` as of
    :func:`document_triples`, with sentence_id. Raises UnknownChunk.
    """
    rows = store.read("chunk_provenance", corpus=corpus, id=chunk_id)
    if not rows:
        raise UnknownChunk(
            f"There is no chunk {chunk_id!r} in the corpus {corpus!r}.",
            remedy="A new version of its document may have taken its place: open the document.",
        )
    return {
        **rows[0],
        "sentences": store.read("chunk_sentences", corpus=corpus, id=chunk_id),
        "triples": store.read("chunk_triples", corpus=corpus, id=chunk_id),
    }
