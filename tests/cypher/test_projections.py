"""PageRank: the numbers of networkx, on the weights that the design asks for."""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import networkx
import pytest

from clew_cypher.corpora import delete_corpus, ensure_corpus
from clew_cypher.errors import GraphError, UnknownCorpus
from clew_cypher.export.arrays import export_chunks
from clew_cypher.ids import content_id
from clew_cypher.searching import projections
from clew_cypher.searching.projections import mention_projection, pagerank_chunks
from clew_cypher.statements import Statement, statement
from clew_cypher.store import GraphStore
from clew_cypher.writing.writer import write_batch

from .conftest import accept

# importing GDS' client is not ours to mend
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def filled(ingest: Callable) -> None:
    ingest("Ada", ["Ada studied engines with Babbage. Ada wrote.", "Ada met Byron."])
    ingest("Babbage", ["Babbage designed Engines. Herschel helped Babbage."])
    ingest("Byron", ["Byron met Shelley in 1816. Shelley wrote Frankenstein."])
    ingest("Curie", ["Curie isolated radium in 1816."])


def expected(store: GraphStore, corpus: str, seeds: dict[str, float], damping: float) -> dict:
    chunks = list(export_chunks(store, corpus))
    holders: dict[str, int] = {}
    for chunk in chunks:
        for mention in chunk.mentions:
            holders[mention.entity_id] = holders.get(mention.entity_id, 0) + 1
    graph = networkx.Graph()
    for chunk in chunks:
        for mention in chunk.mentions:
            if mention.type == "DATE":  # joins Byron to Curie, who have nothing in common
                continue
            weight = math.log(1 + len(chunks) / holders[mention.entity_id])
            weight *= mention.count + mention.is_title
            graph.add_edge(mention.entity_id, chunk.id, weight=weight)
    ranks = networkx.pagerank(
        graph, alpha=damping, personalization=seeds, weight="weight", tol=1e-14, max_iter=1000
    )
    # power iteration starts everywhere, and what it leaves out of reach is tiny but not 0
    return {chunk.id: ranks[chunk.id] for chunk in chunks if ranks[chunk.id] > 1e-12}


@pytest.mark.parametrize("damping", [0.5, 0.85])
def test_pagerank_is_networkx_s(
    store: GraphStore, corpus: str, filled: None, damping: float
) -> None:
    chunk = next(export_chunks(store, corpus)).id
    seeds = {
        content_id("e", corpus, "babbage"): 0.5,
        content_id("e", corpus, "shelley"): 0.2,
        chunk: 0.3,
    }
    wanted = expected(store, corpus, seeds, damping)
    found = pagerank_chunks(store, corpus, seeds, damping=damping, limit=100)
    assert {row["id"]: row["score"] for row in found} == pytest.approx(wanted, abs=2e-5)
    assert [row["id"] for row in found] == sorted(wanted, key=lambda key: (-wanted[key], key))
    top = pagerank_chunks(store, corpus, seeds, damping=damping, limit=2)
    assert top == found[:2]


