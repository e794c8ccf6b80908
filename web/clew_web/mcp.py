"""POST /mcp: the tools of `clew.mcp_server` over streamable HTTP, behind the access rules of all.

The protocol's own server speaks ASGI: it runs in an event loop of one thread, without sessions and
with one JSON answer a request, and requests are handed to it through httpx. So any process may
answer any request, and GET (a stream from the server, which has nothing to say by itself) is 405.
"""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import httpx
from flask import Blueprint, Flask, Response, current_app, g, request

from clew.jobs.questions import Question
from clew.mcp_server import make_server
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import Answer, Evidence
from clew_web.backend import Backend, backend, current_caller
from clew_web.callers import NOBODY, Caller
from clew_web.policy import Corpora, allows

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

mcp = Blueprint("mcp", __name__)

EXTENSION = "clew-mcp"
CALLER: ContextVar[Caller] = ContextVar("caller", default=NOBODY)
"""Who sent the message that is being answered."""
STARTS_S = 30.0
INWARD = ("content-type", "accept", "last-event-id")
OUTWARD = ("content-type", "mcp-session-id", "mcp-protocol-version")


@mcp.post("/mcp")
@allows("reader", Corpora.CHECKED)
def answer_mcp() -> Response:
    """Hand a message to the protocol's server; answer what it answers."""
    headers = {
        name: value
        for name, value in request.headers.items()
        if name.lower() in INWARD or name.lower().startswith("mcp-")
    }
    answered = _bridge().post(request.get_data(), headers, current_caller())
    response = Response(answered.content, answered.status_code)
    response.headers.pop("Content-Type", None)
    for name in OUTWARD:
        if name in answered.headers:
            response.headers[name] = answered.headers[name]
    return response


class Bridge:
    """The protocol's server in a thread of its own, from the first request on."""

    def __init__(self, server: "MCPServer[Any]", timeout_s: float) -> None:
        self._server = server
        self._timeout_s = timeout_s
        self._loop = asyncio.new_event_loop()
        self._client: Future[httpx.AsyncClient] = Future()
        threading.Thread(target=self._run, name="mcp", daemon=True).start()

    def post(self, body: bytes, headers: dict[str, str], caller: Caller) -> httpx.Response:
        """Return the server's answer to a message of this caller."""
        client = self._client.result(STARTS_S)

        async def asked() -> httpx.Response:
            CALLER.set(caller)  # what is done for the message runs in copies of this context
            return await client.post("/mcp", content=body, headers=headers)

        answer = asyncio.run_coroutine_threadsafe(asked(), self._loop)
        try:
            return answer.result(self._timeout_s)
        finally:
            answer.cancel()  # what came too late is waited for by nobody

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        from mcp.server.transport_security import TransportSecuritySettings

        app = self._server.streamable_http_app(
            stateless_http=True,
            json_response=True,
            # guard.py has checked host and origin already
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        transport = httpx.ASGITransport(app)
        async with (
            self._server.session_manager.run(),
            httpx.AsyncClient(
                transport=transport, base_url="http://localhost", timeout=self._timeout_s
            ) as client,
        ):
            self._client.set_result(client)
            await asyncio.Event().wait()


_making = threading.Lock()


def _bridge() -> Bridge:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    with _making:
        if EXTENSION not in app.extensions:
            tools = _Tools(app)
            server = make_server(tools, tools.default_corpus, tools.search, tools.ask)
            limit_s = backend().settings.query_timeout_s + STARTS_S
            app.extensions[EXTENSION] = Bridge(server, limit_s)
        found: Bridge = app.extensions[EXTENSION]
        return found


class _Tools:
    """What the tools call, for the caller of the message: they run in threads without a request."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def __getattr__(self, name: str) -> Any:
        def called(*arguments: Any, **named: Any) -> Any:
            with self._as_caller() as service:
                return getattr(service.clew, name)(*arguments, **named)

        return called

    def default_corpus(self) -> str:
        with self._as_caller() as service:
            return service.default_corpus

    def search(
        self,
        text: str,
        corpus: str | None,
        strategy: str | None,
        k: int | None,
        documents: AskedDocuments | None = None,
    ) -> Evidence:
        with self._asked(text, corpus, strategy, k, documents) as (service, question):
            return service.questions.search(service.settings, question)

    def ask(
        self,
        text: str,
        corpus: str | None,
        strategy: str | None,
        k: int | None,
        documents: AskedDocuments | None = None,
    ) -> Answer:
        with self._asked(text, corpus, strategy, k, documents) as (service, question):
            return service.questions.ask(service.settings, question)

    @contextmanager
    def _asked(
        self,
        text: str,
        corpus: str | None,
        strategy: str | None,
        k: int | None,
        documents: AskedDocuments | None,
    ) -> Iterator[tuple[Backend, Question]]:
        """Hold the slot of a question, for the caller."""
        with self._as_caller() as service:
            question = service.question(text, corpus, strategy, k, documents)
            with service.slot():
                yield service, question

    @contextmanager
    def _as_caller(self) -> Iterator[Backend]:
        with self._app.app_context():
            g.caller = CALLER.get()
            yield backend()
