"""REST of the bench: what is asked for reaches the facade, what is wrong makes no job."""

import io
import json
from typing import Any

import pytest

from clew.evaluation.figures import RunComparison, RunFigures
from clew.evaluation.run import BenchRun

from .bench_runs import NAMES

LINES = (
    b'{"question": "Who founded the yard?", "answers": ["Ferrand"], "gold": ["Seld Shipyard"]}\n'
    b'{"id": "mine", "question": "Who left?", "answerable": false}\n'
)


def started(clew: Any) -> Any:
    ((name, request),) = clew.calls
    assert name == "submit_bench"
    return request


def post(client: Any, **body: Any) -> Any:
    return client.post("/api/v1/bench", json=body)


def test_a_run_is_started_with_its_defaults(client: Any, clew: Any) -> None:
    response = post(client, data_set="sample")
    assert response.status_code == 202
    assert (response.json["kind"], response.json["state"]) == ("bench", "queued")
    request = started(clew)
    assert request.data_set == "sample"
    assert (request.strategies, request.reader, request.questions) == (None, None, None)
    assert (request.synthetic, request.seed, request.limit) == (50, 0, None)


def test_a_run_is_started_with_every_choice_and_own_questions(client: Any, clew: Any) -> None:
    question = {"question": "Who founded it?", "answer": "Ferrand", "gold": {"Seld Shipyard": 2}}
    response = post(
        client,
        data_set="corpus:sample",
        questions=[question],
        strategies=["dense", "bm25", "dense"],
        reader="none",
        limit=3,
        seed=5,
        depth=10,
        fresh=True,
    )
    assert response.status_code == 202, response.text
    request = started(clew)
    assert request.strategies == ("dense", "bm25")
    (asked,) = request.questions
    assert (asked.id, asked.answers, asked.gold) == ("q1", ("Ferrand",), {"Seld Shipyard": 2})
    assert (request.reader, request.limit, request.seed) == ("none", 3, 5)
    assert (request.depth, request.fresh, request.judge) == (10, True, False)


def test_questions_come_as_a_file_too(client: Any, clew: Any) -> None:
    response = client.post(
        "/api/v1/bench",
        data={
            "data_set": "corpus:sample",
            "strategies": ["dense", "hybrid"],
            "limit": "7",
            "reader": "",
            "questions": (io.BytesIO(LINES), "mine.jsonl"),
        },
        content_type="multipart/form-data",
    )
    assert response.status_code == 202, response.text
    request = started(clew)
    assert request.strategies == ("dense", "hybrid")
    assert (request.limit, request.reader) == (7, None)
    assert [question.id for question in request.questions] == ["q1", "mine"]
    assert request.questions[1].answerable is False


def test_an_ablation_study_is_started(client: Any, clew: Any) -> None:
    response = post(client, data_set="sample", ablations="hybrid")
    assert response.status_code == 202, response.text
    assert (started(clew).ablations, started(clew).strategies) == ("hybrid", None)
    listed = client.get("/api/v1/strategies").json["strategies"]
    parts = {one["name"]: one["ablations"] for one in listed}
    assert parts["hybrid"] == ["without words", "without meaning"]
    assert parts["dense"] == []


