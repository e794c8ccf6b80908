"""The schema is there once; corpora keep their embedder; a deleted corpus leaves nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

import pytest

from clew_cypher.corpora import (
    corpus_counts,
    corpus_revision,
    delete_corpus,
    ensure_corpus,
    get_corpus,
    list_corpora,
    set_extractor,
)
from clew_cypher.errors import (
    EmbedderMismatch,
    EmbeddingDimensionMismatch,
    GraphError,
    UnknownCorpus,
)
from clew_cypher.kinds import BOOKKEEPING_NAMES, KIND_OF_TYPE, KINDS
from clew_cypher.schema import (
    INDEXES,
    LABELS,
    RELATIONSHIPS,
    RETIRED_INDEXES,
    await_indexes,
    ensure_schema,
    index_command,
)
from clew_cypher.searching.words import chunk_label, index_name
from clew_cypher.store import GraphStore, Row

RUN = GraphStore.run_declared


def test_the_schema_is_created_once(store: GraphStore) -> None:
    ensure_schema(store, 384)
    rows = store.run_declared("CYPHER 25 SHOW INDEXES YIELD name, state RETURN name, state")
    states = {row["name"]: row["state"] for row in rows}
    assert {index.name: "ONLINE" for index in INDEXES}.items() <= states.items()
    rows = store.run_declared(
        "CYPHER 25 SHOW CONSTRAINTS YIELD labelsOrTypes, properties "
        "RETURN labelsOrTypes[0] AS label, properties[0] AS key"
    )
    keys = {(row["label"], row["key"]) for row in rows}
    assert {(label.name, label.key) for label in LABELS} <= keys
    assert {(kind.name, kind.key) for kind in RELATIONSHIPS if kind.key} <= keys
    assert not states.keys() & set(RETIRED_INDEXES)
    with mock.patch.object(GraphStore, "run_declared") as command:
        ensure_schema(store, 384)
    command.assert_not_called()


def test_what_of_the_schema_is_gone_is_made_again(store: GraphStore) -> None:
    commands: list[str] = []

    def run(self: GraphStore, text: str, parameters: Any = None) -> list[Row]:
        commands.append(text)
        return RUN(self, text, parameters)

    store.run_declared("CYPHER 25 DROP CONSTRAINT verdict_id")
    store.run_declared("CYPHER 25 DROP INDEX verdict_corpus")
    with mock.patch.object(GraphStore, "run_declared", run):
        ensure_schema(store, 384)
    assert [text.split(" IF ")[0] for text in commands] == [
        "CYPHER 25 CREATE CONSTRAINT verdict_id",
        "CYPHER 25 CREATE INDEX verdict_corpus",
    ]
    names = {row["name"] for row in store.read("existing_indexes")}
    assert {"verdict_id", "verdict_corpus"} <= names


def test_an_index_that_could_not_be_filled_is_made_anew(store: GraphStore) -> None:
    store.run_declared("CYPHER 25 DROP INDEX verdict_corpus")
    # no index takes a value of 40,000 bytes
    store.run_declared("CYPHER 25 CREATE (:Verdict {id: 'long', corpus: $x})", {"x": "x" * 40_000})
    try:
        for _ in range(2):
            with pytest.raises(GraphError, match="verdict_corpus could not be filled") as told:
                ensure_schema(store, 384)
            assert "\tat " not in told.value.message  # as Java tells it
    finally:
        store.run_declared("CYPHER 25 MATCH (v:Verdict {id: 'long'}) DELETE v")
    ensure_schema(store, 384)
    states = {row["name"]: row["state"] for row in store.read("index_states")}
    assert states["verdict_corpus"] == "ONLINE"


def test_who_waits_for_an_index_is_told_how_full_it_is(store: GraphStore) -> None:
    looks = [
        [{"name": "a", "state": "POPULATING", "percent": 12.5, "failure": ""}],
        [{"name": "other", "state": "POPULATING", "percent": 1.0, "failure": ""}],
    ]
    told: list[tuple[str, float]] = []
    with mock.patch.object(GraphStore, "read", side_effect=looks):
        await_indexes(store, {"a"}, lambda *filling: told.append(filling))
    assert told == [("a", 12.5)]


def test_several_make_the_schema_at_once(store: GraphStore) -> None:
    store.run_declared("CYPHER 25 DROP CONSTRAINT verdict_id")
    store.run_declared("CYPHER 25 DROP INDEX verdict_corpus")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: ensure_schema(store, 384), range(4)))
    names = {row["name"] for row in store.read("existing_indexes")}
    assert {"verdict_id", "verdict_corpus"} <= names


@pytest.mark.usefixtures("word_indexes_dropped")
def test_several_make_a_corpus_at_once(store: GraphStore, corpus: str) -> None:
    name = f"{corpus}-at-once"  # without an index of words yet

    def make(_: int) -> str:
        return ensure_corpus(store, name, embedder="hash", dimension=384).created_at

    try:
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(make, range(8)))) == 1
        assert index_name(name) in {row["name"] for row in store.read("full_text_indexes")}
    finally:
        delete_corpus(store, name)


def test_the_extractor_of_a_corpus(store: GraphStore, corpus: str) -> None:
    made = ensure_corpus(store, corpus, embedder="hash", dimension=384, extractor="llm")
    assert made.extractor == "llm"
    assert ensure_corpus(store, corpus, embedder="hash", dimension=384).extractor == "llm"
    set_extractor(store, corpus, "file:/triples.jsonl")
    assert get_corpus(store, corpus).extractor == "file:/triples.jsonl"
    (row,) = [row for row in list_corpora(store) if row["name"] == corpus]
    assert row["extractor"] == "file:/triples.jsonl"
    for wrong in ("", "spacy", "file:triples.jsonl"):
        with pytest.raises(ValueError, match="rules"):
            set_extractor(store, corpus, wrong)
    with pytest.raises(UnknownCorpus):
        set_extractor(store, "nowhere", "none")


def test_another_dimension_is_refused_with_what_to_do(store: GraphStore) -> None:
    with pytest.raises(EmbeddingDimensionMismatch, match=r"768.*384") as caught:
        ensure_schema(store, 768)
    assert "embedder of 384 dimensions" in caught.value.remedy
    assert caught.value.http_status == 409


def test_the_tables_agree_with_each_other() -> None:
    labels = {label.name for label in LABELS}
    types = {kind.name: kind for kind in RELATIONSHIPS}
    for index in INDEXES:
        if index.of_type:
            kind = types[index.label]
            assert {*index.properties, *index.filters} <= set(kind.properties)
        else:
            assert index.label in labels
    for kind in RELATIONSHIPS:
        assert {kind.source, kind.target} <= labels
    for entry in (*LABELS, *RELATIONSHIPS, *INDEXES):
        assert entry.description.endswith(".")


def test_an_identifier_is_never_made_from_input() -> None:
    from dataclasses import replace

    with pytest.raises(ValueError, match="identifier"):
        index_command(replace(INDEXES[0], label="Chunk) DETACH DELETE n //"), 3)


def test_a_corpus_keeps_the_embedder_it_was_filled_with(
    store: GraphStore, corpus: str, ingest: Callable
) -> None:
    ensure_corpus(store, corpus, embedder="other", dimension=8)  # empty: it may change
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    ingest("Ada", ["Ada slept."])
    with pytest.raises(EmbedderMismatch, match=r"'hash'.*'other'") as caught:
        ensure_corpus(store, corpus, embedder="other", dimension=384)
    assert "CLEW_EMBEDDER=hash" in caught.value.remedy
    found = ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert (found.revision, found.dimension) == (1, 384)


def test_corpora_are_listed(store: GraphStore, corpus: str, ingest: Callable) -> None:
    ingest("Ada", ["Ada slept."])
    (row,) = [row for row in list_corpora(store) if row["name"] == corpus]
    assert (row["documents"], row["revision"], row["embedder"]) == (1, 1, "hash")


@pytest.mark.usefixtures("word_indexes_dropped")
def test_a_deleted_corpus_leaves_nothing(store: GraphStore, corpus: str, ingest: Callable) -> None:
    ingest("Ada", ["Ada knew Byron."])
    other = f"{corpus}-other"
    ingest("Ada", ["Ada slept."], into=other)
    try:
        assert delete_corpus(store, corpus)["chunks"] == 1
        left = store.run_declared(
            "CYPHER 25 MATCH (n) WHERE n.corpus = $corpus RETURN count(*) AS n", {"corpus": corpus}
        )
        assert left[0]["n"] == 0
        indexes = {row["name"] for row in store.read("full_text_indexes")}
        assert index_name(corpus) not in indexes
        assert index_name(other) in indexes
        with pytest.raises(UnknownCorpus):
            corpus_revision(store, corpus)
        assert corpus_counts(store, other)["chunks"] == 1
    finally:
        delete_corpus(store, other)


def test_a_corpus_is_deleted_in_pieces_of_a_size(
    store: GraphStore, corpus: str, ingest: Callable
) -> None:
    """Entities go when nothing mentions them: a piece of them would take all of their mentions."""
    ingest("Ada", ["Ada knew Byron.", "Ada slept.", "Byron slept."])

    def edges() -> list[int]:
        rows = store.run_declared(
            "CYPHER 25 MATCH (e:Entity {corpus: $corpus}) "
            "RETURN COUNT { (e)-[:MENTIONED_IN|HEAD_OF|HAS_TAIL]-() } AS edges",
            {"corpus": corpus},
        )
        return [row["edges"] for row in rows]

    there = len(edges())
    while store.write("delete_corpus_nodes", corpus=corpus, limit=1)[0]["deleted"]:
        if len(left := edges()) < there:
            assert not any(left)
        if left:  # what is there still has the vectors of its embedder
            with pytest.raises(EmbedderMismatch):
                ensure_corpus(store, corpus, embedder="other", dimension=384)
    assert edges() == []


def test_unknown_corpora(store: GraphStore) -> None:
    for call in (corpus_counts, corpus_revision, delete_corpus):
        with pytest.raises(UnknownCorpus, match="clew corpora"):
            call(store, "nowhere")


def test_kinds_and_bookkeeping_are_declared_once() -> None:
    types = [type_ for kind in KINDS for type_ in kind.types]
    assert len(types) == len(set(types)) == len(KIND_OF_TYPE)
    assert not {kind.name for kind in KINDS} & {label.name for label in LABELS}
    assert set(BOOKKEEPING_NAMES) == {label.name for label in LABELS if label.bookkeeping}
    content = {label.name for label in LABELS if not label.bookkeeping}
    assert content == {"Corpus", "Document", "Chunk", "Sentence", "Entity", "MergedEntity"}


def test_what_is_made_says_what_it_is(store: GraphStore, corpus: str, ingest: Callable) -> None:
    ingest("Ada", ["Ada knew Byron in 1815."])
    rows = store.run_declared(
        "CYPHER 25 MATCH (n {corpus: $corpus}) RETURN labels(n) AS labels, n.name AS name",
        {"corpus": corpus},
    )
    said = {row["name"]: set(row["labels"]) for row in rows}
    assert said["Ada"] == {"Entity", "Person"}
    assert said["1815"] == {"Entity", "Value"}
    assert said["Ada · 1"] == {"Chunk", chunk_label(corpus)}
    assert said["Ada knew Byron in 1815."] == {"Sentence"}
    assert said["~ title links"] == {"TitleLinks", "ZBookkeeping"}
