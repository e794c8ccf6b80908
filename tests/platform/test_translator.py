"""translator (KT-6 to KT-9, KT-12, KT-13) on a real Neo4j, with a model of random weights: what it
writes is arbitrary, so that what holds here does not depend on how good a model is.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clew.evaluation.asking import cited
from clew.resources.resources import Resources
from clew.results.evidence import Evidence, Progress, Told, TraceStep
from clew.results.explanation import Quote, QuotesCard, SubgraphCard
from clew.settings import Settings
from clew.strategies.translator import explanation
from clew.strategies.translator.clues import chunk_log_probabilities
from clew.strategies.translator.strategy import Translator
from clew_cypher.checking.validity import existing
from clew_cypher.corpora import delete_corpus, delete_corpus_content
from clew_cypher.export.hyperrelations import hyperedges
from clew_cypher.ids import content_id
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import delete_document
from clew_ingest.parsing.parser import Parser
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import Source
from clew_models.embedding import Embedder, load_embedder
from clew_models.translator import Clue, Direction, TranslatedEntity

from ..held_resources import held_resources, like
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


def ingest(resources: Resources, corpus: str, titles: list[str]) -> None:
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
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
        chosen = Settings.load(
            home=home,
            translator_model=model,
            translator_adapter="none",
            translator_precision="float32",
            **settings,
        )
        return Translator(held_resources(chosen, store, embedder, parser))

    delete_corpus_content(store, CORPUS)
    ingest(build()._resources, CORPUS, list(DOCUMENTS))
    yield build
    delete_corpus(store, CORPUS)


def steps(evidence: Evidence) -> list[str]:
    return [step.name for step in evidence.trace]


class ShownClue(NamedTuple):
    """A clue as a quote shows it, read back into its parts."""

    entity: str
    relation: str
    tail: str | None
    direction: Direction
    quote: Quote


def clues(evidence: Evidence) -> list[ShownClue]:
    """The clues that the evidence is explained by, likeliest first."""
    (card,) = [card for card in evidence.explanation if isinstance(card, QuotesCard)]
    return [shown(quote) for quote in card.quotes]


def shown(quote: Quote) -> ShownClue:
    head, relation, *tail = quote.parts
    assert quote.text == "@@".join(quote.parts)
    assert head == quote.label
    direction: Direction = "reverse" if "reverse" in quote.tags else "forward"
    return ShownClue(head, relation, tail[0] if tail else None, direction, quote)


def drawing(cards: Iterable[Told]) -> SubgraphCard:
    """The one subgraph among cards."""
    (card,) = [card for card in cards if isinstance(card, SubgraphCard)]
    return card


def asked(strategy: Translator, question: str, corpus: str, k: int) -> tuple[Evidence, list[Told]]:
    """Retrieve; return the evidence, and all that was told on the way."""
    told: list[Told] = []
    return strategy.retrieve(question, corpus, k, told.append), told


def check(store: GraphStore, corpus: str, evidence: Evidence, told: Iterable[Told]) -> None:
    """Every clue exists: each of its sentences has the entity in its role, and the relation."""
    found = clues(evidence)
    ids = [span.sentence_id for clue in found for span in clue.quote.spans if span.sentence_id]
    edges = hyperedges(store, corpus, ids)
    assert found
    named: dict[str, set[str]] = {}
    for card in told:
        for node in card.nodes if isinstance(card, SubgraphCard) else ():
            named.setdefault(node.label, set()).add(node.id)
    for clue in found:
        assert clue.quote.spans
        others: set[str] = set()
        for span in clue.quote.spans:
            edge = edges[str(span.sentence_id)]
            ends = (*edge.heads, *edge.titles) if clue.direction == "forward" else edge.tails
            assert named[clue.entity] & {end.id for end in ends}
            assert clue.relation in edge.hyperrelation
            assert span.text == edge.text
            assert span.chunk_id == edge.chunk_id
            assert edge.chunk_id in clue.quote.chunk_ids
            if span.start is not None:
                piece = span.text[span.start : span.end]
                assert all(p.strip() in piece for p in clue.relation.strip("# \n").split("##"))
            others |= {
                end.name for end in (edge.tails if clue.direction == "forward" else edge.heads)
            }
        assert clue.tail is None or clue.tail in others
    scores = [clue.quote.score or 0.0 for clue in found]
    assert scores == sorted(scores, reverse=True)
    everything = cited(evidence)
    assert existing(store, corpus, everything) == everything


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
    found: set[str] = set()
    for question in QUESTIONS:
        evidence, told = asked(strategy, question, CORPUS, 5)
        check(store, CORPUS, evidence, told)
        traced = {chunk for clue in clues(evidence) for chunk in clue.quote.chunk_ids}
        found |= traced
        assert {chunk.id for chunk in evidence.chunks} <= traced
        assert len(evidence.chunks) == min(5, len(traced))
        scores = [chunk.score for chunk in evidence.chunks]
        assert scores == sorted(scores, reverse=True)
    assert found


def test_fewer_than_k_where_fewer_were_traced(make: Make) -> None:
    strategy = make(translator_entities=1, translator_relations=1, translator_reverse="never")
    evidence = strategy.retrieve("Where was Henrik Vale born?", CORPUS, 4)
    assert 1 <= len(evidence.chunks) < 4


def test_a_name_of_the_question_is_translated(make: Make) -> None:
    evidence = make(translator_entities=1).retrieve("Where was Henrik Vale born?", CORPUS, 5)
    named = [clue for clue in clues(evidence) if "named in the question" in clue.quote.tags]
    assert {clue.entity for clue in named} == {"Henrik Vale"}
    assert ("Henrik Vale", "name") in {(seed.name, seed.match) for seed in evidence.seeds}


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
    reverse = [clue for clue in clues(evidence) if clue.direction == "reverse"]
    assert "Port Ellis" in {clue.entity for clue in reverse}
    assert {"Tom Reyes"} <= {chunk.title for chunk in evidence.chunks}


def test_ablations_of_the_direction(make: Make) -> None:
    question = "Which director is from Port Ellis?"
    never = make(translator_reverse="never").retrieve(question, CORPUS, 5)
    assert {clue.direction for clue in clues(never)} == {"forward"}
    first = make(translator_reverse="first").retrieve(question, CORPUS, 5)
    order = [name for name in steps(first) if name.endswith("relations")]
    assert order[0] == "reverse relations"
    undirected = make(translator_directed=False).retrieve(question, CORPUS, 5)
    assert "Port Ellis" in {c.entity for c in clues(undirected) if c.direction == "forward"}
    assert "reverse relations" not in steps(undirected)


def test_titles_head_the_sentences_of_their_documents(make: Make) -> None:
    def tom(**settings: Any) -> set[str]:
        found = make(translator_relations=20, **settings).retrieve("Tom Reyes", CORPUS, 5)
        of_tom = [c for c in clues(found) if (c.entity, c.direction) == ("Tom Reyes", "forward")]
        return {span.text for clue in of_tom for span in clue.quote.spans}

    assert tom(translator_title_heads=False) == {"Tom Reyes is a director from Port Ellis."}
    assert "He made four films in Selby." in tom()


def test_triples_have_a_tail_at_the_other_end(make: Make, store: GraphStore) -> None:
    evidence = make(translator_form="triple").retrieve("Who taught Ada Thorne?", CORPUS, 5)
    tails = [clue for clue in clues(evidence) if clue.tail]
    assert tails
    drawn = {node.id: node.label for node in drawing(evidence.explanation).nodes}
    for clue in tails:
        edges = hyperedges(store, CORPUS, [str(span.sentence_id) for span in clue.quote.spans])
        ends = {
            drawn.get(end.id)
            for edge in edges.values()
            for end in (edge.tails if clue.direction == "forward" else edge.heads)
        }
        assert clue.tail in ends


def test_a_chain_goes_on_from_the_sentences_of_a_clue(make: Make, store: GraphStore) -> None:
    question = "Who designed the Marlow Observatory?"
    evidence, told = asked(make(translator_hops=2), question, CORPUS, 5)
    found = clues(evidence)
    chained = [clue for clue in found if clue.quote.after is not None]
    assert chained
    drawn = {
        node.id: node.label
        for card in told
        if isinstance(card, SubgraphCard)
        for node in card.nodes
    }
    for clue in chained:
        before = found[clue.quote.after or 0]
        edges = hyperedges(store, CORPUS, [str(span.sentence_id) for span in before.quote.spans])
        beside = {
            drawn.get(e.id)
            for edge in edges.values()
            for e in (*edge.heads, *edge.tails, *edge.titles)
        }
        assert clue.entity in beside - {before.entity}
        assert set(clue.quote.chunk_ids).isdisjoint(before.quote.chunk_ids)
        assert (clue.quote.score or 0) < (before.quote.score or 0)
        assert not {"named in the question", "written by the model"} & set(clue.quote.tags)
    assert "next clues" in steps(evidence)


def test_clues_are_told_as_they_come_and_drawn_by_the_stage(make: Make) -> None:
    strategy = make(translator_hops=2)
    evidence, told = asked(strategy, "Which director is from Port Ellis?", CORPUS, 5)
    names = [one.name if isinstance(one, TraceStep) else type(one).__name__ for one in told]
    parts = [name for name in names if name.endswith(("clues", "relations", "Card"))]
    stage = ["read clues", "QuotesCard", "SubgraphCard"]
    assert parts == [
        *("forward relations", *stage),
        *("reverse relations", *stage),
        *("next clues", *stage),
        "trace clues",
    ]
    assert [one for one in told if isinstance(one, TraceStep)] == list(evidence.trace)
    said = [card for card in told if isinstance(card, QuotesCard)]
    assert [card.title for card in said] == ["Forward clues", "Reverse clues", "Hop 2 clues"]
    whole = {quote.text: quote for quote in (clue.quote for clue in clues(evidence))}
    assert {quote.text for card in said for quote in card.quotes} == set(whole)
    card = drawing(evidence.explanation)
    assert card.stages == ("Forward", "Reverse", "Hop 2")
    stages = {node.id: node.stage for node in card.nodes}
    assert {0, 1} <= set(stages.values()) <= {0, 1, 2}
    for edge in card.edges:
        assert edge.stage >= max(stages[edge.source], stages[edge.target])
    drawn_chunks = {node.id: node for node in card.nodes if node.kind == "chunk"}
    for chunk in evidence.chunks:
        node = drawn_chunks[chunk.id]
        assert (node.label, node.document_id) == (chunk.title, chunk.document_id)


def test_every_passage_is_drawn_however_many_sentences_led_there(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanation, "SHOWN_SENTENCES", 1)
    strategy = make(translator_hops=1, translator_relations=20, translator_relation_tokens=1)
    evidence, _ = asked(strategy, "What is in Selby?", CORPUS, 5)
    assert any(len(c.quote.chunk_ids) > len(c.quote.spans) == 1 for c in clues(evidence))
    card = drawing(evidence.explanation)
    joined = {edge.target for edge in card.edges}
    assert {chunk.id for chunk in evidence.chunks} <= joined


def test_a_chain_goes_on_to_sentences_about_other_subjects(make: Make, store: GraphStore) -> None:
    def after(**settings: Any) -> set[str]:
        strategy = make(translator_hops=2, translator_relations=5, **settings)
        question = "Who was born where Henrik Vale was born?"
        found, told = asked(strategy, question, CORPUS, 5)
        check(store, CORPUS, found, told)
        return {clue.direction for clue in clues(found) if clue.quote.after is not None}

    assert after() == {"forward", "reverse"}
    assert after(translator_reverse="never") == {"forward"}


def test_likely_clues_raise_what_they_lead_to(make: Make) -> None:
    question = "Who designed the Marlow Observatory?"
    alone = make(translator_clue_weight=0).retrieve(question, CORPUS, 5)
    both = make(translator_clue_weight=1).retrieve(question, CORPUS, 5)
    cosines = {chunk.id: chunk.score for chunk in alone.chunks}
    likely = chunk_log_probabilities(traced(clues(both)))
    assert all(chunk.score < 1 for chunk in both.chunks)
    shared = [chunk for chunk in both.chunks if chunk.id in cosines]
    assert shared
    for chunk in shared:
        assert chunk.score == pytest.approx(cosines[chunk.id] + likely[chunk.id], abs=1e-4)
    assert [chunk.id for chunk in both.chunks] != [chunk.id for chunk in alone.chunks]


def traced(found: Iterable[ShownClue]) -> list[Clue]:
    """The clues with the scores and chunks that they are shown with."""
    return [
        Clue(
            TranslatedEntity(clue.entity, clue.entity, 0.0, named=True),
            clue.relation,
            clue.quote.score or 0.0,
            clue.direction,
            tuple(str(span.sentence_id) for span in clue.quote.spans),
            clue.quote.chunk_ids,
        )
        for clue in found
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
    assert one.explanation == other.explanation
    assert one.chunks == other.chunks


def test_clues_follow_the_documents(make: Make, store: GraphStore, corpus: str) -> None:
    strategy = make(translator_relations=20, translator_entities=20)

    def reached() -> set[str]:
        evidence, told = asked(strategy, "Who?", corpus, 10)
        check(store, corpus, evidence, told)
        return {chunk.title for chunk in evidence.chunks}

    ingest(strategy._resources, corpus, ["Henrik Vale"])
    assert reached() == {"Henrik Vale"}
    ingest(strategy._resources, corpus, ["Tom Reyes"])
    assert reached() == {"Henrik Vale", "Tom Reyes"}
    delete_document(store, corpus, content_id("d", corpus, "memory:Henrik Vale"))
    assert reached() == {"Tom Reyes"}


def test_a_model_that_is_not_there_says_what_to_do(make: Make, tmp_path: Path) -> None:
    from clew_models.errors import ModelNotInstalled

    strategy = make()
    other = Translator(like(strategy._resources, translator_model=str(tmp_path)))
    with pytest.raises(ModelNotInstalled, match="no language model in"):
        other.retrieve("Who?", CORPUS, 5)


def test_the_loading_of_its_model_is_told_when_it_begins(make: Make) -> None:
    def loadings(strategy: Translator) -> list[Told]:
        _, told = asked(strategy, QUESTIONS[1], CORPUS, 5)
        said = [one for one in told if isinstance(one, Progress)]
        return [one for one in said if one.text.startswith("Loading")]

    strategy = make()
    strategy._resources.models.clear()
    assert loadings(strategy) == [Progress(text="Loading the translator's language model")]
    assert loadings(strategy) == []
