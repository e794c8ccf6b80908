"""REST of schedules: made as what comes over the network, listed, run, paused and deleted."""

from typing import Any

import pytest

from .fake_schedules import RUN

NIGHTLY = {
    "name": "Nightly",
    "corpus": "sample",
    "cron": "0 3 * * *",
    "zone": "Europe/Berlin",
    "reindex": {"sources": ["https://example.org/a"], "gone": "delete"},
}


def test_a_schedule_is_made_confined_and_lives(client: Any, clew: Any) -> None:
    made = client.post("/api/v1/schedules", json=NIGHTLY)
    assert made.status_code == 201
    assert (made.json["kind"], made.json["params"]["gone"]) == ("reindex", "delete")
    ((_, asked, confined),) = clew.calls
    assert confined is True
    assert asked.zone == "Europe/Berlin"
    url = f"/api/v1/schedules/{made.json['id']}"
    assert client.get(url).json == made.json
    assert client.get("/api/v1/schedules").json == {"schedules": [made.json]}
    assert client.get("/api/v1/schedules?corpus=other").json == {"schedules": []}
    assert client.post(f"{url}/pause").json["paused"] is True
    assert client.post(f"{url}/resume").json["paused"] is False
    clew.runs = [RUN]
    assert client.get(f"{url}/runs").json == {"runs": [RUN.model_dump()]}
    assert client.post(f"{url}/run").status_code == 202
    busy = client.post(f"{url}/run")
    assert (busy.status_code, busy.json["error"]["code"]) == (409, "schedule_busy")
    assert client.delete(url).status_code == 204
    for method in (client.get, client.delete):
        gone = method(url)
        assert (gone.status_code, gone.json["error"]["code"]) == (404, "unknown_schedule")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cron": "often"}, "five fields"),
        ({"zone": "../../etc"}, "time zone"),
        ({"every_s": 60}, "either"),
        ({"name": " "}, "name"),
        ({"reindex": {"sources": []}}, "sources"),
        ({"reindex": {"sources": ["a\u0000b"]}}, "control characters"),
        ({"every_s": 5, "cron": None}, "every_s"),
        ({"confined": False}, "confined"),
    ],
)
def test_what_cannot_be_scheduled_is_refused(
    client: Any, clew: Any, change: dict[str, Any], said: str
) -> None:
    response = client.post("/api/v1/schedules", json={**NIGHTLY, **change})
    assert response.status_code == 422
    assert said in response.json["error"]["message"]
    assert clew.schedule_list == []
