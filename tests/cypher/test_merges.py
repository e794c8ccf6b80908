"""Merging entities and undoing it: every edge moves, and comes back as it was."""

from collections.abc import Callable
from typing import Any

import pytest

from clew_cypher.corpora import corpus_revision
from clew_cypher.errors import UnknownEntity, UnknownMerge, UnknownReview
from clew_cypher.ids import content_id
from clew_cypher.resolution.candidates import verdicts
from clew_cypher.resolution.merges import (
    MergeRow,
    apply_merge,
    count_merges,
    list_merges,
    replace_merges,
    undo_merge,
)
from clew_cypher.resolution.reviews import (
    ReviewRow,
    count_reviews,
    get_review,
    list_reviews,
    pair_id,
    write_reviews,
)
from clew_cypher.searching.entities import find_entities
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import delete_document

Whole = Callable[[], dict[str, list[dict[str, Any]]]]
STATE = """CYPHER 25
MATCH (n {corpus: $corpus})
WHERE NOT n:Verdict AND NOT n:Corpus AND NOT n:TitleLinks
RETURN labels(n) AS labels, properties(n) AS properties
ORDER BY n.id"""
EDGES = """CYPHER 25
MATCH (a {corpus: $corpus})-[r]->(b)
RETURN a.id AS source, type(r) AS type, b.id AS target, properties(r) AS properties
ORDER BY source, type, target, properties['origin'], properties['id']"""
TRIPLE = """CYPHER 25
MATCH (a:Entity {id: $head}), (b:Entity {id: $tail})
CREATE (a)-[r:RELATION {id: $id, corpus: $corpus, head: 'x', predicate: $predicate, tail: 'y',
                        chunk_id: $chunk}]->(b)
WITH r
CALL db.create.setRelationshipVectorProperty(r, 'embedding', $vector)"""


@pytest.fixture
def entity(corpus: str) -> Callable[[str], str]:
    """The id of the entity of a name."""
    return lambda key: content_id("e", corpus, key)


@pytest.fixture
def whole(store: GraphStore, corpus: str) -> Whole:
    """All that the corpus has, edge by edge and property by property, but no moments."""

    def take() -> dict[str, list[dict[str, Any]]]:
        nodes = store.run_declared(STATE, {"corpus": corpus})
        for node in nodes:
            node["labels"] = sorted(node["labels"])
            for name in ("accepted_at", "ready_at", "created_at"):
                node["properties"].pop(name, None)
        return {"nodes": nodes, "edges": store.run_declared(EDGES, {"corpus": corpus})}

    return take


@pytest.fixture
def triple(store: GraphStore, corpus: str, vector: Callable) -> Callable[..., None]:
    """Writes a triple between two entities."""

    def write(head: str, predicate: str, tail: str) -> None:
        store.run_declared(
            TRIPLE,
            {
                "head": content_id("e", corpus, head),
                "tail": content_id("e", corpus, tail),
                "id": content_id("t", corpus, head, predicate, tail),
                "corpus": corpus,
                "predicate": predicate,
                "chunk": f"{head}{tail}",
                "vector": vector(predicate).tolist(),
            },
        )

    return write


def merge(canonical: str, *merged: str, name: str = "m") -> MergeRow:
    return MergeRow(content_id("g", name, canonical), canonical, merged, ("for a test",))


