"""Searching in steps, on the real graph of the sample corpus; the language model is scripted."""

from collections.abc import Iterator

import pytest

from clew.clew import Clew
from clew.errors import UnknownStrategy
from clew.evaluation.asking import cited
from clew.evaluation.report import render_report
from clew.evaluation.request import BenchRequest
from clew.evaluation.summary import summarise
from clew.results.data_set import BenchQuestion
from clew.results.evidence import Evidence, Told, TraceStep
from clew.results.explanation import QuotesCard, Round, RoundsCard
from clew.sample_corpus import ARTICLES
from clew.settings import all_settings
from clew.strategies.catalogue import STRATEGIES, spec_of
from clew.strategies.iterative.spec import in_one_step
from clew.strategies.searching import build_strategy
from clew_cypher.checking.validity import existing
from clew_cypher.corpora import delete_corpus, list_corpora
from clew_cypher.jobs.bench_runs import delete_bench_run
from clew_models.errors import LanguageModelUnavailable
from clew_models.language_model import metered

from ..running_clew import OwnSettings
from ..scripted_llm import COMPLETION_TOKENS, PROMPT_TOKENS, serving
from .search_leader import PREFIX, SearchLeader

CORPUS = "test-iterative"
TWO_HOPS = "Where was the architect who designed the National Museum of Tessmark born?"
FIRST, SECOND = "National Museum of Tessmark", "Anton Kellner"
FOLLOW_UP = "Where was Anton Kellner born?"
THIRD = "Who is Victor Ferrand?"
PLAIN = [spec.name for spec in STRATEGIES]
DENSE = "iterative:dense"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[SearchLeader]:
    with serving(SearchLeader()) as server:
        yield server


@pytest.fixture
def leader(endpoint: SearchLeader) -> SearchLeader:
    """The language model, without memory of other tests."""
    endpoint.asked.clear()
    endpoint.plans = {TWO_HOPS: [FOLLOW_UP]}
    endpoint.replies = {}
    return endpoint


@pytest.fixture(scope="module")
def clew(
    endpoint: SearchLeader, own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Clew]:
    settings = own_settings(
        tmp_path_factory.mktemp("home"),
        corpus=CORPUS,
        reader="extractive",
        llm_base_url=endpoint.url,
        llm_model="scripted",
        llm_retries=0,
        contextual_model="none",  # the script leads searches and filters no triples
        planner_model="rules",
    )
    with Clew(settings) as clew:
        clew.ingest(ARTICLES)
        yield clew
        for row in list_corpora(clew.resources.store):
            if row["name"] == CORPUS:
                delete_corpus(clew.resources.store, CORPUS)


def ask(clew: Clew, k: int = 3, strategy: str = DENSE) -> Evidence:
    return clew.retrieve(TWO_HOPS, strategy=strategy, k=k)


def titles(evidence: Evidence) -> list[str]:
    return [chunk.title for chunk in evidence.chunks]


def ended(evidence: Evidence) -> dict[str, object]:
    last = evidence.trace[-1]
    assert last.name == "merge"
    return last.detail


def with_settings(clew: Clew, **changes: object) -> Evidence:
    """Ask with other settings."""
    other = Clew(clew.settings.changed(**changes))
    with other:
        return ask(other)


def test_the_second_hop_needs_the_second_query(clew: Clew, leader: SearchLeader) -> None:
    assert SECOND not in titles(ask(clew, 3, "dense"))
    evidence = ask(clew)
    assert titles(evidence)[0] == FIRST
    assert titles(evidence)[2] == SECOND
    assert ended(evidence) == {
        "steps": 2,
        "ended": "nothing is missing",
        "unreadable_replies": 0,
        "repeated_queries": 0,
    }
    assert evidence.notices == ()


