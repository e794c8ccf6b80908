"""POST /mcp: the tools of `clew.mcp_server` over streamable HTTP, behind the access rules of all.

The protocol's own server speaks ASGI: it runs in an event loop of one thread, without sessions and
with one JSON answer a request, and requests are handed to it through httpx. So any process may
answer any request, and GET (a stream from the server, which has nothing to say by itself) is 405.
"""

import asyncio
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import httpx
from flask import Blueprint, Flask, Response, current_app, request

from clew.mcp_server import make_server
from clew.results.evidence import Answer, Evidence
from clew_web.backend import Backend, backend
from clew_web.policy import protected

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

mcp = Blueprint("mcp", __name__)

EXTENSION = "clew-mcp"
STARTS_S = 30.0
INWARD = ("content-type", "accept", "last-event-id")
OUTWARD = ("content-type", "mcp-session-id", "mcp-protocol-version")


@mcp.post("/mcp")
@protected
def answer_mcp() -> Response:
    """Hand a message to the protocol's server; answer what it answers."""
    headers = {
        name: value
        for name, value in request.headers.items()
        if name.lower() in INWARD or name.lower().startswith("mcp-")
    }
    answered = _bridge(current_app).post(request.get_data(), headers)
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

    def post(self, body: bytes, headers: dict[str, str]) -> httpx.Response:
        """Return the server's answer to a message."""
        client = self._client.result(STARTS_S)
        asked = client.post("/mcp", content=body, headers=headers)
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result(self._timeout_s)

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


def _bridge(app: Flask) -> Bridge:
    with _making:
        if EXTENSION not in app.extensions:
            service = backend()
            server = make_server(service.clew, _searching(service), _asking(service))
            limit_s = service.settings.query_timeout_s + STARTS_S
            app.extensions[EXTENSION] = Bridge(server, limit_s)
        found: Bridge = app.extensions[EXTENSION]
        return found


def _searching(service: Backend) -> Any:
    def search(text: str, corpus: str | None, strategy: str | None, k: int | None) -> Evidence:
        question = service.question(text, corpus, strategy, k)
        give_back = service.take_slot()
        try:
            return service.questions.search(service.settings, question)
        finally:
            give_back()

    return search


def _asking(service: Backend) -> Any:
    def ask(text: str, corpus: str | None, strategy: str | None, k: int | None) -> Answer:
        question = service.question(text, corpus, strategy, k)
        give_back = service.take_slot()
        try:
            return service.questions.ask(service.settings, question)
        finally:
            give_back()

    return ask
