"""Documents: which there are, in which state and version, what they say, what they took."""

from collections.abc import Mapping, Sequence

from clew_cypher.addresses import UPLOAD, written, written_in_any_case
from clew_cypher.corpora import get_corpus
from clew_cypher.errors import UnknownDocument
from clew_cypher.store import GraphStore, Row


def list_documents(
    store: GraphStore,
    corpus: str,
    status: str | None = None,
    parent_id: str | None = None,
    query: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[Row]:
    """Return a page of documents, the newest first; raises UnknownCorpus.

    Rows {id, uri, title, media_type, status, error, kind, parent_id, bytes, chunks, triples,
    records, accepted_at, ready_at, seconds, llm_calls, prompt_tokens, completion_tokens,
    failed_chunks, left_out}: what indexing this version took (a file of records has none), on how
    many chunks an extractor failed (of a file of records: on theirs), and what of it could not be
    read. Without ``parent_id`` the records of files are left out; ``query``: part of a title or
    URI, as it is or decoded.
    """
    get_corpus(store, corpus)
    asked = {"status": status, "query": _forms(query), "limit": limit, "offset": offset}
    if parent_id is None:
        return store.read("list_documents", corpus=corpus, **asked)
    return store.read("list_records", corpus=corpus, parent_id=parent_id, **asked)


def count_documents(
    store: GraphStore,
    corpus: str,
    status: str | None = None,
    parent_id: str | None = None,
    query: str | None = None,
) -> int:
    """Return how many documents the pages of :func:`list_documents` have together."""
    return store.read(
        "count_documents",
        corpus=corpus,
        status=status,
        parent_id=parent_id,
        query=_forms(query),
    )[0]["total"]


def documents_called(store: GraphStore, corpus: str, names: Sequence[str], limit: int) -> list[Row]:
    """Return documents, and records of files, by what they are called: rows {id, uri}.

    That is their URI or title, as it is or decoded, or, for a name without a slash, the URI's last
    part.
    """
    forms = [form for name in names for form in written(name)]
    endings = [form for name in names if "/" not in name for form in written(name)]
    return store.read(
        "documents_called",
        corpus=corpus,
        names=[*forms, *(UPLOAD + form for form in forms)],
        endings=[f"/{form}" for form in endings],
        limit=limit,
    )


def documents_below(store: GraphStore, corpus: str, prefix: str) -> dict[str, str]:
    """Return the files and pages whose address begins with ``prefix``: address → id."""
    rows = store.read("documents_below", corpus=corpus, prefix=prefix)
    return {row["uri"]: row["id"] for row in rows}


def get_document(store: GraphStore, corpus: str, document_id: str) -> Row:
    """Return all that is known of a document, with how many ``records`` it has.

    Raises UnknownDocument.
    """
    rows = store.read("get_document", corpus=corpus, id=document_id)
    if not rows:
        raise unknown_document(document_id)
    return rows[0]


def is_ready(store: GraphStore, corpus: str, document_id: str) -> bool:
    """Whether the document is there and can be searched."""
    rows = store.read("get_document", corpus=corpus, id=document_id)
    return bool(rows) and rows[0]["status"] == "ready"


def is_searchable(store: GraphStore, corpus: str, document_id: str) -> bool:
    """Whether a version of the document can be searched, though a newer one may wait."""
    rows = store.read("get_document", corpus=corpus, id=document_id)
    return bool(rows) and rows[0]["ready_at"] is not None


def is_current(
    store: GraphStore, corpus: str, document_id: str, *, etag: str, fingerprint: str
) -> bool:
    """Whether the document is ready in the version that its server calls ``etag``, indexed with the
    settings of ``fingerprint``, and no extractor failed on it.
    """
    rows = store.read(
        "document_is_current", corpus=corpus, id=document_id, etag=etag, fingerprint=fingerprint
    )
    return bool(rows)


def document_text(store: GraphStore, corpus: str, document_id: str) -> list[Row]:
    """Return a document's chunks {id, position, text} in order; raises UnknownDocument."""
    get_document(store, corpus, document_id)
    return store.read("document_text", corpus=corpus, id=document_id)


def unchanged_records(
    store: GraphStore,
    corpus: str,
    parent_id: str,
    versions: Mapping[str, str],
    fingerprint: str | None = None,
) -> set[str]:
    """Return which records of a file are ready in their version, and no extractor failed on;
    ``versions``: SHA-256 by id, ``fingerprint``: the settings they are indexed with.
    """
    rows = [{"id": key, "sha256": versions[key]} for key in sorted(versions)]
    found = store.read(
        "unchanged_records",
        corpus=corpus,
        parent_id=parent_id,
        rows=rows,
        fingerprint=fingerprint,
    )
    return {row["id"] for row in found}


def corpus_costs(store: GraphStore, corpus: str) -> Row:
    """Return {documents, chunks, triples, seconds, llm_calls, prompt_tokens, completion_tokens},
    summed over the documents that are ready; zeros where there are none, or no such corpus.
    """
    return store.read("corpus_costs", corpus=corpus)[0]


def unknown_document(document_id: str) -> UnknownDocument:
    """Return the error of a document that is not there."""
    return UnknownDocument(
        f"There is no document {document_id!r} in this corpus.",
        remedy="`clew documents` lists them with their ids.",
    )


def _forms(query: str | None) -> list[str] | None:
    return None if query is None else written_in_any_case(query)
