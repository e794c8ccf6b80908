"""translator (KT-6 to KT-9, KT-12, KT-13) on a real Neo4j, with a model of random weights: what it
writes is arbitrary, so that what holds here does not depend on how good a model is.
"""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.evidence import Evidence, EvidenceClue
from clew.settings import Settings
from clew.strategies import StrategyContext
from clew.strategies.clue_tracing import chunk_log_probabilities
from clew.strategies.translator import Translator
from clew_cypher.corpora import delete_corpus, delete_corpus_content
from clew_cypher.documents import delete_document
from clew_cypher.hyperrelations import hyperedges
from clew_cypher.ids import content_id
from clew_cypher.store import GraphStore
from clew_ingest.parsing import Parser
from clew_ingest.pipeline import IngestPipeline
from clew_ingest.sources import Source
from clew_models.embedding import Embedder, load_embedder
from clew_models.translator import Clue, TranslatedEntity

from ..tiny_model import tiny_model

DOCUMENTS = {
    "Marlow Observatory": "The Marlow Observatory was designed by Ada Thorne in 1911. It stands in "
    "Selby.",
    "Ada Thorne": "Ada Thorne was an architect. Ada Thorne grew up in Port Ellis and was taught by "
    "Henrik Vale.",
    "Henrik Vale": "Henrik Vale was a Danish engineer. Henrik Vale was born in Ribe in 1850.",
    "Tom Reyes": "Tom Reyes is a director from Port Ellis. He made four films in Selby.",
}
QUESTIONS = (
    "Who designed the Marlow Observatory?",
    "Where was Henrik Vale born?",
    "Who taught Ada Thorne?",
    "Which director is from Port Ellis?",
    "What is it?",
    "Were Tom Reyes and Ada Thorne both from Port Ellis?",
)
CORPUS = "test-translator"
Make = Callable[..., Translator]


def ingest(context: StrategyContext, corpus: str, titles: list[str]) -> None:
    pipeline = IngestPipeline(context.store, context.embedder, context.parser)
    pipeline.accept(
        corpus,
        [
            Source(
                uri=f"memory:{title}",
                name="record.json",
                data=json.dumps({"title": title, "text": DOCUMENTS[title]}).encode(),
            )
            for title in titles
        ],
    )
    pipeline.process(corpus)


@pytest.fixture(scope="module")
def embedder(cache_dir: Path) -> Embedder:
    return load_embedder("minilm", cache_dir=cache_dir, threads=1)


@pytest.fixture(scope="module")
def make(
    store: GraphStore, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Make]:
    """Builds the strategy with settings, over a corpus that is filled once."""
    home = tmp_path_factory.mktemp("home")
    model = str(tiny_model(home / "model"))
    parser = Parser()

    def build(**settings: Any) -> Translator:
        chosen = Settings(
            home=home,
            translator_model=model,
            translator_adapter="none",
            translator_precision="float32",
            **settings,
        )
        return Translator(StrategyContext(store, embedder, parser, chosen))

    delete_corpus_content(store, CORPUS)
    ingest(build()._context, CORPUS, list(DOCUMENTS))
    yield build
    delete_corpus(store, CORPUS)


def steps(evidence: Evidence) -> list[str]:
    return [step.name for step in evidence.trace]


def check(store: GraphStore, corpus: str, evidence: Evidence) -> None:
    """Every clue exists: each of its sentences has the entity in its role, and the relation."""
    ids = [sentence.id for clue in evidence.clues for sentence in clue.sentences]
    edges = hyperedges(store, corpus, ids)
    for clue in evidence.clues:
        assert clue.sentences
        for sentence in clue.sentences:
            edge = edges[sentence.id]
            ends = (*edge.heads, *edge.titles) if clue.direction == "forward" else edge.tails
            assert clue.entity_id in {end.id for end in ends}
            assert clue.relation in edge.hyperrelation
            assert sentence.text == edge.text
            assert sentence.chunk_id == edge.chunk_id
            assert edge.chunk_id in clue.chunk_ids
            if sentence.start is not None:
                piece = sentence.text[sentence.start : sentence.end]
                assert all(p.strip() in piece for p in clue.relation.strip("# \n").split("##"))
            if clue.tail_id is not None:
                other = edge.tails if clue.direction == "forward" else edge.heads
                assert other
    assert [clue.score for clue in evidence.clues] == sorted(
        (clue.score for clue in evidence.clues), reverse=True
    )


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"translator_entities": 1, "translator_relations": 1},
        {"translator_entities": 8, "translator_relations": 5, "translator_relation_tokens": 3},
        {"translator_length_penalty": 1.0},
        {"translator_title_heads": False},
        {"translator_reverse": "first"},
        {"translator_form": "triple"},
        {"translator_hops": 3},
    ],
)
def test_every_clue_exists_in_the_graph(
    make: Make, store: GraphStore, settings: dict[str, Any]
) -> None:
    strategy = make(**settings)
    for question in QUESTIONS:
        evidence = strategy.retrieve(question, CORPUS, 5)
        check(store, CORPUS, evidence)
        traced = {chunk for clue in evidence.clues for chunk in clue.chunk_ids}
        assert {chunk.id for chunk in evidence.chunks} <= traced
        assert len(evidence.chunks) == min(5, len(traced))
        scores = [chunk.score for chunk in evidence.chunks]
        assert scores == sorted(scores, reverse=True)


