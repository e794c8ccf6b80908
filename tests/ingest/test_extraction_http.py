"""The extractor llm end to end against a real HTTP server: retries, refusals, a second run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew_ingest.triples.base import ChunkText, ChunkTriples
from clew_ingest.triples.extraction import build_extraction
from clew_ingest.triples.reply_cache import ReplyCache
from clew_models.errors import PromptRefused
from clew_models.language_model import Message, OpenAIModel

from ..scripted_llm import ScriptedLanguageModel, document_of, serving

CHUNKS = [
    ChunkText(f"Person {name}", text, (text,))
    for name in "ABCDEFGH"
    for text in [f"Person {name} was born in Oslo. It was cold."]
]


@pytest.fixture
def endpoint() -> Iterator[ScriptedLanguageModel]:
    with serving(ScriptedLanguageModel()) as server:
        yield server


@pytest.fixture
def model(endpoint: ScriptedLanguageModel) -> Iterator[OpenAIModel]:
    made = OpenAIModel("scripted", base_url=endpoint.url, retries=2, timeout_s=5.0)
    yield made
    made.close()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(tmp_path) as opened:
        yield opened


def run(model: OpenAIModel, cache: ReplyCache | None) -> list[ChunkTriples]:
    return list(build_extraction("llm", model, cache, concurrency=3).extract(CHUNKS))


def test_a_run_with_every_trouble_and_a_second_one_for_nothing(
    endpoint: ScriptedLanguageModel, model: OpenAIModel, cache: ReplyCache
) -> None:
    endpoint.failures = {"Person B": [429], "Person C": [500, 503]}
    endpoint.headers = {"Retry-After": "1.2"}  # longer than the client's own first waits
    endpoint.malformed = {"Person D"}
    found = run(model, cache)

    assert [[triple.head for triple in each.triples] for each in found] == [
        [chunk.title] for chunk in CHUNKS
    ]
    assert [each.ttrs for each in found] == [
        (f"{chunk.title} comes from Oslo.",) for chunk in CHUNKS
    ]
    assert [triple.sentence for each in found for triple in each.triples] == [0] * len(CHUNKS)
    assert [sum(each.dropped.values()) for each in found] == [0, 0, 0, 2, 0, 0, 0, 0]
    assert {each.failed for each in found} == {""}
    assert [(each.calls, each.prompt_tokens, each.completion_tokens) for each in found] == [
        (2, 28, 4)
    ] * len(CHUNKS)
    times = [one.at for one in endpoint.asked if document_of(one.body)["title"] == "Person B"]
    assert times[1] - times[0] > 1.1
    assert endpoint.count("Person C") == 4
    assert len(endpoint.asked) == 2 * len(CHUNKS) + 3

    again = run(model, cache)
    assert [(each.triples, each.ttrs) for each in again] == [
        (each.triples, each.ttrs) for each in found
    ]
    assert sum(each.calls + each.prompt_tokens + each.completion_tokens for each in again) == 0
    assert len(endpoint.asked) == 2 * len(CHUNKS) + 3


def test_a_text_that_is_refused_costs_itself_only(
    endpoint: ScriptedLanguageModel, model: OpenAIModel, cache: ReplyCache
) -> None:
    endpoint.refused = {"Person F"}
    found = run(model, cache)
    assert [len(each.triples) for each in found] == [1, 1, 1, 1, 1, 0, 1, 1]
    assert "refused" in found[5].failed
    assert "HTTP 400" in found[5].failed
    # what is forgotten is asked about again, and nothing else is
    asked = len(endpoint.asked)
    assert cache.forget([CHUNKS[0].text]) == 2
    run(model, cache)
    assert set(endpoint.titles[asked:]) == {"Person A", "Person F"}


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_prompt_is_told_from_an_endpoint_that_is_away(
    endpoint: ScriptedLanguageModel, model: OpenAIModel, status: int
) -> None:
    endpoint.failures = {"x": [status]}
    with pytest.raises(PromptRefused, match=f"HTTP {status}"):
        model.complete([Message("user", '{"title": "x", "text": "y"}')])
