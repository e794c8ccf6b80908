"""Questions made from the graph of a real ingest: they can be answered, and give nothing away."""

import contextlib
import random
import re
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.evaluation.data_sets.masking import GAP, STAND_IN
from clew.evaluation.data_sets.synthetic import A_DOCUMENT, AN_ANSWER, synthesise
from clew.results.data_set import BenchQuestion
from clew.sample_corpus import ARTICLES
from clew_cypher.corpora import delete_corpus
from clew_cypher.errors import UnknownCorpus
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.store import GraphStore
from clew_ingest.parsing.parser import Parser
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import uploaded

NAMES = """
    aurelia seld-shipyard victor-ferrand meridian-expedition corvay kestrel-point-lighthouse
    hugo-lindqvist margaret-lindqvist the-glass-harbour rebecca-holloway the-salt-road tessmark
    anselburg mount-hestrel hestrel-observatory edmund-halloway stavanholm river-seld
""".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def corpora(
    store: GraphStore, cache_dir: Path, corpus_names: deque[str]
) -> Iterator[tuple[str, str]]:
    """The same articles in two corpora, ingested in two orders."""
    from clew_models.embedding import load_embedder

    embedder = load_embedder("minilm", cache_dir=cache_dir, threads=1)
    names = (corpus_names.popleft(), corpus_names.popleft())
    articles = [uploaded(f"{n}.md", (ARTICLES / f"{n}.md").read_bytes()) for n in NAMES]
    try:
        with IngestPipeline(store, embedder, Parser()) as pipeline:
            for name in names:
                pipeline.accept(name, articles)
                pipeline.process(name)
                articles = random.Random(5).sample(articles, len(articles))
        yield names
    finally:
        for name in names:
            with contextlib.suppress(UnknownCorpus):
                delete_corpus(store, name)
        corpus_names.extend(names)


@pytest.fixture(scope="module")
def made(store: GraphStore, corpora: tuple[str, str]) -> list[BenchQuestion]:
    return synthesise(store, corpora[0], 20, 0)


def test_there_are_one_hop_and_two_hop_questions(made: list[BenchQuestion]) -> None:
    kinds = Counter((q.type, q.hops) for q in made)
    assert set(kinds) == {("synthetic one-hop", 1), ("synthetic two-hop", 2)}
    assert kinds["synthetic two-hop", 2] >= 5
    assert 10 <= len(made) <= 20
    assert len({q.id for q in made}) == len({q.question for q in made}) == len(made)


def test_the_gold_chunks_prove_the_answer(
    store: GraphStore, corpora: tuple[str, str], made: list[BenchQuestion]
) -> None:
    for question in made:
        chunks = chunks_by_id(store, corpora[0], list(question.gold))
        assert len(chunks) == len(question.gold) == question.hops
        assert len({chunk["document_id"] for chunk in chunks}) == question.hops
        holding = [chunk for chunk in chunks if question.answers[0] in chunk["text"]]
        assert len(holding) == 1, question  # the other leads to it, and does not name it


def test_no_question_holds_its_answer(made: list[BenchQuestion]) -> None:
    for question in made:
        for answer in question.answers:
            assert answer.casefold() not in question.question.casefold()


def test_a_two_hop_question_does_not_name_what_joins_its_documents(
    store: GraphStore, corpora: tuple[str, str], made: list[BenchQuestion]
) -> None:
    rows = store.run_declared(
        "CYPHER 25 MATCH (e:Entity {corpus: $corpus})-[:MENTIONED_IN]->(c:Chunk) "
        "RETURN e.name AS name, collect(c.id) AS chunks",
        {"corpus": corpora[0]},
    )
    for question in (q for q in made if q.hops == 2):
        clue = re.split(r" (?=(?:Who|Which|What) )", question.question)[0]
        texts = [c["text"] for c in chunks_by_id(store, corpora[0], list(question.gold))]
        joined = [row["name"] for row in rows if set(question.gold) <= set(row["chunks"])]
        bare = {re.sub("^[Tt]he ", "", name) for name in joined}
        bridges = {
            name
            for name in bare
            for spelled in (name, f"the {name}", f"The {name}")
            if any(re.sub(rf"\b{STAND_IN}\b", spelled, clue) in text for text in texts)
        }
        assert len(bridges) == 1, question  # the clue is a sentence of a gold chunk
        assert bridges.pop() not in question.question
        assert len(re.findall(rf"\b{STAND_IN}\b", question.question)) >= 2


def test_a_question_is_a_sentence_that_asks(made: list[BenchQuestion]) -> None:
    for question in made:
        assert question.question.endswith("?")
        assert any(word in question.question for word in ("Who ", "What ", "Which "))
        assert question.question.count(GAP) <= 1


def test_no_document_or_answer_is_asked_about_too_often(
    store: GraphStore, corpora: tuple[str, str], made: list[BenchQuestion]
) -> None:
    documents: Counter[str] = Counter()
    for question in made:
        chunks = chunks_by_id(store, corpora[0], list(question.gold))
        documents.update(chunk["document_id"] for chunk in chunks)
    assert max(documents.values()) <= A_DOCUMENT
    assert max(Counter(q.answers[0] for q in made).values()) <= AN_ANSWER


def test_a_seed_gives_the_same_questions_whatever_the_order_of_ingest(
    store: GraphStore, corpora: tuple[str, str], made: list[BenchQuestion]
) -> None:
    assert synthesise(store, corpora[0], 20, 0) == made
    other = synthesise(store, corpora[1], 20, 0)
    assert [(q.id, q.question, q.answers) for q in other] == [
        (q.id, q.question, q.answers) for q in made
    ]
    assert not {key for q in other for key in q.gold} & {key for q in made for key in q.gold}
    assert [q.id for q in synthesise(store, corpora[0], 20, 1)] != [q.id for q in made]


def test_as_many_as_are_wanted_or_as_there_are(
    store: GraphStore, corpora: tuple[str, str], corpus: str
) -> None:
    assert len(synthesise(store, corpora[0], 1, 0)) == 1
    five = synthesise(store, corpora[0], 5, 0)
    assert Counter(q.hops for q in five) == {2: 4, 1: 1}
    assert 10 < len(synthesise(store, corpora[0], 500, 0)) < 500
    assert synthesise(store, corpus, 5, 0) == []
