"""The bench with a judge: a language model behind a real HTTP endpoint marks the answers."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from clew.clew import Clew
from clew.evaluation.request import BenchRequest
from clew.evaluation.summary import summarise
from clew.settings import Settings
from clew_cypher.bench_runs import delete_bench_run
from clew_cypher.corpora import delete_corpus
from clew_cypher.store import Neo4jConfig

MARKS = {"correctness": 5, "faithfulness": 3, "relevance": 1}


class Judge(ThreadingHTTPServer):
    """Gives every answer the same marks, and every third reply is no JSON."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.prompts: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Judge

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.prompts.append(body["messages"][-1]["content"])
        good = len(self.server.prompts) % 3 != 0
        message = {"role": "assistant", "content": json.dumps(MARKS) if good else "Well …"}
        reply = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "judge",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[Judge]:
    server = Judge()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_answers_are_marked_and_the_judges_tokens_are_not_the_strategys(
    endpoint: Judge, neo4j_server: Neo4jConfig, cache_dir: Path, tmp_path: Path
) -> None:
    settings = Settings.load(
        home=tmp_path,
        cache_dir=cache_dir,
        neo4j_uri=neo4j_server.uri,
        neo4j_username=neo4j_server.username,
        neo4j_password=neo4j_server.password,
        llm_base_url=f"http://127.0.0.1:{endpoint.server_port}/v1",
        llm_model="judge",
        embed_threads=1,
    )
    request = BenchRequest(
        data_set="sample", limit=6, strategies=("bm25",), reader="extractive", judge=True
    )
    with Clew(settings) as clew:
        run = clew.bench(request)
        delete_bench_run(clew.store, run.id)
        delete_corpus(clew.store, run.index.corpus)
    assert len(endpoint.prompts) == 6
    assert run.questions[0].question in endpoint.prompts[0]
    marks = [outcome.judgement for outcome in run.outcomes]
    assert [mark.correctness for mark in marks if mark and mark.error is None] == [1.0] * 4
    assert sum(mark is not None and mark.error is not None for mark in marks) == 2
    assert any("2 answers have no marks" in notice for notice in run.notices)
    (figures,) = summarise(run).strategies
    for name, value in (("correctness", 1.0), ("faithfulness", 0.5), ("relevance", 0.0)):
        assert (figures.metrics[name].value, figures.metrics[name].questions) == (value, 4)
    assert (figures.cost.calls, figures.cost.prompt_tokens) == (0, 0)
