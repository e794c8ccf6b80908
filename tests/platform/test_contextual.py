"""contextual (KG-CQR): the question's subgraph, its context, and retrieval over each backbone."""

import json
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from clew.errors import UnknownStrategy
from clew.evaluation.asking import cited
from clew.resources.resources import Resources
from clew.results.evidence import Evidence
from clew.results.explanation import QuotesCard, SubgraphCard
from clew.strategies.catalogue import STRATEGIES, spec_of
from clew.strategies.contextual.explanation import STAGES
from clew.strategies.contextual.options import ContextualOptions
from clew.strategies.contextual.subgraph import _near, before_gap
from clew.strategies.retrieval import Retrieval
from clew.strategies.searching import search
from clew_cypher.checking.validity import existing
from clew_cypher.corpora import delete_corpus
from clew_cypher.store import GraphStore
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import uploaded

from ..held_resources import like
from ..scripted_llm import ChatEndpoint, serving

TEXTS = {
    "Aurelia": "The Aurelia is a research ship. The Seld Shipyard built the Aurelia in 1905.",
    "Seld Shipyard": "Victor Ferrand founded the Seld Shipyard. The yard lies in Port Ansel.",
    "Victor Ferrand": "Victor Ferrand married Ada Lind. Victor Ferrand died in Tessmark.",
    "Tessmark": "Tessmark is a town of weavers. Ada Lind opened a school in Tessmark.",
    "Silver ferns": "Silver ferns grow in the hills. Ines Halloran described the silver fern.",
    "Comets": "Edmund Halloway discovered a comet. Edmund Halloway lived in Merrin.",
}
QUESTION = "Who founded the shipyard that built the Aurelia?"
NAMES = [spec.name for spec in STRATEGIES if spec.prefix == "contextual"]
Ask = Callable[..., Evidence]


