"""One contract for every strategy, on a real Neo4j with the real ingest, embedder and parser."""

import contextlib
import json
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from clew.errors import InvalidRequest, UnknownStrategy
from clew.resources.resources import Resources
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import Evidence
from clew.settings import Settings, all_settings
from clew.strategies.catalogue import STRATEGIES, spec_of
from clew.strategies.searching import build_strategy
from clew.strategies.selection import within
from clew_cypher.corpora import delete_corpus, ensure_corpus, get_corpus
from clew_cypher.errors import EmbedderMismatch, UnknownCorpus
from clew_cypher.ids import content_id
from clew_cypher.searching.entities import entities_by_id
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import delete_document
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.parsing.mentions import VALUE_TYPES
from clew_ingest.parsing.parser import Parser
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import Source
from clew_models.embedding import load_embedder

from ..held_resources import held_resources, like
from ..scripted_llm import serving
from ..tiny_model import tiny_model
from .search_leader import SearchLeader

NAMES = [spec.name for spec in STRATEGIES]
IN_STEPS = "iterative:dense"
GRAPH_NAMES = ["chain-ranking", "guided-pagerank", "pagerank"]

DOCUMENTS = {
    "Marlow Observatory": (
        "The Marlow Observatory stands on Crane Hill in Selby. It was designed by Ada Thorne in "
        "1911. Its dome is made of copper."
    ),
    "Ada Thorne": (
        "Ada Thorne was an architect. She grew up in Port Ellis and was taught by Henrik Vale. "
        "She designed eleven public buildings."
    ),
    "Henrik Vale": (
        "Henrik Vale was a Danish engineer who taught at the Selby Institute. He was born in "
        "Ribe in 1850 and loved sailing."
    ),
    "Port Ellis": "Port Ellis is a harbour town known for its herring market and its lighthouse.",
    "Ribe": "Ribe is the oldest town in Denmark. Its cathedral was begun in the twelfth century.",
    "The Glass Garden (film)": (
        "The Glass Garden is a film of 1962 directed by Tom Reyes. It was shot at the Marlow "
        "Observatory."
    ),
    "Tom Reyes": "Tom Reyes is a director from Port Ellis who made four films about the sea.",
    "Herring": "Herring are forage fish that move in large schools near the coast.",
}
QUESTION = "Where was the teacher of the architect of the Marlow Observatory born?"

Fill = Callable[[str, Sequence[str]], None]


@pytest.fixture(scope="module")
def resources(
    store: GraphStore, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Resources]:
    """The real embedder and parser on the real database, a tiny model for the translator.

    The language model that leads steps is scripted.
    """
    with serving(SearchLeader()) as leader:
        leader.plans = {QUESTION: ["Who taught Ada Thorne?", "Where was Henrik Vale born?"]}
        home = tmp_path_factory.mktemp("home")
        settings = Settings.load(
            home=home,
            cache_dir=cache_dir,
            llm_base_url=leader.url,
            llm_model="scripted",
            contextual_model="none",  # the script leads searches and filters no triples
            planner_model="rules",
            translator_model=str(tiny_model(home / "tiny")),
            translator_adapter="none",
            translator_precision="float32",
        )
        embedder = load_embedder("minilm", cache_dir=settings.cache, threads=1)
        yield held_resources(settings, store, embedder, Parser())


@pytest.fixture(scope="module")
def fill(resources: Resources) -> Fill:
    """Ingests documents in one run."""

    def ingest(corpus: str, titles: Sequence[str]) -> None:
        pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
        sources = [
            Source(
                uri=f"memory:{title}",
                name="record.json",
                data=json.dumps({"title": title, "text": DOCUMENTS[title]}).encode(),
            )
            for title in titles
        ]
        pipeline.accept(corpus, sources)
        pipeline.process(corpus)

    return ingest


@pytest.fixture(scope="module")
def filled(resources: Resources, fill: Fill, corpus_names: deque[str]) -> Iterator[str]:
    """A corpus of eight documents that refer to one another."""
    with filled_with(resources, fill, corpus_names, list(DOCUMENTS)) as name:
        yield name


