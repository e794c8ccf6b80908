"""Entities with many edges: marked by each batch, refreshed once, the same in the end."""

from collections.abc import Callable

import pytest

from clew_cypher.corpora import corpus_revision, delete_corpus
from clew_cypher.ids import content_id
from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.writing import removal
from clew_cypher.writing.documents import delete_documents
from clew_cypher.writing.entities import refresh_stale_entities

TEXTS = [(f"Note{letter}", [f"Ada met {letter}obert. ada knew Ada."]) for letter in "BCDFGH"]


def stale(store: GraphStore, corpus: str) -> list[str]:
    ids = {row["id"] for row in store.read("stale_entities", corpus=corpus, limit=100)}
    rows = store.read("entities_by_id", corpus=corpus, ids=sorted(ids))
    return [row["key"] for row in rows]


def test_hubs_are_refreshed_at_the_end_and_end_the_same(
    store: GraphStore,
    corpus: str,
    ingest: Callable,
    snapshot: Callable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for text in TEXTS:
        ingest(*text)
    assert stale(store, corpus) == []
    expected = snapshot(corpus)
    delete_corpus(store, corpus)

    monkeypatch.setattr(removal, "HUB_EDGES", 3)
    for text in TEXTS:
        ingest(*text)
    assert stale(store, corpus) == ["ada"]
    before = corpus_revision(store, corpus)
    assert refresh_stale_entities(store, corpus, cancelled=lambda: True) == 0
    assert corpus_revision(store, corpus) == before
    assert refresh_stale_entities(store, corpus) == 1
    assert corpus_revision(store, corpus) > before, "what is found by name is another one"
    assert stale(store, corpus) == []
    assert snapshot(corpus) == expected


def test_deleting_many_refreshes_hubs_once(
    store: GraphStore,
    corpus: str,
    ingest: Callable,
    snapshot: Callable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for text in TEXTS[:3]:
        ingest(*text)
    expected = snapshot(corpus)
    for text in TEXTS[3:]:
        ingest(*text)
    refreshed: list[str] = []
    run = Transaction.run

    def watched(transaction: Transaction, name: str, /, **params: object) -> list[Row]:
        if name == "refresh_entities":
            refreshed.extend(params["ids"])  # type: ignore[arg-type]
        return run(transaction, name, **params)

    monkeypatch.setattr(Transaction, "run", watched)
    monkeypatch.setattr(removal, "HUB_EDGES", 3)
    ids = [content_id("d", corpus, f"{title}.txt") for title, _ in TEXTS[3:]]
    assert delete_documents(store, corpus, ids)["documents"] == 3
    assert refreshed.count(content_id("e", corpus, "ada")) == 1
    assert snapshot(corpus) == expected
