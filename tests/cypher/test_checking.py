"""Drift is found by name, repaired, and gone then; a graph that is whole has none."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from clew_cypher.checking.checks import Finding, check_corpus, check_database
from clew_cypher.corpora import corpus_revision
from clew_cypher.errors import UnknownCorpus
from clew_cypher.schema import drop_index
from clew_cypher.searching.projections import mention_projection
from clew_cypher.searching.words import drop_word_index
from clew_cypher.store import GraphStore

ADA = ("Ada", ["Ada knew Byron. Byron wrote in 1816.", "Ada met Babbage."])
BABBAGE = ("Babbage", ["Babbage built Engines. Ada wrote to Babbage."])

DAMAGE = {
    "chunks-without-document": (
        "MATCH (:Chunk {corpus: $corpus, position: 1})-[r:PART_OF]->() DELETE r"
    ),
    "chunks-of-another-version": (
        "MATCH (c:Chunk {corpus: $corpus, position: 1}) SET c.version = 'x'"
    ),
    "sentences-without-chunk": (
        "MATCH (s:Sentence {corpus: $corpus})-[r:IN_CHUNK]->(:Chunk {position: 1}) DELETE r"
    ),
    "triples-without-chunk": (
        "MATCH ()-[r:RELATION {corpus: $corpus}]->() SET r.chunk_id = 'gone'"
    ),
    "triples-without-sentence": (
        "MATCH ()-[r:RELATION {corpus: $corpus}]->() SET r.sentence_id = 'gone'"
    ),
    "entities-without-support": (
        "CREATE (:Entity {id: 'e' + $corpus, corpus: $corpus, key: 'nobody', name: 'nobody', "
        "named: false, embedding: [x IN range(1, 384) | 0.1]})"
    ),
    "entities-with-other-names": (
        "MATCH (e:Entity {corpus: $corpus, key: 'ada'}) SET e.name = 'Someone'"
    ),
    "documents-out-of-order": ("MATCH (:Chunk {corpus: $corpus})-[r:NEXT_CHUNK]->() DELETE r"),
    "miscounted-documents": "MATCH (d:Document {corpus: $corpus, title: 'Ada'}) SET d.chunks = 7",
    "leftover-bytes": (
        "MATCH (d:Document {corpus: $corpus, title: 'Ada'}) "
        "CREATE (:Blob {id: 'b' + $corpus, position: 0})-[:BLOB_OF]->(d)"
    ),
    "records-without-file": (
        "MATCH (d:Document {corpus: $corpus, title: 'Babbage'}) SET d.parent_id = 'gone'"
    ),
    "chunks-without-words": (
        "MATCH (c:Chunk {corpus: $corpus, position: 1}) "
        "WITH c, [x IN labels(c) WHERE x <> 'Chunk'] AS others REMOVE c:$(others)"
    ),
    "chunks-without-vector": "MATCH (c:Chunk {corpus: $corpus}) REMOVE c.embedding",
    "sentences-without-vector": "MATCH (s:Sentence {corpus: $corpus}) REMOVE s.embedding",
    "entities-without-vector": "MATCH (e:Entity {corpus: $corpus}) REMOVE e.embedding",
    "triples-without-vector": (
        "MATCH ()-[r:RELATION {corpus: $corpus}]->() SET r.ttr = r.ttr + ' It rained.' "
        "REMOVE r.embedding"
    ),
    "merged-entities-astray": (
        "CREATE (:MergedEntity {id: 'm' + $corpus, corpus: $corpus, key: 'nobody'})"
    ),
    "title-links": "MATCH (:Sentence {corpus: $corpus})-[r:NAMES]->() DELETE r",
    "reviews-of-nothing": (
        "CREATE (:Review {id: 'r' + $corpus, corpus: $corpus, a: 'x', b: 'y', score: 0.5})"
    ),
}


def embed(texts: Sequence[str]) -> Any:
    return np.full((len(texts), 384), 1 / np.sqrt(384), dtype=np.float32)


@pytest.fixture
def whole(store: GraphStore, corpus: str, ingest: Callable) -> str:
    """A corpus of two documents and a triple."""
    ingest(*ADA)
    ingest(*BABBAGE)
    store.run_declared(
        "CYPHER 25 MATCH (s:Sentence {corpus: $corpus, position: 0})-[:IN_CHUNK]->"
        "(c:Chunk {title: 'Ada', position: 0}) "
        "MATCH (a:Entity {corpus: $corpus, key: 'ada'}) "
        "MATCH (b:Entity {corpus: $corpus, key: 'byron'}) "
        "CREATE (a)-[:RELATION {id: 't' + $corpus, corpus: $corpus, head: 'Ada', "
        "predicate: 'know', tail: 'Byron', ttr: s.text, chunk_id: c.id, sentence_id: s.id, "
        "extractor: 'rules', embedding: s.embedding}]->(b)",
        {"corpus": corpus},
    )
    return corpus


def wrong(findings: Sequence[Finding]) -> dict[str, int]:
    return {finding.check: finding.found for finding in findings if finding.found}


def test_a_graph_that_is_whole_has_no_drift(store: GraphStore, whole: str) -> None:
    findings = list(check_corpus(store, whole))
    assert wrong(findings) == {}
    assert {finding.check for finding in findings} >= set(DAMAGE)


def test_a_triple_whose_text_is_its_sentence_needs_no_vector(store: GraphStore, whole: str) -> None:
    store.run_declared(
        "MATCH ()-[r:RELATION {corpus: $corpus}]->() REMOVE r.embedding", {"corpus": whole}
    )
    assert wrong(list(check_corpus(store, whole))) == {}


@pytest.mark.parametrize("check", DAMAGE)
def test_drift_is_found_repaired_and_gone(store: GraphStore, whole: str, check: str) -> None:
    store.run_declared(f"CYPHER 25 {DAMAGE[check]}", {"corpus": whole})
    revision = corpus_revision(store, whole)
    found = wrong(list(check_corpus(store, whole)))
    assert found[check] >= 1
    assert corpus_revision(store, whole) == revision  # looking changes nothing
    repaired = {finding.check: finding for finding in check_corpus(store, whole, embed)}
    assert repaired[check].repaired == repaired[check].found >= 1
    assert repaired[check].examples
    assert wrong(list(check_corpus(store, whole))) == {}
    assert corpus_revision(store, whole) > revision


def test_repairing_a_whole_graph_changes_nothing(
    store: GraphStore, whole: str, snapshot: Callable
) -> None:
    before, revision = snapshot(whole), corpus_revision(store, whole)
    assert wrong(list(check_corpus(store, whole, embed))) == {}
    assert snapshot(whole) == before
    assert corpus_revision(store, whole) == revision


def test_the_index_of_words_is_made_again(store: GraphStore, whole: str) -> None:
    drop_word_index(store, whole)
    assert wrong(list(check_corpus(store, whole))) == {"index-of-words": 1}
    list(check_corpus(store, whole, embed))
    assert wrong(list(check_corpus(store, whole))) == {}


def test_projections_of_an_old_revision_are_dropped(
    store: GraphStore, whole: str, ingest: Callable
) -> None:
    mention_projection(store, whole)
    assert wrong(list(check_corpus(store, whole))) == {}
    ingest("Late", ["Late knew Ada."])
    assert wrong(list(check_corpus(store, whole))) == {"old-projections": 1}
    list(check_corpus(store, whole, embed))
    assert wrong(list(check_corpus(store, whole))) == {}


def test_the_database_s_indexes_are_made_again(store: GraphStore, whole: str) -> None:
    drop_index(store, "sentence_corpus")
    assert wrong(list(check_database(store)))["indexes"] == 1
    list(check_database(store, 384))
    assert "indexes" not in wrong(list(check_database(store)))


def test_what_an_interrupted_deletion_left_goes(store: GraphStore, whole: str) -> None:
    store.run_declared(
        "CYPHER 25 MATCH (c:Corpus {name: $corpus}) DETACH DELETE c", {"corpus": whole}
    )
    left = {finding.check: finding for finding in check_database(store)}["corpora-half-deleted"]
    assert whole in left.examples
    list(check_database(store, 384))
    assert store.run_declared(
        "CYPHER 25 MATCH (n {corpus: $corpus}) RETURN count(n) AS n", {"corpus": whole}
    ) == [{"n": 0}]


def test_a_corpus_that_is_not_there_is_said(store: GraphStore) -> None:
    with pytest.raises(UnknownCorpus):
        list(check_corpus(store, "no such corpus"))
