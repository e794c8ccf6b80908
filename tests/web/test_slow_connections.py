"""Connections that send slowly hold no thread, whoever they are, and end at their deadline."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from flask import Response

from clew.jobs.questions import Question
from clew.results.evidence import AskEvent
from clew.runtime.probe import probe
from clew.runtime.services import WebService
from clew.settings import Settings
from clew_cypher.embedded import free_ports
from clew_web.policy import public
from clew_web.server import bound, serve

pytestmark = pytest.mark.timeout(120)
TOKEN = "correct-horse-battery-staple"
HALF_A_HEADER = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_BODY = (
    b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken="
)
HALF_A_CHUNK = (
    b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\n3e8\r\ntoken="
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The web server as `clew up` starts it, with a token; the services behind it are not there."""
    settings = Settings(
        home=tmp_path_factory.mktemp("home"),
        access_token=TOKEN,
        web_port=free_ports(0)[0],
        neo4j_uri="bolt://127.0.0.1:1",
        neo4j_password="nobody",
        broker_url="redis://127.0.0.1:1/0",
    )
    settings.home.joinpath("logs").mkdir()
    service = WebService(settings)
    process = service.start()
    try:
        deadline = time.monotonic() + 60
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("http_proxy", "http://127.0.0.1:9")  # which is for what is elsewhere
            while not service.check():
                assert time.monotonic() < deadline, service.log.read_text()
                time.sleep(0.2)
        yield service.address
    finally:
        process.stop()


def test_a_container_s_probe_asks_without_a_proxy(
    address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    settings = Settings(home=tmp_path, web_port=urlsplit(address).port)
    assert "answered 200" in probe("web", settings)


@contextmanager
def connections(address: str, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """So many open connections that have each sent the beginning of a request."""
    parts = urlsplit(address)
    opened: list[socket.socket] = []
    try:
        for _ in range(count):
            opened.append(socket.create_connection((parts.hostname, parts.port), timeout=5))
            opened[-1].sendall(sent)
        yield opened
    finally:
        for one in opened:
            one.close()


def whole(connection: socket.socket) -> bytes:
    """What the server sends until it ends the connection."""
    received = b""
    while piece := connection.recv(10_000):
        received += piece
    return received


@pytest.mark.parametrize("count", [16, 200])
@pytest.mark.parametrize("sent", [b"", HALF_A_HEADER, HALF_A_BODY, HALF_A_CHUNK])
def test_slow_senders_hold_no_thread(address: str, count: int, sent: bytes) -> None:
    with connections(address, count, sent):
        time.sleep(0.3)
        started = time.monotonic()
        for _ in range(5):
            assert httpx.get(f"{address}/health", timeout=5).status_code == 200
        assert time.monotonic() - started < 2


def test_a_header_that_drips_ends_at_its_deadline(address: str) -> None:
    with connections(address, 1, HALF_A_HEADER) as (slow,):
        started = time.monotonic()
        slow.settimeout(0.5)
        ended = False
        while not ended and time.monotonic() - started < 40:
            try:
                slow.sendall(b"x")  # each piece is in time, the whole is not
                ended = slow.recv(1000) == b""
            except TimeoutError:
                continue
            except OSError:
                ended = True
        assert ended
        assert 5 < time.monotonic() - started < 30


def test_a_stranger_sends_no_more_than_a_form(address: str) -> None:
    head = (
        b"POST /api/v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 40000000\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\n\r\n"
    )
    with connections(address, 1, head) as (slow,):
        slow.settimeout(5)  # answered before the body is there
        assert slow.recv(1000).startswith(b"HTTP/1.1 401 ")
    bearer = head.replace(b"\r\n\r\n", b"\r\nAuthorization: Bearer " + TOKEN.encode() + b"\r\n\r\n")
    with connections(address, 1, bearer) as (slow,):
        slow.settimeout(1)
        with pytest.raises(TimeoutError):
            slow.recv(1000)


def test_what_is_no_http_is_refused_in_the_shape_of_every_error(address: str) -> None:
    long = b"GET / HTTP/1.1\r\n" + b"a" * 200_000  # most of it has not been read when it is refused
    digits = b"GET / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n"
    bracket = b"GET http://[bad/ HTTP/1.1\r\n\r\n"
    nothing = b"\x00\x01\r\n\r\n"
    for sent, status in ((nothing, 400), (long, 431), (digits, 400), (bracket, 400)):
        with connections(address, 1, sent) as (one,):
            one.settimeout(5)
            answer = whole(one)
        assert answer.startswith(f"HTTP/1.{answer[7:8].decode()} {status} ".encode()), answer
        assert b'{"error":{"code":"' in answer


def test_a_cookie_that_is_not_utf8_is_answered(address: str) -> None:
    head = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    with connections(address, 1, head + b"Cookie: name=Jos\xe9\r\n\r\n") as (one,):
        one.settimeout(5)
        assert whole(one).startswith(b"HTTP/1.1 200 ")


def test_an_oversized_body_is_413_however_it_comes(address: str) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"question": "'
        for _ in range(300):
            yield b"x" * 10_000
        yield b'"}'

    bearer = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    for body in (pieces(), b"".join(pieces())):
        answer = httpx.post(f"{address}/api/v1/query", content=body, headers=bearer, timeout=30)
        assert answer.status_code == 413, answer.text
        assert answer.json()["error"]["code"] == "too_large"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("api/v1/query/stream", {"question": "Who?", "corpus": "sample"}),
        (
            "v1/chat/completions",
            {
                "model": "dense@sample",
                "messages": [{"role": "user", "content": "Who?"}],
                "stream": True,
            },
        ),
    ],
)
def test_a_question_ends_with_its_reader_while_the_worker_is_silent(
    app: Any, questions: Any, monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, Any]
) -> None:
    """As long as nobody answers, nothing but the beats is written."""
    ended = threading.Event()

    def silent(question: Question) -> Iterator[AskEvent | None]:
        try:
            yield AskEvent(event="progress", data={"text": "Loading the model"})
            while True:
                time.sleep(0.05)
                yield None
        finally:
            ended.set()

    monkeypatch.setattr(questions, "_events", silent)
    listening = bound("127.0.0.1:0")
    server = serve(app, listening, threads=2)
    threading.Thread(target=server.run, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/{path}"
        with httpx.stream("POST", address, json=body, timeout=10) as response:
            assert response.status_code == 200
            assert ": nothing new" in response.iter_lines()
            assert not ended.is_set()
        assert ended.wait(10)
    finally:
        server.close()


def test_a_stream_comes_piece_by_piece_and_ends_with_its_reader(app: Any) -> None:
    go_on, ended = threading.Event(), threading.Event()

    @public
    def stream() -> Response:
        def pieces() -> Iterator[str]:
            try:
                yield "first"
                go_on.wait(20)
                while True:
                    yield "more"
                    time.sleep(0.05)
            finally:
                ended.set()

        return Response(pieces())

    app.add_url_rule("/stream", "stream", stream)
    listening = bound("127.0.0.1:0")
    server = serve(app, listening, threads=2)
    threading.Thread(target=server.run, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with httpx.stream("GET", f"{address}/stream", timeout=10) as response:
            received = response.iter_text()
            assert next(received) == "first"  # and no other can have come yet
            go_on.set()
            assert next(received).startswith("more")
            assert not ended.is_set()
        assert ended.wait(10)
    finally:
        server.close()
