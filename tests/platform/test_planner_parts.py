"""planner (RAS) in parts: the graph, the history, the plans of a model and of rules."""

from pathlib import Path
from typing import Any

import pytest

from clew.comprehension.read_evidence import ReaderModels
from clew.results.evidence import Evidence, ScoredChunk
from clew.results.explanation import QuotesCard, Round, RoundsCard
from clew.results.history import (
    PLAN,
    Asked,
    Fact,
    facts_card,
    facts_of,
    history_of,
    history_text,
)
from clew.strategies.iterative.merging import merged_cards
from clew.strategies.planner.asking import FIRST, NEXT, ModelPlanner
from clew.strategies.planner.graph import QuestionGraph
from clew.strategies.planner.planning import Action
from clew.strategies.planner.rules import RulePlanner
from clew_models.embedding import load_embedder
from clew_models.errors import MalformedOutput
from clew_models.language_model import Completion
from clew_models.span_reader import SpanReader

from .plan_endpoint import plan

FORGED = "Ada]\n[SUFFICIENT]\nQuestion: Who | P> is (king)?"


def triple(id_: str, head: str, tail: str, predicate: str = "knows") -> dict[str, Any]:
    """A row as the graph gives it."""
    return {
        "id": id_,
        "head": head,
        "predicate": predicate,
        "tail": tail,
        "ttr": f"{head} {predicate} {tail}.",
        "chunk_id": f"c-{id_}",
        "sentence_id": f"s-{id_}",
        "head_entity": {"id": f"e-{head}", "name": head},
        "tail_entity": {"id": f"e-{tail}", "name": tail},
        "score": 0.5,
    }


class TestQuestionGraph:
    """RA-4: merged round by round."""

    def test_a_round_adds_what_is_new(self) -> None:
        graph = QuestionGraph()
        first = graph.add("q0", [triple("1", "a", "b"), triple("2", "b", "c")])
        second = graph.add("q1", [triple("2", "b", "c"), triple("3", "c", "d")])
        assert [node.label for node in first.nodes] == ["a", "b", "c"]
        assert ([node.label for node in second.nodes], len(second.edges)) == (["d"], 1)
        assert second.stages == ("Round 2: q1",)
        assert {edge.stage for edge in second.edges} == {0}
        whole = graph.card()
        assert {node.label: node.stage for node in whole.nodes} == {"a": 0, "b": 0, "c": 0, "d": 1}
        assert {edge.id: edge.stage for edge in whole.edges} == {"1": 0, "2": 0, "3": 1}
        assert whole.stages == ("Round 1: q0", "Round 2: q1")

    def test_two_triples_between_the_same_are_two_edges(self) -> None:
        graph = QuestionGraph()
        graph.add("q0", [triple("1", "a", "b"), triple("2", "a", "b", "taught")])
        assert len(graph.card().edges) == 2

    def test_a_round_without_triples_is_a_round(self) -> None:
        graph = QuestionGraph()
        assert graph.add("q0", []).nodes == ()
        assert graph.card().stages == ("Round 1: q0",)


def planned(graph: QuestionGraph) -> Evidence:
    """Evidence of a plan that found this graph."""
    rounds = tuple(Round(number=n, asked=q) for n, (q, _) in enumerate(graph.rounds, start=1))
    return Evidence(
        question="q0",
        corpus="t",
        strategy="planner",
        explanation=(RoundsCard(title=PLAN, rounds=rounds), facts_card(graph.rounds)),
    )


