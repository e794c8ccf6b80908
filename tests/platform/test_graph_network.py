"""graph-network on a real graph: its ways exist, its ablations count, its arrays are the graph."""

import json
import os
import random
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from clew.errors import UnknownStrategy
from clew.evaluation.asking import cited
from clew.indexing.corpora import delete_document
from clew.resources.resources import Resources
from clew.results.evidence import Evidence
from clew.results.explanation import QuotesCard, SubgraphCard
from clew.strategies.graph_network import explanation
from clew.strategies.graph_network.arrays import (
    export_network_arrays,
    named_chunks,
    network_arrays,
)
from clew.strategies.graph_network.networks import SWITCHES
from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.graph_network.question import question_part
from clew.strategies.retrieval import Retrieval
from clew.strategies.searching import build_strategy
from clew.strategies.seeds import find_seeds
from clew_cypher.checking.validity import existing
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.titles.linking import link_titles
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import Source, uploaded
from clew_models.errors import ModelNotInstalled
from clew_models.graph_network import NetworkArrays, NetworkOptions
from clew_models.graph_network.network import GraphNetwork, save_network

from ..held_resources import like

NAME = "graph-network"
CORPUS = "test-graph-network"
DOCUMENTS = {
    "Seld Shipyard": "The yard was founded in 1881 by Victor Ferrand. It closed after the war.",
    "Aurelia": "The Aurelia is a sailing ship. She was built at the Seld Shipyard in 1902.",
    "Victor Ferrand": "Victor Ferrand was an engineer from Corvay. He loved the violin.",
    "Corvay": "Corvay is an island with a lighthouse and three villages.",
    "Herring": "Herring are forage fish that move in large schools near the coast.",
    "Violin": "The violin has four strings and is played with a bow.",
    "Clock Tower": "The tower was designed by Ada Thorne. Its clock is of copper.",
    "Old Mill": "The mill on the river belongs to Ada Thorne.",
}
QUESTION = "Where is the founder of the yard from that built the Aurelia?"


@pytest.fixture(scope="module")
def resources(resources: Resources) -> Iterator[Resources]:
    from clew_cypher.corpora import delete_corpus

    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    sources = [
        Source(
            uri=f"memory:{title}",
            name="record.json",
            data=json.dumps({"title": title, "text": text}).encode(),
        )
        for title, text in DOCUMENTS.items()
    ]
    pipeline.accept(CORPUS, sources)
    pipeline.process(CORPUS)
    link_titles(resources.store, CORPUS)
    yield resources
    delete_corpus(resources.store, CORPUS)


def ask(resources: Resources, question: str = QUESTION, k: int = 8, **changes: object) -> Evidence:
    prefixed = {f"graph_network_{name}": value for name, value in changes.items()}
    return build_strategy(NAME, like(resources, **prefixed)).retrieve(question, CORPUS, k)


def test_the_ways_lead_to_the_passages_and_exist_in_the_graph(resources: Resources) -> None:
    evidence = ask(resources, k=5)
    quotes, graph = evidence.explanation
    assert isinstance(quotes, QuotesCard)
    assert isinstance(graph, SubgraphCard)
    named = cited(evidence)
    assert named.edges
    assert not (named - existing(resources.store, CORPUS, named)).words()
    ids = {node.id for node in graph.nodes}
    assert all({edge.source, edge.target} <= ids for edge in graph.edges)
    drawn = {node.id for node in graph.nodes if node.kind == "chunk"}
    joined = [c for c in evidence.chunks if c.title in ("Aurelia", "Seld Shipyard")]
    assert joined
    assert {chunk.id for chunk in joined} <= drawn
    assert max(node.stage for node in graph.nodes) < len(graph.stages)
    # the ship is named in the question, and what is named begins the drawing
    assert "Aurelia" in {node.label for node in graph.nodes if node.stage == 0}
    texts = " ".join(DOCUMENTS.values())
    assert quotes.quotes
    for quote in quotes.quotes:
        assert quote.text in texts
        assert set(quote.chunk_ids) <= {chunk.id for chunk in evidence.chunks}
        assert quote.score is not None
        assert 0 < quote.score <= 1


