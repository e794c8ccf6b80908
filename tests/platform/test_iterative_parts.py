"""What iterative is made of, without a database: replies read, evidence of several steps merged."""

from itertools import pairwise
from typing import Any

import pytest

from clew.resources.language_models import check, kind_of
from clew.results.evidence import (
    Evidence,
    EvidenceTriple,
    Progress,
    ScoredChunk,
    SeedEntity,
    TraceStep,
)
from clew.results.explanation import (
    Quote,
    QuotesCard,
    Round,
    RoundsCard,
    Span,
    SubgraphCard,
    SubgraphEdge,
    SubgraphNode,
)
from clew.settings import Settings
from clew.strategies.iterative.merging import (
    merged_cards,
    merged_chunks,
    merged_notices,
    merged_seeds,
    merged_triples,
    told_of_search,
)
from clew.strategies.iterative.next_query import already_used, next_query_messages, read_next_query
from clew.strategies.iterative.strategy import LEADER
from clew_models.errors import LanguageModelUnavailable, MalformedOutput

SAID = "It was designed by Ada Thorne. So the next search query is"


@pytest.mark.parametrize(
    "text",
    [
        f"{SAID}: Where was Ada Thorne born?",
        f"{SAID} Where was Ada Thorne born?",
        f"{SAID}: “Where was Ada Thorne born?”.",
        f'{SAID}: "Where was Ada Thorne born?"',
        f"{SAID}:\n\nWhere was Ada Thorne born?\n\nThis will find it.",
        f"**{SAID}:** *Where was Ada Thorne born?*",
        f"{SAID}: <Where was Ada Thorne born?>",
        "SO THE NEXT  SEARCH\nQUERY IS: Where was Ada Thorne born?",
        f"<think>{SAID}: nonsense</think>{SAID}: Where was Ada Thorne born?",
        f"{SAID}: nonsense</think>{SAID}: Where was Ada Thorne born?",
        f"I am to end with “So the next search query is”.\n{SAID}: Where was Ada Thorne born?",
        f"{SAID}: Where was Ada Thorne born?\nThe answer is Ribe. {SAID}: None",
    ],
)
def test_the_next_query_is_read(text: str) -> None:
    assert read_next_query(text) == "Where was Ada Thorne born?"


@pytest.mark.parametrize(
    "none",
    [
        *("None", "None.", "none", "NONE", '"None"', "“None.”", "“None”.", "'none'", "**None**"),
        *("<None>", "[None]", "None needed.", "None, since all is stated.", "None (it is Ribe)."),
        *("none is needed", "not needed."),
    ],
)
@pytest.mark.parametrize("mark", [": ", " ", ":\n"])
def test_none_is_read(none: str, mark: str) -> None:
    assert read_next_query(f"{SAID}{mark}{none}") is None


@pytest.mark.parametrize(
    "query",
    [
        *("None but the Brave director", "Noneta", "nonesuch park", 'film "None"'),
        *('"Glass Garden" or "Garden of Glass"', "The Glass Garden (film)", "C. S. Lewis"),
    ],
)
def test_what_only_looks_like_none_or_a_quotation_is_a_query(query: str) -> None:
    assert read_next_query(f"{SAID}: {query}") == query


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "I do not know.",
        SAID,
        f"{SAID}:",
        f"{SAID}: ?!",
        f"<think>{SAID}: What?",
        f"{SAID}: What?</think>",
    ],
)
def test_a_reply_that_names_no_query_is_malformed(text: str) -> None:
    with pytest.raises(MalformedOutput) as failed:
        read_next_query(text)
    assert failed.value.remedy


def test_queries_are_the_same_but_for_case_marks_and_articles() -> None:
    used = ["Who founded the shipyard?"]
    assert already_used("who founded  shipyard", used)
    assert not already_used("Who founded the Seld Shipyard?", used)


