"""OpenAIModel against a real HTTP server that speaks the protocol."""

import json
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from clew_models.errors import LanguageModelUnavailable, PromptRefused
from clew_models.language_model import Completion, Message, OpenAIModel, metered

from ..scripted_llm import USAGE, ChatEndpoint, ChatHandler, head, serving

QUESTION = [Message("user", "What is the capital of Norway?")]
SCHEMA = {"type": "object", "properties": {"short": {"type": "string"}}}


class Endpoint(ChatEndpoint):
    """Knows one capital. ``script``: the statuses of the next requests, 200 after them.

    ``refusals``: what it says of a request that has a parameter; ``sends``: the body in place of an
    answer.
    """

    def __init__(self) -> None:
        super().__init__(Handler)
        self.script: list[int] = []
        self.breaks_off = False
        self.sends_page = False
        self.sends: bytes | None = None
        self.says = ["Os", "lo"]
        self.refusals: dict[str, str] = {}

    def status(self, body: dict[str, Any]) -> int:
        return self.script.pop(0) if self.script else 200

    def reply(self, body: dict[str, Any]) -> str:
        return "".join(self.says)


class Handler(ChatHandler):
    server: Endpoint

    def answer(self, body: dict[str, Any]) -> None:
        refused = [why for name, why in self.server.refusals.items() if name in body]
        if refused:
            self.send_body(400, json.dumps({"error": {"message": refused[0]}}).encode())
        elif self.server.sends_page:
            self.send_body(200, b"<html>Sign in to the network</html>", "text/html")
        elif self.server.sends is not None:
            kind = "text/event-stream" if body.get("stream") else "application/json"
            self.send_body(200, self.server.sends, kind)
        elif body.get("stream"):
            self._stream()
        else:
            super().answer(body)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in self.server.says:
            choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
            self._event({**head("chat.completion.chunk"), "choices": [choice]})
            if self.server.breaks_off:
                self.close_connection = True
                return
        choice = {"index": 0, "delta": {}, "finish_reason": self.server.finish}
        self._event({**head("chat.completion.chunk"), "choices": [choice]})
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


def whole(stream: Generator[str, None, Completion]) -> Completion:
    while True:
        try:
            next(stream)
        except StopIteration as end:
            done: Completion = end.value
            return done


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
    with pytest.raises(LanguageModelUnavailable, match="without choices"):
        list(model(endpoint).stream(QUESTION))


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b'{"choices": [tru',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": ["Oslo"]}}]}',
    ],
)
def test_an_answer_of_another_form_is_an_endpoint_that_cannot_be_used(
    endpoint: Endpoint, sent: bytes
) -> None:
    endpoint.sends = sent
    with pytest.raises(LanguageModelUnavailable, match="llm_base_url"):
        model(endpoint).complete(QUESTION)


@pytest.mark.parametrize(
    "sent",
    [b"", b"Oslo", b"data: {oops\n\n", b"data: null\n\n", b'data: {"choices": [{}]}\n\n'],
)
def test_a_stream_of_another_form_is_an_endpoint_that_cannot_be_used(
    endpoint: Endpoint, sent: bytes
) -> None:
    endpoint.sends = sent
    with pytest.raises(LanguageModelUnavailable, match="llm_base_url"):
        list(model(endpoint).stream(QUESTION))


@pytest.mark.parametrize(("code", "kind"), [(400, PromptRefused), (500, LanguageModelUnavailable)])
def test_an_error_within_a_stream_is_told_as_what_it_is(
    endpoint: Endpoint, code: int, kind: type[Exception]
) -> None:
    error = {"error": {"message": "The text is too long", "code": code}}
    endpoint.sends = b"data: " + json.dumps(error).encode() + b"\n\n"
    with pytest.raises(LanguageModelUnavailable, match="The text is too long") as failed:
        list(model(endpoint).stream(QUESTION))
    assert type(failed.value) is kind
    assert "reached" not in str(failed.value)


def test_half_a_surrogate_pair_is_a_question_mark(endpoint: Endpoint) -> None:
    endpoint.says = ["Os\ud83d", "lo 😀"]
    assert model(endpoint).complete(QUESTION).text == "Os?lo 😀"
    assert list(model(endpoint).stream(QUESTION)) == ["Os?", "lo 😀"]
    model(endpoint).complete([Message("user", "\ud83d?")])
    assert endpoint.asked[-1].body["messages"][0]["content"] == "??"


@pytest.mark.parametrize(("finish", "cut_off"), [("stop", False), ("length", True)])
def test_a_text_that_was_cut_off_says_so(endpoint: Endpoint, finish: str, cut_off: bool) -> None:
    endpoint.finish = finish
    assert whole(model(endpoint).stream(QUESTION)).cut_off is cut_off
    assert model(endpoint).complete(QUESTION).cut_off is cut_off


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


def test_asks_as_newer_models_want_it_and_remembers(endpoint: Endpoint) -> None:
    endpoint.refusals = {
        "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        "temperature": "Unsupported value: 'temperature' does not support 0.0 with this model.",
    }
    asked = model(endpoint)
    with metered() as meter:
        for _ in range(2):
            assert asked.complete(QUESTION, max_tokens=7, json_schema=SCHEMA).text == "Oslo"
    assert meter.calls == len(endpoint.asked) == 4
    for one in endpoint.asked[2:]:
        assert one.body["max_completion_tokens"] == 7
        assert "response_format" in one.body
        assert not {"max_tokens", "temperature"} & set(one.body)


def test_a_prompt_that_is_refused_is_no_reason_to_ask_otherwise_from_then_on(
    endpoint: Endpoint,
) -> None:
    endpoint.script = [400, 400]
    asked = model(endpoint)
    with metered() as meter, pytest.raises(PromptRefused) as refused:
        asked.complete(QUESTION, json_schema=SCHEMA)
    assert (refused.value.http_status, meter.calls) == (422, 2)
    asked.complete(QUESTION, json_schema=SCHEMA)
    assert {"max_tokens", "response_format"} <= set(endpoint.asked[-1].body)


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