@pytest.mark.parametrize(
    ("read", "nothing", "kind"),
    [("entities_by_id", [], "entity"), ("sentences_by_id", {}, "sentence")],
)
def test_ways_over_what_was_deleted_meanwhile_are_left_out(
    resources: Resources, monkeypatch: pytest.MonkeyPatch, read: str, nothing: object, kind: str
) -> None:
    before = ask(resources, k=1)
    monkeypatch.setattr(explanation, read, lambda *_: nothing)
    after = ask(resources, k=1)
    assert after.chunks == before.chunks
    (drawn, graph) = [
        card
        for one in (before, after)
        for card in one.explanation
        if isinstance(card, SubgraphCard)
    ]
    assert kind in {node.kind for node in drawn.nodes}
    assert kind not in {node.kind for node in graph.nodes}
    ids = {node.id for node in graph.nodes}
    assert all({edge.source, edge.target} <= ids for edge in graph.edges)


def test_a_bridge_passage_that_the_question_does_not_name_is_found(resources: Resources) -> None:
    found = [chunk.title for chunk in ask(resources, k=4).chunks]
    assert {"Aurelia", "Seld Shipyard", "Victor Ferrand"} <= set(found)


def test_the_arrays_are_the_graph(resources: Resources) -> None:
    """Compared with what Neo4j says, relation by relation."""
    store = resources.store
    arrays = export_network_arrays(store, CORPUS)

    def pairs(query: str) -> set[tuple[str, str]]:
        rows = store.run_declared(query, {"corpus": CORPUS})
        return {(row["a"], row["b"]) for row in rows}

    def exported(name: str, source: str, target: str) -> set[tuple[str, str]]:
        first, second = arrays.relation(name)
        return set(
            zip(
                arrays.ids(source)[first].tolist(), arrays.ids(target)[second].tolist(), strict=True
            )
        )

    assert exported("titles", "entity", "chunk") == pairs(
        "MATCH (e:Entity {corpus: $corpus})-[m:MENTIONED_IN {is_title: true}]->(c) "
        "RETURN DISTINCT e.id AS a, c.id AS b"
    )
    assert exported("names", "sentence", "chunk") == pairs(
        "MATCH (s:Sentence {corpus: $corpus})-[:NAMES]->()<-[:PART_OF]-(c:Chunk) "
        "RETURN DISTINCT s.id AS a, c.id AS b"
    )
    assert exported("E_cc", "sentence", "sentence") == pairs(
        "MATCH (s:Sentence {corpus: $corpus})-[:NEXT_SENTENCE]->(t) RETURN s.id AS a, t.id AS b"
    )
    assert exported("E_oo", "entity", "entity") == pairs(
        "MATCH (h:Entity {corpus: $corpus})-[:RELATION]->(t) RETURN DISTINCT h.id AS a, t.id AS b"
    )
    mentioned = pairs(
        "MATCH (e:Entity {corpus: $corpus})-[:MENTIONED_IN]->(c) "
        "RETURN DISTINCT e.id AS a, c.id AS b"
    )
    assert mentioned <= exported("E_od", "entity", "chunk")
    assert len(exported("names", "sentence", "chunk")) >= 2
    lengths = np.linalg.norm(arrays.chunk_vectors.astype(np.float32), axis=1)
    np.testing.assert_allclose(lengths, 1, atol=2e-3)


@pytest.mark.parametrize("seed", range(5))
def test_sentences_are_joined_to_all_chunks_of_what_they_name(seed: int) -> None:
    draw = random.Random(seed)
    sentences, chunks = [f"s{n}" for n in range(9)], [f"c{n}" for n in range(9)]
    documents = {chunk: f"d{draw.randrange(5)}" for chunk in [*chunks, "gone"]}
    links = [(draw.choice([*sentences, "gone"]), f"d{draw.randrange(7)}") for _ in range(12)]
    found = named_chunks(links, [*documents.items()], np.array(sentences), np.array(chunks))
    wanted = {
        (sentences.index(sentence), chunks.index(chunk))
        for sentence, named in links
        for chunk, document in documents.items()
        if named == document and sentence in sentences and chunk in chunks
    }
    assert found.T.tolist() == [list(pair) for pair in sorted(wanted)]
    assert found.dtype == np.int32
    nothing = named_chunks([], [], np.array([], dtype=np.str_), np.array([], dtype=np.str_))
    assert nothing.shape == (2, 0)