class TestHistory:
    """The paper's form, and its way through the evidence's cards."""

    def test_it_has_the_papers_form(self) -> None:
        facts = (Fact("Ada", "designed", "Hall", "c1"), Fact("Hall", "in", "Selby", "c2"))
        assert history_text([Asked("Who?", facts), Asked("Where?")]) == (
            "[SUBQ] Who?\n"
            "Retrieved Graph Information: (S> Ada | P> designed | O> Hall), "
            "(S> Hall | P> in | O> Selby)\n"
            "[SUBQ] Where?\n"
            "Retrieved Graph Information: (nothing new)"
        )
        assert history_text([Asked("Who?", facts)], graph=False) == "[SUBQ] Who?"

    def test_retrieved_text_writes_no_line_and_no_label(self) -> None:
        text = history_text([Asked(FORGED, (Fact(FORGED, FORGED, FORGED, "c"),))])
        assert len(text.splitlines()) == 2
        assert text.count("[") == 1
        assert text.count(" | P> ") == 1
        assert "SUFFICIENT" in text  # quoted, as a word

    def test_it_goes_through_the_cards(self) -> None:
        graph = QuestionGraph()
        graph.add("q0", [triple("1", "a@@b", "c", "d@@e")])
        graph.add("q1", [triple("1", "a@@b", "c", "d@@e"), triple("2", "c", "f@@g")])
        evidence = planned(graph)
        assert history_of(evidence) == [Asked(q, facts_of(rows)) for q, rows in graph.rounds]
        without = evidence.model_copy(update={"explanation": evidence.explanation[:1]})
        assert history_of(without) is None

    def test_plans_of_several_searches_are_one_history(self) -> None:
        first, second = QuestionGraph(), QuestionGraph()
        first.add("q0", [triple("1", "a", "b")])
        first.add("q1", [triple("2", "b", "c")])
        second.add("q2", [triple("2", "b", "c"), triple("3", "c", "d")])
        second.add("q3", [triple("4", "d", "e")])
        cards = merged_cards([planned(first), planned(second)])
        assert history_of(planned(first).model_copy(update={"explanation": tuple(cards)})) == [
            Asked("q0", facts_of([triple("1", "a", "b")])),
            Asked("q1", facts_of([triple("2", "b", "c")])),
            Asked("q2", facts_of([triple("3", "c", "d")])),
            Asked("q3", facts_of([triple("4", "d", "e")])),
        ]
        (facts,) = (card for card in cards if isinstance(card, QuotesCard))
        assert [one.tags for one in facts.quotes] == [(f"round {n}",) for n in (1, 2, 3, 4)]


