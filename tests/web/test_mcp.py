"""The Model Context Protocol, tried with its official client against a server."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from clew.errors import InvalidRequest, UnknownStrategy, WorkerUnavailable
from clew.settings import Settings
from clew_cypher.errors import UnknownDocument
from clew_cypher.searching.documents import unknown_document
from clew_web.app import create_app

from ..event_loop import done

TOKEN = "a-token-that-nobody-guesses"
Value = TypeVar("Value")


def spoken(server: Any, talk: Callable[[Client], Awaitable[Value]]) -> Value:
    """Connect to a server (an address or a transport), talk, and return what came of it."""

    async def session() -> Value:
        async with Client(server, read_timeout_seconds=60) as client:
            return await talk(client)

    return done(session())


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return f"{serve(app)}/mcp"


def called(address: Any, tool: str, **arguments: Any) -> Any:
    return spoken(address, lambda client: client.call_tool(tool, arguments))


def test_the_tools_are_told_and_only_read(address: str) -> None:
    tools = spoken(address, lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == ["search", "ask", "graph", "documents"]
    for tool in tools:
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint


def test_a_question_is_answered_and_its_evidence_found(address: str, questions: Any) -> None:
    answered = called(
        address, "ask", question="Who founded it?", corpus="sample"
    ).structured_content
    assert answered["supported"] is True
    assert answered["citations"][0]["quote"]
    found = called(
        address, "search", question="Who founded it?", corpus="sample", strategy="dense", limit=2
    ).structured_content
    assert [passage["title"] for passage in found["passages"]] == ["Aurelia", "Seld Shipyard"]
    assert "Aurelia → " in found["paths"][0]
    asked = [(one.question, one.corpus, one.k) for one in questions.asked]
    assert asked[1] == ("Who founded it?", "sample", 2)


def test_some_documents_are_asked(address: str, questions: Any) -> None:
    for tool in ("ask", "search"):
        called(address, tool, question="Who founded it?", document_names=["Aurelia*"])
    assert [one.documents.names for one in questions.asked] == [("Aurelia*",)] * 2


def test_graph_and_documents_are_shown(address: str) -> None:
    around = called(address, "graph", name="Aurelia", corpus="sample").structured_content
    assert around["nodes"]
    assert {edge["source"] for edge in around["edges"]} <= {node["id"] for node in around["nodes"]}
    listed = called(address, "documents", corpus="sample").structured_content
    assert {"default", "sample"} <= {corpus["name"] for corpus in listed["corpora"]}
    assert (len(listed["documents"]), listed["total"]) == (5, 5)
    rest = called(address, "documents", corpus="sample", limit=2, offset=4).structured_content
    assert (len(rest["documents"]), rest["total"]) == (1, 5)
    one = listed["documents"][0]["id"]
    text = called(address, "documents", corpus="sample", document_id=one).structured_content["text"]
    assert text


def test_corpora_are_named_where_there_is_no_default(address: str, clew: Any) -> None:
    clew.delete_corpus("default")
    listed = called(address, "documents").structured_content
    assert [corpus["name"] for corpus in listed["corpora"]] == ["sample"]
    assert listed["documents"] == []
    unknown = called(address, "documents", corpus="nowhere")
    assert unknown.is_error
    assert "The tool `documents` names those there are." in unknown.content[0].text


def test_what_goes_wrong_is_said_and_a_bug_is_not(
    address: str, questions: Any, clew: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = called(address, "ask", question="Who?", strategy="nothing")
    assert unknown.is_error
    assert "nothing" in unknown.content[0].text
    assert called(address, "ask", question="Who?", corpus=7).is_error
    misspelt = called(address, "ask", question="Who?", documentnames=["*.pdf"])
    assert misspelt.is_error
    assert "documentnames" in misspelt.content[0].text
    questions.error = WorkerUnavailable("No worker answers.", remedy="Start one.")
    away = called(address, "search", question="Who?")
    assert away.is_error
    lasts = "Try again in a while; if it lasts, tell whoever runs Clew: Start one."
    assert f"No worker answers. {lasts}" in away.content[0].text

    def broken() -> None:
        raise RuntimeError("a password in a traceback")

    monkeypatch.setattr(clew, "corpora", broken)
    bug = called(address, "documents")
    assert bug.is_error
    assert "password" not in bug.content[0].text


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (unknown_document("d9"), "The tool `documents` lists them with their ids."),
        (
            UnknownDocument("None fits.", remedy="`clew documents` lists them. Try '*minutes*'."),
            "None fits. Try '*minutes*'.",
        ),
        (
            UnknownStrategy("There is none.", remedy="There are: bm25, dense."),
            "There are: bm25, dense.",
        ),
        (
            InvalidRequest("It has no text.", remedy="Add some: `clew ingest PATH`."),
            "Tell whoever runs Clew: Add some: `clew ingest PATH`.",
        ),
        (
            InvalidRequest("There is no model.", remedy="Set CLEW_LLM_BASE_URL."),
            "Tell whoever runs Clew: Set CLEW_LLM_BASE_URL.",
        ),
        (InvalidRequest("It is long.", remedy="Ask a shorter one."), "long. Ask a shorter one."),
    ],
)
def test_who_calls_tools_is_advised_what_tools_can_do(
    address: str, questions: Any, error: Exception, advice: str
) -> None:
    questions.error = error
    told = called(address, "search", question="Who?").content[0].text
    assert told.endswith(advice)


def test_nobody_listens_for_what_never_changes(address: str) -> None:
    """Such a request would have no end, and keep its thread."""
    version, method = "2026-07-28", "subscriptions/listen"
    known = "io.modelcontextprotocol"
    meta = {
        f"{known}/protocolVersion": version,
        f"{known}/clientCapabilities": {},
        f"{known}/clientInfo": {"name": "any", "version": "1"},
    }
    asked = {"_meta": meta, "notifications": {"toolsListChanged": True}}
    answer = httpx2.post(
        address,
        json={"jsonrpc": "2.0", "id": 1, "method": method, "params": asked},
        headers={
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": version,
            "MCP-Method": method,
        },
        timeout=20,
    )
    assert answer.json()["error"]["code"] == -32601


def test_the_same_access_rules_hold(
    clew: Any, questions: Any, serve: Any, tmp_path: Any, client: Any
) -> None:
    settings = Settings(home=tmp_path, corpus="default", access_token=TOKEN)
    address = f"{serve(create_app(clew, settings, questions))}/mcp"

    async def known() -> Any:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(address, http_client=http)) as session,
        ):
            return await session.list_tools()

    assert done(known()).tools
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert httpx2.post(address, json=message).status_code == 401
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert client.post("/mcp", json=message, headers=foreign).status_code == 403
    assert client.get("/mcp").status_code == 405