def test_the_model_is_shown_what_was_found_and_what_was_asked(
    clew: Clew, leader: SearchLeader
) -> None:
    ask(clew)
    first, second = leader.shown(TWO_HOPS)
    assert first.used == [TWO_HOPS]
    assert second.used == [TWO_HOPS, FOLLOW_UP]
    assert first.titles[0] == FIRST
    assert {FIRST, SECOND} <= set(second.titles[:3])
    assert {len(first.titles), len(second.titles)} == {clew.settings.value("iterative_passages")}


def test_every_step_is_in_the_trace_with_its_query_and_its_tokens(
    clew: Clew, leader: SearchLeader
) -> None:
    with metered() as meter:
        evidence = ask(clew)
    steps = evidence.trace[:-1]
    assert {step.name for step in steps} > {"step 1: embed", "step 1: next query", "step 2: embed"}
    for step in steps:
        assert step.detail["query"] == (TWO_HOPS if step.name.startswith("step 1:") else FOLLOW_UP)
    asked = [step.detail for step in steps if step.name.endswith("next query")]
    assert [detail["next"] for detail in asked] == [FOLLOW_UP, None]
    assert all(detail["reply"].startswith(PREFIX) for detail in asked)
    assert sum(detail["prompt_tokens"] for detail in asked) == 2 * PROMPT_TOKENS
    assert sum(detail["completion_tokens"] for detail in asked) == 2 * COMPLETION_TOKENS
    assert (meter.calls, meter.prompt_tokens) == (2, 2 * PROMPT_TOKENS)
    assert evidence == Evidence.model_validate_json(evidence.model_dump_json())


@pytest.mark.parametrize(
    "none", ["None", "None.", "“None.”", '"none"', "NONE", "None, it is said."]
)
def test_none_ends_it(clew: Clew, leader: SearchLeader, none: str) -> None:
    leader.plans[TWO_HOPS] = [none]
    evidence = ask(clew)
    assert (ended(evidence)["steps"], ended(evidence)["ended"]) == (1, "nothing is missing")
    assert titles(evidence) == titles(ask(clew, 3, "dense"))
    assert len(leader.asked) == 1


@pytest.mark.parametrize(
    "again", [TWO_HOPS, TWO_HOPS.lower(), f"“{TWO_HOPS}”", TWO_HOPS.removesuffix("?")]
)
def test_a_query_that_was_used_ends_it_and_is_told(
    clew: Clew, leader: SearchLeader, again: str
) -> None:
    leader.plans[TWO_HOPS] = [FOLLOW_UP, again, THIRD]
    evidence = ask(clew)
    assert ended(evidence)["steps"] == 2
    assert ended(evidence)["ended"] == "repeated query"
    assert ended(evidence)["repeated_queries"] == 1
    (notice,) = evidence.notices
    assert "after step 2" in notice
    assert "again" in notice
    assert SECOND in titles(evidence)


@pytest.mark.parametrize("reply", ["", "   ", "Ribe, I think.", PREFIX, f"{PREFIX}…"])
def test_a_reply_that_names_no_query_ends_it_and_is_told(
    clew: Clew, leader: SearchLeader, reply: str
) -> None:
    leader.replies[TWO_HOPS] = [reply]
    evidence = ask(clew)
    assert ended(evidence)["ended"] == "unreadable reply"
    assert ended(evidence)["unreadable_replies"] == 1
    (notice,) = evidence.notices
    assert "after step 1" in notice
    (told,) = [step.detail for step in evidence.trace if step.name == "step 1: next query"]
    assert told["reply"] == reply
    assert "next" not in told
    assert titles(evidence) == titles(ask(clew, 3, "dense"))


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_step_limit_is_respected(clew: Clew, leader: SearchLeader, limit: int) -> None:
    leader.plans[TWO_HOPS] = [f"What is number {n}?" for n in range(9)]
    evidence = with_settings(clew, iterative_steps=limit)
    assert (ended(evidence)["steps"], ended(evidence)["ended"]) == (limit, "step limit")
    assert len(leader.asked) == limit - 1
    assert evidence.notices == ()


