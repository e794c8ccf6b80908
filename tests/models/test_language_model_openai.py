"""OpenAIModel against a real HTTP server that speaks the protocol."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew_models.errors import LanguageModelUnavailable
from clew_models.language_model import Message, OpenAIModel, metered

from ..scripted_llm import USAGE, ChatEndpoint, ChatHandler, head, serving

QUESTION = [Message("user", "What is the capital of Norway?")]
SCHEMA = {"type": "object", "properties": {"short": {"type": "string"}}}


class Endpoint(ChatEndpoint):
    """Knows one capital. ``script``: the statuses of the next requests, 200 after them."""

    def __init__(self) -> None:
        super().__init__(Handler)
        self.script: list[int] = []
        self.breaks_off = False
        self.sends_page = False

    def status(self, body: dict[str, Any]) -> int:
        return self.script.pop(0) if self.script else 200

    def reply(self, body: dict[str, Any]) -> str:
        return "Oslo"


class Handler(ChatHandler):
    server: Endpoint

    def answer(self, body: dict[str, Any]) -> None:
        if self.server.sends_page:
            self.send_body(200, b"<html>Sign in to the network</html>", "text/html")
        elif body.get("stream"):
            self._stream()
        else:
            super().answer(body)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in ("Os", "lo"):
            choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
            self._event({**head("chat.completion.chunk"), "choices": [choice]})
            if self.server.breaks_off:
                self.close_connection = True
                return
        self._event({**head("chat.completion.chunk"), "choices": [], "usage": USAGE})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(self, body: dict[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(body).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint()) as server:
        yield server


def model(endpoint: Endpoint, **options: Any) -> OpenAIModel:
    return OpenAIModel("m", base_url=endpoint.url, **{"retries": 0, "timeout_s": 5.0, **options})


def test_completes_with_token_counts(endpoint: Endpoint) -> None:
    done = model(endpoint, api_key="secret").complete(QUESTION, max_tokens=7)
    assert (done.text, done.prompt_tokens, done.completion_tokens) == ("Oslo", 14, 2)
    assert [asked.key for asked in endpoint.asked] == ["Bearer secret"]
    assert endpoint.asked[0].body["messages"] == [{"role": "user", "content": QUESTION[0].content}]
    assert endpoint.asked[0].body["max_tokens"] == 7


def test_streams_pieces_and_returns_the_whole(endpoint: Endpoint) -> None:
    stream = model(endpoint).stream(QUESTION)
    pieces = [next(stream), next(stream)]
    with pytest.raises(StopIteration) as end:
        next(stream)
    assert pieces == ["Os", "lo"]
    assert end.value.value.text == "Oslo"
    assert end.value.value.completion_tokens == 2


def test_a_page_in_place_of_an_answer_is_an_error(endpoint: Endpoint) -> None:
    endpoint.sends_page = True
    with pytest.raises(LanguageModelUnavailable, match="without choices"):
        model(endpoint).complete(QUESTION)


def test_every_call_and_its_tokens_are_counted(endpoint: Endpoint) -> None:
    with metered() as meter:
        model(endpoint).complete(QUESTION)
        for _ in model(endpoint).stream(QUESTION):
            pass
        endpoint.script = [503]
        with pytest.raises(LanguageModelUnavailable):
            model(endpoint).complete(QUESTION)
    assert (meter.calls, meter.prompt_tokens, meter.completion_tokens) == (3, 28, 4)


def test_tries_again_after_a_server_error(endpoint: Endpoint) -> None:
    endpoint.script = [503, 429]
    assert model(endpoint, retries=2).complete(QUESTION).text == "Oslo"
    assert len(endpoint.asked) == 3


def test_gives_up_after_the_last_retry(endpoint: Endpoint) -> None:
    endpoint.script = [503, 503, 503]
    with pytest.raises(LanguageModelUnavailable, match="HTTP 503") as failed:
        model(endpoint, retries=1).complete(QUESTION)
    assert len(endpoint.asked) == 2
    assert failed.value.remedy


def test_sends_the_schema_where_the_server_knows_schemas(endpoint: Endpoint) -> None:
    model(endpoint).complete(QUESTION, json_schema=SCHEMA)
    assert endpoint.asked[0].body["response_format"]["json_schema"]["schema"] == SCHEMA


def test_does_without_the_schema_where_the_server_refuses_it_and_remembers(
    endpoint: Endpoint,
) -> None:
    endpoint.knows_schemas = False
    asked = model(endpoint)
    assert asked.complete(QUESTION, json_schema=SCHEMA).text == "Oslo"
    assert asked.complete(QUESTION, json_schema=SCHEMA).text == "Oslo"
    assert ["response_format" in one.body for one in endpoint.asked] == [True, False, False]


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "llm_api_key"), (404, "llm_model"), (429, "rate limit"), (400, "HTTP 400")],
)
def test_says_what_to_do_about_a_refusal(endpoint: Endpoint, status: int, words: str) -> None:
    endpoint.script = [status]
    with pytest.raises(LanguageModelUnavailable) as failed:
        model(endpoint).complete(QUESTION)
    assert words in str(failed.value)


def test_names_the_address_where_nothing_answers(endpoint: Endpoint) -> None:
    url = endpoint.url
    endpoint.server_close()
    unreachable = OpenAIModel("m", base_url=url, retries=0, timeout_s=0.5)
    with pytest.raises(LanguageModelUnavailable, match=r"127\.0\.0\.1") as failed:
        unreachable.complete(QUESTION)
    assert failed.value.http_status == 503
    assert ".." not in str(failed.value)


def test_a_stream_that_breaks_off_is_an_error_not_an_answer(endpoint: Endpoint) -> None:
    endpoint.breaks_off = True
    with pytest.raises(LanguageModelUnavailable):
        list(model(endpoint).stream(QUESTION))
