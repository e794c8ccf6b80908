"""KC-1 through OpenAIModel against a real HTTP server: retries, schemas, and what is sent."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.llm import LanguageModelExtractor
from clew_ingest.triples.llm_triples import SCHEMA
from clew_ingest.triples.reply_cache import ReplyCache
from clew_models.errors import LanguageModelUnavailable
from clew_models.language_model import OpenAIModel, metered

from ..scripted_llm import ExtractionEndpoint, born, document_of, serving

TEXTS = [(f"Person {number}", "Was born in Oslo.") for number in range(6)]


class Endpoint(ExtractionEndpoint):
    """Answers with two triples about the title; ``fails``: a status for every request."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = 200
        self.cut_off = False

    def status(self, body: dict[str, Any]) -> int:
        found = super().status(body)
        return self.fails if found == 200 else found

    def reply(self, body: dict[str, Any]) -> str:
        title = document_of(body)["title"]
        text = json.dumps({"triples": [born(title, "Oslo"), born(title, "Rome")]})
        return text[:-40] if self.cut_off else text


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint()) as server:
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(tmp_path) as opened:
        yield opened


class Extractors:
    """Makes extractors for an endpoint, and closes their connections in the end."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._url = endpoint.url
        self._models: list[OpenAIModel] = []

    def __call__(self, cache: ReplyCache | None, *, retries: int = 2) -> LanguageModelExtractor:
        model = OpenAIModel("m", base_url=self._url, retries=retries, timeout_s=5.0)
        self._models.append(model)
        return LanguageModelExtractor(model, cache, concurrency=3, max_tokens=77)

    def close(self) -> None:
        for model in self._models:
            model.close()


@pytest.fixture
def extractor(endpoint: Endpoint) -> Iterator[Extractors]:
    made = Extractors(endpoint)
    yield made
    made.close()


def test_triples_by_an_endpoint_in_order_counted_and_then_for_nothing(
    endpoint: Endpoint, extractor: Extractors, cache: ReplyCache
) -> None:
    with metered() as meter:
        results = list(extractor(cache).extract(TEXTS))
    assert [result.triples[0] for result in results] == [
        ExtractedTriple(title, "PERSON", "bear in", "Oslo", "GPE") for title, _ in TEXTS
    ]
    assert (meter.calls, meter.prompt_tokens, meter.completion_tokens) == (6, 84, 12)
    assert sum(result.prompt_tokens for result in results) == 84
    sent = endpoint.asked[0].body
    assert (sent["max_tokens"], sent["temperature"]) == (77, 0.0)
    assert sent["response_format"]["json_schema"] == {
        "name": "answer",
        "strict": True,
        "schema": SCHEMA,
    }
    again = list(extractor(cache).extract(TEXTS))
    assert [result.triples for result in again] == [result.triples for result in results]
    assert len(endpoint.asked) == 6


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_is_transient_is_tried_again_by_the_model_and_by_nobody_else(
    endpoint: Endpoint, extractor: Extractors, status: int
) -> None:
    endpoint.failures = {"Person 1": [status], "Person 4": [status, status]}
    results = list(extractor(None, retries=2).extract(TEXTS))
    assert [len(result.triples) for result in results] == [2] * 6
    assert [endpoint.count(title) for title, _ in TEXTS] == [1, 2, 1, 1, 3, 1]


def test_the_endpoint_says_how_long_to_wait(endpoint: Endpoint, extractor: Extractors) -> None:
    endpoint.failures = {"Person 0": [429]}
    endpoint.headers = {
        "Retry-After": "1.2"
    }  # longer than the first step of the client's own back-off
    assert len(next(extractor(None).extract(TEXTS[:1])).triples) == 2
    assert endpoint.asked[1].at - endpoint.asked[0].at > 1.1


def test_an_endpoint_that_stays_down_ends_the_run_after_the_retries_of_one_layer(
    endpoint: Endpoint, extractor: Extractors, cache: ReplyCache
) -> None:
    endpoint.failures = {"Person 3": [503] * 20}
    results = extractor(cache, retries=1).extract(TEXTS)
    assert [next(results).triples[0].head for _ in range(3)] == ["Person 0", "Person 1", "Person 2"]
    with pytest.raises(LanguageModelUnavailable, match="HTTP 503"):
        next(results)
    assert endpoint.count("Person 3") == 2
    endpoint.failures = {}
    assert len(list(extractor(cache).extract(TEXTS))) == 6
    assert [endpoint.count(title) for title, _ in TEXTS[:4]] == [1, 1, 1, 3]


def test_a_wrong_key_is_not_tried_again(endpoint: Endpoint, extractor: Extractors) -> None:
    endpoint.fails = 401
    with pytest.raises(LanguageModelUnavailable, match="llm_api_key"):
        list(extractor(None).extract(TEXTS[:1]))
    assert len(endpoint.asked) == 1


def test_an_endpoint_without_schemas_is_read_all_the_same(
    endpoint: Endpoint, extractor: Extractors
) -> None:
    endpoint.knows_schemas = False
    results = list(extractor(None).extract(TEXTS))
    assert [len(result.triples) for result in results] == [2] * 6


def test_a_reply_that_is_cut_off_keeps_its_whole_triples(
    endpoint: Endpoint, extractor: Extractors
) -> None:
    endpoint.cut_off = True
    results = list(extractor(None).extract(TEXTS[:2]))
    assert [(len(result.triples), result.dropped) for result in results] == [
        (1, {"cut off": 1}),
        (1, {"cut off": 1}),
    ]
