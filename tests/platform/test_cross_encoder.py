"""cross-encoder: another strategy's passages, read together with the question."""

import re
from collections import deque
from collections.abc import Iterator

import numpy as np
import pytest

from clew.resources.resources import Resources
from clew.results.evidence import Evidence, ScoredChunk
from clew.results.explanation import (
    Quote,
    QuotesCard,
    Span,
    SubgraphCard,
    SubgraphEdge,
    SubgraphNode,
)
from clew.strategies.catalogue import one_search
from clew.strategies.cross_encoder.strategy import (
    Lead,
    credited,
    leads_of,
    standardised,
)
from clew.strategies.drawing import cards_about
from clew.strategies.searching import search
from clew.strategies.stretches import stretch, stretch_at
from clew_cypher.searching.ties import sentences_by_id
from clew_cypher.searching.vectors import sentence_cosines

from ..held_resources import like
from .ingested_texts import ingested

TEXTS = {
    "Office handbook": "The office opens at eight. Visitors register at the desk. Badges are blue. "
    "Parking is behind the building.",
    "Parking": "Parking costs four euros a day. The garage closes at night. Bicycles are free.",
    "Garage": "The garage was built by a company from Leeds. It has three floors of parking.",
    "Visitors": "Visitors of the office are welcome. They may park where they like.",
    "Aurelia": "The Aurelia is a research ship. She was built at the Seld Shipyard in 1911.",
    "Seld Shipyard": "The yard was founded by Victor Ferrand. It built nine ships.",
    "Victor Ferrand": "Victor Ferrand was an industrialist. He was born in Merrin in 1862.",
}
PARKING = "How much does parking cost?"
FOUNDER = "Who founded the shipyard that built the Aurelia?"


