"""An HTTP endpoint that speaks the OpenAI chat protocol and answers extraction by a script."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BORN = re.compile(r"([A-Z]\w*(?: [A-Z]\w*)*) was born in ([A-Z]\w+)")
PROMPT_TOKENS, COMPLETION_TOKENS = 14, 2


class ScriptedLanguageModel(ThreadingHTTPServer):
    """Finds "A was born in B" in the text it is asked about, and writes a paragraph a triple.

    ``failures``: statuses that are answered first for a title; ``refused``: titles that always get
    400; ``malformed``: titles whose list holds two items that are none; ``headers``: of failures.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[float, str]] = []
        self.failures: dict[str, list[int]] = {}
        self.refused: set[str] = set()
        self.malformed: set[str] = set()
        self.headers = {"Retry-After": "0"}
        self.wait_s = 0.0

    @property
    def url(self) -> str:
        """What llm_base_url is set to."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def count(self, title: str) -> int:
        """How often a title was asked about."""
        return [asked for _, asked in self.asked].count(title)

    def status(self, title: str) -> int:
        """What the next request about a title gets."""
        failures = self.failures.get(title, [])
        return failures.pop(0) if failures else 400 if title in self.refused else 200

    def reply(self, document: dict[str, Any]) -> str:
        """What the model says about a document."""
        if "triples" in document:
            paragraphs = [
                {"index": item["index"], "text": f"{item['head']} comes from {item['tail']}."}
                for item in document["triples"]
            ]
            return json.dumps({"paragraphs": paragraphs})
        found: list[Any] = [
            {
                "head": head,
                "head_type": "PERSON",
                "relation": "bear in",
                "tail": tail,
                "tail_type": "GPE",
            }
            for head, tail in BORN.findall(document["text"])
        ]
        if document["title"] in self.malformed:
            found += ["nonsense", {"head": "x"}]
        return json.dumps({"triples": found})


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedLanguageModel
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        document = json.loads(body["messages"][-1]["content"])
        self.server.asked.append((time.monotonic(), document["title"]))
        time.sleep(self.server.wait_s)
        status = self.server.status(document["title"])
        if status != 200:
            self._send(status, {"error": {"message": f"scripted {status}", "type": "x"}})
            return
        message = {"role": "assistant", "content": self.server.reply(document)}
        usage = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage["total_tokens"] = PROMPT_TOKENS + COMPLETION_TOKENS
        self._send(200, {**answer, "choices": [choice], "usage": usage})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in self.server.headers.items() if status != 200 else ():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def scripted_language_model() -> Iterator[ScriptedLanguageModel]:
    """Serve one while the block runs."""
    server = ScriptedLanguageModel()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