def test_every_edge_moves_and_comes_back(
    store: GraphStore,
    corpus: str,
    ingest: Callable,
    entity: Callable,
    whole: Whole,
    triple: Callable,
) -> None:
    ingest(
        "Ada", ["Ada knew Byron. Babbage met Ada.", "Lovelace knew Byron. Babbage met Lovelace."]
    )
    triple("ada", "know", "byron")
    triple("lovelace", "know", "byron")
    triple("babbage", "meet", "lovelace")
    triple("lovelace", "is", "ada")
    before, revision = whole(), corpus_revision(store, corpus)
    row = merge(entity("ada"), entity("lovelace"))
    assert apply_merge(store, corpus, row)
    assert corpus_revision(store, corpus) == revision + 1
    after = whole()
    edges = after["edges"]
    assert not [e for e in edges if entity("lovelace") in (e["source"], e["target"])][1:]
    (link,) = [e for e in edges if e["type"] == "MERGED_INTO"]
    assert (link["source"], link["target"]) == (entity("lovelace"), entity("ada"))
    assert link["properties"]["merge_id"] == row.id
    assert len(edges) == len(before["edges"]) + 1
    moved = [e for e in edges if e["properties"].get("origin") == entity("lovelace")]
    assert sorted(e["type"] for e in moved) == ["HAS_TAIL", "HEAD_OF", "MENTIONED_IN"]
    loops = [e for e in edges if e["type"] == "RELATION" and e["source"] == e["target"]]
    assert [e["properties"]["head_origin"] for e in loops] == [entity("lovelace")]
    triples = {e["properties"]["id"]: e["properties"] for e in edges if e["type"] == "RELATION"}
    assert len(triples) == 4
    assert all(properties["embedding"] is not None for properties in triples.values())
    assert not apply_merge(store, corpus, row)
    undone = undo_merge(store, corpus, row.id)
    assert undone["merged_ids"] == [entity("lovelace")]
    assert whole() == before
    pair = (entity("ada"), entity("lovelace"))
    assert verdicts(store, corpus) == {tuple(sorted(pair))}
    with pytest.raises(UnknownMerge):
        undo_merge(store, corpus, row.id)


