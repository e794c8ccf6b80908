"""OpenAIModel against a real HTTP server that speaks the protocol."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from clew_models.errors import LanguageModelUnavailable
from clew_models.language_model import Message, OpenAIModel, metered

QUESTION = [Message("user", "What is the capital of Norway?")]
SCHEMA = {"type": "object", "properties": {"short": {"type": "string"}}}


class Endpoint(ThreadingHTTPServer):
    """Records requests; answers with what ``script`` holds, one status a request, then 200."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.script: list[int] = []
        self.knows_schemas = True
        self.breaks_off = False
        self.sends_page = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.keys.append(self.headers["Authorization"])
        status = self.server.script.pop(0) if self.server.script else 200
        if "response_format" in body and not self.server.knows_schemas:
            status = 400
        if self.server.sends_page:
            page = b"<html>Sign in to the network</html>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)
        elif status != 200:
            self._send(status, {"error": {"message": "no", "type": "x", "code": None}})
        elif body.get("stream"):
            self._stream()
        else:
            message = {"role": "assistant", "content": "Oslo"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 14, "completion_tokens": 2, "total_tokens": 16}
            self._send(200, {**self._head("chat.completion"), "choices": [choice], "usage": usage})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": "1", "object": kind, "created": 1, "model": "m"}

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(data)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in ("Os", "lo"):
            choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
            self._event({**self._head("chat.completion.chunk"), "choices": [choice]})
            if self.server.breaks_off:
                self.close_connection = True
                return
        usage = {"prompt_tokens": 14, "completion_tokens": 2, "total_tokens": 16}
        self._event({**self._head("chat.completion.chunk"), "choices": [], "usage": usage})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(self, body: dict[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(body).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def model(endpoint: Endpoint, **options: Any) -> OpenAIModel:
    return OpenAIModel("m", base_url=endpoint.url, **{"retries": 0, "timeout_s": 5.0, **options})


def test_completes_with_token_counts(endpoint: Endpoint) -> None:
    done = model(endpoint, api_key="secret").complete(QUESTION, max_tokens=7)
    assert (done.text, done.prompt_tokens, done.completion_tokens) == ("Oslo", 14, 2)
    assert endpoint.keys == ["Bearer secret"]
    assert endpoint.requests[0]["messages"] == [{"role": "user", "content": QUESTION[0].content}]
    assert endpoint.requests[0]["max_tokens"] == 7


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
    assert len(endpoint.requests) == 3


def test_gives_up_after_the_last_retry(endpoint: Endpoint) -> None:
    endpoint.script = [503, 503, 503]
    with pytest.raises(LanguageModelUnavailable, match="HTTP 503") as failed:
        model(endpoint, retries=1).complete(QUESTION)
    assert len(endpoint.requests) == 2
    assert failed.value.remedy


def test_sends_the_schema_where_the_server_knows_schemas(endpoint: Endpoint) -> None:
    model(endpoint).complete(QUESTION, json_schema=SCHEMA)
    assert endpoint.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_does_without_the_schema_where_the_server_refuses_it_and_remembers(
    endpoint: Endpoint,
) -> None:
    endpoint.knows_schemas = False
    asked = model(endpoint)
    assert asked.complete(QUESTION, json_schema=SCHEMA).text == "Oslo"
    assert asked.complete(QUESTION, json_schema=SCHEMA).text == "Oslo"
    assert ["response_format" in body for body in endpoint.requests] == [True, False, False]


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


def test_a_stream_that_breaks_off_is_an_error_not_an_answer(endpoint: Endpoint) -> None:
    endpoint.breaks_off = True
    with pytest.raises(LanguageModelUnavailable):
        list(model(endpoint).stream(QUESTION))
