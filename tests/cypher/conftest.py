"""A small graph made of capitalised words: enough structure to check the graph layer by hand."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest

from clew_cypher.corpora import ensure_corpus
from clew_cypher.ids import content_id, entity_id
from clew_cypher.rows import (
    ChunkRow,
    DocumentRow,
    EntityRow,
    GraphBatch,
    MentionRow,
    RoleRow,
    SentenceRow,
    Vector,
)
from clew_cypher.store import GraphStore
from clew_cypher.titles.linking import link_titles
from clew_cypher.writing.documents import accept_document
from clew_cypher.writing.removal import settle_entities
from clew_cypher.writing.writer import WriteCounts, write_batch

DIMENSION = 384
EMBEDDER = "hash"


def accept(store: GraphStore, corpus: str, batch: GraphBatch, data: bytes = b"x") -> bool:
    """Accept a batch's documents, before it is written; say whether each is to be indexed."""
    accepted = [
        accept_document(
            store,
            corpus,
            uri=row.uri,
            title=row.title,
            media_type=row.media_type,
            sha256=row.sha256,
            data=data,
            fingerprint=row.fingerprint,
        )
        for row in batch.documents
    ]
    return all(document.changed for document in accepted)


def vector_of(text: str) -> Vector:
    """A unit vector that depends on the text alone."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    return vector / np.linalg.norm(vector)


def names_in(text: str) -> list[str]:
    return re.findall(r"[A-Z][a-z]+|\b\d{4}\b", text)


def batch_of(
    corpus: str,
    title: str,
    chunks: Sequence[str],
    *,
    uri: str | None = None,
    aliases: Sequence[str] = (),
    parent_id: str | None = None,
    metadata: str | None = None,
) -> GraphBatch:
    """A document whose capitalised words and years are entities; the first of a sentence heads."""
    uri = uri or f"{title}.txt"
    document_id = content_id("d", corpus, uri)
    version = hashlib.sha256("\n".join([title, *chunks]).encode()).hexdigest()
    entities: dict[str, EntityRow] = {}
    chunk_rows, sentences, mentions, roles = [], [], [], []

    def entity(name: str) -> str:
        key = name.lower()
        entity_id = content_id("e", corpus, key)
        entities[entity_id] = EntityRow(entity_id, key, vector_of(key))
        return entity_id

    for position, text in enumerate(chunks):
        chunk_id = content_id("c", document_id, str(position), text)
        chunk_rows.append(
            ChunkRow(chunk_id, document_id, position, title, text, vector_of(f"{title}\n{text}"))
        )
        for number, sentence in enumerate(re.findall(r"[^.]+\.", text)):
            plain = sentence.strip()
            sentence_id = content_id("s", chunk_id, str(number), plain)
            hyperrelation = re.sub(r"[A-Z][a-z]+", "##", plain)
            sentences.append(
                SentenceRow(sentence_id, chunk_id, number, plain, hyperrelation, vector_of(plain))
            )
            for i, name in enumerate(dict.fromkeys(names_in(plain))):
                kind = "DATE" if name.isdigit() else "PERSON"
                roles.append(RoleRow(entity(name), sentence_id, "tail" if i else "head", kind))
        counts = Counter(names_in(text))
        for name in dict.fromkeys([title, *counts]):
            kind = "DATE" if name.isdigit() else "PERSON" if counts[name] else ""
            mentions.append(
                MentionRow(
                    entity(name),
                    chunk_id,
                    counts[name],
                    name,
                    kind,
                    name == title,
                    tuple(aliases) if name == title else (),
                )
            )
    row = DocumentRow(document_id, uri, title, "text/plain", version, parent_id, metadata)
    return GraphBatch(
        documents=(row,),
        chunks=chunk_rows,
        sentences=sentences,
        entities=tuple(entities.values()),
        mentions=mentions,
        roles=roles,
        finished=(document_id,),
    )


Ingest = Callable[..., WriteCounts]


@pytest.fixture
def ingest(store: GraphStore, corpus: str) -> Ingest:
    """Accepts, writes and links one document: ``ingest("Ada", ["Ada knew Byron."])``."""
    ensure_corpus(store, corpus, embedder=EMBEDDER, dimension=DIMENSION)

    def write(
        title: str, chunks: Sequence[str], *, into: str = corpus, **more: object
    ) -> WriteCounts:
        ensure_corpus(store, into, embedder=EMBEDDER, dimension=DIMENSION)
        batch = batch_of(into, title, chunks, **more)  # type: ignore[arg-type]
        row = batch.documents[0]
        if row.parent_id is None:
            accept(store, into, batch, "\n".join(chunks).encode())
        counts = write_batch(store, into, batch)
        link_titles(store, into)
        return counts

    return write


@pytest.fixture
def make_batch(store: GraphStore, corpus: str) -> Callable[..., GraphBatch]:
    """``make_batch("Ada", ["Ada knew Byron."])`` in the test's corpus, which exists then."""
    ensure_corpus(store, corpus, embedder=EMBEDDER, dimension=DIMENSION)
    return partial(batch_of, corpus)


