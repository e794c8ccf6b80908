"""Knowledge bases asked in rounds, beside texts, and of some documents."""

import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import Clew, Settings
from clew.answering.graph_reader import graph_messages
from clew.answering.trained_graph_reader import TrainedAnswers
from clew.evaluation.asking import cited
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import Evidence, TraceStep
from clew.results.explanation import QuotesCard, Round, RoundsCard, SubgraphCard
from clew.results.history import FACTS, PLAN, Fact, history_of
from clew.strategies.planner.graph import TITLE
from clew_cypher.checking.validity import existing
from clew_cypher.errors import UnknownDocument
from clew_cypher.store import Neo4jConfig
from clew_models.graph_llm.writing import Written

from ..scripted_llm import serving
from .search_leader import SearchLeader

FACTS_FILE = """\
Ella Brand\tspouse\tTom Harrow
Tom Harrow\tplace of birth\tOakham
Oakham\tlocatedIn\tNorthland
Ella Brand\tchild\tIda Brand
Ella Brand\tprofession\tmiller
"""
TEXT = (
    "# The Tarn Mill\n\nThe Tarn Mill stands at Lake Tarn. Ella Brand founded the mill in 1899.\n"
)
TWO_HOPS = "Where was the spouse of Ella Brand born?"
FOLLOW_UP = "Where was Tom Harrow born?"


@pytest.fixture(scope="module")
def leader() -> Iterator[SearchLeader]:
    with serving(SearchLeader()) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def clew(
    leader: SearchLeader,
    neo4j_server: Neo4jConfig,
    cache_dir: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Clew]:
    settings = Settings.load(
        home=tmp_path_factory.mktemp("home"),
        cache_dir=cache_dir,
        neo4j_uri=neo4j_server.uri,
        neo4j_username=neo4j_server.username,
        neo4j_password=neo4j_server.password,
        embed_threads=1,
        reader="extractive",
        llm_base_url=leader.url,
        llm_model="scripted",
        llm_retries=0,
        planner_model="rules",
    )
    with Clew(settings) as clew:
        yield clew


@pytest.fixture(scope="module")
def base(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A corpus that has nothing but a knowledge base."""
    name = f"test-base-rounds-{uuid.uuid4().hex[:8]}"
    file = tmp_path_factory.mktemp("facts") / "facts.tsv"
    file.write_text(FACTS_FILE)
    clew.ingest(file, corpus=name, as_triples=True)
    yield name
    clew.delete_corpus(name)


@pytest.fixture(scope="module")
def mixed(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A corpus of a text and a knowledge base."""
    name = f"test-base-beside-text-{uuid.uuid4().hex[:8]}"
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "facts.tsv").write_text(FACTS_FILE)
    (folder / "mill.md").write_text(TEXT)
    clew.ingest(folder / "mill.md", corpus=name)
    clew.ingest(folder / "facts.tsv", corpus=name, as_triples=True)
    yield name
    clew.delete_corpus(name)


def rounds_of(evidence: Evidence, title: str) -> tuple[Round, ...]:
    (card,) = (
        card
        for card in evidence.explanation
        if isinstance(card, RoundsCard) and card.title == title
    )
    return card.rounds


@pytest.mark.parametrize("strategy", ["planner:partial-alignment", "planner:dense"])
def test_rules_plan_by_lines_of_a_knowledge_base(clew: Clew, base: str, strategy: str) -> None:
    answer = clew.ask(TWO_HOPS, corpus=base, strategy=strategy)
    assert (answer.supported, answer.short) == (True, "Oakham")
    assert [one.line for one in answer.citations] == [1, 2]
    assert answer.evidence.notices == ()
    first, second = rounds_of(answer.evidence, PLAN)
    assert (first.asked, first.decided) == (TWO_HOPS, f"search for: {FOLLOW_UP}")
    assert (second.asked, second.decided) == (FOLLOW_UP, "enough was found")
    assert {one.kind for one in first.found} == {"triple"}
    assert "Ella Brand spouse Tom Harrow." in [one.title for one in first.found]


def test_lines_join_the_question_s_graph_and_all_that_is_named_exists(
    clew: Clew, base: str
) -> None:
    evidence = clew.search(TWO_HOPS, corpus=base, strategy="planner:partial-alignment")
    (graph,) = (
        card
        for card in evidence.explanation
        if isinstance(card, SubgraphCard) and card.title == TITLE
    )
    assert {edge.text for edge in graph.edges} >= {
        "Ella Brand spouse Tom Harrow.",
        "Tom Harrow place of birth Oakham.",
    }
    (facts,) = (
        card
        for card in evidence.explanation
        if isinstance(card, QuotesCard) and card.title == FACTS
    )
    (spouse,) = (one for one in facts.quotes if "spouse" in one.text)
    assert (spouse.chunk_ids, spouse.spans) == ((), ())
    assert "line 1 of facts" in spouse.tags
    named = cited(evidence)
    assert named.chunks == frozenset()
    assert existing(clew.resources.store, base, named) == named