@pytest.fixture(scope="module")
def lone(resources: Resources, fill: Fill, corpus_names: deque[str]) -> Iterator[str]:
    """A corpus of one document that has nothing to do with the question."""
    with filled_with(resources, fill, corpus_names, ["Herring"]) as name:
        yield name


@contextlib.contextmanager
def filled_with(
    resources: Resources, fill: Fill, names: deque[str], *groups: Sequence[str]
) -> Iterator[str]:
    """A corpus into which groups of documents were ingested, one group after the other."""
    name = names.popleft()
    try:
        for titles in groups:
            fill(name, titles)
        yield name
    finally:
        with contextlib.suppress(UnknownCorpus):
            delete_corpus(resources.store, name)
        names.append(name)


def ask(resources: Resources, name: str, corpus: str, k: int = 5) -> Evidence:
    return build_strategy(name, resources).retrieve(QUESTION, corpus, k)


@pytest.mark.parametrize("name", [*NAMES, IN_STEPS])
class TestContract:
    """What holds for every strategy in the tuple, and for one that is asked in steps."""

    def test_finds_evidence_in_the_corpus(
        self, resources: Resources, filled: str, name: str
    ) -> None:
        evidence = ask(resources, name, filled)
        assert (evidence.strategy, evidence.corpus, evidence.question) == (name, filled, QUESTION)
        assert "Marlow Observatory" in [chunk.title for chunk in evidence.chunks]
        known = {content_id("d", filled, f"memory:{title}"): title for title in DOCUMENTS}
        for chunk in evidence.chunks:
            assert known[chunk.document_id] == chunk.title
            assert chunk.text == DOCUMENTS[chunk.title]
        assert len({chunk.id for chunk in evidence.chunks}) == len(evidence.chunks)

    def test_finds_the_chosen_documents_alone(
        self, resources: Resources, filled: str, name: str
    ) -> None:
        chosen = AskedDocuments(names=("ribe", "*Ellis", "memory:ADA*"))
        limited = within(resources, filled, chosen)
        for k, least in ((2, 2), (5, 3)):
            found = ask(limited, name, filled, k).chunks
            titles = [chunk.title for chunk in found]
            assert len(set(titles)) == len(titles) == least
            assert set(titles) <= {"Ribe", "Port Ellis", "Ada Thorne"}
            scores = [chunk.score for chunk in found]
            assert scores == sorted(scores, reverse=True)
        nothing = within(resources, filled, AskedDocuments(names=("no such",)))
        assert ask(nothing, name, filled).chunks == ()

    def test_best_first_with_a_trace(self, resources: Resources, filled: str, name: str) -> None:
        started = time.perf_counter()
        evidence = ask(resources, name, filled)
        took = time.perf_counter() - started
        scores = [chunk.score for chunk in evidence.chunks]
        assert scores == sorted(scores, reverse=True)
        assert len(evidence.trace) >= 2
        assert 0 < sum(step.seconds for step in evidence.trace) <= took
        assert evidence == Evidence.model_validate_json(evidence.model_dump_json())

    @pytest.mark.parametrize("k", [1, 3, 100])
    def test_limit_is_respected(self, resources: Resources, filled: str, name: str, k: int) -> None:
        chunks = ask(resources, name, filled, k).chunks
        assert 1 <= len(chunks) <= k
        assert [c.id for c in chunks] == [
            c.id for c in ask(resources, name, filled, 100).chunks[:k]
        ]

    def test_limit_below_one_is_refused(self, resources: Resources, filled: str, name: str) -> None:
        with pytest.raises(InvalidRequest):
            ask(resources, name, filled, 0)

    def test_empty_corpus_gives_empty_evidence(
        self, resources: Resources, corpus: str, name: str
    ) -> None:
        embedder = resources.embedder
        ensure_corpus(resources.store, corpus, embedder=embedder.name, dimension=embedder.dimension)
        evidence = ask(resources, name, corpus)
        assert (evidence.chunks, evidence.seeds) == ((), ())

    def test_unknown_corpus_is_refused(self, resources: Resources, name: str) -> None:
        with pytest.raises(UnknownCorpus):
            ask(resources, name, "no such corpus")

    @pytest.mark.parametrize(
        "question",
        ["Who is Zyxwv Qwrtp?", "xyzzy", "?!", '"(a OR b) AND [c TO d]~2^3', "łódź 🜂", "the"],
    )
    def test_a_question_about_nothing_known_is_no_error(
        self, resources: Resources, filled: str, name: str, question: str
    ) -> None:
        evidence = build_strategy(name, resources).retrieve(question, filled, 3)
        assert len(evidence.chunks) <= 3

    def test_threads_find_the_same(self, resources: Resources, filled: str, name: str) -> None:
        strategy = build_strategy(name, resources)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: strategy.retrieve(QUESTION, filled, 5), range(8)))
        assert len({tuple(chunk.id for chunk in evidence.chunks) for evidence in found}) == 1

    def test_other_corpora_stay_out(
        self, resources: Resources, filled: str, lone: str, name: str
    ) -> None:
        evidence = ask(resources, name, lone)
        assert {chunk.title for chunk in evidence.chunks} <= {"Herring"}
        # nothing that the question names is there; a name that is decoded is of this corpus
        assert {(seed.name, seed.match) for seed in evidence.seeds} <= {("Herring", "decoded")}


