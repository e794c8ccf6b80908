"""After a merge an entity may stand twice in one chunk: readers count the chunk once."""

from collections.abc import Callable

import pytest

from clew_cypher.export.arrays import export_chunks
from clew_cypher.export.entity_chains import shared_entities
from clew_cypher.ids import content_id, entity_id
from clew_cypher.searching.entities import (
    document_entities,
    entities_by_id,
    find_entities,
    search_entities,
)
from clew_cypher.searching.paths import evidence_paths
from clew_cypher.searching.projections import mention_projection, pagerank_chunks
from clew_cypher.searching.subgraph import answer_subgraph, neighbourhood
from clew_cypher.searching.vectors import nearest_entities_each
from clew_cypher.store import GraphStore


@pytest.fixture
def ada(corpus: str, ingest: Callable, merge: Callable) -> str:
    """One entity that "Ada" and "Lovelace" are names of, both in the first chunk."""
    ingest("Notes", ["Ada is Lovelace. Byron met Lovelace."])
    ingest("Byron", ["Byron knew Ada."])
    ingest("Curie", ["Curie isolated Radium."])
    merge("lovelace", "ada")
    return entity_id(corpus, "ada")


def test_chunks_are_counted_once(
    store: GraphStore, corpus: str, ada: str, vector: Callable
) -> None:
    assert entities_by_id(store, corpus, [ada])[0]["chunk_count"] == 2
    (named,) = find_entities(store, corpus, ["lovelace"])
    assert (named["id"], named["matched"], named["chunk_count"]) == (ada, "alias", 2)
    assert find_entities(store, corpus, ["ada"])[0]["chunk_count"] == 2
    assert [row["id"] for row in search_entities(store, corpus, "lovelace")] == [ada]
    (nearest,) = nearest_entities_each(store, corpus, [vector("ada")], 1)
    assert nearest[0]["chunk_count"] == 2
    rows = document_entities(store, corpus, content_id("d", corpus, "Notes.txt"), 9)
    assert {row["id"]: row["mentions"] for row in rows}[ada] == 3


def test_the_incidence_has_an_entity_once(store: GraphStore, corpus: str, ada: str) -> None:
    for chunk in export_chunks(store, corpus):
        ids = [mention.entity_id for mention in chunk.mentions]
        assert len(ids) == len(set(ids))
        for sentence in chunk.sentences:
            entities = [key for key, _ in sentence.entities]
            assert len(entities) == len(set(entities))
    (both,) = [c for c in export_chunks(store, corpus) if len(c.sentences) == 2]
    (mention,) = [m for m in both.mentions if m.entity_id == ada]
    assert (mention.count, mention.is_title) == (3, False)


def test_the_projection_has_one_edge_for_both(store: GraphStore, corpus: str, ada: str) -> None:
    name = mention_projection(store, corpus)
    graph = store.gds.graph.get(name)
    # 3 chunks with Notes, Ada, Byron / Byron, Ada / Curie, Radium; both directions
    assert graph.relationship_count() == 2 * 7
    ranked = pagerank_chunks(store, corpus, {ada: 1.0}, damping=0.85, limit=9)
    assert len(ranked) == 2


def test_paths_and_drawings(store: GraphStore, corpus: str, ada: str) -> None:
    chunks = [chunk.id for chunk in export_chunks(store, corpus)]
    paths = evidence_paths(store, corpus, [ada], chunks)
    walks = [tuple(node.id for node in path.nodes) for path in paths]
    assert len(walks) == len(set(walks)) > 0
    for drawn in (
        neighbourhood(store, corpus, ada, 50),
        answer_subgraph(store, corpus, [ada], chunks, 50),
    ):
        pairs = [(edge.source, edge.target) for edge in drawn.edges]
        assert len(pairs) == len(set(pairs))
        assert max(edge.weight for edge in drawn.edges if edge.source == ada) == 3
    assert neighbourhood(store, corpus, ada, 50).nodes[0].size == 2


def test_chains(store: GraphStore, corpus: str, ada: str) -> None:
    (shared,) = [found for found in shared_entities(store, corpus, 9, 1) if found.id == ada]
    texts = [sentence.text for sentence in shared.sentences]
    assert sorted(texts) == ["Ada is Lovelace.", "Byron knew Ada.", "Byron met Lovelace."]
    (first,) = [s for s in shared.sentences if s.text == "Ada is Lovelace."]
    found = first.entity(ada)
    assert (found.surfaces, found.chunk_count) == (("Ada", "Lovelace"), 2)