def test_no_more_passages_are_shown_than_are_set(clew: Clew, leader: SearchLeader) -> None:
    with_settings(clew, iterative_passages=2)
    assert [len(shown.titles) for shown in leader.shown(TWO_HOPS)] == [2, 2]


@pytest.mark.parametrize("k", [1, 2, 5, 10, 100])
def test_k_changes_how_much_is_handed_on_and_nothing_else(
    clew: Clew, leader: SearchLeader, k: int
) -> None:
    leader.plans[TWO_HOPS] = [FOLLOW_UP, THIRD]
    evidence, most = ask(clew, k), ask(clew, 100)
    assert evidence.chunks == most.chunks[:k]
    assert len(evidence.chunks) == min(k, len(most.chunks))
    half = len(leader.asked) // 2
    assert [a.body for a in leader.asked[:half]] == [a.body for a in leader.asked[half:]]
    assert len({chunk.id for chunk in most.chunks}) == len(most.chunks)


def test_the_order_is_stable(clew: Clew, leader: SearchLeader) -> None:
    leader.plans[TWO_HOPS] = [FOLLOW_UP, THIRD]
    assert len({tuple(titles(ask(clew, 20))) for _ in range(3)}) == 1


@pytest.mark.parametrize("name", PLAIN)
def test_every_strategy_can_be_asked_in_steps(clew: Clew, leader: SearchLeader, name: str) -> None:
    evidence = clew.search(TWO_HOPS, strategy=f"iterative:{name}", k=4)
    assert evidence.strategy == f"iterative:{name}"
    assert evidence.question == TWO_HOPS
    assert ended_before_paths(evidence)["steps"] == 2
    assert {FIRST, SECOND} <= set(titles(evidence))
    alone = [clew.retrieve(query, strategy=name, k=6) for query in (TWO_HOPS, FOLLOW_UP)]
    every = {chunk.id for one in alone for chunk in one.chunks}
    assert {chunk.id for chunk in evidence.chunks} <= every
    assert [seed.id for seed in evidence.seeds] == list(
        dict.fromkeys(seed.id for one in alone for seed in one.seeds)
    )
    rounds, *cards = evidence.explanation
    assert isinstance(rounds, RoundsCard)
    assert [card.kind for card in cards] == [card.kind for card in alone[0].explanation]
    assert quotes(evidence) == quotes(alone[0]) | quotes(alone[1])
    cites = cited(evidence)
    assert existing(clew.resources.store, CORPUS, cites) == cites


def quotes(evidence: Evidence) -> set[tuple[str, tuple[str, ...]]]:
    cards = [card for card in evidence.explanation if isinstance(card, QuotesCard)]
    return {(quote.text, quote.chunk_ids) for card in cards for quote in card.quotes}


def test_each_step_is_told_while_it_is_taken(clew: Clew, leader: SearchLeader) -> None:
    told: list[Told] = []
    evidence = clew.retrieve(TWO_HOPS, strategy=DENSE, k=3, tell=told.append)
    assert [one for one in told if isinstance(one, TraceStep)] == list(evidence.trace)
    rounds = [one for one in told if isinstance(one, Round)]
    (card,) = evidence.explanation
    assert isinstance(card, RoundsCard)
    assert card.rounds == tuple(rounds)
    assert [(one.number, one.asked, one.decided) for one in rounds] == [
        (1, TWO_HOPS, f"search for: {FOLLOW_UP}"),
        (2, FOLLOW_UP, "nothing is missing"),
    ]
    assert rounds[0].found[0].title == FIRST
    assert all((one.seconds or 0) > 0 for one in rounds)
    # the first round is told before the second search begins
    names = [one.name for one in told[told.index(rounds[0]) :] if isinstance(one, TraceStep)]
    assert names[0] == "step 2: corpus"
    assert not [name for name in names if name.startswith("step 1")]


def ended_before_paths(evidence: Evidence) -> dict[str, object]:
    merge, paths = evidence.trace[-2:]
    assert (merge.name, paths.name) == ("merge", "paths")
    return merge.detail


