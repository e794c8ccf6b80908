"""Paths, drawings and exports: every edge is in the graph, and nothing is lost on the way."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from clew_cypher.export.arrays import export_chunks, export_sentence_vectors
from clew_cypher.ids import content_id
from clew_cypher.searching.paths import evidence_paths
from clew_cypher.searching.subgraph import answer_subgraph, neighbourhood, path_between
from clew_cypher.store import GraphStore


@pytest.fixture
def filled(ingest: Callable) -> None:
    ingest("Ada", ["Ada studied with Babbage in 1833.", "Ada met Byron."])
    ingest("Babbage", ["Babbage studied at Cambridge in 1833."])
    ingest("Cambridge", ["Cambridge stands on the Cam."])
    ingest("Curie", ["Curie isolated Radium."])


@pytest.fixture
def entity(corpus: str) -> Callable[[str], str]:
    return lambda name: content_id("e", corpus, name)


@pytest.fixture
def chunk_ids(store: GraphStore, corpus: str, filled: None) -> dict[str, str]:
    rows = store.run_declared(
        "CYPHER 25 MATCH (c:Chunk {corpus: $corpus}) RETURN c.title + c.position AS at, c.id AS id",
        {"corpus": corpus},
    )
    return {row["at"]: row["id"] for row in rows}


def edges_in_graph(store: GraphStore, pairs: Iterable[tuple[str, str, str]]) -> bool:
    return all(
        store.run_declared(
            "CYPHER 25 RETURN EXISTS { ({id: $a})-[r]->({id: $b}) WHERE type(r) = $type } AS there",
            {"a": source, "b": target, "type": kind},
        )[0]["there"]
        for source, target, kind in pairs
    )


def test_paths_lead_from_the_question_through_the_evidence(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], entity: Callable
) -> None:
    evidence = [chunk_ids[at] for at in ("Ada0", "Babbage0", "Cambridge0", "Curie0")]
    paths = evidence_paths(store, corpus, [entity("ada"), entity("cam")], evidence)
    first = paths[0]
    assert [node.label for node in first.nodes] == [
        "Ada",
        "Ada",
        "Babbage",
        "Babbage",
        "Cambridge",
        "Cambridge",
        "Cam",
    ]
    assert [node.kind for node in first.nodes] == ["entity", "chunk"] * 3 + ["entity"]
    assert first.edges[0].text == "Ada studied with Babbage in 1833."
    for path in paths:
        assert len(path.edges) == len(path.nodes) - 1
        for i, edge in enumerate(path.edges):
            ends = {path.nodes[i].id, path.nodes[i + 1].id}
            assert {edge.source, edge.target} == ends
        pairs = [(edge.source, edge.target, edge.kind) for edge in path.edges]
        assert edges_in_graph(store, pairs)
        assert {node.id for node in path.nodes if node.kind == "chunk"} <= set(evidence)


def test_a_year_joins_nothing(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], entity: Callable
) -> None:
    evidence = [chunk_ids["Ada0"], chunk_ids["Babbage0"]]
    paths = evidence_paths(store, corpus, [], evidence)
    assert [node.label for node in paths[0].nodes] == ["Ada", "Babbage", "Babbage"]
    assert len(paths) == 1
    asked = evidence_paths(store, corpus, [entity("1833")], evidence)
    assert "1833" in {node.label for path in asked for node in path.nodes}


def test_a_part_of_a_path_is_not_another_path(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], entity: Callable
) -> None:
    evidence = [chunk_ids[at] for at in ("Ada0", "Babbage0")]
    paths = evidence_paths(store, corpus, [entity("ada")], evidence)
    walks = ["-".join(node.id for node in path.nodes) for path in paths]
    assert not [a for a in walks for b in walks if a != b and a in b]


def test_what_the_search_came_upon_leads_to_chunks_after_the_question(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], entity: Callable
) -> None:
    evidence = [chunk_ids[at] for at in ("Ada0", "Babbage0", "Curie0")]
    further = [entity("radium"), entity("curie"), entity("babbage")]
    paths = evidence_paths(store, corpus, [entity("ada")], evidence, further)
    assert [[node.label for node in path.nodes] for path in paths] == [
        ["Ada", "Ada", "Babbage", "Babbage"],  # Babbage to his page is a part of it
        ["Radium", "Curie"],  # the question does not lead there
    ]
    alone = evidence_paths(store, corpus, [], evidence, further[:1])
    assert ["Radium", "Curie"] in [[node.label for node in path.nodes] for path in alone]


def test_nothing_to_join(store: GraphStore, corpus: str, chunk_ids: dict[str, str]) -> None:
    assert evidence_paths(store, corpus, [], []) == []
    assert evidence_paths(store, corpus, [], [chunk_ids["Curie0"], chunk_ids["Ada0"]]) == []
    assert evidence_paths(store, "elsewhere", [], list(chunk_ids.values())) == []


def test_the_neighbourhood_of_an_entity(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], entity: Callable
) -> None:
    found = neighbourhood(store, corpus, entity("babbage"), 50)
    labels = {(node.kind, node.label) for node in found.nodes}
    assert labels == {
        ("entity", "Babbage"),
        ("chunk", "Ada"),
        ("chunk", "Babbage"),
        ("entity", "Ada"),
        ("entity", "1833"),
        ("entity", "Cambridge"),
        ("document", "Ada"),
        ("document", "Babbage"),
    }
    assert not found.truncated
    assert {edge.kind for edge in found.edges} >= {"MENTIONED_IN", "PART_OF"}
    assert edges_in_graph(store, [(e.source, e.target, e.kind) for e in found.edges])
    small = neighbourhood(store, corpus, entity("babbage"), 3)
    assert len(small.nodes) == 3
    assert small.nodes[0].label == "Babbage"
    assert small.truncated
    ids = {node.id for node in small.nodes}
    assert all({edge.source, edge.target} <= ids for edge in small.edges)
    assert neighbourhood(store, "elsewhere", entity("babbage"), 9).nodes == ()


def test_a_neighbourhood_shows_what_triples_say(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], entity: Callable
) -> None:
    store.run_declared(
        """CYPHER 25
        UNWIND [['babbage', 'cam', 'saw'], ['babbage', 'cam', 'saw'], ['babbage', 'cam', 'drew'],
                ['curie', 'babbage', 'read'], ['ada', '1833', 'lived in']] AS row
        MATCH (head:Entity {corpus: $corpus, key: row[0]})
        MATCH (tail:Entity {corpus: $corpus, key: row[1]})
        CREATE (head)-[:RELATION {id: randomUUID(), corpus: $corpus, caption: row[2]}]->(tail)""",
        {"corpus": corpus},
    )
    found = neighbourhood(store, corpus, entity("babbage"), 50)
    told = {
        (edge.source, edge.target, edge.text, edge.weight)
        for edge in found.edges
        if edge.kind == "RELATION"
    }
    assert told == {
        (entity("babbage"), entity("cam"), "saw, drew", 3.0),
        (entity("curie"), entity("babbage"), "read", 1.0),
        (entity("ada"), entity("1833"), "lived in", 1.0),  # of what is drawn beside it
    }
    assert edges_in_graph(store, [(e.source, e.target, e.kind) for e in found.edges])
    small = neighbourhood(store, corpus, entity("babbage"), 6)
    assert len(small.nodes) == 6
    assert small.truncated
    kinds = [node.kind for node in small.nodes]
    # itself and the two that triples name, two passages, the document of one
    assert kinds == ["entity", "entity", "entity", "chunk", "chunk", "document"]
    assert [node.label for node in small.nodes[:3]] == ["Babbage", "Cam", "Curie"]


def test_the_subgraph_of_an_answer(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], entity: Callable
) -> None:
    evidence = [chunk_ids["Ada0"], chunk_ids["Ada1"], chunk_ids["Babbage0"]]
    found = answer_subgraph(store, corpus, [entity("ada")], evidence, 50)
    assert {node.id for node in found.nodes if node.kind == "chunk"} == set(evidence)
    names = {node.label for node in found.nodes if node.kind == "entity"}
    assert names == {"Ada", "Babbage", "Byron", "Cambridge"}
    assert edges_in_graph(store, [(e.source, e.target, e.kind) for e in found.edges])
    assert [e.source for e in found.edges if e.kind == "NEXT_CHUNK"] == [chunk_ids["Ada0"]]
    assert not found.truncated
    small = answer_subgraph(store, corpus, [entity("ada")], evidence, 5)
    assert [node.label for node in small.nodes] == ["Ada", "Ada", "Ada", "Babbage", "Babbage"]
    assert small.truncated


def test_the_export_of_the_incidence(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], vector: Callable, entity: Callable
) -> None:
    chunks = list(export_chunks(store, corpus))
    assert [chunk.id for chunk in chunks] == sorted(chunk_ids.values())
    (first,) = [chunk for chunk in chunks if chunk.id == chunk_ids["Ada0"]]
    (sentence,) = first.sentences
    assert set(sentence.entities) == {
        (entity("ada"), "PERSON"),
        (entity("babbage"), "PERSON"),
        (entity("1833"), "DATE"),
    }
    titles = {m.entity_id: (m.count, m.is_title) for m in first.mentions}
    assert titles[entity("ada")] == (1, True)
    assert titles[entity("babbage")] == (1, False)
    ids = [s.id for chunk in chunks for s in chunk.sentences][::-1]
    found = list(export_sentence_vectors(store, corpus, [*ids, "s0"]))
    assert [key for keys, _ in found for key in keys] == ids
    where = ids.index(sentence.id)
    np.testing.assert_allclose(
        found[0][1][where], vector("Ada studied with Babbage in 1833."), rtol=1e-6
    )
    assert list(export_sentence_vectors(store, corpus, [])) == []


def test_the_shortest_path_between_two_entities(
    store: GraphStore, corpus: str, chunk_ids: dict[str, str], entity: Callable
) -> None:
    path = path_between(store, corpus, entity("ada"), entity("cam"))
    assert path.nodes[0].id == entity("ada")
    assert path.nodes[-1].id == entity("cam")
    assert {node.kind for node in path.nodes[1::2]} == {"chunk"}
    assert len(path.edges) == len(path.nodes) - 1
    assert edges_in_graph(store, [(edge.source, edge.target, edge.kind) for edge in path.edges])
    assert path_between(store, corpus, entity("ada"), entity("radium")).nodes == ()
    assert path_between(store, corpus, entity("ada"), entity("ada")).nodes == ()
    assert path_between(store, "another", entity("ada"), entity("cam")).nodes == ()