def test_fewer_than_k_where_fewer_were_traced(make: Make) -> None:
    strategy = make(translator_entities=1, translator_relations=1, translator_reverse="never")
    evidence = strategy.retrieve("Where was Henrik Vale born?", CORPUS, 4)
    assert 1 <= len(evidence.chunks) < 4


def test_a_name_of_the_question_is_translated(make: Make) -> None:
    evidence = make(translator_entities=1).retrieve("Where was Henrik Vale born?", CORPUS, 5)
    named = [clue for clue in evidence.clues if clue.named]
    assert {clue.entity for clue in named} == {"Henrik Vale"}
    assert {seed.match for seed in evidence.seeds} <= {"name", "alias", "embedding", "decoded"}


def test_reverse_only_where_forward_found_too_little(make: Make) -> None:
    strategy = make()
    # a head by name: forward is enough
    assert "reverse relations" not in steps(
        strategy.retrieve("Where was Henrik Vale born?", CORPUS, 5)
    )
    # Port Ellis is no subject anywhere: it has a clue in reverse only
    evidence = strategy.retrieve("Which director is from Port Ellis?", CORPUS, 5)
    order = [name for name in steps(evidence) if name.endswith("relations")]
    assert order == ["forward relations", "reverse relations"]
    reverse = [clue for clue in evidence.clues if clue.direction == "reverse"]
    assert "Port Ellis" in {clue.entity for clue in reverse}
    assert {"Tom Reyes"} <= {chunk.title for chunk in evidence.chunks}


def test_ablations_of_the_direction(make: Make) -> None:
    question = "Which director is from Port Ellis?"
    never = make(translator_reverse="never").retrieve(question, CORPUS, 5)
    assert {clue.direction for clue in never.clues} <= {"forward"}
    first = make(translator_reverse="first").retrieve(question, CORPUS, 5)
    order = [name for name in steps(first) if name.endswith("relations")]
    assert order[0] == "reverse relations"
    undirected = make(translator_directed=False).retrieve(question, CORPUS, 5)
    assert "Port Ellis" in {c.entity for c in undirected.clues if c.direction == "forward"}
    assert "reverse relations" not in steps(undirected)


def test_titles_head_the_sentences_of_their_documents(make: Make) -> None:
    def tom(**settings: Any) -> set[str]:
        found = make(translator_relations=20, **settings).retrieve("Tom Reyes", CORPUS, 5)
        clues = [c for c in found.clues if c.entity == "Tom Reyes" and c.direction == "forward"]
        return {sentence.text for clue in clues for sentence in clue.sentences}

    assert tom(translator_title_heads=False) == {"Tom Reyes is a director from Port Ellis."}
    assert "He made four films in Selby." in tom()


def test_triples_have_a_tail_at_the_other_end(make: Make, store: GraphStore) -> None:
    evidence = make(translator_form="triple").retrieve("Who taught Ada Thorne?", CORPUS, 5)
    tails = [clue for clue in evidence.clues if clue.tail]
    assert tails
    for clue in tails:
        edges = hyperedges(store, CORPUS, [sentence.id for sentence in clue.sentences])
        ends = {
            end.id
            for edge in edges.values()
            for end in (edge.tails if clue.direction == "forward" else edge.heads)
        }
        assert clue.tail_id in ends


