"""What operators see of requests: ids, log lines, metrics."""

import json
import logging
import re
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from clew.results.health import Health, LoadedModel, ServiceHealth
from clew.telemetry.logs import FIELDS, JsonLines
from clew.telemetry.request import HEADER, request_id
from clew_cypher.errors import GraphUnavailable
from clew_web import observed

from .fake_bench import add_job


def samples(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_an_id_that_was_sent_comes_back_and_others_are_made(client: Any) -> None:
    sent = client.get("/health", headers={HEADER: "from-my.proxy_17"})
    assert sent.headers[HEADER] == "from-my.proxy_17"
    for bad in ("", "a b", "x" * 65, "tab\tand", "ä", '"}'):
        made = client.get("/health", headers={HEADER: bad}).headers[HEADER]
        assert re.fullmatch("[0-9a-f]{16}", made), bad
    missing = client.get("/no/such/page")
    assert missing.status_code == 404
    assert missing.headers[HEADER] != made
    assert request_id() == ""


def test_a_question_goes_to_the_worker_with_its_id(
    client: Any, questions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    ask = questions.ask

    def noted(*args: Any) -> Any:
        seen.append(request_id())
        return ask(*args)

    monkeypatch.setattr(questions, "ask", noted)
    body = {"question": "Who founded it?", "corpus": "sample"}
    done = client.post("/api/v1/query", json=body, headers={HEADER: "q1"})
    assert done.status_code == 200, done.text
    assert seen == ["q1"]


def test_a_line_a_request_without_what_was_asked(
    client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "clew_web.requests"):
        client.get("/api/v1/corpora?query=secret+question", headers={HEADER: "r1"})
        client.get("/health")
    (record,) = [one for one in caplog.records if one.name == "clew_web.requests"]
    fields = getattr(record, FIELDS)
    assert (fields["method"], fields["path"]) == ("GET", "/api/v1/corpora")
    assert fields["status"] == 200
    assert "secret" not in caplog.text
    line = json.loads(JsonLines().format(record))
    assert line["level"] == "INFO"
    assert line["path"] == "/api/v1/corpora"
    assert line["message"].startswith("GET /api/v1/corpora 200 ")


def test_prometheus_reads_requests_services_and_jobs(client: Any, clew: Any) -> None:
    def read() -> dict[tuple[str, tuple[str, ...]], float]:
        answer = client.get("/metrics")
        assert answer.status_code == 200
        assert answer.content_type.startswith("text/plain")
        return samples(answer.text)

    counter = ("clew_http_requests_total", ("api.corpora.corpora", "GET", "200"))
    clew.job_list = []
    add_job(clew, "ingest", "sample", "running", {})
    add_job(clew, "ingest", "sample", "running", {})
    add_job(clew, "bench", "sample", "done", {})
    before = read()
    client.get("/api/v1/corpora")
    client.get("/api/v1/corpora/nothing-of-that-name")
    after = read()
    grown = {key: value - before.get(key, 0) for key, value in after.items() if "_total" in key[0]}
    assert [key[1] for key, by in grown.items() if key[0] == counter[0] and by == 1].count(
        ("metrics.metrics", "GET", "200")
    ) == 1
    statuses = [key[1][2] for key, by in grown.items() if key[0] == counter[0] and by == 1]
    assert sorted(statuses) == ["200", "200", "404"]
    assert after["clew_jobs", ("ingest", "running")] == 2
    assert after["clew_jobs", ("bench", "done")] == 1
    assert after["clew_up", ("Query worker",)] == 1
    assert after["process_resident_memory_bytes", ()] > 1e6
    clew.up, clew.error = False, GraphUnavailable("away")
    away = read()
    assert away["clew_up", ("Query worker",)] == 0
    assert not any(name == "clew_jobs" for name, _ in away)


def test_jobs_are_told_of_a_graph_of_another_version(
    client: Any, clew: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger is the same in all: what runs is seen while the graph waits for its upgrade."""
    add_job(clew, "ingest", "sample", "running", {})
    graph = ServiceHealth(name="neo4j", ok=False, detail="answers, schema version 1")
    monkeypatch.setattr(clew, "health", lambda: Health(ok=False, services=(graph,)))
    told = samples(client.get("/metrics").text)
    assert told["clew_up", ("neo4j",)] == 0
    assert any(name == "clew_jobs" for name, _ in told)


def test_memory_is_told_without_corpora_and_one_series_a_kind(
    client: Any, clew: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chains(corpus: str, revision: int) -> LoadedModel:
        return LoadedModel(
            name=f"chains of {corpus}, revision {revision}",
            kind="chains",
            device="cpu",
            mib=2.0,
            load_seconds=1.0,
            idle_seconds=1.0,
        )

    models = tuple(chains("layoffs", revision) for revision in range(3))
    worker = ServiceHealth(name="w", ok=True, detail="ready", models=models, memory_mib=9.0)
    monkeypatch.setattr(clew, "health", lambda: Health(ok=True, services=(worker,)))
    answer = client.get("/metrics").text
    assert "layoffs" not in answer
    told = samples(answer)
    assert told["clew_worker_memory_bytes", ("w",)] == 9 * 2**20
    assert [(key[1], size) for key, size in told.items() if key[0] == "clew_model_bytes"] == [
        (("cpu", "chains", "w"), 6 * 2**20)
    ]


def test_methods_that_callers_invent_are_counted_as_one(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    spans: list[str] = []
    span = observed.span

    def noted(name: str, **told: Any) -> Any:
        spans.append(name)
        return span(name, **told)

    monkeypatch.setattr(observed, "span", noted)

    def methods() -> dict[str, float]:
        counted: dict[str, float] = {}
        for (name, labels), value in samples(client.get("/metrics").text).items():
            if name == "clew_http_requests_total":
                counted[labels[1]] = counted.get(labels[1], 0) + value
        return counted

    before = methods()
    for invented in ("AAAA", "AAAB", "PROPFIND"):
        assert client.open("/api/v1/corpora", method=invented).status_code == 405
        assert client.open("/nothing", method=invented).status_code == 404
    after = methods()
    assert set(after) - set(before) <= {"other"}
    assert after["other"] - before.get("other", 0) == 6
    assert not [name for name in spans if "AAA" in name or "PROPFIND" in name]