def test_a_merged_name_is_found_under_its_canonical(
    store: GraphStore, corpus: str, ingest: Callable, entity: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron."])
    ingest("Notes", ["Countess knew Byron. Countess wrote."], aliases=["jottings"])
    apply_merge(store, corpus, merge(entity("ada"), entity("countess")))
    (found,) = find_entities(store, corpus, ["countess"])
    assert (found["id"], found["matched"]) == (entity("ada"), "alias")
    assert store.read("entities_by_id", corpus=corpus, ids=[entity("countess")]) == []
    (row,) = list_merges(store, corpus)
    assert row["canonical"]["key"] == "ada"
    # both names are told, though the entity goes by the one that is written more often
    assert (row["canonical"]["name"], row["canonical"]["goes_by"]) == ("Ada", "Countess")
    assert [(x["key"], x["name"]) for x in row["merged"]] == [("countess", "Countess")]
    assert (row["by"], row["reasons"], count_merges(store, corpus)) == ("auto", ["for a test"], 1)


def test_merges_nest_and_are_undone_in_any_order(
    store: GraphStore, corpus: str, ingest: Callable, entity: Callable, whole: Whole
) -> None:
    ingest("Ada", ["Ada knew Byron. Countess knew Byron.", "Lovelace wrote. Augusta wrote."])
    ingest("Byron", ["Augusta met Ada. Lovelace met Countess."])
    before = whole()
    ada, countess, lovelace, augusta = map(entity, ("ada", "countess", "lovelace", "augusta"))
    first, second = merge(countess, lovelace), merge(augusta, countess, name="n")
    third = merge(ada, lovelace, name="o")  # lovelace stands for augusta by then
    apply_merge(store, corpus, first)
    one = whole()
    apply_merge(store, corpus, second)
    two = whole()
    apply_merge(store, corpus, third)
    tops = {e["target"] for e in whole()["edges"] if e["type"] == "MERGED_INTO"}
    assert tops == {ada}
    undo_merge(store, corpus, third.id)
    assert whole() == two
    undo_merge(store, corpus, second.id)
    assert whole() == one
    apply_merge(store, corpus, second)
    assert whole() == two
    apply_merge(store, corpus, third)
    undo_merge(store, corpus, first.id)  # out of order: lovelace alone leaves
    undo_merge(store, corpus, second.id)
    undo_merge(store, corpus, third.id)
    assert whole() == before


def test_undo_after_documents_came_and_went(
    store: GraphStore, corpus: str, ingest: Callable, entity: Callable, whole: Whole
) -> None:
    ingest("Ada", ["Ada knew Byron. Lovelace knew Byron."])
    ingest("Gone", ["Lovelace met Babbage. Ada met Babbage."])
    row = merge(entity("ada"), entity("lovelace"))
    apply_merge(store, corpus, row)
    delete_document(store, corpus, content_id("d", corpus, "Gone.txt"))
    ingest("New", ["Lovelace met Somerville. Somerville met Ada."])
    undo_merge(store, corpus, row.id)
    undone = whole()
    for name in ("Ada", "New"):
        delete_document(store, corpus, content_id("d", corpus, f"{name}.txt"))
    assert whole() == {"nodes": [], "edges": []}
    ingest("Ada", ["Ada knew Byron. Lovelace knew Byron."])
    ingest("New", ["Lovelace met Somerville. Somerville met Ada."])
    assert whole() == undone


def test_an_entity_that_is_not_there_is_refused(
    store: GraphStore, corpus: str, ingest: Callable, entity: Callable, whole: Whole
) -> None:
    ingest("Ada", ["Ada knew Byron."])
    before = whole()
    with pytest.raises(UnknownEntity, match="nobody"):
        apply_merge(store, corpus, merge(entity("ada"), "nobody"))
    assert whole() == before


def test_reviews_wait_and_are_forgotten_by_a_merge(
    store: GraphStore, corpus: str, ingest: Callable, entity: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron. Lovelace knew Babbage."])
    ada, lovelace, byron = map(entity, ("ada", "lovelace", "byron"))
    rows = [ReviewRow(lovelace, ada, 0.6, ("alike",)), ReviewRow(ada, byron, 0.7, ("near",))]
    store.in_transaction(lambda transaction: write_reviews(transaction, corpus, rows))
    store.in_transaction(lambda transaction: write_reviews(transaction, corpus, rows[:1]))
    found = list_reviews(store, corpus)
    assert [(row["score"], row["reasons"]) for row in found] == [(0.7, ["near"]), (0.6, ["alike"])]
    assert {found[1]["a"]["key"], found[1]["b"]["key"]} == {"ada", "lovelace"}
    assert list_reviews(store, corpus, limit=1, offset=1) == found[1:]
    apply_merge(store, corpus, merge(ada, lovelace))
    assert count_reviews(store, corpus) == 1
    with pytest.raises(UnknownReview):
        get_review(store, corpus, pair_id("r", corpus, ada, lovelace))


def test_merges_made_at_once_are_those_made_one_by_one(
    store: GraphStore,
    corpus: str,
    ingest: Callable,
    entity: Callable,
    whole: Whole,
    triple: Callable,
) -> None:
    ingest("Ada", ["Ada knew Byron. Babbage met Ada.", "Lovelace knew Lord. Engine met Lovelace."])
    triple("ada", "know", "byron")
    triple("lovelace", "know", "lord")  # both ends are merged
    triple("lovelace", "is", "ada")
    rows = [
        merge(entity("ada"), entity("lovelace")),
        merge(entity("byron"), entity("lord"), name="n"),
    ]
    before = whole()
    for row in rows:
        assert apply_merge(store, corpus, row)
    expected = whole()
    for row in rows:
        undo_merge(store, corpus, row.id)
    store.run_declared("MATCH (v:Verdict {corpus: $corpus}) DELETE v", {"corpus": corpus})
    assert whole() == before
    replace_merges(store, corpus, [], rows)
    assert whole() == expected
    assert count_merges(store, corpus) == 2
    # one that builds on another of the same call
    replace_merges(store, corpus, [row.id for row in rows], [])
    assert whole() == before
    chain = [rows[0], merge(entity("babbage"), entity("ada"), name="o"), rows[1]]
    replace_merges(store, corpus, [], chain)
    (top,) = find_entities(store, corpus, ["lovelace"])
    assert top["key"] == "babbage"
    assert count_merges(store, corpus) == 3
    assert apply_merge(store, corpus, rows[0]) is False