def test_the_model_is_shown_question_passages_and_queries_in_order() -> None:
    chunks = [chunk("a"), chunk("b")]
    system, user = next_query_messages("Who is {passages}?", chunks, ["Who is {passages}?", "a?"])
    assert (system.role, user.role) == ("system", "user")
    assert "So the next search query is" in system.content
    places = [
        user.content.index(part)
        for part in ("[1] Title a\nText a", "[2] Title b\nText b", "- Who is", "- a?", "Question:")
    ]
    assert places == sorted(places)
    assert user.content.endswith("Question: Who is {passages}?")
    nothing = next_query_messages("Who?", [], ["Who?"])[1].content
    assert "Nothing was found" in nothing


def chunk(name: str, score: float = 0.5) -> ScoredChunk:
    return ScoredChunk(
        id=name, document_id=f"d{name}", title=f"Title {name}", text=f"Text {name}", score=score
    )


def found(chunks: str, **parts: Any) -> Evidence:
    return Evidence(
        question="?", corpus="c", strategy="s", chunks=tuple(map(chunk, chunks)), **parts
    )


def triple(name: str) -> EvidenceTriple:
    return EvidenceTriple(
        id=name, head_id="h", head="h", relation="r", tail_id="t", tail="t", text=name, score=0.5
    )


def seed(name: str, weight: float) -> SeedEntity:
    return SeedEntity(id=name, name=name, mention=name, match="name", weight=weight)


def quotes(*entities: str, left_out: int = 0, **after: int) -> QuotesCard:
    """A card of quotes named by ``entities``; ``b=0``: the first one led to b."""
    made = tuple(Quote(text=f"{name}@@is", label=name, after=after.get(name)) for name in entities)
    return QuotesCard(title="Clues", quotes=made, left_out=left_out)


def test_the_best_of_every_search_come_first_and_each_chunk_once() -> None:
    searches = [found("abcd"), found("exa"), found("cf")]
    merged = merged_chunks(searches, 10)
    assert "".join(one.id for one in merged) == "abecdxf"
    assert [round(1 / one.score) for one in merged] == [1, 2, 2, 3, 4, 4, 6]
    for k in range(1, 8):
        assert merged_chunks(searches, k) == merged[:k]
        assert (
            merged_chunks(
                [one.model_copy(update={"chunks": one.chunks[:k]}) for one in searches], k
            )
            == merged[:k]
        )
    assert merged_chunks([found(""), found("")], 5) == []
    copy = chunk("a").model_copy(update={"id": "copy"})
    again = found("").model_copy(update={"chunks": (copy, chunk("b"))})
    assert [one.id for one in merged_chunks([found("a"), again], 2)] == ["a", "b"]


def test_triples_of_every_search_are_ranked_so_and_no_more_than_of_the_one_that_found_most() -> (
    None
):
    searches = [found("", triples=tuple(map(triple, ids))) for ids in ("abcd", "exa", "cf")]
    merged = merged_triples(searches)
    assert "".join(one.id for one in merged) == "abec"
    assert [round(1 / one.score) for one in merged] == [1, 2, 2, 3]
    assert merged_triples([found("")]) == []


def test_seeds_and_notices_come_once() -> None:
    searches = [
        found("", seeds=(seed("x", 1.0),), notices=("old", "slow")),
        found("", seeds=(seed("x", 0.5), seed("y", 0.5)), notices=("slow", "new")),
    ]
    assert [(one.id, one.weight) for one in merged_seeds(searches)] == [("x", 1.0), ("y", 0.5)]
    assert merged_notices(searches) == ["old", "slow", "new"]


def test_quotes_come_once_and_still_name_the_one_that_led_to_them() -> None:
    searches = [
        found("", explanation=(quotes("a", "b", b=0),)),
        found("", explanation=(quotes("c", "a", "d", "e", left_out=2, d=0, e=1),)),
    ]
    (merged,) = merged_cards(searches)
    assert isinstance(merged, QuotesCard)
    assert [(one.label, one.after) for one in merged.quotes] == [
        ("a", None),
        ("b", 0),
        ("c", None),
        ("d", 2),
        ("e", 0),
    ]
    assert merged.left_out == 2


