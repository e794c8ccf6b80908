"""A method a route; what it waits for, and what comes back page by page."""

import json
import mimetypes
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx
from pydantic import BaseModel, TypeAdapter

from clew.client.errors import error_of, in_time, no_clew
from clew.results.asked_documents import AskedDocuments
from clew.results.corpus import CorpusInfo, Deletion
from clew.results.document import DocumentInfo
from clew.results.evidence import Answer, AskEvent, Evidence, Turn
from clew.results.ingest import UploadResult
from clew.results.job import Job
from clew.results.schedule import NewSchedule, Schedule

Value = TypeVar("Value", bound=BaseModel)
Answered = TypeVar("Answered")

PAGE, LAST_OFFSET = 500, 10_000_000
LONGEST_WAIT_S = 60.0
LOOKS_S = 0.5
"""Between two looks at a job that is waited for."""
OVER = ("done", "failed", "cancelled", "set_aside")


class ClewClient:
    """Clew behind an address.

    ``key``: an API key or the access token; None on a machine's own server without users.
    ``tries``: of a request that is answered by 429 or 503, waiting as long as the answer says (a
    minute at most); what must not be done twice (a new schedule, a run, a job done again) is not
    tried again after 503. ``timeout_s``: until the server must have begun to answer; more than its
    own limit of a question (``query_timeout_s``, 120 s), whose error says more. Methods raise an
    `ApiError`, and httpx.HTTPError where the server cannot be reached.
    """

    def __init__(
        self,
        address: str = "http://127.0.0.1:8750",
        key: str | None = None,
        *,
        tries: int = 4,
        timeout_s: float = 150.0,
    ) -> None:
        if tries < 1:
            raise ValueError(f"tries is {tries}; at least 1 is needed")
        if urlsplit(address).scheme not in {"http", "https"}:
            raise ValueError(f"{address!r} is no address such as http://127.0.0.1:8750")
        if key is not None and not (key.isascii() and key.isprintable()):
            raise ValueError(
                "The key holds characters that no key of Clew has; was it copied whole?"
            )
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(
            base_url=f"{address.rstrip('/')}/api/v1", headers=headers, timeout=timeout_s
        )
        self._tries = tries

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def corpora(self) -> tuple[CorpusInfo, ...]:
        """Return the corpora that this key may see, with their counts."""
        return self._json(_listed(CorpusInfo, "corpora"), "GET", "/corpora")

    def create_corpus(self, name: str, extractor: str | None = None) -> CorpusInfo:
        """Return the corpus of that name, made where there is none."""
        body = {"name": name, "extractor": extractor}
        return self._json(CorpusInfo.model_validate, "POST", "/corpora", json=body)

    def delete_corpus(self, name: str) -> Deletion:
        """Delete a corpus with everything in it."""
        return self._json(Deletion.model_validate, "DELETE", f"/corpora/{_quoted(name)}")

    def documents(
        self,
        corpus: str | None = None,
        *,
        status: str | None = None,
        query: str | None = None,
        parent_id: str | None = None,
    ) -> Iterator[DocumentInfo]:
        """Yield all documents, page by page, filtered by status and by text in title or address;
        ``parent_id``: the records of that file, which are not among them else.
        """
        chosen = _given(corpus=corpus, status=status, query=query, parent_id=parent_id)
        yield from self._pages(DocumentInfo, "documents", chosen)

    def upload(self, *files: Path | str, corpus: str | None = None) -> UploadResult:
        """Send files; what is taken is stored, and indexed by the job that is returned.

        Under 2,000 at once, and together as many bytes as the server takes (``upload_limit_mib``).
        """
        with ExitStack() as opened:
            parts = [
                ("files", (Path(file).name, opened.enter_context(open(file, "rb")), _kind(file)))
                for file in files
            ]
            sent: dict[str, Any] = {"params": _given(corpus=corpus), "files": parts}
            return self._json(UploadResult.model_validate, "POST", "/documents", **sent)

    def add_texts(
        self, texts: Sequence[tuple[str, str]], corpus: str | None = None
    ) -> UploadResult:
        """Send texts, each with its title before it; a title that is there is replaced."""
        records = [{"title": title, "text": text} for title, text in texts]
        body = _given(corpus=corpus, records=records)
        return self._json(UploadResult.model_validate, "POST", "/documents", json=body)

    def add_page(self, url: str, corpus: str | None = None) -> UploadResult:
        """Have the job fetch a web page and index it."""
        body = _given(corpus=corpus, url=url)
        return self._json(UploadResult.model_validate, "POST", "/documents", json=body)

    def delete_document(self, document_id: str, corpus: str | None = None) -> Deletion:
        """Delete a document and what only it supported."""
        path = f"/documents/{_quoted(document_id)}"
        return self._json(Deletion.model_validate, "DELETE", path, params=_given(corpus=corpus))

    def jobs(self, corpus: str | None = None, *, limit: int | None = 50) -> tuple[Job, ...]:
        """Return the newest jobs, ``limit`` at most; None: all."""
        size = PAGE if limit is None else max(1, min(PAGE, limit))
        return tuple(islice(self._pages(Job, "jobs", _given(corpus=corpus), size), limit))

    def job(self, job_id: str) -> Job:
        """Return a job's state and progress."""
        return self._json(Job.model_validate, "GET", f"/jobs/{_quoted(job_id)}")

    def follow(self, job_id: str, *, every_s: float = 1.0) -> Iterator[Job]:
        """Yield the job whenever it has changed, until it is over: `done`, or why it is not."""
        before: Job | None = None
        while True:
            now = self.job(job_id)
            if now != before:
                yield now
            if now.state in OVER:
                return
            before = now
            time.sleep(every_s)

    def wait(self, started: UploadResult | Job, *, timeout_s: float | None = None) -> Job | None:
        """Return the job once it is over; None where an upload had nothing left to be done.

        Raises TimeoutError after ``timeout_s`` seconds; the job goes on.
        """
        job_id = job_of(started)
        if job_id is None:
            return None
        began = time.monotonic()
        while (job := self.job(job_id)).state not in OVER:
            check_wait(job, began, timeout_s)
            time.sleep(LOOKS_S)
        return job

    def cancel_job(self, job_id: str) -> Job:
        """Ask a job to stop."""
        return self._json(Job.model_validate, "POST", f"/jobs/{_quoted(job_id)}/cancel")

    def retry_job(self, job_id: str) -> Job:
        """Have done again what a job that is over did not do."""
        return self._json(Job.model_validate, "POST", f"/jobs/{_quoted(job_id)}/retry", once=True)

    def search(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        documents: AskedDocuments | None = None,
    ) -> Evidence:
        """Return evidence, best first; ``documents`` limits the question to some of them."""
        body = _question(question, corpus, strategy, k, documents)
        return self._json(Evidence.model_validate, "POST", "/search", json=body)

    def ask(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        documents: AskedDocuments | None = None,
        history: Sequence[Turn] = (),
    ) -> Answer:
        """Return the answer with its citations and evidence. ``history``: what was asked before,
        oldest first, where the question leans on it.
        """
        body = _question(question, corpus, strategy, k, documents) | _history(history)
        return self._json(Answer.model_validate, "POST", "/query", json=body)

    def ask_events(
        self,
        question: str,
        corpus: str | None = None,
        strategy: str | None = None,
        k: int | None = None,
        documents: AskedDocuments | None = None,
        history: Sequence[Turn] = (),
    ) -> Iterator[AskEvent]:
        """Yield what happens while the question is answered; closing the iterator ends the work.

        What is refused at once is raised; else the last event is the `answer`, or an `error`.
        """
        body = _question(question, corpus, strategy, k, documents) | _history(history)
        request = self._http.build_request("POST", "query/stream", json=body)
        response = self._send(request, stream=True)
        try:
            if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
                raise no_clew(response)
            event, lines = "", response.iter_lines()
            while True:
                with in_time(request):
                    line = next(lines, None)
                if line is None:
                    return
                name, _, value = line.partition(": ")
                if name == "event":
                    event = value
                elif name == "data":
                    yield AskEvent.model_validate({"event": event, "data": json.loads(value)})
        finally:
            response.close()

    def schedules(self, corpus: str | None = None) -> tuple[Schedule, ...]:
        """Return the schedules, of one corpus or all."""
        params = _given(corpus=corpus)
        return self._json(_listed(Schedule, "schedules"), "GET", "/schedules", params=params)

    def add_schedule(self, schedule: NewSchedule) -> Schedule:
        """Add a schedule."""
        body = schedule.model_dump(mode="json", exclude_none=True)
        return self._json(Schedule.model_validate, "POST", "/schedules", once=True, json=body)

    def pause_schedule(self, schedule_id: str) -> Schedule:
        """Let a schedule not tick until it is resumed."""
        return self._json(
            Schedule.model_validate, "POST", f"/schedules/{_quoted(schedule_id)}/pause"
        )

    def resume_schedule(self, schedule_id: str) -> Schedule:
        """Let a schedule tick from now on."""
        return self._json(
            Schedule.model_validate, "POST", f"/schedules/{_quoted(schedule_id)}/resume"
        )

    def run_schedule(self, schedule_id: str) -> Job:
        """Start a schedule's job now. Raises Conflict while the run before is not over."""
        return self._json(
            Job.model_validate, "POST", f"/schedules/{_quoted(schedule_id)}/run", once=True
        )

    def delete_schedule(self, schedule_id: str) -> None:
        """Delete a schedule with its history."""
        self._json(lambda nothing: None, "DELETE", f"/schedules/{_quoted(schedule_id)}")

    def _json(
        self,
        read: Callable[[Any], Answered],
        method: str,
        path: str,
        *,
        once: bool = False,
        **sent: Any,
    ) -> Answered:
        request = self._http.build_request(method, path.lstrip("/"), **sent)
        response = self._send(request, waits=(429,) if once else (429, 503))
        try:
            return read(response.json() if response.content else None)
        except (ValueError, KeyError, TypeError) as error:
            raise no_clew(response) from error

    def _pages(
        self, kind: type[Value], name: str, params: dict[str, Any], size: int = PAGE
    ) -> Iterator[Value]:
        """Yield what is listed at the address ``name``, asked for page by page."""
        listed = _listed(kind, name)
        for offset in range(0, LAST_OFFSET + 1, size):
            asked = {**params, "limit": size, "offset": offset}
            page, more = self._json(
                lambda found: (listed(found), found["more"]), "GET", f"/{name}", params=asked
            )
            yield from page
            if not more:
                return

    def _send(
        self, request: httpx.Request, *, waits: tuple[int, ...] = (429, 503), stream: bool = False
    ) -> httpx.Response:
        for tries_left in reversed(range(self._tries)):
            with in_time(request):
                response = self._http.send(request, stream=stream)
            if response.is_success:
                return response
            response.read()
            if response.status_code not in waits or not tries_left:
                break
            asked = response.headers.get("Retry-After", "")
            wait_s = float(asked) if asked.isdecimal() else 1.0
            if wait_s > LONGEST_WAIT_S:
                break
            time.sleep(wait_s)
        raise error_of(response)


