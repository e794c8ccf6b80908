"""Whatever is sent: a 4xx in the one error shape, never a 500, never a page's trace."""

import gzip
import io
import json
import os
from typing import Any

import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from clew.jobs import questions as worker_questions
from clew.resources.runtime_state import (
    RuntimeState,
    ServiceRow,
    ServiceState,
    supervisor_lock,
    write_state,
)
from clew.settings import Settings
from clew_cypher.errors import GraphUnavailable
from clew_web.app import create_app
from clew_web.errors import ErrorModel

JSON_ROUTES = (
    *("api/v1/query", "api/v1/query/stream", "api/v1/search", "api/v1/corpora"),
    *("api/v1/documents", "api/v1/bench", "v1/chat/completions"),
)
BAD_BODIES = {
    "nothing": b"",
    "no JSON": b"{question",
    "not UTF-8": b'{"question": "\xff\xfe"}',
    "a list": b"[]",
    "a number": b"7",
    "null": b"null",
    "a string": b'"text"',
    "a string of JSON": b'"{\\"unknown\\": 1}"',
    "an unknown field": b'{"question": "Who?", "name": "n", "unknown": 1}',
    "wrong types": b'{"question": 7, "name": [], "records": "x"}',
    "null fields": b'{"question": null, "name": null, "records": null}',
    "an empty question": b'{"question": "  ", "name": "", "records": []}',
    "a NUL": b'{"question": "Who\\u0000?", "name": "a\\u0000", "records": [{"text": "a\\u0000"}]}',
    "a lone surrogate": b'{"question": "\\ud800?", "name": "\\ud800", "url": "\\udfff"}',
    "a huge integer": b'{"question": "Who?", "k": 1' + b"0" * 400 + b', "name": 1, "url": 1}',
    "an endless integer": b'{"question": "Who?", "k": 1' + b"0" * 5000 + b', "name": 1}',
    "infinity": b'{"question": "Who?", "k": Infinity, "name": NaN, "records": NaN}',
    "deep nesting": b"[" * 100_000,
    "deep nesting, closed": b"[" * 50_000 + b"]" * 50_000,
    "no letters": b'{"question": "?!", "name": "", "records": [{"text": ""}]}',
}


def error_of(response: Any) -> Any:
    assert response.mimetype == "application/json", response.text[:200]
    return ErrorModel.model_validate(response.json).error


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES.keys())
@pytest.mark.parametrize("route", JSON_ROUTES)
def test_bad_bodies(client: Any, clew: Any, questions: Any, route: str, body: bytes) -> None:
    response = client.post(f"/{route}", data=body, content_type="application/json")
    assert response.status_code in (400, 415, 422), response.text
    assert response.json["error"]["message"]
    assert clew.calls == []
    assert questions.asked == []


def every_route(app: Any) -> list[tuple[str, str]]:
    found = []
    for rule in app.url_map.iter_rules():
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            found.append((method, rule.rule))
    return sorted(found)


BAD_VALUES = (
    "%00",
    "%ff%fe",
    "../../etc/passwd",
    "x" * 5000,
    "%E2%80%AE",
    "'; MATCH (n) DELETE n",
    "-1",
)


@pytest.mark.parametrize("value", BAD_VALUES)
def test_every_route_answers_bad_addresses_with_a_4xx(app: Any, value: str) -> None:
    client = app.test_client()
    for method, rule in every_route(app):
        path = "/".join(value if part.startswith("<") else part for part in rule.split("/"))
        query = f"corpus={value}&limit={value}&offset={value}&k=1&status={value}&entity_id={value}"
        with client.open(f"{path}?{query}", method=method) as response:
            assert response.status_code < 500, f"{method} {rule}: {response.text[:300]}"
            if rule.startswith("/api/") and response.status_code >= 400:
                error_of(response)


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=501", "limit=x", "offset=-1", "limit=1e3", "unknown=1", "corpus=", "limit="
     + "9" * 5000, "corpus=%00", "query=%00", "corpus=" + "c" * 201],
)  # fmt: skip
def test_bad_parameters(client: Any, query: str) -> None:
    response = client.get(f"/api/v1/documents?{query}")
    assert response.status_code == 422
    assert error_of(response).code == "invalid_request"


def test_cookies_that_are_not_utf8_shut_nobody_out(client: Any) -> None:
    """A browser sends those of every other program on this host, too."""
    for path in ("/documents", "/api/v1/me"):
        answer = client.get(path, environ_overrides={"HTTP_COOKIE": "name=Jos\xe9; last=sample"})
        assert answer.status_code == 200