@pytest.mark.parametrize("best", range(2, 9))
def test_reading_the_best_nodes_alone_changes_nothing(
    store: GraphStore, corpus: str, filled: None, best: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = {content_id("e", corpus, name): 0.5 for name in ("ada", "byron")}
    whole = pagerank_chunks(store, corpus, seeds, damping=0.5, limit=100)
    monkeypatch.setattr(projections, "BEST_NODES", best)
    monkeypatch.setattr(projections, "BEST_A_CHUNK", 1)
    assert len(whole) > 2
    for limit in range(1, len(whole) + 2):
        found = pagerank_chunks(store, corpus, seeds, damping=0.5, limit=limit)
        assert found == whole[:limit]


def test_chunks_out_of_reach_are_left_out(store: GraphStore, corpus: str, filled: None) -> None:
    seeds = {content_id("e", corpus, "curie"): 1.0}
    (found,) = pagerank_chunks(store, corpus, seeds, damping=0.5, limit=10)
    (chunk,) = [c for c in export_chunks(store, corpus) if c.id == found["id"]]
    assert content_id("e", corpus, "curie") in {m.entity_id for m in chunk.mentions}


def test_a_projection_lives_as_long_as_its_revision(
    store: GraphStore, corpus: str, filled: None, ingest: Callable
) -> None:
    def projections() -> list[str]:
        prefix = first[: first.rindex("-") + 1]
        return [row["name"] for row in store.read("projection_names", prefix=prefix)]

    first = mention_projection(store, corpus)
    assert mention_projection(store, corpus) == first
    ingest("Herschel", ["Herschel watched Stars."])
    seeds = {content_id("e", corpus, "stars"): 1.0}
    assert len(pagerank_chunks(store, corpus, seeds, damping=0.5, limit=10)) > 0
    second = mention_projection(store, corpus)
    assert projections() == [second] != [first]
    delete_corpus(store, corpus)
    assert projections() == []


def test_questions_at_once_make_one_projection(
    store: GraphStore,
    corpus: str,
    filled: None,
    ingest: Callable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Documents come in meanwhile: the second one is for all that asked during the first."""
    names: list[str] = []
    first = threading.Event()

    def slow(name: str) -> Statement:
        names.append(name)
        first.set()
        time.sleep(0.5)
        return statement(name)

    monkeypatch.setattr(projections, "statement", slow)
    _ = store.gds
    with ThreadPoolExecutor(5) as pool:
        asked = [pool.submit(mention_projection, store, corpus)]
        assert first.wait(30)
        ingest("Herschel", ["Herschel watched Stars."])
        asked += [pool.submit(mention_projection, store, corpus) for _ in range(4)]
        found = [one.result() for one in asked]
    assert names == ["project_mentions"] * 2
    assert len(set(found[1:])) == 1
    del asked
    assert not projections._LATEST  # nothing is kept of a corpus that nobody asks about
    assert mention_projection(store, corpus) == found[1] != found[0]


def test_chunks_without_an_entity_are_ranked_as_seeds(
    store: GraphStore, corpus: str, filled: None, make_batch: Callable
) -> None:
    """ "Where Are You may refer to:" holds no entity, and no title that is one."""
    lone = _write_bare(store, corpus, make_batch, "where are you may refer to:")
    ada = content_id("e", corpus, "ada")
    found = pagerank_chunks(store, corpus, {ada: 0.5, lone: 0.5}, damping=0.5, limit=10)
    scores = {row["id"]: row["score"] for row in found}
    assert scores[lone] == pytest.approx(0.25, abs=2e-5)  # (1 − d) · seed, and nothing leads there
    assert len(scores) == 5  # both of Ada, what she leads to (not Curie), and the lone one


def test_a_corpus_without_any_entity_is_ranked_by_its_seeds(
    store: GraphStore, corpus: str, make_batch: Callable
) -> None:
    first = _write_bare(store, corpus, make_batch, "nothing but small words here.")
    second = _write_bare(store, corpus, make_batch, "and some more of them.")
    found = pagerank_chunks(store, corpus, {first: 0.3, second: 0.7}, damping=0.5, limit=10)
    assert [row["id"] for row in found] == [second, first]


def _write_bare(store: GraphStore, corpus: str, make_batch: Callable, text: str) -> str:
    """Write a document of one chunk that mentions nothing; return the chunk's id."""
    batch = make_batch("", [text], uri=f"{text}.txt")
    bare = replace(batch, entities=(), mentions=(), roles=())
    accept(store, corpus, bare, text.encode())
    write_batch(store, corpus, bare)
    return bare.chunks[0].id


def test_seeds_of_another_corpus_are_left_out(
    store: GraphStore, corpus: str, filled: None, ingest: Callable
) -> None:
    other = f"{corpus}-other"
    try:
        ingest("Ada", ["Ada slept."], into=other)
        theirs = content_id("e", other, "ada")
        assert pagerank_chunks(store, corpus, {theirs: 1.0}, damping=0.5, limit=10) == []
        both = {theirs: 0.5, content_id("e", corpus, "ada"): 0.5}
        ours = {chunk.id for chunk in export_chunks(store, corpus)}
        found = pagerank_chunks(store, corpus, both, damping=0.5, limit=10)
        assert found
        assert {row["id"] for row in found} <= ours
    finally:
        delete_corpus(store, other)


def test_nothing_to_rank(store: GraphStore, corpus: str) -> None:
    with pytest.raises(UnknownCorpus):
        pagerank_chunks(store, corpus, {}, damping=0.5, limit=5)
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert pagerank_chunks(store, corpus, {}, damping=0.5, limit=5) == []
    with pytest.raises(GraphError, match="no chunks"):
        mention_projection(store, corpus)