def test_order_of_ingest_is_irrelevant(
    resources: Resources, fill: Fill, filled: str, corpus_names: deque[str]
) -> None:
    """Another order, in several runs, beside other corpora: the same ranking."""
    titles = list(DOCUMENTS)
    random.Random(7).shuffle(titles)
    with filled_with(resources, fill, corpus_names, titles[:3], titles[3:]) as other:
        for name in NAMES:
            first, second = ask(resources, name, filled, 8), ask(resources, name, other, 8)
            assert [c.title for c in first.chunks] == [c.title for c in second.chunks], name
            assert [c.score for c in first.chunks] == pytest.approx(
                [c.score for c in second.chunks], rel=1e-3
            )
            assert [s.name for s in first.seeds] == [s.name for s in second.seeds]


def test_what_changes_in_the_corpus_changes_in_the_evidence(
    resources: Resources, fill: Fill, corpus_names: deque[str]
) -> None:
    with filled_with(resources, fill, corpus_names, ["Ada Thorne", "Herring"]) as corpus:
        for name in NAMES:
            titles = {chunk.title for chunk in ask(resources, name, corpus).chunks}
            assert "Ada Thorne" in titles, name
        fill(corpus, ["Marlow Observatory"])
        for name in NAMES:
            titles = {chunk.title for chunk in _fresh(resources, name, corpus).chunks}
            assert {"Ada Thorne", "Marlow Observatory"} <= titles, name
        delete_document(resources.store, corpus, content_id("d", corpus, "memory:Ada Thorne"))
        for name in NAMES:
            titles = {chunk.title for chunk in ask(resources, name, corpus).chunks}
            assert {"Marlow Observatory"} <= titles <= {"Marlow Observatory", "Herring"}, name


def _fresh(resources: Resources, name: str, corpus: str) -> Evidence:
    """Ask until the arrays, which may rest while documents come in, are of this revision."""
    deadline = time.monotonic() + 60
    while (evidence := ask(resources, name, corpus)).notices:
        assert time.monotonic() < deadline, evidence.notices
        time.sleep(0.2)
    return evidence