def test_unknown_addresses_and_methods(client: Any) -> None:
    missing = client.get("/api/v1/nothing")
    assert (missing.status_code, error_of(missing).code) == (404, "not_found")
    wrong = client.put("/api/v1/query", json={})
    assert (wrong.status_code, error_of(wrong).code) == (405, "method_not_allowed")
    assert "POST" in wrong.headers["Allow"]
    page = client.get("/nothing", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert page.mimetype == "text/html"


def test_wrong_media_types(client: Any) -> None:
    for route in ("query", "documents"):
        response = client.post(f"/api/v1/{route}", data="question=Who", content_type="text/plain")
        assert (response.status_code, error_of(response).code) == (415, "unsupported_media_type")
        form = client.post(f"/api/v1/{route}", data={"question": "Who?"})
        assert form.status_code == 415
    multipart = client.post("/api/v1/query", data=b"x", content_type="multipart/form-data")
    assert multipart.status_code in (400, 415, 422)


def test_uploads_that_are_no_uploads(client: Any, clew: Any) -> None:
    for data in ({}, {"corpus": "sample"}, {"files": "text, no file"}, {"unknown": "1"}):
        response = client.post("/api/v1/documents", data=data, content_type="multipart/form-data")
        assert response.status_code == 422, data
        error_of(response)
    broken = client.post(
        "/api/v1/documents", data=b"garbage", content_type="multipart/form-data; boundary=x"
    )
    assert broken.status_code in (400, 422)
    no_boundary = client.post("/api/v1/documents", data=b"x", content_type="multipart/form-data")
    assert no_boundary.status_code in (400, 422)
    assert clew.calls == []


def test_sizes(clew: Any, questions: Any, tmp_path: Any) -> None:
    settings = Settings(home=tmp_path, upload_limit_mib=1)
    client = create_app(clew, settings, questions).test_client()
    long = {"question": "Who " * 3000}
    for route in ("query", "query/stream", "search"):
        response = client.post(f"/api/v1/{route}", json=long)
        assert (response.status_code, error_of(response).code) == (413, "too_large")
    body = json.dumps({"question": "Who?", "corpus": "x" * 3_000_000})
    big = client.post("/api/v1/query", data=body, content_type="application/json")
    assert big.status_code == 413
    error_of(big)
    for size in (1_100_000, 3_000_000):
        file = FileStorage(io.BytesIO(b"x" * size), filename="big.txt")
        boundary, form = encode_multipart({"files": file})
        media_type = f"multipart/form-data; boundary={boundary}"
        upload = client.post("/api/v1/documents", data=form, content_type=media_type)
        assert (upload.status_code, error_of(upload).code) == (413, "too_large")
    assert clew.calls == []


def test_what_is_sent_is_not_repeated(client: Any) -> None:
    secret = "hunter2-hunter2"
    response = client.post("/api/v1/query", json={"question": "Who?", "k": secret})
    assert response.status_code == 422
    assert secret not in response.text


def test_an_unexpected_error_is_a_500_that_tells_nothing(app: Any, client: Any, clew: Any) -> None:
    clew.error = RuntimeError("the password is hunter2")
    for path, accept in (("/api/v1/corpora", "*/*"), ("/", "text/html")):
        response = client.get(path, headers={"Accept": accept})
        assert response.status_code == 500
        assert "hunter2" not in response.text


def test_pages_say_what_is_missing_instead_of_breaking(client: Any, clew: Any) -> None:
    clew.error = GraphUnavailable("Neo4j does not answer.", remedy="Start it: `clew up`.")
    for path in ("/", "/ask", "/documents", "/bench"):
        response = client.get(path)
        assert response.status_code == 200
        assert "Neo4j does not answer." in response.text
    api = client.get("/api/v1/corpora")
    assert (api.status_code, error_of(api).code) == (503, "graph_unavailable")


def test_while_the_database_starts_a_page_loads_itself_again(
    client: Any, clew: Any, settings: Any
) -> None:
    clew.error = GraphUnavailable("Neo4j does not answer.", remedy="Start it: `clew up`.")
    gone = client.get("/corpora/c", headers={"Accept": "text/html"})
    assert "Neo4j does not answer." in gone.text
    assert "Refresh" not in gone.headers
    for state, told in ((ServiceState.STARTING, True), (ServiceState.HEALTHY, False)):
        with supervisor_lock(settings.home) as mine:
            assert mine
            rows = [ServiceRow("neo4j", "Neo4j", state)]
            write_state(settings.home, RuntimeState(os.getpid(), services=rows))
            page = client.get("/corpora/c", headers={"Accept": "text/html"})
            api = client.get("/api/v1/corpora")
        assert page.status_code == api.status_code == 503
        assert ("still starting" in page.text) is ("Refresh" in page.headers) is told
        assert (error_of(api).code == "not_ready") is (api.headers["Retry-After"] == "1") is told


def test_a_compressed_body_is_refused_as_one(client: Any) -> None:
    body = gzip.compress(json.dumps({"question": "Who?", "corpus": "sample"}).encode())
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    refused = client.post("/api/v1/query", data=body, headers=headers)
    assert refused.status_code == 415
    assert refused.json["error"]["message"] == "A body that is encoded (gzip) is not taken here."
    plain = {**headers, "Content-Encoding": "identity"}
    assert client.post("/api/v1/corpora", data='{"name": "x"}', headers=plain).status_code == 201


def test_a_bug_in_a_worker_has_one_code(client: Any, questions: Any) -> None:
    told = {"code": "internal_error", "message": "It ended.", "remedy": "", "http_status": 500}
    questions.error = worker_questions.error_of(told)
    for path in ("query", "query/stream"):
        answer = client.post(f"/api/v1/{path}", json={"question": "Who?", "corpus": "sample"})
        assert (answer.status_code, answer.json["error"]["code"]) == (500, "internal_error")


def test_who_is_not_let_in_is_told_what_to_send(clew: Any, questions: Any, tmp_path: Any) -> None:
    settings = Settings(home=tmp_path, access_token="a-token-that-nobody-guesses")
    stranger = create_app(clew, settings, questions).test_client()
    for path in ("/api/v1/corpora", "/v1/models", "/metrics"):
        refused = stranger.get(path)
        assert refused.status_code == 401
        assert refused.headers["WWW-Authenticate"] == 'Bearer realm="Clew"'
