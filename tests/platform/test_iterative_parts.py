"""What iterative is made of, without a database: replies read, evidence of several steps merged."""

from typing import Any

import pytest

from clew.evidence import Evidence, EvidenceClue, ScoredChunk, SeedEntity
from clew.settings import Settings
from clew.strategies.language_model import check_language_model, language_model_kind
from clew.strategies.merging import merged_chunks, merged_clues, merged_notices, merged_seeds
from clew.strategies.next_query import already_used, next_query_messages, read_next_query
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


def seed(name: str, weight: float) -> SeedEntity:
    return SeedEntity(id=name, name=name, mention=name, match="name", weight=weight)


def clue(entity: str, after: int | None = None, score: float = -1.0) -> EvidenceClue:
    return EvidenceClue(
        entity_id=entity,
        entity=entity,
        relation="is",
        direction="forward",
        score=score,
        named=True,
        sentences=(),
        chunk_ids=(),
        after=after,
    )


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


def test_seeds_and_notices_come_once() -> None:
    searches = [
        found("", seeds=(seed("x", 1.0),), notices=("old", "slow")),
        found("", seeds=(seed("x", 0.5), seed("y", 0.5)), notices=("slow", "new")),
    ]
    assert [(one.id, one.weight) for one in merged_seeds(searches)] == [("x", 1.0), ("y", 0.5)]
    assert merged_notices(searches) == ["old", "slow", "new"]


def test_clues_come_once_and_still_name_the_clue_that_led_to_them() -> None:
    searches = [
        found("", clues=(clue("a"), clue("b", after=0))),
        found("", clues=(clue("c"), clue("a", score=-9.0), clue("d", after=0), clue("e", after=1))),
    ]
    merged = merged_clues(searches)
    assert [(one.entity, one.after) for one in merged] == [
        ("a", None),
        ("b", 0),
        ("c", None),
        ("d", 2),
        ("e", 0),
    ]
    assert merged[0].score == -1.0


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
    assert language_model_kind(Settings(**settings)) == kind


@pytest.mark.parametrize("settings", [{}, {"iterative_model": "openai"}, {"reader": "extractive"}])
def test_the_local_model_is_never_taken_unasked(settings: dict[str, Any]) -> None:
    with pytest.raises(LanguageModelUnavailable) as failed:
        check_language_model(Settings(**settings))
    assert "CLEW_LLM_MODEL" in failed.value.remedy
    assert "CLEW_ITERATIVE_MODEL=local" in failed.value.remedy