def test_the_reader_graph_cites_lines(clew: Clew, base: str) -> None:
    evidence = clew.search(TWO_HOPS, corpus=base, strategy="planner:partial-alignment")
    number = 1 + next(place for place, one in enumerate(evidence.triples) if one.tail == "Oakham")
    told = graph_messages(evidence)[-1].content
    assert f"(S> Tom Harrow | P> place of birth | O> Oakham) [{number}]" in told
    rounds = history_of(evidence) or []
    assert Fact("Tom Harrow", "place of birth", "Oakham", "") in [
        fact for one in rounds for fact in one.facts
    ]
    answers = TrainedAnswers(clew.resources, "graph")
    written = Written(label="", text="Oakham", tokens=1, prompt_tokens=1)
    step = TraceStep(name="language model", seconds=0.0)
    answer = answers._answer(evidence, rounds, written, step)
    assert answer.supported
    assert (2, "Tom Harrow place of birth Oakham.") in [
        (one.line, one.quote) for one in answer.citations
    ]


def test_who_leads_steps_is_shown_lines(clew: Clew, base: str, leader: SearchLeader) -> None:
    leader.asked.clear()
    leader.plans = {TWO_HOPS: [FOLLOW_UP]}
    answer = clew.ask(TWO_HOPS, corpus=base, strategy="iterative:partial-alignment")
    assert (answer.supported, answer.short) == (True, "Oakham")
    assert [one.used for one in leader.shown(TWO_HOPS)] == [[TWO_HOPS], [TWO_HOPS, FOLLOW_UP]]
    assert (
        "facts\nElla Brand spouse Tom Harrow." in (leader.asked[0].body["messages"][-1]["content"])
    )
    assert {one.line for one in answer.evidence.triples} == {1, 2, 3, 4, 5}
    first, _ = rounds_of(answer.evidence, "Searches")
    assert "Tom Harrow place of birth Oakham." in [one.title for one in first.found]


@pytest.mark.parametrize(
    ("strategy", "named"),
    [
        ("planner", "planner:partial-alignment"),
        ("planner:bm25", "planner:partial-alignment"),
        ("iterative:bm25", "partial-alignment"),
        ("hyde", "partial-alignment"),
        ("hyde:bm25", "partial-alignment"),
    ],
)
def test_what_finds_no_lines_says_so_and_names_what_does(
    clew: Clew, base: str, leader: SearchLeader, strategy: str, named: str
) -> None:
    leader.plans = {}
    evidence = clew.search(TWO_HOPS, corpus=base, strategy=strategy)
    assert (evidence.chunks, evidence.triples) == ((), ())
    (notice,) = [one for one in evidence.notices if "no text" in one]
    assert f"{strategy} looks for passages. Strategies for triples: {named}." in notice


def test_a_filter_that_nothing_fits_is_told_alone(clew: Clew, base: str) -> None:
    none = AskedDocuments(names=("nothing*",))
    with pytest.raises(UnknownDocument, match=re.escape("fits: 'nothing*'. `clew documents`")):
        clew.ask(TWO_HOPS, corpus=base, documents=none)


def test_where_a_base_alone_is_asked_of_a_corpus_with_text_one_for_triples_is_asked(
    clew: Clew, mixed: str
) -> None:
    facts = AskedDocuments(names=("facts*",))
    answer = clew.ask("Who is the spouse of Ella Brand?", corpus=mixed, documents=facts)
    assert (answer.supported, answer.short) == (True, "Tom Harrow")
    (notice,) = answer.evidence.notices
    assert notice.startswith("The documents that are asked hold triples and no text:")
    assert notice.endswith("partial-alignment was asked instead.")


def test_what_looks_for_passages_alone_says_that_there_are_lines(clew: Clew, mixed: str) -> None:
    question = "Who is the spouse of Ella Brand?"
    (notice,) = clew.search(question, corpus=mixed, strategy="dense").notices
    assert notice.startswith("The corpus has knowledge bases, too, and dense looks for passages")
    mill = AskedDocuments(names=("mill*",))
    assert clew.search(question, corpus=mixed, strategy="dense", documents=mill).notices == ()
    found = clew.search(question, corpus=mixed, strategy="partial-alignment")
    assert found.notices == ()


def test_lines_answer_what_passages_do_not_say(clew: Clew, mixed: str) -> None:
    answer = clew.ask(
        "Who is the spouse of Ella Brand?", corpus=mixed, strategy="partial-alignment"
    )
    assert answer.evidence.chunks
    assert (answer.supported, answer.short) == (True, "Tom Harrow")
    assert [(one.title, one.line) for one in answer.citations] == [("facts", 1)]
    assert [step.name for step in answer.trace[:3]] == ["sentences", "extraction", "triples"]


def test_passages_answer_what_they_say(clew: Clew, mixed: str) -> None:
    answer = clew.ask("When was the Tarn Mill founded?", corpus=mixed, strategy="partial-alignment")
    assert (answer.supported, answer.short) == (True, "1899")
    assert answer.citations[0].chunk_id


def test_lines_about_something_else_are_no_answer_beside_passages(clew: Clew, mixed: str) -> None:
    answer = clew.ask(
        "What is the weight of Ella Brand?", corpus=mixed, strategy="partial-alignment"
    )
    assert not answer.supported


def test_an_unclear_answer_of_lines_is_told_as_such(clew: Clew, base: str) -> None:
    answer = clew.ask("What is the weight of Ella Brand?", corpus=base, strategy="dense")
    assert 0 < answer.confidence < 0.5
    assert answer.text.startswith("Possibly ")
    assert "the evidence is not clear" in answer.text