def test_a_long_document_that_many_name_takes_little_memory() -> None:
    ids = np.array([f"{n:064}" for n in range(400)])
    own = [(str(id_), "d") for id_ in ids]
    tracemalloc.start()
    found = named_chunks(own, own, ids, ids)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.shape == (2, 400 * 400)
    assert most < 120 * 400 * 400  # a tuple of two ids, and those again as an array, take 700


def test_the_arrays_are_made_once_a_revision_and_loaded_from_disk(resources: Resources) -> None:
    corpus = Retrieval(resources, NAME, QUESTION, CORPUS, 1).corpus
    made = network_arrays(resources).snapshot(corpus)
    loaded = network_arrays(like(resources)).snapshot(corpus)
    assert loaded.revision == made.revision
    assert isinstance(loaded.value, NetworkArrays)
    assert np.array_equal(loaded.value.E_od, made.value.E_od)
    assert np.array_equal(loaded.value.chunk_vectors, made.value.chunk_vectors)


def test_a_document_that_is_deleted_while_the_arrays_are_read_is_left_out(
    resources: Resources, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = resources.store
    pipeline = IngestPipeline(store, resources.embedder, resources.parser)
    pipeline.accept(corpus, [uploaded(f"{t}.txt", x.encode()) for t, x in DOCUMENTS.items()])
    pipeline.process(corpus)
    before = export_network_arrays(store, corpus)
    (gone, *_) = chunks_by_id(store, corpus, before.chunk_ids.tolist())
    read = store.read
    waiting = [gone["document_id"]]

    def deleting(name: str, /, **params: Any) -> Any:
        if name == "chunk_structure" and waiting:
            delete_document(resources, corpus, waiting.pop())
        return read(name, **params)

    monkeypatch.setattr(store, "read", deleting)
    arrays = export_network_arrays(store, corpus)
    chunk_of = dict(zip(*before.E_cd.tolist(), strict=True))
    kept = [
        id_
        for row, id_ in enumerate(before.sentence_ids.tolist())
        if before.chunk_ids[chunk_of[row]] != gone["id"]
    ]
    assert arrays.sentence_ids.tolist() == kept
    after = export_network_arrays(store, corpus)
    assert np.array_equal(arrays.sentence_vectors, after.sentence_vectors)
    assert np.array_equal(arrays.E_cc, after.E_cc)


@pytest.mark.parametrize("switch", [*SWITCHES])
def test_each_ablation_of_the_settings_changes_the_scores(
    resources: Resources, switch: str
) -> None:
    changed: dict[str, Any] = {switch: False}
    before, after = ask(resources), ask(resources, **changed)
    assert len(after.chunks) == len(before.chunks)
    scores = {chunk.id: chunk.score for chunk in before.chunks}
    assert any(abs(scores[chunk.id] - chunk.score) > 1e-6 for chunk in after.chunks)
    named = cited(after)
    assert not (named - existing(resources.store, CORPUS, named)).words()


def test_it_ranks_what_another_strategy_found(resources: Resources) -> None:
    other = build_strategy("bm25", resources).retrieve(QUESTION, CORPUS, 3)
    again = ask(resources, k=3, candidates="bm25", candidate_pool=3)
    assert {chunk.id for chunk in again.chunks} == {chunk.id for chunk in other.chunks}
    assert [chunk.score for chunk in again.chunks] != [chunk.score for chunk in other.chunks]
    assert "candidates" in {step.name for step in again.trace}
    with pytest.raises(UnknownStrategy):
        ask(resources, candidates="nothing")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"candidates": "graph-network"}, "itself"),
        ({"candidates": "iterative:graph-network"}, "itself"),
        ({"candidates": "planner:graph-network"}, "itself"),
        ({"candidates": "iterative:cross-encoder:graph-network"}, "itself"),
        ({"sentence_level": False, "chunk_level": False}, "one of them must be on"),
    ],
)
def test_settings_that_cannot_rank_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        NetworkMethodOptions(**wrong)


