"""What drift there can be in a corpus: for each kind, what finds it and what repairs it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_cypher.kinds import KIND_OF_TYPE
from clew_cypher.searching.words import chunk_label
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.vectors import to_driver
from clew_cypher.writing.removal import in_steps, remove_chunks, remove_documents

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
Repair = Callable[[GraphStore, str, Sequence[Row], Embed], None]


@dataclass(frozen=True)
class Check:
    """One kind of drift in a corpus: the statement that finds it and what repairs it."""

    name: str
    description: str
    statement: str
    repair: Repair


def _ids(rows: Sequence[Row]) -> list[str]:
    return sorted(row["id"] for row in rows)


def _by_statement(name: str) -> Repair:
    def repair(store: GraphStore, corpus: str, rows: Sequence[Row], embed: Embed) -> None:
        store.write(name, ids=_ids(rows))

    return repair


def _refresh(store: GraphStore, corpus: str, rows: Sequence[Row], embed: Embed) -> None:
    store.write("refresh_entities", ids=_ids(rows), kinds=KIND_OF_TYPE)


def _remove_chunks(store: GraphStore, corpus: str, rows: Sequence[Row], embed: Embed) -> None:
    store.in_transaction(lambda transaction: remove_chunks(transaction, _ids(rows)))


def _remove_documents(store: GraphStore, corpus: str, rows: Sequence[Row], embed: Embed) -> None:
    in_steps(store, lambda transaction: remove_documents(transaction, corpus, _ids(rows)))


def _link(store: GraphStore, corpus: str, rows: Sequence[Row], embed: Embed) -> None:
    def link(transaction: Transaction) -> None:
        transaction.run("unlink_chunks", ids=_ids(rows))
        transaction.run("unlink_sentences", ids=_ids(rows))
        transaction.run("link_chunks", ids=_ids(rows))
        transaction.run("link_sentences", ids=_ids(rows))

    store.in_transaction(link)


def _label(store: GraphStore, corpus: str, rows: Sequence[Row], embed: Embed) -> None:
    store.write("label_chunks", corpus=corpus, label=chunk_label(corpus), limit=len(rows))


def _embed_nodes(label: str) -> Repair:
    def repair(store: GraphStore, corpus: str, rows: Sequence[Row], embed: Embed) -> None:
        store.write("embed_nodes", label=label, rows=_vectors(rows, embed))

    return repair


def _embed_triples(store: GraphStore, corpus: str, rows: Sequence[Row], embed: Embed) -> None:
    store.write("embed_triples", rows=_vectors(rows, embed))


def _vectors(rows: Sequence[Row], embed: Embed) -> list[Row]:
    vectors = embed([row["text"] for row in rows])
    return [
        {"id": row["id"], "embedding": to_driver(vector)}
        for row, vector in zip(rows, vectors, strict=True)
    ]


CHECKS = (
    Check(
        "records-without-file",
        "Records of a file that is gone.",
        "records_without_file",
        _remove_documents,
    ),
    Check(
        "chunks-without-document",
        "Chunks that belong to no document.",
        "chunks_without_document",
        _remove_chunks,
    ),
    Check(
        "chunks-of-another-version",
        "Chunks of a version that their document no longer has.",
        "chunks_of_another_version",
        _remove_chunks,
    ),
    Check(
        "sentences-without-chunk",
        "Sentences that stand in no chunk.",
        "sentences_without_chunk",
        _by_statement("delete_sentences"),
    ),
    Check(
        "triples-without-chunk",
        "Triples that no chunk states.",
        "triples_without_chunk",
        _by_statement("delete_triples"),
    ),
    Check(
        "triples-without-sentence",
        "Triples that name a sentence which is not there.",
        "triples_without_sentence",
        _by_statement("forget_sentences_of_triples"),
    ),
    Check(
        "entities-without-support",
        "Entities that no chunk mentions and no triple needs.",
        "entities_without_support",
        _by_statement("delete_orphan_entities"),
    ),
    Check(
        "merged-entities-astray",
        "Merged entities that go by no other.",
        "merged_entities_astray",
        _by_statement("delete_merged_entities"),
    ),
    Check(
        "reviews-of-nothing",
        "Pairs to review of which one is gone.",
        "reviews_of_nothing",
        _by_statement("delete_reviews"),
    ),
    Check(
        "entities-to-refresh",
        "Entities of many mentions that an ingest which stopped has not named anew.",
        "stale_entities",
        _refresh,
    ),
    Check(
        "entities-with-other-names",
        "Entities whose name or type none of their mentions gives them.",
        "entities_with_other_names",
        _refresh,
    ),
    Check(
        "documents-out-of-order",
        "Documents whose chunks or sentences are not one chain.",
        "documents_out_of_order",
        _link,
    ),
    Check(
        "miscounted-documents",
        "Documents that say another number of chunks than they have.",
        "miscounted_documents",
        _by_statement("recount_documents"),
    ),
    Check(
        "leftover-bytes",
        "Bytes of files that are ready: their text is in their chunks.",
        "leftover_blobs",
        _by_statement("delete_blobs"),
    ),
    Check(
        "chunks-without-words",
        "Chunks that the full-text index does not find.",
        "chunks_without_words",
        _label,
    ),
    Check(
        "chunks-without-vector",
        "Chunks without an embedding.",
        "chunks_without_vector",
        _embed_nodes("Chunk"),
    ),
    Check(
        "sentences-without-vector",
        "Sentences without an embedding.",
        "sentences_without_vector",
        _embed_nodes("Sentence"),
    ),
    Check(
        "entities-without-vector",
        "Entities without an embedding.",
        "entities_of_corpus_without_vector",
        _embed_nodes("Entity"),
    ),
    Check(
        "triples-without-vector",
        "Triples whose text has no embedding.",
        "triples_without_vector",
        _embed_triples,
    ),
)
"""Every check, in the order in which they are made: a repair may bring what a later one finds."""
