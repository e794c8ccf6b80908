"""Documents, their passages and the graph around them, as the facade's types. Loads no model."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from clew.errors import InvalidRequest
from clew.results.document import (
    ChunkProvenance,
    ChunkText,
    DocumentDetail,
    DocumentInfo,
    EntityInfo,
    FoundEntity,
    NamedDocument,
    SentenceProvenance,
    TripleInfo,
)
from clew.results.graph import Graph, GraphEdge, GraphNode
from clew_cypher import corpora as graph_corpora
from clew_cypher.addresses import plain
from clew_cypher.errors import UnknownDocument
from clew_cypher.searching import chunks as graph_chunks
from clew_cypher.searching import documents as graph_documents
from clew_cypher.searching import entities as graph_entities
from clew_cypher.searching import subgraph as graph_subgraph
from clew_cypher.store import GraphStore
from clew_cypher.writing import knowledge_bases as graph_bases
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.reading.sources import local_path

DOCUMENT_ENTITIES = 40
DOCUMENT_TRIPLES = 500
SAME_NAMES = 5
"""Documents of one name that are listed, where one was asked for."""


def documents(
    store: GraphStore,
    corpus_name: str,
    status: str | None = None,
    query: str | None = None,
    parent_id: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[DocumentInfo]:
    """Return a page of documents, newest first. Raises UnknownCorpus."""
    rows = graph_documents.list_documents(
        store,
        corpus_name,
        status=status,
        query=query,
        parent_id=parent_id,
        limit=limit,
        offset=offset,
    )
    return [_document(row) for row in rows]


def count_documents(
    store: GraphStore,
    corpus_name: str,
    status: str | None = None,
    query: str | None = None,
    parent_id: str | None = None,
) -> int:
    """Return how many documents the pages of ``documents`` have together. Raises UnknownCorpus."""
    graph_corpora.get_corpus(store, corpus_name)
    return graph_documents.count_documents(
        store, corpus_name, status=status, parent_id=parent_id, query=query
    )


def document(
    store: GraphStore, corpus_name: str, document_id: str, line: int | None = None
) -> DocumentDetail:
    """Return a document with its text, the entities it mentions most and its first triples; of a
    knowledge base also those of ``line``.
    """
    row = graph_documents.get_document(store, corpus_name, document_id)
    chunks = graph_documents.document_text(store, corpus_name, document_id)
    entities = graph_entities.document_entities(
        store, corpus_name, document_id, limit=DOCUMENT_ENTITIES
    )
    if row["kind"] == "knowledge-base":
        entities = graph_bases.entities_of_page(store, corpus_name, document_id, DOCUMENT_ENTITIES)
        triples = graph_bases.lines_of_page(store, corpus_name, document_id, DOCUMENT_TRIPLES, line)
    else:
        triples = graph_chunks.document_triples(
            store, corpus_name, document_id, limit=DOCUMENT_TRIPLES
        )
    return DocumentDetail(
        document=_document(row),
        chunks=tuple(
            ChunkText(
                id=chunk["id"],
                position=chunk["position"],
                text=chunk["text"],
                pages=tuple(chunk["pages"]),
                headings=tuple(chunk["headings"]),
            )
            for chunk in chunks
        ),
        entities=tuple(entity_info(entity) for entity in entities),
        triples=tuple(_triple(triple) for triple in triples),
    )


def provenance(store: GraphStore, corpus_name: str, chunk_id: str) -> ChunkProvenance:
    """Return a chunk with its sentences, their entities and triples. Raises UnknownChunk."""
    graph_corpora.get_corpus(store, corpus_name)
    row = graph_chunks.chunk_provenance(store, corpus_name, chunk_id)
    known = {sentence["id"] for sentence in row["sentences"]}
    by_sentence: dict[str | None, list[TripleInfo]] = {}
    for triple in row["triples"]:
        stated_by = triple["sentence_id"] if triple["sentence_id"] in known else None
        by_sentence.setdefault(stated_by, []).append(_triple(triple))
    return ChunkProvenance(
        id=row["id"],
        document_id=row["document_id"],
        document=row["document"],
        position=row["position"],
        title=row["title"] or "",
        text=row["text"],
        mentions=_found(row["mentions"]),
        sentences=tuple(
            SentenceProvenance(
                id=sentence["id"],
                text=sentence["text"],
                heads=_found(sentence["heads"]),
                tails=_found(sentence["tails"]),
                names=tuple(NamedDocument(**named) for named in sentence["names"]),
                triples=tuple(by_sentence.get(sentence["id"], ())),
            )
            for sentence in row["sentences"]
        ),
        triples=tuple(by_sentence.get(None, ())),
    )


def original(store: GraphStore, corpus_name: str, document_id: str) -> str | Path | None:
    """Return where a document's original can be had: the address of a page, or a file.

    A file counts only as long as it holds what was ingested. None for an upload, whose bytes are
    not kept, and for what has changed or is gone. Of a record: its file's. Raises UnknownDocument.
    """
    row = graph_documents.get_document(store, corpus_name, document_id)
    if row["parent_id"]:
        row = graph_documents.get_document(store, corpus_name, row["parent_id"])
    address = urlsplit(row["uri"])
    if address.scheme in ("http", "https"):
        return address.geturl()  # without the newlines that earlier versions took in
    if address.scheme != "file":
        return None
    path = Path(unquote(address.path))
    try:
        with path.open("rb") as file:
            same = hashlib.file_digest(file, "sha256").hexdigest() == row["sha256"]
    except OSError:
        return None
    return path if same else None


def resolve_document(
    store: GraphStore, corpus_name: str, text: str, folder: Path | None = None
) -> DocumentInfo:
    """Return the one document, or record of a file, that is called ``text``; see the facade."""
    text = _readable(text)
    try:
        return _document(graph_documents.get_document(store, corpus_name, text))
    except UnknownDocument:
        names = [text]
        if folder is not None or text.startswith("/"):
            path = Path(folder or "/", local_path(text))
            names += [f"file://{path}", f"file://{path.resolve()}"]
        called = graph_documents.documents_called(store, corpus_name, names, limit=SAME_NAMES + 1)
        if len(called) == 1:
            return _document(graph_documents.get_document(store, corpus_name, called[0]["id"]))
        if called:
            shown = [f"{row['id']} ({plain(row['uri'])})" for row in called[:SAME_NAMES]]
            more = " …" if len(called) > SAME_NAMES else ""
            raise InvalidRequest(
                f"Several documents are called {text!r}.",
                remedy=f"Give an id or an address: {', '.join(shown)}{more}.",
            ) from None
        graph_corpora.get_corpus(store, corpus_name)
        raise


def _readable(text: str) -> str:
    """Return what a person typed; a file's name of bytes that are no UTF-8 as addresses have it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return quote(os.fsencode(text))
    return text