@pytest.mark.parametrize(
    ("body", "status", "code", "told"),
    [
        ({}, 422, "invalid_request", "data_set"),
        ({"data_set": "/etc"}, 422, "invalid_request", "corpus:NAME"),
        ({"data_set": "corpus:"}, 422, "invalid_request", "corpus:NAME"),
        ({"data_set": "corpus:\u0000"}, 422, "invalid_request", "control characters"),
        ({"data_set": "corpus:none"}, 404, "unknown_corpus", "'none'"),
        ({"data_set": "sample", "strategies": ["magic"]}, 422, "unknown_strategy", "'magic'"),
        ({"data_set": "sample", "depth": True}, 422, "invalid_request", "true or false"),
        ({"data_set": "sample", "strategies": []}, 422, "invalid_request", "strategies"),
        ({"data_set": "sample", "ablations": "magic"}, 422, "unknown_strategy", "'magic'"),
        ({"data_set": "sample", "ablations": "dense"}, 422, "invalid_request", "no ablations"),
        ({"data_set": "sample", "ablations": "hybrid", "strategies": ["dense"]},
         422, "invalid_request", "of one method"),
        ({"data_set": "sample", "reader": "tarot"}, 422, "invalid_request", "'tarot'"),
        ({"data_set": "sample", "judge": True}, 422, "invalid_request", "judge"),
        ({"data_set": "sample", "limit": 0}, 422, "invalid_request", "limit"),
        ({"data_set": "sample", "seed": -1}, 422, "invalid_request", "seed"),
        ({"data_set": "sample", "depth": 201}, 422, "invalid_request", "depth"),
        ({"data_set": "sample", "unknown": 1}, 422, "invalid_request", "unknown"),
        ({"data_set": "sample", "questions": [{"question": "Who?", "answer": "x"}]},
         422, "invalid_request", "of its own"),
        ({"data_set": "corpus:sample", "questions": [{"question": "Who?"}]},
         422, "invalid_data_set", "questions, record 1"),
        ({"data_set": "corpus:sample", "questions": [{"question": "Who?", "anwser": "x"}]},
         422, "invalid_data_set", "field anwser"),
        ({"data_set": "corpus:sample", "questions": [{"question": "\ud800", "answer": "x"}]},
         422, "invalid_data_set", "Unicode"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_makes_no_job(
    client: Any, clew: Any, body: Any, status: int, code: str, told: str
) -> None:
    response = client.post("/api/v1/bench", data=json.dumps(body), content_type="application/json")
    assert response.status_code == status, response.text
    error = response.json["error"]
    assert error["code"] == code
    assert told in error["message"]
    assert clew.calls == []
    assert clew.job_list == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"question": "Who?", "answers": ["x"]}\n{"question": "Whose?"}\n', "record 2"),
        (b'{"question": "Who?"', "line 1"),
        (b"\xff\xfe", "not UTF-8"),
        (b"   ", "no records"),
        (b'{"question": "Who?", "gold": {"a": 1' + b"0" * 5000 + b"}}", "4300 digits"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_of_questions_that_is_wrong_is_named(
    client: Any, clew: Any, content: bytes, told: str
) -> None:
    form = {"data_set": "corpus:sample", "questions": (io.BytesIO(content), "mine.jsonl")}
    response = client.post("/api/v1/bench", data=form, content_type="multipart/form-data")
    assert response.status_code == 422, response.text
    assert response.json["error"]["code"] == "invalid_data_set"
    assert response.json["error"]["message"].startswith("mine.jsonl")
    assert told in response.json["error"]["message"]
    assert clew.job_list == []


def test_a_body_that_is_neither(client: Any, clew: Any) -> None:
    plain = client.post("/api/v1/bench", data="sample", content_type="text/plain")
    assert (plain.status_code, plain.json["error"]["code"]) == (415, "unsupported_media_type")
    text = client.post(
        "/api/v1/bench",
        data={"data_set": "corpus:sample", "questions": "no file"},
        content_type="multipart/form-data",
    )
    assert (text.status_code, text.json["error"]["code"]) == (422, "invalid_request")
    assert clew.calls == []


def test_runs_are_listed_shown_and_deleted(client: Any, runs: Any) -> None:
    listed = client.get("/api/v1/bench/runs").json["runs"]
    assert [run["id"] for run in listed] == ["r2", "r1", "r3"]
    assert set(listed[0]["main"]) == set(NAMES)
    assert listed[0]["main"]["dense"]["recall@5"] is not None
    assert [run["id"] for run in client.get("/api/v1/bench/runs?limit=1").json["runs"]] == ["r2"]
    assert client.get("/api/v1/bench/runs?limit=0").status_code == 422
    whole = BenchRun.model_validate(client.get("/api/v1/bench/runs/r1").json)
    assert whole == runs["r1"]
    gone = client.delete("/api/v1/bench/runs/r1")
    assert (gone.status_code, gone.data) == (204, b"")
    assert "r1" not in runs
    for method, path in (
        ("GET", "r1"),
        ("DELETE", "r1"),
        ("GET", "r1/figures"),
        ("GET", "r1/report"),
        ("GET", "r2/report?against=r1"),
        ("GET", "r2/comparison?against=r1"),
    ):
        missing = client.open(f"/api/v1/bench/runs/{path}", method=method)
        assert (missing.status_code, missing.json["error"]["code"]) == (404, "unknown_bench_run")


def test_figures_and_comparisons(client: Any, runs: Any) -> None:
    figures = RunFigures.model_validate(client.get("/api/v1/bench/runs/r1/figures").json)
    assert [one.strategy for one in figures.strategies] == list(NAMES)
    by_name = {one.strategy: one for one in figures.strategies}
    failed = [name for name, one in by_name.items() if one.failed]
    assert failed == [NAMES[1]]
    compared = client.get("/api/v1/bench/runs/r2/comparison?against=r1")
    comparison = RunComparison.model_validate(compared.json)
    assert (comparison.run_id, comparison.against_id) == ("r2", "r1")
    better = {one.strategy for one in comparison.differences if one.delta > 0}
    assert NAMES[0] in better
    assert client.get("/api/v1/bench/runs/r2/comparison").status_code == 422


def test_figures_of_a_run_that_is_measured_again_are_new(client: Any, runs: Any) -> None:
    def recall() -> Any:
        figures = client.get("/api/v1/bench/runs/r1/figures").json
        return figures["strategies"][0]["metrics"]["recall@5"]["value"]

    first = recall()
    runs["r1"] = runs["r2"].model_copy(update={"id": "r1"})
    assert recall() > first


def test_the_report_is_a_page_that_runs_as_nobody(client: Any, runs: Any) -> None:
    for query in ("", "?against=r1", "?theme=dark"):
        response = client.get(f"/api/v1/bench/runs/r2/report{query}")
        assert response.status_code == 200, response.text[:500]
        assert response.mimetype == "text/html"
        policy = dict(
            part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; ")
        )
        assert policy["sandbox"] == "allow-scripts"
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == "'unsafe-inline'"
        assert policy["img-src"] == "data:"
        assert policy["frame-ancestors"] == "'self'"
        assert "connect-src" not in policy
        assert response.headers["X-Frame-Options"] == "SAMEORIGIN"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert client.get("/api/v1/bench/runs/r2/report?theme=pink").status_code == 422
    refused = client.get("/api/v1/bench/runs/r9/report")
    assert "unsafe" not in refused.headers["Content-Security-Policy"]
    assert refused.headers["X-Frame-Options"] == "DENY"


def test_openapi_describes_both_ways_to_start_and_every_result(client: Any) -> None:
    paths = client.get("/openapi.json").json["paths"]
    start = paths["/api/v1/bench"]["post"]
    assert set(start["requestBody"]["content"]) == {"multipart/form-data", "application/json"}
    assert "202" in start["responses"]
    run = "/api/v1/bench/runs/{run_id}"
    assert {"get", "delete"} <= set(paths[run])
    for part in ("figures", "report", "comparison"):
        assert "200" in paths[f"{run}/{part}"]["get"]["responses"]
    assert "text/html" in paths[f"{run}/report"]["get"]["responses"]["200"]["content"]