@pytest.fixture
def vector() -> Callable[[str], Vector]:
    """The vector of a text: of a chunk's title and text, a sentence, or an entity's key."""
    return vector_of


@pytest.fixture
def snapshot(store: GraphStore) -> Callable[[str], dict[str, object]]:
    """Everything a corpus holds except moments and revisions, to compare two states."""

    def take(corpus: str) -> dict[str, object]:
        nodes = store.run_declared(
            "CYPHER 25 MATCH (n:Document|Chunk|Sentence|Entity|MergedEntity|Merge|Review|Verdict "
            "{corpus: $corpus}) "
            "RETURN labels(n) AS labels, properties(n) AS properties ORDER BY n.id",
            {"corpus": corpus},
        )
        edges = store.run_declared(
            "CYPHER 25 MATCH (a {corpus: $corpus})-[r]->(b) RETURN a.id AS source, type(r) AS "
            "type, b.id AS target, properties(r) AS properties "
            "ORDER BY source, type, target, r.id, r.origin",
            {"corpus": corpus},
        )
        for node in nodes:
            for name in ("accepted_at", "ready_at", "created_at"):
                node["properties"].pop(name, None)
        return {"nodes": nodes, "edges": edges}

    return take


@pytest.fixture
def bytes_left(store: GraphStore) -> Callable[[str], int]:
    """How many parts of raw bytes a document has."""

    def count(document_id: str) -> int:
        return int(store.read("document_blobs", id=document_id)[0]["parts"])

    return count


@pytest.fixture
def merge(store: GraphStore, corpus: str) -> Callable[[str, str], None]:
    """``merge("lovelace", "ada")``: what a merge leaves in the graph, in its shortest form."""

    def run(merged: str, canonical: str) -> None:
        ids = {
            "m": entity_id(corpus, merged),
            "c": entity_id(corpus, canonical),
            "corpus": corpus,
        }
        for text in (
            "MATCH (m:Entity {id: $m})-[r:MENTIONED_IN]->(x) MATCH (c:Entity {id: $c}) "
            "CREATE (c)-[n:MENTIONED_IN]->(x) SET n = properties(r), n.origin = $m DELETE r",
            "MATCH (m:Entity {id: $m})-[r:HEAD_OF]->(x) MATCH (c:Entity {id: $c}) "
            "CREATE (c)-[n:HEAD_OF]->(x) SET n = properties(r), n.origin = $m DELETE r",
            "MATCH (m:Entity {id: $m})<-[r:HAS_TAIL]-(x) MATCH (c:Entity {id: $c}) "
            "CREATE (c)<-[n:HAS_TAIL]-(x) SET n = properties(r), n.origin = $m DELETE r",
            "MATCH (m:Entity {id: $m}) MATCH (c:Entity {id: $c}) "
            "REMOVE m:Entity SET m:MergedEntity "
            "CREATE (m)-[:MERGED_INTO {merge_id: 'g' + $corpus}]->(c) CREATE (:Merge "
            "{id: 'g' + $corpus, corpus: $corpus, canonical_id: $c, merged_ids: [$m]})",
        ):
            store.run_declared(f"CYPHER 25 {text}", ids)
        with store.transaction() as transaction:
            settle_entities(transaction, [ids["c"]])
        store.write("bump_revision", corpus=corpus)

    return run