def test_the_same_text_on_other_sentences_is_another_quote() -> None:
    here, there = (
        QuotesCard(
            title="Clues",
            quotes=(Quote(text="a@@is", spans=(Span(chunk_id=id_, text="a is."),)),),
        )
        for id_ in ("c1", "c2")
    )
    (merged,) = merged_cards([found("", explanation=(card,)) for card in (here, there, here)])
    assert isinstance(merged, QuotesCard)
    assert [quote.spans[0].chunk_id for quote in merged.quotes] == ["c1", "c2"]


def test_subgraphs_are_joined_stage_after_stage() -> None:
    def part(*ids: str, stages: tuple[str, ...]) -> SubgraphCard:
        nodes = tuple(
            SubgraphNode(id=id_, kind="entity", label=id_, stage=stage)
            for stage, id_ in enumerate(ids)
        )
        edges = tuple(
            SubgraphEdge(source=a, target=b, kind="RELATION", id=f"{a}{b}", stage=1)
            for a, b in pairwise(ids)
        )
        return SubgraphCard(title="Where", nodes=nodes, edges=edges, stages=stages)

    (merged,) = merged_cards(
        [
            found("", explanation=(part("x", "y", stages=("one", "two")),)),
            found(""),
            found("", explanation=(part("y", "z", stages=("one", "two")),)),
        ]
    )
    assert isinstance(merged, SubgraphCard)
    assert {node.id: node.stage for node in merged.nodes} == {"x": 0, "y": 1, "z": 3}
    assert {edge.id: edge.stage for edge in merged.edges} == {"xy": 1, "yz": 3}
    assert merged.stages == ("step 1: one", "step 1: two", "step 3: one", "step 3: two")


def test_cards_of_other_titles_and_kinds_stay_apart_and_rounds_are_counted_on() -> None:
    rounds = RoundsCard(title="Plan", rounds=(Round(number=1, asked="a?"),))
    other = QuotesCard(title="Others")
    merged = merged_cards(
        [
            found("", explanation=(quotes("a"), rounds)),
            found("", explanation=(other, rounds, QuotesCard(title="Plan"))),
        ]
    )
    assert [(card.kind, card.title) for card in merged] == [
        ("quotes", "Clues"),
        ("rounds", "Plan"),
        ("quotes", "Others"),
        ("quotes", "Plan"),
    ]
    assert isinstance(merged[1], RoundsCard)
    assert [one.number for one in merged[1].rounds] == [1, 2]


def test_what_a_search_tells_is_told_as_its_own() -> None:
    step = told_of_search(2, "who?", TraceStep(name="embed", seconds=0.1))
    assert isinstance(step, TraceStep)
    assert (step.name, step.detail) == ("step 2: embed", {"query": "who?"})
    card = told_of_search(2, "who?", quotes("a"))
    assert isinstance(card, QuotesCard)
    assert (card.title, card.quotes) == ("step 2: Clues", quotes("a").quotes)
    progress = Progress(text="Loading")
    assert told_of_search(2, "who?", progress) == progress


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"llm_model": "m"}, "openai"),
        ({"llm_model": "m", "reader": "extractive"}, "openai"),
        ({"llm_model": "m", "iterative_model": "local"}, "local"),
        ({"llm_model": "m", "reader": "local"}, "local"),
        ({"llm_model": "m", "reader": "local", "iterative_model": "openai"}, "openai"),
        ({"iterative_model": "local"}, "local"),
        ({"reader": "local"}, "local"),
    ],
)
def test_the_settings_choose_the_language_model(settings: dict[str, Any], kind: str) -> None:
    assert kind_of(Settings(**settings), LEADER) == kind


@pytest.mark.parametrize("settings", [{}, {"iterative_model": "openai"}, {"reader": "extractive"}])
def test_the_local_model_is_never_taken_unasked(settings: dict[str, Any]) -> None:
    with pytest.raises(LanguageModelUnavailable) as failed:
        check(Settings(**settings), LEADER)
    assert "CLEW_LLM_MODEL" in failed.value.remedy
    assert "CLEW_ITERATIVE_MODEL=local" in failed.value.remedy