def job_of(started: UploadResult | Job) -> str | None:
    """Return the id of the job that was started; None where an upload left nothing to be done."""
    return started.id if isinstance(started, Job) else started.job_id


def check_wait(job: Job, began: float, timeout_s: float | None) -> None:
    """Raise TimeoutError where a job was waited for since ``began`` (monotonic) for too long."""
    if timeout_s is not None and time.monotonic() - began > timeout_s:
        raise TimeoutError(f"The job {job.id} is {job.state} after {timeout_s} s.")


def _question(
    question: str,
    corpus: str | None,
    strategy: str | None,
    k: int | None,
    documents: AskedDocuments | None,
) -> dict[str, Any]:
    asked = None if documents is None else documents.model_dump(mode="json")
    return _given(question=question, corpus=corpus, strategy=strategy, k=k, documents=asked)


def _history(turns: Sequence[Turn]) -> dict[str, Any]:
    return {"history": [turn.model_dump() for turn in turns]} if turns else {}


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _listed(kind: type[Value], name: str) -> Callable[[Any], tuple[Value, ...]]:
    several = TypeAdapter(tuple[kind, ...])  # type: ignore[valid-type]
    return lambda found: several.validate_python(found[name])


def _quoted(part: str) -> str:
    return quote(part, safe="")


def _kind(file: Path | str) -> str:
    return mimetypes.guess_type(str(file))[0] or "application/octet-stream"