def test_an_untrained_network_ranks_with_a_notice_only_where_nobody_asked_for_it(
    resources: Resources,
) -> None:
    assert ask(resources, version="untrained").notices == ()
    assert all("untrained" not in notice for notice in ask(resources).notices)
    assert ask(resources, version="untrained").chunks != ask(resources).chunks


def test_the_whole_graph_and_a_neighbourhood_of_all_chunks_rank_alike(
    resources: Resources,
) -> None:
    """Of a small corpus the neighbourhood leaves out entities of one chunk only."""
    whole = ask(resources, k=8, whole_below=100)
    part = ask(resources, k=8)
    assert {chunk.id for chunk in whole.chunks} == {chunk.id for chunk in part.chunks}
    assert whole.chunks[0].id == part.chunks[0].id
    nodes = {
        name: next(step.detail for step in one.trace if step.name == "neighbourhood")
        for name, one in (("whole", whole), ("part", part))
    }
    assert nodes["whole"]["chunk nodes"] == nodes["part"]["chunk nodes"] == len(DOCUMENTS)
    assert nodes["whole"]["entity nodes"] > nodes["part"]["entity nodes"]


def test_the_budget_bounds_what_is_looked_at(resources: Resources) -> None:
    retrieval = Retrieval(resources, NAME, QUESTION, CORPUS, 1)
    arrays = network_arrays(resources).snapshot(retrieval.corpus).value
    options = NetworkMethodOptions(chunks=10, entities=2)
    part = question_part(retrieval, arrays, find_seeds(retrieval, 0.0), options)
    assert len(part.rows["chunk"]) <= 10
    assert len(part.rows["entity"]) <= 2


def test_the_hops_count_in_the_whole_graph_too(resources: Resources) -> None:
    """From one chunk alone more is reached in more hops."""
    retrieval = Retrieval(resources, NAME, QUESTION, CORPUS, 1)
    arrays = network_arrays(resources).snapshot(retrieval.corpus).value
    seeds = find_seeds(retrieval, 0.0)
    first = next(row.id for row in ask(resources).chunks if row.title == "Aurelia")
    alone = replace(seeds, entities={}, cosines={first: seeds.cosines[first]})
    one, two = (
        question_part(retrieval, arrays, alone, NetworkMethodOptions(whole_below=100, hops=hops))
        for hops in (1, 2)
    )
    assert len(one.rows["chunk"]) == len(two.rows["chunk"]) == len(DOCUMENTS)
    assert (one.marks["chunk"][:, 2] > 0).sum() < (two.marks["chunk"][:, 2] > 0).sum()


def test_a_version_for_other_embeddings_is_told(resources: Resources, tmp_path: Path) -> None:
    save_network(GraphNetwork(NetworkOptions(input=12, dimension=8)), tmp_path)
    with pytest.raises(ModelNotInstalled, match="reads embeddings of 12 dimensions"):
        ask(resources, version=str(tmp_path))


def test_no_number_of_threads_is_one_a_core(resources: Resources) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)  # as a model that was loaded before may leave it
        ask(resources, threads=0)
        assert torch.get_num_threads() == len(os.sched_getaffinity(0))
    finally:
        torch.set_num_threads(before)


def test_past_the_sentence_limit_pagerank_answers_and_says_so(resources: Resources) -> None:
    evidence = ask(resources, sentence_limit=2, k=3)
    assert evidence.chunks
    assert any("past the limit of 2" in notice for notice in evidence.notices)


def test_of_untrained_networks_that_of_the_newest_revision_stays(resources: Resources) -> None:
    shared = like(resources, graph_network_version="untrained")
    without = shared.under(graph_network_intra=False)
    for asked in (shared, without):
        build_strategy(NAME, asked).retrieve(QUESTION, CORPUS, 2)

    def loaded() -> int:
        return sum("untrained" in one.name for one in shared.models.report())

    assert loaded() == 2
    resources.store.write("bump_revision", corpus=CORPUS)
    build_strategy(NAME, shared).retrieve(QUESTION, CORPUS, 2)
    assert loaded() == 1