@pytest.mark.parametrize("name", GRAPH_NAMES)
class TestGraphStrategies:
    """What holds for the strategies that walk the graph."""

    def test_evidence_of_every_hop_is_found(
        self, resources: Resources, filled: str, name: str
    ) -> None:
        titles = [chunk.title for chunk in ask(resources, name, filled, 4).chunks]
        assert {"Marlow Observatory", "Ada Thorne", "Henrik Vale"} <= set(titles)

    def test_seeds_are_entities_of_the_question(
        self, resources: Resources, filled: str, name: str
    ) -> None:
        evidence = ask(resources, name, filled)
        found = [(normalise_name(s.name), s.match) for s in evidence.seeds]
        assert found == [("marlow observatory", "name")]
        assert sum(seed.weight for seed in evidence.seeds) == pytest.approx(1)
        ids = [seed.id for seed in evidence.seeds]
        assert [row["id"] for row in entities_by_id(resources.store, filled, ids)] == ids

    def test_a_title_is_found_without_its_qualifier(
        self, resources: Resources, filled: str, name: str
    ) -> None:
        strategy = build_strategy(name, resources)
        evidence = strategy.retrieve("Who directed The Glass Garden?", filled, 3)
        assert ("The Glass Garden (film)", "alias") in [(s.name, s.match) for s in evidence.seeds]
        assert evidence.chunks[0].title == "The Glass Garden (film)"

    def test_another_form_of_a_name_is_found_by_its_embedding(
        self, resources: Resources, filled: str, name: str
    ) -> None:
        strategy = build_strategy(name, resources)
        evidence = strategy.retrieve("Which films did Thomas Reyes make?", filled, 3)
        assert ("Tom Reyes", "embedding") in [(s.name, s.match) for s in evidence.seeds]
        assert "Tom Reyes" in [chunk.title for chunk in evidence.chunks]

    def test_without_entities_the_nearest_chunks_are_the_seeds(
        self, resources: Resources, filled: str, name: str
    ) -> None:
        strategy = build_strategy(name, resources)
        evidence = strategy.retrieve("what kind of fish swims in schools?", filled, 3)
        assert evidence.seeds == ()
        assert evidence.chunks[0].title == "Herring"


@pytest.mark.parametrize("name", ["chain-ranking", "guided-pagerank"])
def test_past_the_sentence_limit_pagerank_is_used_and_said(
    resources: Resources, filled: str, name: str
) -> None:
    limited = like(resources, chain_sentence_limit=3, guided_sentence_limit=3)
    evidence = ask(limited, name, filled)
    plain = ask(resources, "pagerank", filled)
    assert [c.id for c in evidence.chunks] == [c.id for c in plain.chunks]
    assert "past the limit of 3" in evidence.notices[0]
    assert "pagerank" in evidence.notices[0]


def test_a_question_is_not_compared_with_the_vectors_of_another_embedder(
    resources: Resources, filled: str
) -> None:
    corpus = replace(get_corpus(resources.store, filled), embedder="another")
    strategy = build_strategy("dense", resources.at(corpus))
    with pytest.raises(EmbedderMismatch, match="'another'") as caught:
        strategy.retrieve(QUESTION, filled, 3)
    assert "CLEW_EMBEDDER=another" in caught.value.remedy


def test_a_method_over_one_that_asks_another_is_unknown_and_says_what_there_is() -> None:
    with pytest.raises(UnknownStrategy) as raised:
        spec_of("planner:planner")
    assert "planner:NAME (over one of these that asks no other)" in str(raised.value)


def test_unknown_strategy_names_the_nearest(resources: Resources) -> None:
    with pytest.raises(UnknownStrategy, match="Did you mean 'pagerank'") as raised:
        build_strategy("pagerang", resources)
    assert all(name in str(raised.value) for name in NAMES)


def test_specs_are_true() -> None:
    fields = all_settings()
    assert len(set(NAMES)) == len(NAMES)
    assert fields["strategy"].default in NAMES
    for spec in STRATEGIES:
        assert set(spec.settings) <= set(fields), spec.name
        assert set(spec.needs) <= {"embedder", "parser", "language model"}
        assert ("language model" in spec.needs) == bool(spec.models), spec.name


def test_both_layers_mean_the_same_by_values() -> None:
    from clew_cypher.searching.projections import VALUE_TYPES as PROJECTED

    assert set(PROJECTED) == VALUE_TYPES
