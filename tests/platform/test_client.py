"""The client for programs: what it waits for and raises, and that it loads nothing heavy.

With the whole Clew behind it: tests/web/test_end_to_end.py.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from clew.client import (
    ApiError,
    BadRequest,
    ClewClient,
    Conflict,
    NotAllowed,
    NotFound,
    NotReady,
    ServerFault,
)
from clew.results.schedule import NewSchedule, Reindexing

UPLOADED: dict[str, Any] = {
    "job_id": None,
    "documents": [],
    "fetching": [],
    "skipped": [],
    "new_corpus": None,
}


class Answers:
    """What a server answers next, and what it was sent."""

    def __init__(self) -> None:
        self.next: list[tuple[int, Any, dict[str, str]]] = []
        self.got: list[tuple[str, bytes, str]] = []
        self.address = ""

    def refuse(self, status: int, retry_after: str | None = None) -> None:
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        error = {"code": "some_code", "message": "It was refused.", "remedy": "Wait."}
        self.next.append((status, {"error": error}, headers))


@pytest.fixture
def answers() -> Iterator[Answers]:
    """A server that answers as it is told."""
    told = Answers()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            told.got.append((self.path, body, self.headers.get("Authorization", "")))
            status, sent, headers = told.next.pop(0)
            data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


def test_it_waits_as_long_as_it_is_told_and_sends_the_whole_file_again(
    answers: Answers, tmp_path: Path
) -> None:
    answers.refuse(503, "1")
    answers.refuse(429, "0")
    answers.next.append((202, UPLOADED, {}))
    (tmp_path / "a.md").write_text("# A\n\nWhole text.\n")
    began = time.monotonic()
    with ClewClient(answers.address, key="secret") as clew:
        assert clew.wait(clew.upload(tmp_path / "a.md", corpus="ä b")) is None
    assert time.monotonic() - began >= 1
    assert [path for path, _, _ in answers.got] == ["/api/v1/documents?corpus=%C3%A4+b"] * 3
    assert all(b"Whole text." in body for _, body, _ in answers.got)
    assert {key for _, _, key in answers.got} == {"Bearer secret"}


def test_it_gives_up_after_its_tries_and_repeats_no_schedule(answers: Answers) -> None:
    for _ in range(3):
        answers.refuse(503, "0")
    with ClewClient(answers.address, tries=2) as clew:
        with pytest.raises(NotReady, match=r"It was refused\. Wait\."):
            clew.corpora()
        assert len(answers.got) == 2
        asked = NewSchedule(name="n", every_s=60, reindex=Reindexing(sources=("http://a.b",)))
        with pytest.raises(NotReady):
            clew.add_schedule(asked)
    assert len(answers.got) == 3


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, NotAllowed),
        (403, NotAllowed),
        (404, NotFound),
        (409, Conflict),
        (413, BadRequest),
        (422, BadRequest),
        (500, ServerFault),
    ],
)
def test_a_status_is_an_error_of_a_kind(
    answers: Answers, status: int, kind: type[ApiError]
) -> None:
    answers.refuse(status)
    with ClewClient(answers.address) as clew, pytest.raises(kind) as raised:
        clew.job("a/../b")
    assert (raised.value.status, raised.value.code) == (status, "some_code")
    assert answers.got[0][0] == "/api/v1/jobs/a%2F..%2Fb"


def test_what_is_no_clew_is_said_to_be_none(answers: Answers) -> None:
    asked: tuple[Callable[[ClewClient], object], ...] = (
        lambda clew: clew.corpora(),
        lambda clew: list(clew.documents()),
        lambda clew: clew.job("a"),
        lambda clew: clew.delete_schedule("a"),
        lambda clew: list(clew.ask_events("Who?")),
    )
    with ClewClient(answers.address) as clew:
        for status, sent in ((404, b"<html>"), (200, b"<html>"), (200, {"hello": 1})):
            for ask in asked if sent != {"hello": 1} else asked[:3]:
                answers.next.append((status, sent, {}))
                with pytest.raises(ServerFault, match="not as Clew does"):
                    ask(clew)
    with pytest.raises(ValueError, match="tries is 0"):
        ClewClient(answers.address, tries=0)


def test_it_loads_neither_models_nor_the_driver() -> None:
    heavy = "('neo4j', 'torch', 'onnxruntime', 'transformers', 'spacy', 'numpy', 'flask')"
    program = f"import sys, clew.client; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.strip() == "[]"