class Writer(ChatEndpoint):
    """Filters triples and writes contexts by a script; keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: list[str] = []

    def reply(self, body: dict[str, Any]) -> str:
        return self.replies.pop(0)

    @property
    def shown(self) -> list[str]:
        return [asked.body["messages"][-1]["content"] for asked in self.asked]


@pytest.fixture(scope="module")
def filled(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    name = corpus_names.popleft()
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    sources = [uploaded(f"{title}.txt", text.encode()) for title, text in TEXTS.items()]
    pipeline.accept(name, sources)
    pipeline.process(name)
    yield name
    delete_corpus(resources.store, name)
    corpus_names.append(name)


@pytest.fixture
def ask(resources: Resources, filled: str) -> Ask:
    """Ask with other settings than the defaults."""

    def asked(question: str = QUESTION, strategy: str = "contextual", **changes: Any) -> Evidence:
        k = changes.pop("k", 3)
        return search(like(resources, **changes), question, filled, strategy, k)

    return asked


@pytest.fixture
def writer() -> Iterator[Writer]:
    with serving(Writer()) as endpoint:
        yield endpoint


def told_by(writer: Writer, *replies: object) -> dict[str, Any]:
    """Let the model say this, and return the settings by which it is asked."""
    writer.replies = [one if isinstance(one, str) else json.dumps(one) for one in replies]
    return {"llm_model": "scripted", "llm_base_url": writer.url, "llm_retries": 0}


def ids(evidence: Evidence) -> list[str]:
    return [chunk.id for chunk in evidence.chunks]


def cards(evidence: Evidence) -> tuple[QuotesCard, SubgraphCard]:
    quotes, subgraph = evidence.explanation
    assert isinstance(quotes, QuotesCard)
    assert isinstance(subgraph, SubgraphCard)
    return quotes, subgraph


def detail(evidence: Evidence, name: str) -> dict[str, Any]:
    (found,) = [step.detail for step in evidence.trace if step.name == name]
    return dict(found)


def test_it_is_asked_over_each_backbone() -> None:
    assert NAMES == ["contextual", "contextual:bm25", "contextual:hybrid"]
    stepwise = spec_of("iterative:contextual:bm25")
    assert (stepwise.name, stepwise.backbone) == ("iterative:contextual:bm25", "bm25")
    with pytest.raises(UnknownStrategy, match=r"contextual:magic"):
        spec_of("contextual:magic")


@pytest.mark.parametrize("strategy", NAMES)
def test_what_it_shows_is_in_the_graph(
    ask: Ask, store: GraphStore, filled: str, strategy: str
) -> None:
    evidence = ask(strategy=strategy)
    titles = [chunk.title for chunk in evidence.chunks]
    assert set(titles[:2]) == {"Aurelia", "Seld Shipyard"}
    assert evidence.strategy == strategy
    quotes, subgraph = cards(evidence)
    wanted = cited(evidence)
    assert wanted.edges
    assert wanted.triples
    assert existing(store, filled, wanted) == wanted
    texts = [quote.text for quote in quotes.quotes]
    assert "Victor Ferrand founded the Seld Shipyard." in texts
    assert len(set(texts)) == len(texts)
    relations = {edge.id for edge in subgraph.edges if edge.kind == "RELATION"}
    assert (
        len(relations)
        == detail(evidence, "filter")["kept"] + detail(evidence, "completion")["added"]
    )
    assert {node.id for node in subgraph.nodes if node.kind == "chunk"} <= set(ids(evidence))
    assert subgraph.stages == STAGES


def test_completion_adds_what_lies_between(ask: Ask) -> None:
    """Of two triples that the question names, a path leads from one to the other."""
    question = "What have the Aurelia and Ada Lind to do with each other?"
    evidence = ask(question, contextual_triples=2, contextual_filtered=False)
    quotes, subgraph = cards(evidence)
    added = {edge.text for edge in subgraph.edges if edge.stage == 1}
    assert added
    assert detail(evidence, "completion")["added"] == len(
        [edge for edge in subgraph.edges if edge.stage == 1 and edge.kind == "RELATION"]
    )
    assert {quote.tags for quote in quotes.quotes if quote.text in added} >= {(STAGES[1].lower(),)}
    assert len(cards(ask(question, contextual_added=1, contextual_triples=2))[1].edges) <= len(
        subgraph.edges
    )
    whole = {step.name for step in ask(question, contextual_completed=False).trace}
    assert "completion" not in whole
    assert "filter" in whole


def test_what_the_question_names_counts_as_nearer(ask: Ask) -> None:
    question = "When was a comet discovered, and what did Ines Halloran say of the comet?"
    few = {"contextual_triples": 1, "contextual_completed": False}

    def first(**changes: Any) -> str:
        (quote,) = cards(ask(question, **few, **changes))[0].quotes
        return quote.text

    assert "comet" in first(contextual_named=0.0)
    assert "Ines Halloran" in first(contextual_named=2.0)


def test_of_an_entity_with_many_triples_each_counts_less(resources: Resources, corpus: str) -> None:
    """More triples than are read of it: by how much nearer they count follows from all of them."""
    facts = "".join(f"Mira Solen\tfriend\tPerson {number}\n" for number in range(100))
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    pipeline.accept(corpus, [uploaded("facts.tsv", facts.encode())], as_triples=True)
    pipeline.process(corpus)
    retrieval = Retrieval(resources, "contextual", "Who is a friend of Mira Solen?", corpus, 3)
    rows, nearness = _near(retrieval, ContextualOptions(triples=5, named=0.5))
    gains = [near - row["score"] for near, row in zip(nearness, rows, strict=True)]
    assert gains == pytest.approx([0.5 / math.log(math.e + 100)] * 5, abs=1e-6)


def test_alone_the_question_ranks_as_dense_does(ask: Ask) -> None:
    dense = ask(strategy="dense", k=6)
    alone = ask(contextual_weight=1.0, k=6)
    assert ids(alone) == ids(dense)
    scores = [chunk.score for chunk in dense.chunks]
    assert [chunk.score for chunk in alone.chunks] == pytest.approx(scores, abs=1e-5)
    assert [c.score for c in ask(contextual_weight=0.0, k=6).chunks] != pytest.approx(scores)


def test_the_context_brings_what_shares_no_word_with_the_question(ask: Ask) -> None:
    question = "Where did the husband of the woman with a school go to his end?"
    plain = {chunk.title for chunk in ask(question, "bm25", k=6).chunks}
    longer = {chunk.title for chunk in ask(question, "contextual:bm25", k=6).chunks}
    assert "Victor Ferrand" not in plain
    assert "Victor Ferrand" in longer


def test_without_triples_it_is_the_backbone_and_says_so(resources: Resources, corpus: str) -> None:
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    pipeline.accept(corpus, [uploaded("a.txt", b"What is it?"), uploaded("b.txt", b"Oh. Yes!")])
    pipeline.process(corpus)
    for name in NAMES:
        evidence = search(resources, "What?", corpus, name, 2)
        backbone = search(resources, "What?", corpus, spec_of(name).backbone, 2)
        assert ids(evidence) == ids(backbone) != []
        assert evidence.explanation == ()
        assert "no triples" in evidence.notices[0]


def test_the_widest_gap_ends_what_is_near() -> None:
    assert before_gap((0.9, 0.8, 0.7, 0.69, 0.5, 0.49)) == 4
    assert before_gap((0.9, 0.1, 0.09, 0.02, 0.01)) == 3  # three are kept at least
    assert before_gap((0.9, 0.1)) == 2
    assert before_gap(()) == 0


def test_a_language_model_filters_and_writes_the_context(
    ask: Ask, resources: Resources, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Victor Ferrand founded the Seld Shipyard, which built the Aurelia."
    facts = {"text": text, "facts": [2, 1, 4, 99]}
    context = {"sentences": [facts, {"text": " ", "facts": []}]}
    settings = told_by(writer, {"relevant": [1, 2, 3, 4, 77]}, f"Sure: {json.dumps(context)}")
    embedded: list[str] = []
    embed = resources.embedder.embed

    def noted(_: object, texts: Sequence[str]) -> np.ndarray:
        embedded.extend(texts)
        return np.asarray(embed(texts))

    monkeypatch.setattr(type(resources.embedder), "embed", noted)
    evidence = ask(**settings, contextual_completed=False)
    (quote,) = cards(evidence)[0].quotes
    assert quote.text == text
    near = detail(evidence, "nearest triples")["triples"]
    subgraph = cards(evidence)[1]
    assert len([edge for edge in subgraph.edges if edge.kind == "RELATION"]) == 4
    assert f" {near - 4} more were filtered out." in subgraph.summary
    stated = {edge.text for edge in subgraph.edges if edge.kind == "RELATION"}
    assert {span.text for span in quote.spans} <= stated
    assert text in embedded
    assert detail(evidence, "filter") == {"by": "scripted", "kept": 4}
    asked_to_filter, asked_to_write = writer.shown
    assert QUESTION in asked_to_filter
    assert QUESTION in asked_to_write
    assert "[5]" in asked_to_filter
    assert "[5]" not in asked_to_write
    assert evidence.notices == ()


def test_replies_that_cannot_be_read_keep_all_and_are_told(ask: Ask, writer: Writer) -> None:
    evidence = ask(**told_by(writer, "I do not know.", '{"sentences": 7}'))
    assert detail(evidence, "filter")["kept"] == detail(evidence, "nearest triples")["triples"]
    unread, unwritten = evidence.notices
    assert "all of them were kept" in unread
    assert "wrote no context" in unwritten
    plain = ask(contextual_filtered=False)
    assert ids(evidence) == ids(plain)
    assert cards(evidence) == cards(plain)


def test_what_a_model_thinks_before_is_no_reply(ask: Ask, writer: Writer) -> None:
    relevant = '<think>As {"relevant": [9]}?</think>{"relevant": [1]}'
    text = "Victor Ferrand founded the Seld Shipyard."
    context = '<think>As {"sentences": []}?</think>' + json.dumps(
        {"sentences": [{"text": text, "facts": [1]}]}
    )
    evidence = ask(**told_by(writer, relevant, context), contextual_completed=False)
    assert detail(evidence, "filter")["kept"] == 1
    assert [quote.text for quote in cards(evidence)[0].quotes] == [text]
    assert evidence.notices == ()


def test_replies_that_were_cut_short_say_so(ask: Ask, writer: Writer) -> None:
    writer.finish = "length"
    cut, kept, *_ = ask(**told_by(writer, "<think>First", "<think>First")).notices
    assert "llm_max_tokens" in cut
    assert "all of them were kept" in kept


def test_a_language_model_is_not_asked_where_none_is_wanted(ask: Ask, writer: Writer) -> None:
    settings = told_by(writer)
    assert ids(ask(**settings, contextual_model="none")) == ids(ask())
    assert writer.asked == []
