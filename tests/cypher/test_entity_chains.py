"""Chains over an entity that two documents share, on a graph whose every name is known."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from clew_cypher.corpora import delete_corpus
from clew_cypher.errors import UnknownCorpus
from clew_cypher.export import entity_chains
from clew_cypher.export.entity_chains import EntityChain, SharedEntity, chains_over, shared_entities
from clew_cypher.store import GraphStore

Ingest = Callable[..., object]
DOCUMENTS = {
    "Aurelia": ["The ship Aurelia left Seld in 1905."],
    "Seld": ["Ferrand founded Seld in 1905.", "Later Lang sold Seld."],
    "Fern": ["Fern grows on Corvay."],
}


@pytest.fixture
def elsewhere(store: GraphStore, corpus_names: deque[str]) -> Iterator[str]:
    """The name of a second corpus; deleted afterwards."""
    name = corpus_names.popleft()
    yield name
    with suppress(UnknownCorpus):
        delete_corpus(store, name)
    corpus_names.append(name)


def names(shared: SharedEntity) -> set[str]:
    return {s.entity(shared.id).key for s in shared.sentences}


def read(chain: EntityChain) -> tuple[str, str, str, str]:
    return (
        chain.first.text,
        chain.first.entity(chain.bridge).key,
        chain.second.text,
        chain.end.key,
    )


def test_what_two_chunks_name_is_shared_and_values_are_not(
    store: GraphStore, corpus: str, ingest: Ingest
) -> None:
    for title, chunks in DOCUMENTS.items():
        ingest(title, chunks)
    shared = {key: s for s in shared_entities(store, corpus, 10, 0) for key in names(s)}
    assert set(shared) == {"seld"}  # not 1905, though two documents name it
    seld = shared["seld"]
    assert {s.text for s in seld.sentences} == {
        "The ship Aurelia left Seld in 1905.",
        "Ferrand founded Seld in 1905.",
        "Later Lang sold Seld.",
    }
    left = next(s for s in seld.sentences if "left" in s.text)
    assert left.title == "Aurelia"
    assert left.chunk_text == "The ship Aurelia left Seld in 1905."
    assert {e.key: (e.chunk_count, e.surfaces) for e in left.entities if e.key == "seld"} == {
        "seld": (3, ("Seld",))
    }
    assert {e.id for e in left.entities} <= left.mentioned


def test_a_chain_crosses_documents_and_ends_at_what_its_start_does_not_name(
    store: GraphStore, corpus: str, ingest: Ingest
) -> None:
    ingest("Aurelia", ["Ship Aurelia left Seld."])
    ingest("Yard", ["Ferrand founded Seld with Aurelia in 1881."])
    (shared,) = [s for s in shared_entities(store, corpus, 10, 0) if "seld" in names(s)]
    found = {read(chain) for chain in chains_over(shared)}
    # Aurelia is named on both sides, 1881 is a value
    assert found == {
        (
            "Ship Aurelia left Seld.",
            "seld",
            "Ferrand founded Seld with Aurelia in 1881.",
            "ferrand",
        ),
        (
            "Ferrand founded Seld with Aurelia in 1881.",
            "seld",
            "Ship Aurelia left Seld.",
            "ship",
        ),
    }


def test_two_sentences_of_one_document_are_no_chain(
    store: GraphStore, corpus: str, ingest: Ingest
) -> None:
    ingest("Yard", ["Ferrand founded Seld.", "Lang sold Seld."])
    (shared,) = [s for s in shared_entities(store, corpus, 10, 0) if "seld" in names(s)]
    assert len(shared.sentences) == 2
    assert list(chains_over(shared)) == []


def test_hubs_are_left_out(
    store: GraphStore, corpus: str, ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Ada", "Bob", "Cid"):
        ingest(name, [f"{name} went to Rome with Lang."])
    assert {key for s in shared_entities(store, corpus, 10, 0) for key in names(s)} == {
        "rome",
        "lang",
    }
    monkeypatch.setattr(entity_chains, "HUB_CHUNKS", 2)
    assert list(shared_entities(store, corpus, 10, 0)) == []


def test_the_draw_depends_on_seed_and_names_alone(
    store: GraphStore, corpus: str, elsewhere: str, ingest: Ingest
) -> None:
    people = [f"P{letter}" for letter in "abcdefghijkl"]
    texts = {f"{p}{n}": [f"{p} met {p}{n} in {p}."] for p in people for n in "xy"}
    for title, chunks in texts.items():
        ingest(title, chunks)
    for title, chunks in reversed(texts.items()):
        ingest(title, chunks, into=elsewhere)

    def drawn(where: str, limit: int, seed: int) -> list[tuple[set[str], list[str]]]:
        return [
            (names(s), [sentence.text for sentence in s.sentences])
            for s in shared_entities(store, where, limit, seed)
        ]

    assert drawn(corpus, 4, 1) == drawn(corpus, 12, 1)[:4] == drawn(elsewhere, 4, 1)
    assert len(drawn(corpus, 12, 1)) == 12
    assert drawn(corpus, 12, 1) != drawn(corpus, 12, 2)


def test_a_corpus_that_is_not_there_has_no_shared_entities(store: GraphStore, corpus: str) -> None:
    assert list(shared_entities(store, corpus, 10, 0)) == []
