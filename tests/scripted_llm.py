"""HTTP endpoints that speak the OpenAI chat protocol and answer by a script."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, TypeVar

BORN = re.compile(r"([A-Z]\w*(?: [A-Z]\w*)*) was born in ([A-Z]\w+)")
PROMPT_TOKENS, COMPLETION_TOKENS = 14, 2
USAGE = {
    "prompt_tokens": PROMPT_TOKENS,
    "completion_tokens": COMPLETION_TOKENS,
    "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
}


class Asked(NamedTuple):
    """A request: when it came, with which key, and its body."""

    at: float
    key: str | None
    body: dict[str, Any]


class ChatHandler(BaseHTTPRequestHandler):
    """Answers a request as its ChatEndpoint says."""

    server: "ChatEndpoint"
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Asked(time.monotonic(), self.headers["Authorization"], body)
        self.server.asked.append(asked)
        status = self.server.status(body)
        if "response_format" in body and not self.server.knows_schemas:
            status = 400
        if status == 200:
            self.answer(body)
        else:
            error = {"message": f"scripted {status}", "type": "x", "code": None}
            self.send_body(status, json.dumps({"error": error}).encode())

    def answer(self, body: dict[str, Any]) -> None:
        """Send the whole reply to a request."""
        message = {"role": "assistant", "content": self.server.reply(body)}
        choice = {"index": 0, "message": message, "finish_reason": self.server.finish}
        whole = {**head("chat.completion"), "choices": [choice], "usage": USAGE}
        self.send_body(200, json.dumps(whole).encode())

    def send_body(self, status: int, data: bytes, media_type: str = "application/json") -> None:
        """Send a response of any kind."""
        self.send_response(status)
        for name, value in self.server.headers.items() if status != 200 else ():
            self.send_header(name, value)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def head(kind: str) -> dict[str, Any]:
    """What every object of the protocol begins with."""
    return {"id": "1", "object": kind, "created": 1, "model": "scripted"}


class ChatEndpoint(ThreadingHTTPServer):
    """Serves on a free port; what it replies, and with which status, its kinds say.

    ``asked``: the requests so far; ``headers``: of failures; ``knows_schemas``: else a request
    with one gets 400; ``finish``: why a reply ends, "length" where it was cut off.
    """

    daemon_threads = True

    def __init__(self, handler: type[ChatHandler] = ChatHandler) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.asked: list[Asked] = []
        self.headers = {"Retry-After": "0"}
        self.knows_schemas = True
        self.finish = "stop"

    @property
    def url(self) -> str:
        """What llm_base_url is set to."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def status(self, body: dict[str, Any]) -> int:
        """What the next request gets."""
        return 200

    def reply(self, body: dict[str, Any]) -> str:
        """What the model says."""
        raise NotImplementedError


class ExtractionEndpoint(ChatEndpoint):
    """Is asked about documents, by their titles.

    ``failures``: statuses that are answered first for a title.
    """

    def __init__(self) -> None:
        super().__init__()
        self.failures: dict[str, list[int]] = {}

    @property
    def titles(self) -> list[str]:
        """The titles it was asked about, in order."""
        return [document_of(asked.body)["title"] for asked in self.asked]

    def count(self, title: str) -> int:
        """How often a title was asked about."""
        return self.titles.count(title)

    def status(self, body: dict[str, Any]) -> int:
        """What the next request about a title gets."""
        failures = self.failures.get(document_of(body)["title"], [])
        return failures.pop(0) if failures else 200


def document_of(body: dict[str, Any]) -> dict[str, Any]:
    """The document that a request for triples or textual triplets is about."""
    document: dict[str, Any] = json.loads(body["messages"][-1]["content"])
    return document


class ScriptedLanguageModel(ExtractionEndpoint):
    """Finds "A was born in B" in the text it is asked about, and writes a paragraph a triple.

    ``refused``: titles that always get 400; ``malformed``: titles whose list holds two items that
    are none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.refused: set[str] = set()
        self.malformed: set[str] = set()

    def status(self, body: dict[str, Any]) -> int:
        found = super().status(body)
        return 400 if found == 200 and document_of(body)["title"] in self.refused else found

    def reply(self, body: dict[str, Any]) -> str:
        document = document_of(body)
        if "triples" in document:
            paragraphs = [
                {"index": item["index"], "text": f"{item['head']} comes from {item['tail']}."}
                for item in document["triples"]
            ]
            return json.dumps({"paragraphs": paragraphs})
        found: list[Any] = [born(head, tail) for head, tail in BORN.findall(document["text"])]
        if document["title"] in self.malformed:
            found += ["nonsense", {"head": "x"}]
        return json.dumps({"triples": found})


def born(person: str, place: str) -> dict[str, str]:
    """The triple that somebody was born somewhere, as a model writes it."""
    return {
        "head": person,
        "head_type": "PERSON",
        "relation": "bear in",
        "tail": place,
        "tail_type": "GPE",
    }


Endpoint = TypeVar("Endpoint", bound=ChatEndpoint)


@contextmanager
def serving(server: Endpoint) -> Iterator[Endpoint]:
    """Serve while the block runs."""
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