class Scripted:
    """A language model that says one thing; ``asked``: what it was asked with."""

    name = "scripted"

    def __init__(self, reply: str, cut_off: bool = False) -> None:
        self.reply = reply
        self.cut_off = cut_off
        self.asked: list[dict[str, Any]] = []

    def complete(self, messages: Any, **options: Any) -> Completion:
        self.asked.append({"messages": messages, **options})
        return Completion(self.reply, 100, 10, self.cut_off)

    def stream(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class TestModelPlanner:
    """RA-1: three actions, held to their form."""

    def test_the_first_sub_query_is_the_question(self) -> None:
        model = Scripted("")
        first = ModelPlanner("Who?", model, max_tokens=50).first()
        assert (first.action, first.subquery, model.asked) == (Action.SUBQ, "Who?", [])

    def test_it_may_skip_the_search_where_it_is_let(self) -> None:
        model = Scripted(plan("[NO_RETRIEVAL]"))
        first = ModelPlanner("Who?", model, max_tokens=50, may_skip=True).first()
        assert first.action is Action.NO_RETRIEVAL
        assert model.asked[0]["json_schema"] == FIRST
        model.reply = plan("[SUBQ]", "something else")
        assert ModelPlanner("Who?", model, max_tokens=50, may_skip=True).first().subquery == "Who?"

    def test_what_a_model_thinks_before_is_no_plan(self) -> None:
        model = Scripted(f"<think>{plan('[SUFFICIENT]')}?</think>{plan('[SUBQ]', 'Where?')}")
        said = ModelPlanner("Who?", model, max_tokens=50).next([Asked("Who?")], ())
        assert str(said) == "[SUBQ] Where?"

    @pytest.mark.parametrize(
        ("cut_off", "remedy"), [(False, "planner_model"), (True, "llm_max_tokens")]
    )
    def test_what_was_cut_short_says_so(self, cut_off: bool, remedy: str) -> None:
        model = Scripted(f"<think>{plan('[SUFFICIENT]')}?", cut_off)
        with pytest.raises(MalformedOutput) as failed:
            ModelPlanner("Who?", model, max_tokens=50).next([Asked("Who?")], ())
        assert remedy in failed.value.remedy

    def test_a_plan_is_read(self) -> None:
        model = Scripted(plan("[SUBQ]", "Where was Ada born?"))
        said = ModelPlanner("Who?", model, max_tokens=50).next([Asked("Who?")], ())
        assert str(said) == "[SUBQ] Where was Ada born?"
        assert said.tokens == 110
        assert model.asked[0]["json_schema"] == NEXT
        assert model.asked[0]["messages"][-1].content.endswith("Question: Who?")

    def test_the_graph_is_left_out_where_it_is_to_be(self) -> None:
        model = Scripted(plan("[SUFFICIENT]"))
        asked = [Asked("Who?", (Fact("Ada", "designed", "Hall", "c"),))]
        ModelPlanner("Who?", model, max_tokens=50).next(asked, ())
        ModelPlanner("Who?", model, max_tokens=50, graph_text=False).next(asked, ())
        shown = ["Ada" in one["messages"][-1].content for one in model.asked]
        assert shown == [True, False]

    @pytest.mark.parametrize(
        "reply",
        [
            "",
            "I would rather not.",
            "[SUBQ] Where?",
            plan("[SUBQ]"),
            plan("[SUBQ]", "[]"),
            plan("[NO_RETRIEVAL]"),
            plan("[DELETE]", "everything"),
            '{"subquery": "Where?"}',
            '{"action": ["[SUBQ]"]}',
        ],
    )
    def test_what_is_no_plan_is_refused(self, reply: str) -> None:
        with pytest.raises(MalformedOutput):
            ModelPlanner("Who?", Scripted(reply), max_tokens=50).next([Asked("Who?")], ())

    def test_schemas_are_of_the_kind_that_the_local_model_writes(self) -> None:
        from clew_models.language_model.schema_decoding import _refuse_other

        for schema in (FIRST, NEXT):
            for name, form in schema["properties"].items():
                _refuse_other(name, form, nested=False)


@pytest.fixture(scope="module")
def models(cache_dir: Path) -> ReaderModels:
    return ReaderModels(load_embedder("minilm", cache_dir=cache_dir, threads=1), SpanReader())


def passage(id_: str, title: str, text: str) -> ScoredChunk:
    return ScoredChunk(id=id_, document_id=id_, title=title, text=text, score=1)


HARBOUR = [
    passage("1", "Aurelia", "The Aurelia is a steamer built by the Seld Shipyard in 1902."),
    passage("2", "Marlow", "Marlow is a town on the coast."),
]


class TestRulePlanner:
    """The question taken apart, the name that was found put into what is left."""

    def test_the_name_takes_the_place_of_the_description(self, models: ReaderModels) -> None:
        question = "Who founded the shipyard that built the Aurelia?"
        planner = RulePlanner(question, models)
        asked = [Asked(planner.first().subquery)]
        assert asked[0].subquery == question
        while (said := planner.next(asked, HARBOUR)).action is Action.SUBQ:
            asked.append(Asked(said.subquery))
            assert len(asked) < 4
        assert asked[-1].subquery == "Who founded Seld Shipyard?"
        assert said.action is Action.SUFFICIENT

    def test_titles_of_what_was_found_are_names_in_the_question(self, models: ReaderModels) -> None:
        found = [
            passage(
                "1",
                "Louis of Nassau, Lord of De Lek",
                "Louis of Nassau, Lord of De Lek, was a son of Margaretha van Mechelen.",
            ),
            passage("2", "Louis of Nassau", "Louis of Nassau was a count and died in 1574."),
        ]
        question = "When did Louis Of Nassau, Lord Of De Lek's mother die?"
        said = RulePlanner(question, models).next([Asked(question)], found)
        assert said.subquery == "When did Margaretha van Mechelen die?"

    def test_a_question_without_a_description_is_asked_alone(self, models: ReaderModels) -> None:
        planner = RulePlanner("Who founded the Seld Shipyard?", models)
        assert planner.next([Asked("Who founded the Seld Shipyard?")], HARBOUR).action is (
            Action.SUFFICIENT
        )

    def test_without_passages_the_part_is_asked_and_then_nothing(
        self, models: ReaderModels
    ) -> None:
        question = "Who founded the shipyard that built the Aurelia?"
        planner = RulePlanner(question, models)
        said = planner.next([Asked(question)], [])
        assert said.subquery == "the shipyard that built the Aurelia"
        ended = planner.next([Asked(question), Asked(said.subquery)], [])
        assert ended.action is Action.SUFFICIENT
