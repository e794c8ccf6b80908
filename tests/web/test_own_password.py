"""Who is logged in changes their own password; nobody else's, and nobody without the old one."""

from pathlib import Path
from typing import Any

import pytest

from clew.settings import Settings
from clew_web.access import COOKIE, FAILURES
from clew_web.app import create_app

OLD, NEW = "three words of it", "four other words here"
ADDRESS = "/api/v1/me/password"


@pytest.fixture
def app(clew: Any, questions: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("clew_web.access.REMEMBERED_S", 0.0)
    clew.create_user("root", "admin", password=OLD)
    clew.create_user("ada", "reader", password=OLD, corpora=["sample"])
    return create_app(clew, Settings(home=tmp_path), questions)


def session(app: Any, name: str, password: str = OLD) -> Any:
    client = app.test_client()
    answer = client.post("/login", data={"name": name, "password": password})
    assert answer.status_code == 302
    return client


def test_the_owner_changes_it_and_every_other_session_ends(app: Any, clew: Any) -> None:
    here, elsewhere = session(app, "ada"), session(app, "ada")
    wrong = here.put(ADDRESS, json={"old": NEW, "new": NEW})
    assert (wrong.status_code, wrong.json["error"]["message"]) == (
        403,
        "The old password is wrong.",
    )
    short = here.put(ADDRESS, json={"old": OLD, "new": "x"})
    assert short.status_code == 422
    done = here.put(ADDRESS, json={"old": OLD, "new": NEW})
    assert done.status_code == 204
    assert here.get("/api/v1/me").json["name"] == "ada"
    assert elsewhere.get("/api/v1/me").status_code == 401
    assert (
        app.test_client().post("/login", data={"name": "ada", "password": OLD}).status_code == 401
    )
    assert session(app, "root").get("/api/v1/me").status_code == 200
    logged = [(entry.who, entry.outcome) for entry in clew.entries if "own" in entry.action]
    assert logged == [("ada", "done"), ("ada", "access_denied")]  # newest first
    assert OLD not in str(clew.entries)
    assert NEW not in str(clew.entries)


def test_a_key_and_the_access_token_have_no_password(
    app: Any, clew: Any, questions: Any, tmp_path: Path
) -> None:
    key = clew.create_api_key("ada", "test", ("query", "ingest")).key
    body = {"old": OLD, "new": NEW}
    client = app.test_client()
    refused = client.put(ADDRESS, json=body, headers={"Authorization": f"Bearer {key}"})
    assert refused.status_code == 403
    tokened = create_app(clew, Settings(home=tmp_path, access_token="t" * 40), questions)
    bearer = {"Authorization": f"Bearer {'t' * 40}"}
    assert tokened.test_client().put(ADDRESS, json=body, headers=bearer).status_code == 403
    assert clew.log_in("ada", OLD) is not None
    page = tokened.test_client().get("/account", headers={**bearer, "Accept": "text/html"})
    assert (page.status_code, page.location) == (302, "/")


def test_the_old_password_cannot_be_guessed_with_a_stolen_session(app: Any, clew: Any) -> None:
    thief = session(app, "ada")
    for number in range(FAILURES):
        answer = thief.put(ADDRESS, json={"old": f"guess {number}", "new": NEW})
        assert answer.status_code == 403
    refused = thief.put(ADDRESS, json={"old": OLD, "new": NEW})
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    assert clew.log_in("ada", OLD) is not None


def test_the_page_says_what_was_wrong_and_what_was_done(app: Any) -> None:
    client = session(app, "ada")
    page = client.get("/account", headers={"Accept": "text/html"})
    assert "see sample" in page.text
    assert "<span>ada</span></a>" in page.text
    differ = client.post("/account", data={"old": OLD, "new": NEW, "again": NEW + "x"})
    assert (differ.status_code, "differ" in differ.text) == (422, True)
    wrong = client.post("/account", data={"old": "no", "new": NEW, "again": NEW})
    assert (wrong.status_code, "old password is wrong" in wrong.text) == (403, True)
    done = client.post("/account", data={"old": OLD, "new": NEW, "again": NEW})
    assert done.status_code == 302
    assert COOKIE in done.headers["Set-Cookie"]
    assert "is changed" in client.get(done.location).text
    session(app, "ada", NEW)