def neighbourhood(store: GraphStore, corpus_name: str, entity_id: str, limit: int) -> Graph:
    """Return an entity with what is next to it."""
    return _graph(graph_subgraph.neighbourhood(store, corpus_name, entity_id, limit))


def path_between(store: GraphStore, corpus_name: str, a: str, b: str) -> Graph:
    """Return the shortest way from one entity to another; empty where there is none."""
    return _graph(graph_subgraph.path_between(store, corpus_name, a, b))


def answer_graph(
    store: GraphStore,
    corpus_name: str,
    entity_ids: Sequence[str],
    chunk_ids: Sequence[str],
    limit: int,
) -> Graph:
    """Return the part of the graph that joins these entities and chunks."""
    return _graph(graph_subgraph.answer_subgraph(store, corpus_name, entity_ids, chunk_ids, limit))


def find_entities(store: GraphStore, corpus_name: str, text: str, limit: int) -> list[EntityInfo]:
    """Return entities by the words of their names, in either case, with or without accents; without
    a text those of most chunks.
    """
    graph_corpora.get_corpus(store, corpus_name)
    if not text.strip():
        rows = graph_entities.most_mentioned_entities(store, corpus_name, limit)
        return [entity_info(row) for row in rows]
    # the index holds keys: neither "Zürich" nor "zu¨rich" is a word of it
    rows = graph_entities.search_entities(store, corpus_name, normalise_name(text), limit)
    return [entity_info(row) for row in rows]


def _document(row: Mapping[str, Any]) -> DocumentInfo:
    return DocumentInfo(
        id=row["id"],
        uri=row["uri"],
        title=row["title"],
        media_type=row["media_type"],
        kind=row["kind"],
        status=row["status"],
        error=row["error"],
        parent_id=row["parent_id"],
        bytes=row["bytes"],
        chunks=row["chunks"] or 0,
        records=row.get("records") or 0,
        accepted_at=_text(row["accepted_at"]) or "",
        ready_at=_text(row["ready_at"]),
        triples=row["triples"],
        seconds=row["seconds"],
        llm_calls=row["llm_calls"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        failed_chunks=row["failed_chunks"],
        left_out=row["left_out"],
    )


def _text(moment: Any) -> str | None:
    if moment is None:
        return None
    return str(moment.iso_format()) if hasattr(moment, "iso_format") else str(moment)


def entity_info(row: Mapping[str, Any]) -> EntityInfo:
    """Return an entity of the graph layer's row."""
    return EntityInfo(
        id=row["id"],
        name=row["name"],
        type=row["type"] or "",
        chunk_count=row["chunk_count"],
        triple_count=row.get("triple_count", 0),
    )


def _found(rows: Sequence[Mapping[str, Any]]) -> tuple[FoundEntity, ...]:
    return tuple(
        FoundEntity(id=row["id"], name=row["name"], type=row["type"] or "") for row in rows
    )


def _triple(row: Mapping[str, Any]) -> TripleInfo:
    return TripleInfo(
        head=row["head"],
        predicate=row["predicate"],
        tail=row["tail"],
        text=row["ttr"],
        sentence=row["sentence"],
        extractor=row["extractor"],
        chunk_id=row["chunk_id"],
        head_id=row["head_id"],
        tail_id=row["tail_id"],
        line=row.get("line"),
    )


def _graph(found: graph_subgraph.Subgraph) -> Graph:
    return Graph(
        nodes=tuple(
            GraphNode(
                id=node.id,
                kind=node.kind,
                label=node.label,
                type=node.type,
                size=node.size,
                text=node.text,
                document_id=node.document_id,
            )
            for node in found.nodes
        ),
        edges=tuple(
            GraphEdge(
                source=edge.source,
                target=edge.target,
                kind=edge.kind,
                weight=edge.weight,
                text=edge.text,
            )
            for edge in found.edges
        ),
        truncated=found.truncated,
    )