def test_a_chain_goes_on_from_the_sentences_of_a_clue(make: Make, store: GraphStore) -> None:
    evidence = make(translator_hops=2).retrieve("Who designed the Marlow Observatory?", CORPUS, 5)
    chained = [clue for clue in evidence.clues if clue.after is not None]
    assert chained
    for clue in chained:
        before = evidence.clues[clue.after or 0]
        edges = hyperedges(store, CORPUS, [sentence.id for sentence in before.sentences])
        beside = {end.id for e in edges.values() for end in (*e.heads, *e.tails, *e.titles)}
        assert clue.entity_id in beside - {before.entity_id}
        assert set(clue.chunk_ids).isdisjoint(before.chunk_ids)
        assert clue.score < before.score
    assert "next clues" in steps(evidence)


def test_a_chain_goes_on_to_sentences_about_other_subjects(make: Make, store: GraphStore) -> None:
    def after(**settings: Any) -> set[str]:
        strategy = make(translator_hops=2, translator_relations=5, **settings)
        found = strategy.retrieve("Who was born where Henrik Vale was born?", CORPUS, 5)
        check(store, CORPUS, found)
        return {clue.direction for clue in found.clues if clue.after is not None}

    assert after() == {"forward", "reverse"}
    assert after(translator_reverse="never") == {"forward"}


def test_likely_clues_raise_what_they_lead_to(make: Make) -> None:
    question = "Who designed the Marlow Observatory?"
    alone = make(translator_clue_weight=0).retrieve(question, CORPUS, 5)
    both = make(translator_clue_weight=1).retrieve(question, CORPUS, 5)
    cosines = {chunk.id: chunk.score for chunk in alone.chunks}
    likely = chunk_log_probabilities(traced(both.clues))
    for chunk in both.chunks:
        assert chunk.score < 1
        if chunk.id in cosines:
            assert chunk.score == pytest.approx(cosines[chunk.id] + likely[chunk.id], abs=1e-4)
    assert [chunk.id for chunk in both.chunks] != [chunk.id for chunk in alone.chunks]


def traced(clues: tuple[EvidenceClue, ...]) -> list[Clue]:
    """The clues with the scores and chunks that they are shown with."""
    return [
        Clue(
            TranslatedEntity(clue.entity_id, clue.entity, 0.0, clue.named),
            clue.relation,
            clue.score,
            clue.direction,
            tuple(sentence.id for sentence in clue.sentences),
            clue.chunk_ids,
        )
        for clue in clues
    ]


def test_a_clue_shares_its_probability_among_its_chunks() -> None:
    entity = TranslatedEntity("e", "E", math.log(0.5), True)
    one = Clue(entity, "a", math.log(0.5), "forward", ("s",), ("x",))
    two = Clue(entity, "b", math.log(0.4), "forward", ("s", "t"), ("x", "y"))
    found = chunk_log_probabilities([one, two])
    assert found == pytest.approx({"x": math.log(0.25 + 0.1), "y": math.log(0.1)})
    assert chunk_log_probabilities([]) == {}


def test_the_same_question_has_the_same_evidence(make: Make) -> None:
    one, other = (make().retrieve(QUESTIONS[0], CORPUS, 5) for _ in range(2))
    assert one.clues == other.clues
    assert one.chunks == other.chunks


def test_clues_follow_the_documents(make: Make, store: GraphStore, corpus: str) -> None:
    strategy = make(translator_relations=20, translator_entities=20)

    def reached() -> set[str]:
        evidence = strategy.retrieve("Who?", corpus, 10)
        check(store, corpus, evidence)
        return {chunk.title for chunk in evidence.chunks}

    ingest(strategy._context, corpus, ["Henrik Vale"])
    assert reached() == {"Henrik Vale"}
    ingest(strategy._context, corpus, ["Tom Reyes"])
    assert reached() == {"Henrik Vale", "Tom Reyes"}
    delete_document(store, corpus, content_id("d", corpus, "memory:Henrik Vale"))
    assert reached() == {"Tom Reyes"}


def test_a_model_that_is_not_there_says_what_to_do(make: Make, tmp_path: Path) -> None:
    from clew_models.errors import ModelNotInstalled

    strategy = make()
    settings = strategy._context.settings.model_copy(update={"translator_model": str(tmp_path)})
    parts = strategy._context
    other = Translator(StrategyContext(parts.store, parts.embedder, parts.parser, settings))
    with pytest.raises(ModelNotInstalled, match="no language model in"):
        other.retrieve("Who?", CORPUS, 5)
