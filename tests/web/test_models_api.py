"""REST of trained models: trainings become jobs, versions are told, promoted and rolled back."""

from typing import Any

import pytest

from .fake_models import CURVE, METHOD, version

V1, V2 = "20261120-100000", "20261121-100000"


@pytest.fixture
def trained(clew: Any) -> Any:
    clew.versions = [
        version(V2, "sample", promotion="It does not serve."),
        version(V1, "sample", serves=True, stale="Its corpus moved on."),
        version("20261101-000000", None),
    ]
    return clew


def test_a_training_becomes_a_job(client: Any, clew: Any) -> None:
    body = {"method": METHOD, "corpus": "sample", "options": {"seed": 3}}
    response = client.post("/api/v1/models/train", json=body)
    assert response.status_code == 202
    assert (response.json["kind"], response.json["state"]) == ("train", "queued")
    assert clew.calls == [("submit_training", METHOD, "sample", None, {"seed": 3})]


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ({}, "invalid_request", "method"),
        ({"method": "dense"}, "invalid_request", "learns nothing"),
        ({"method": "nothing"}, "unknown_strategy", "nothing"),
        ({"method": METHOD, "options": {"wings": 2}}, "invalid_request", "wings"),
        ({"method": METHOD, "options": {"method": 2}}, "invalid_request", "method"),
        ({"method": METHOD, "options": {"seed": "soon"}}, "invalid_request", "seed"),
        ({"method": METHOD, "data_set": "/etc/passwd"}, "invalid_request", "data_set"),
    ],
)
def test_what_cannot_be_trained_makes_no_job(
    client: Any, clew: Any, body: dict[str, Any], code: str, said: str
) -> None:
    response = client.post("/api/v1/models/train", json=body)
    assert response.status_code == 422
    assert response.json["error"]["code"] == code
    assert said in response.json["error"]["message"]
    assert clew.job_list == []


def test_a_corpus_that_is_not_there_makes_no_job(client: Any, clew: Any) -> None:
    body = {"method": METHOD, "corpus": "nowhere"}
    assert client.post("/api/v1/models/train", json=body).status_code == 404
    assert clew.job_list == []


def test_the_methods_that_learn_tell_their_options(client: Any) -> None:
    (found,) = [
        one
        for one in client.get("/api/v1/models/methods").json["methods"]
        if one["method"] == METHOD
    ]
    assert found["summary"]
    assert found["options"]["properties"]["seed"]["description"]


def test_versions_are_listed_and_told(client: Any, trained: Any) -> None:
    listed = client.get("/api/v1/models").json["models"]
    assert [one["version"] for one in listed] == [V2, V1, "20261101-000000"]
    assert [one["serves"] for one in listed] == [False, True, False]
    assert listed[1]["stale"] == "Its corpus moved on."
    assert listed[0]["figures"]["after"]["questions"] == 100
    other = client.get(f"/api/v1/models?method={METHOD}&corpus=other").json["models"]
    assert [one["version"] for one in other] == ["20261101-000000"]
    one = client.get(f"/api/v1/models/{METHOD}/{V1}").json
    assert len(one["curve"]) == len(CURVE)
    assert one["decides"]["words"]
    curve = client.get(f"/api/v1/models/{METHOD}/{V1}/curve.svg")
    assert curve.mimetype == "image/svg+xml"
    assert b"<svg" in curve.data


def test_a_version_is_promoted_and_rolled_back(client: Any, trained: Any) -> None:
    promoted = client.post(f"/api/v1/models/{METHOD}/{V2}/promote", json={})
    assert promoted.status_code == 200
    assert promoted.json["serves"]
    back = client.post(f"/api/v1/models/{METHOD}/roll-back", json={"corpus": "sample"})
    assert back.json["serving"]["version"] == V1
    assert ("promote", METHOD, V2, None) in trained.calls
    assert ("roll_back", METHOD, "sample") in trained.calls


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", f"{METHOD}/nothing", None, 404),
        ("GET", f"{METHOD}/nothing/curve.svg", None, 404),
        ("GET", f"{METHOD}/../../secret/curve.svg", None, 404),
        ("POST", f"{METHOD}/nothing/promote", {}, 404),
        ("POST", f"{METHOD}/{V1}/promote", {"corpus": "other"}, 422),
        ("POST", f"{METHOD}/{V1}/promote", {"wings": 2}, 422),
        ("POST", f"{METHOD}/roll-back", {"corpus": "other"}, 422),
        ("POST", "dense/roll-back", {}, 422),
    ],
)
def test_what_is_wrong_is_said_in_the_one_shape(
    client: Any, trained: Any, method: str, path: str, body: Any, status: int
) -> None:
    response = client.open(f"/api/v1/models/{path}", method=method, json=body)
    assert response.status_code == status
    assert set(response.json["error"]) == {"code", "message", "remedy"}
