"""The client for programs: what it waits for and raises, and that it loads nothing heavy.

With the whole Clew behind it: tests/web/test_end_to_end.py.
"""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from clew.async_client import AsyncClewClient
from clew.client import (
    ApiError,
    BadRequest,
    ClewClient,
    Conflict,
    NotAllowed,
    NotFound,
    NotReady,
    ServerFault,
    TookTooLong,
)
from clew.results.job import Job, JobState
from clew.results.schedule import NewSchedule, Reindexing

from ..event_loop import done

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
        self.job: dict[str, Any] | None = None
        """What it answers whoever looks at a job; None: what is next."""
        self.got: list[tuple[str, bytes, str]] = []
        self.address = ""
        self.begins, self.ends = threading.Event(), threading.Event()
        self.begins.set()
        self.ends.set()

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
            looks = told.job is not None and "/jobs/" in self.path
            status, sent, headers = (200, told.job, {}) if looks else told.next.pop(0)
            data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
            told.begins.wait(10)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data) + (not told.ends.is_set())))
            self.end_headers()
            self.wfile.write(data)
            told.ends.wait(10)

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


def test_what_comes_too_late_is_one_kind_of_error_and_is_not_asked_again(answers: Answers) -> None:
    answers.refuse(504)
    answers.next.append((504, b"<html>Gateway Time-out</html>", {}))
    answers.next += [(200, {"corpora": []}, {})] * 2
    stream = {"Content-Type": "text/event-stream"}
    answers.next.append((200, b'event: progress\ndata: {"text": "Loading"}\n\n', stream))
    with ClewClient(answers.address, timeout_s=0.3) as clew:
        with pytest.raises(TookTooLong, match=r"It was refused\. Wait\."):
            clew.ask("Who?")
        with pytest.raises(TookTooLong, match=r"stands before .* query_timeout_s") as raised:
            clew.ask("Who?")
        assert (raised.value.status, raised.value.code) == (504, "proxy_timeout")
        answers.begins.clear()
        with pytest.raises(TookTooLong, match=r"within 0\.3 s\. .*longer timeout_s") as raised:
            clew.corpora()
        assert (raised.value.status, raised.value.code) == (0, "client_timeout")
        answers.begins.set()
        assert clew.corpora() == ()
        answers.ends.clear()
        events = clew.ask_events("Who?")
        assert next(events).event == "progress"
        with pytest.raises(TookTooLong, match="longer timeout_s"):
            next(events)
        answers.ends.set()
    assert len(answers.got) == 5


def test_lists_go_on_behind_the_first_page(answers: Answers) -> None:
    def page(jobs: int, *, more: bool) -> None:
        answers.next.append((200, {"jobs": [job("queued")] * jobs, "more": more}, {}))

    with ClewClient(answers.address) as clew:
        page(500, more=True)
        page(500, more=True)
        assert len(clew.jobs(limit=600)) == 600
        page(20, more=True)
        assert len(clew.jobs("a", limit=20)) == 20
        page(500, more=True)
        page(7, more=False)
        assert len(clew.jobs(limit=None)) == 507
        answers.next.append((200, {"documents": [], "more": False}, {}))
        assert list(clew.documents(parent_id="d1")) == []
    asked = [path.removeprefix("/api/v1/") for path, _, _ in answers.got]
    assert asked == [
        *("jobs?limit=500&offset=0", "jobs?limit=500&offset=500"),
        "jobs?corpus=a&limit=20&offset=0",
        *("jobs?limit=500&offset=0", "jobs?limit=500&offset=500"),
        "documents?parent_id=d1&limit=500&offset=0",
    ]


def job(state: JobState) -> dict[str, Any]:
    """A job as REST tells it."""
    when = "2026-11-21T03:00:00+00:00"
    return {
        "id": "j1",
        "kind": "ingest",
        "corpus": "a",
        "state": state,
        "attempt": 1,
        "progress": {},
        "error": None,
        "created_at": when,
        "started_at": when,
        "finished_at": None,
    }


def test_coroutines_that_wait_for_jobs_hold_no_threads(answers: Answers) -> None:
    """Each holds none of the few threads of the loop, and is over once it is cancelled."""

    async def work() -> float:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        answers.job = job("running")
        started = Job.model_validate(answers.job)
        async with AsyncClewClient(answers.address) as clew:
            following = clew.follow("j1", every_s=60)
            assert (await anext(following)).state == "running"
            waiting = [asyncio.create_task(clew.wait(started)) for _ in range(3)]
            waiting.append(asyncio.create_task(next_of(following)))
            await asyncio.sleep(0.2)
            answers.next.append((200, {"corpora": []}, {}))
            assert await clew.corpora() == ()
            for one in waiting:
                one.cancel()
            await asyncio.wait(waiting)
            with pytest.raises(TimeoutError, match="running after 0 s"):
                await clew.wait(started, timeout_s=0)
            answers.job = job("done")
            assert await clew.wait(started) == Job.model_validate(answers.job)
            assert [one.state async for one in clew.follow("j1")] == ["done"]
        return time.monotonic()

    ended = done(work())
    assert time.monotonic() - ended < 5  # no thread sleeps on


async def next_of(jobs: AsyncIterator[Job]) -> Job:
    """The next job, as a coroutine."""
    return await anext(jobs)


def test_it_loads_neither_models_nor_the_driver() -> None:
    heavy = "('neo4j', 'torch', 'onnxruntime', 'transformers', 'spacy', 'numpy', 'flask')"
    program = f"import sys, clew.client; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.strip() == "[]"