def test_where_nothing_is_found_twice_the_model_is_not_asked_on(
    clew: Clew, leader: SearchLeader
) -> None:
    leader.plans["qqqzz"] = ["wwwxx", "vvvyy"]
    evidence = clew.retrieve("qqqzz", strategy="iterative:bm25")
    assert evidence.chunks == ()
    assert (ended(evidence)["steps"], ended(evidence)["ended"]) == (2, "nothing found")
    assert len(leader.asked) == 1


def test_a_model_that_fails_is_an_error(clew: Clew, leader: SearchLeader) -> None:
    other = clew.settings.model_copy(update={"llm_base_url": "http://127.0.0.1:9/v1"})
    with Clew(other) as unreachable, pytest.raises(LanguageModelUnavailable, match="reached"):
        ask(unreachable)


def test_without_a_language_model_the_settings_are_named(clew: Clew) -> None:
    other = clew.settings.model_copy(update={"llm_base_url": None, "llm_model": None})
    with Clew(other) as without:
        with pytest.raises(LanguageModelUnavailable) as refused:
            ask(without)
        assert "CLEW_LLM_MODEL" in refused.value.remedy
        (event,) = without.ask_events(TWO_HOPS, strategy=DENSE)
        assert (event.event, event.data["http_status"]) == ("error", 503)
        with pytest.raises(LanguageModelUnavailable):
            without.bench(BenchRequest(data_set="sample", strategies=("dense", DENSE)))


@pytest.mark.parametrize("name", PLAIN)
def test_the_name_is_made_of_the_strategys(name: str) -> None:
    plain, spec = spec_of(name), spec_of(f"iterative:{name}")
    assert (spec.name, in_one_step(spec.name)) == (f"iterative:{name}", name)
    assert plain.summary in spec.summary
    assert {*plain.settings, "iterative_steps"} <= set(spec.settings) <= set(all_settings())
    assert spec.needs == tuple(dict.fromkeys((*plain.needs, "language model")))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("iterative:densee", "iterative:dense"),
        ("iterativ:pagerank", "iterative:pagerank"),
        ("iterative:iterative:dense", "iterative:dense"),
        ("iterative:", "iterative:"),
        ("iterative", "iterative:"),
    ],
)
def test_an_unknown_name_names_the_nearest(clew: Clew, name: str, near: str) -> None:
    with pytest.raises(UnknownStrategy, match=f"Did you mean '{near}") as raised:
        build_strategy(name, clew.resources)
    assert all(plain in str(raised.value) for plain in [*PLAIN, "iterative:NAME"])
    assert ("in steps itself" in raised.value.message) == (name.count(":") == 2)


def test_a_default_in_steps_costs_nothing_while_a_worker_warms(
    clew: Clew, leader: SearchLeader
) -> None:
    other = clew.settings.model_copy(update={"strategy": DENSE})
    with Clew(other) as in_steps:
        in_steps.warm()
        assert leader.asked == []
        assert in_steps.retrieve(TWO_HOPS).strategy == DENSE


def test_the_bench_measures_both_ways(clew: Clew, leader: SearchLeader) -> None:
    run = clew.bench(
        BenchRequest(
            data_set=f"corpus:{CORPUS}",
            questions=(BenchQuestion(id="two-hops", question=TWO_HOPS, answers=("Anselburg",)),),
            strategies=("dense", DENSE),
            reader="none",
        )
    )
    try:
        assert run.options.strategies == ("dense", DENSE)
        assert [(o.strategy, o.error, o.usage.calls) for o in run.outcomes] == [
            ("dense", None, 0),
            (DENSE, None, 2),
        ]
        assert run.settings["iterative_steps"] == 4
        figures = summarise(run)
        assert figures.strategies[1].cost.prompt_tokens == 2 * PROMPT_TOKENS
        assert DENSE in render_report(run, figures)
    finally:
        delete_bench_run(clew.resources.store, run.id)