@pytest.fixture(scope="module")
def filled(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    with ingested(resources, corpus_names, TEXTS) as name:
        yield name


def titles(evidence: Evidence) -> list[str]:
    return [chunk.title for chunk in evidence.chunks]


def marked(evidence: Evidence) -> QuotesCard:
    (card,) = [card for card in evidence.explanation if card.title == "What may answer"]
    assert isinstance(card, QuotesCard)
    return card


@pytest.mark.parametrize("backbone", ["bm25", "dense", "chain-ranking"])
def test_what_answers_comes_first(resources: Resources, filled: str, backbone: str) -> None:
    found = search(resources, PARKING, filled, f"cross-encoder:{backbone}", 3)
    assert found.chunks[0].title == "Parking"
    assert " of 3 it finds nothing." in marked(found).summary
    assert "not read" not in marked(found).summary
    first = marked(found).quotes[0]
    assert first.label == "Parking"
    assert first.score is not None
    assert first.score > 0
    assert "four euros" in first.text
    (span,) = first.spans
    assert span.text[span.start : span.end] == first.text


def test_reading_changes_the_order_and_loses_nothing(resources: Resources, filled: str) -> None:
    plain = search(resources, PARKING, filled, "bm25", 7)
    read = search(resources, PARKING, filled, "cross-encoder:bm25", 7)
    assert {chunk.id for chunk in read.chunks} == {chunk.id for chunk in plain.chunks}
    scores = [chunk.score for chunk in read.chunks]
    assert scores == sorted(scores, reverse=True)
    unread = like(resources, cross_encoder_weight=0.0)
    assert titles(search(unread, PARKING, filled, "cross-encoder:bm25", 7)) == titles(plain)


def test_what_is_not_read_stays_behind(resources: Resources, filled: str) -> None:
    few = like(resources, cross_encoder_read=2)
    plain = titles(search(resources, PARKING, filled, "bm25", 5))
    found = search(few, PARKING, filled, "cross-encoder:bm25", 5)
    assert set(titles(found)[:2]) == set(plain[:2])
    assert titles(found)[2:] == plain[2:]
    assert re.search(
        rf"in [012] of 2 it finds nothing\. The {len(plain) - 2} after these were not read\.$",
        marked(found).summary,
    )
    scores = [chunk.score for chunk in found.chunks]
    assert scores == sorted(scores, reverse=True)


def test_both_ends_of_a_chain_stay_in_front(resources: Resources, filled: str) -> None:
    found = search(resources, FOUNDER, filled, "cross-encoder", 2)
    assert found.strategy == "cross-encoder"
    assert set(titles(found)) == {"Aurelia", "Seld Shipyard"}


def test_cards_tell_of_what_is_returned(resources: Resources, filled: str) -> None:
    found = search(resources, FOUNDER, filled, "cross-encoder", 2)
    ids = {chunk.id for chunk in found.chunks}
    for card in found.explanation:
        if isinstance(card, QuotesCard):
            assert all(set(quote.chunk_ids) & ids for quote in card.quotes)
            assert all(
                quote.after is None or quote.after < len(card.quotes) for quote in card.quotes
            )
        if isinstance(card, SubgraphCard):
            assert {node.id for node in card.nodes if node.kind == "chunk"} == ids
            drawn = {node.id for node in card.nodes}
            assert all({edge.source, edge.target} <= drawn for edge in card.edges)


def test_sentences_come_in_the_order_of_the_text(resources: Resources, filled: str) -> None:
    found = search(resources, PARKING, filled, "bm25", 7)
    ids = {chunk.title: chunk.id for chunk in found.chunks}
    vector = resources.embedder.embed([PARKING])[0]
    cosines = sentence_cosines(resources.store, filled, [*ids.values(), "nobody's"], vector)
    assert set(cosines) == set(ids.values())
    own = cosines[ids["Parking"]]
    assert [one.text for one in own] == TEXTS["Parking"].replace(". ", ".\n").split("\n")
    assert max(own, key=lambda one: one.cosine).text.startswith("Parking costs")
    ends = sentences_by_id(resources.store, filled, {one.id for one in own})
    assert {id_: one.text for id_, one in ends.items()} == {one.id: one.text for one in own}


def test_parts_of_a_question_are_searched_without_reading() -> None:
    assert one_search("iterative:cross-encoder:bm25") == "bm25"


class TestStretch:
    SENTENCES = (("One is far.", 0.1), ("Two is near.", 0.9), ("Three.", 0.3), ("Four.", 0.2))

    def test_it_grows_towards_what_is_nearer(self) -> None:
        assert stretch(self.SENTENCES, 12) == "Two is near."
        assert stretch(self.SENTENCES, 19) == "Two is near. Three."
        assert stretch(self.SENTENCES, 25) == "Two is near. Three. Four."
        assert stretch(self.SENTENCES, 500) == "One is far. Two is near. Three. Four."

    def test_a_long_sentence_is_whole(self) -> None:
        assert stretch((("x" * 90, 0.5), ("y", 0.1)), 40) == "x" * 90

    def test_of_nothing_it_is_nothing(self) -> None:
        assert stretch((), 40) == ""

    def test_where_a_lead_arrives_is_read_with_what_is_nearest(self) -> None:
        sentences = (*self.SENTENCES, ("Five.", 0.0))
        assert stretch_at(sentences, 4, 3) == "Five."
        assert stretch_at(sentences, 4, 18) == "Two is near. Five."
        assert stretch_at(sentences, 4, 24) == "Two is near. Four. Five."
        assert stretch_at(sentences, 1, 19) == "Two is near. Three."
        assert stretch_at(sentences, 0, 500) == "One is far. Two is near. Three."


def test_scores_are_told_by_the_spread_of_what_is_read() -> None:
    found = standardised([3.0, 1.0, 0.0], 2)
    assert found.tolist() == [1.0, -1.0, -2.0]
    assert standardised([0.5, 0.5], 2).tolist() == [0.0, 0.0]


def test_a_passage_has_the_credit_of_what_it_led_to() -> None:
    leads = {"b": Lead("a names b", "a"), "c": Lead("z names c", "z")}
    found = credited(np.array([-9.0, 4.0, 2.0]), ["a", "b", "c"], leads)
    assert found.tolist() == [4.0, 4.0, 2.0]


def test_leads_are_sentences_of_other_passages() -> None:
    def quote(chunk: str, *held: str) -> Quote:
        spans = tuple(Span(chunk_id=one, text=f"in {one}") for one in held)
        return Quote(text="…", chunk_ids=(chunk,), spans=spans)

    card = QuotesCard(title="t", quotes=(quote("a", "a"), quote("b", "b", "a"), quote("c", "x")))
    chunks = [
        ScoredChunk(id=id_, document_id="d", title="", text="", score=0.0) for id_ in ("a", "b")
    ]
    assert leads_of([card], chunks) == {"b": Lead("in a", "a")}


def test_a_subgraph_about_a_passage_has_the_way_to_it_alone() -> None:
    nodes = (
        SubgraphNode(id="asked", kind="entity", label="", stage=0),
        SubgraphNode(id="first", kind="chunk", label="", stage=1),
        SubgraphNode(id="over", kind="entity", label="", stage=2),
        SubgraphNode(id="second", kind="chunk", label="", stage=2),
        SubgraphNode(id="beside", kind="chunk", label="", stage=2),
        SubgraphNode(id="elsewhere", kind="chunk", label="", stage=1),
    )
    edges = tuple(
        SubgraphEdge(source=source, target=target, kind="MENTIONED_IN", stage=stage)
        for source, target, stage in (
            ("asked", "first", 1),
            ("over", "first", 2),
            ("over", "second", 2),
            ("over", "beside", 2),
            ("asked", "elsewhere", 1),
        )
    )
    card = SubgraphCard(title="t", nodes=nodes, edges=edges)
    (second,) = cards_about([card], {"second"})
    assert isinstance(second, SubgraphCard)
    assert {node.id for node in second.nodes} == {"asked", "first", "over", "second"}
    assert len(second.edges) == 3
    (first,) = cards_about([card], {"first"})
    assert isinstance(first, SubgraphCard)
    assert {node.id for node in first.nodes} == {"asked", "first"}


def test_quotes_about_a_passage_keep_what_led_there() -> None:
    quotes = (
        Quote(text="other", chunk_ids=("x",)),
        Quote(text="before", chunk_ids=("y",)),
        Quote(text="last", chunk_ids=("z",), after=1),
    )
    (card,) = cards_about([QuotesCard(title="t", quotes=quotes)], {"z"})
    assert isinstance(card, QuotesCard)
    assert [(quote.text, quote.after) for quote in card.quotes] == [("before", None), ("last", 0)]
