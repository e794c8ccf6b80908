"""Nobody gets in who was not let in, and no other site acts for who was."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from werkzeug.test import Client

from clew.errors import InvalidSetting
from clew.settings import Settings
from clew_cypher.errors import GraphUnavailable
from clew_web.access import COOKIE, FAILURES, WINDOW_S, Access, Failures
from clew_web.app import create_app
from clew_web.callers import TOKEN_HOLDER
from clew_web.policy import PUBLIC as FOR_ANYONE
from clew_web.policy import policy_of
from clew_web.server import BehindProxies, bound, serve, trusted_networks

TOKEN = "correct-horse-battery-staple"
PUBLIC = {
    "/health",
    "/health/ready",
    "/login",
    "/static/<path:filename>",
    "/docs/<name>",
    "/graph/guide.html",  # Neo4j Browser fetches it as nobody; saved queries alone
}
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def guarded(clew: Any, questions: Any, tmp_path: Path) -> Any:
    return create_app(clew, Settings(home=tmp_path, access_token=TOKEN), questions)


def routes(app: Any) -> list[Any]:
    found = list(app.url_map.iter_rules())
    assert {"/", "/api/v1/query", "/health"} <= {rule.rule for rule in found}
    return found


def test_every_route_declares_its_policy(app: Any) -> None:
    for rule in routes(app):
        policy = policy_of(app, rule.endpoint)
        assert policy is not None, rule.rule
        assert (policy == FOR_ANYONE) == (rule.rule in PUBLIC), rule.rule


def test_a_route_without_a_policy_is_refused(guarded: Any) -> None:
    guarded.add_url_rule("/forgotten", "forgotten", lambda: "open")
    assert guarded.test_client().get("/forgotten").status_code == 401


def test_without_the_token_only_public_routes_answer(guarded: Any, clew: Any) -> None:
    client = guarded.test_client()
    for rule in routes(guarded):
        path = rule.rule.replace("<", "").replace(">", "")
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"{COOKIE}=1.2.3"}):
                response = client.open(path, method=method, headers=headers)
                if rule.rule not in PUBLIC:
                    assert response.status_code in (401, 429), f"{method} {rule.rule}"
    assert clew.calls == []


def test_bearer_and_cookie_let_in(guarded: Any) -> None:
    assert guarded.test_client().get("/api/v1/corpora", headers=BEARER).status_code == 200
    client = guarded.test_client()
    page = client.get("/documents?corpus=sample", headers={"Accept": "text/html"})
    assert page.status_code == 302
    assert page.location == "/login?next=/documents?corpus%3Dsample"
    login = client.post("/login", data={"token": TOKEN, "next": "/documents?corpus=sample"})
    assert login.location == "/documents?corpus=sample"
    cookie = login.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert TOKEN not in cookie
    assert client.get("/api/v1/corpora").status_code == 200
    client.post("/logout")
    assert client.get("/api/v1/corpora").status_code == 401


def test_the_cookie_is_secure_over_https(guarded: Any) -> None:
    client = guarded.test_client()
    login = client.post("/login", data={"token": TOKEN}, base_url="https://localhost")
    assert "Secure" in login.headers["Set-Cookie"]


@pytest.mark.parametrize(
    ("trusted", "sender", "believed"),
    [
        ("", "127.0.0.1", (True, "127.0.0.1")),  # a proxy on this machine, as to https alone
        ("", "10.1.2.3", (False, "10.1.2.3")),
        ("10.0.0.0/8, 2001:db8::7", "10.1.2.3", (True, "203.0.113.9")),
        ("10.0.0.0/8, 2001:db8::7", "::ffff:10.1.2.3", (True, "203.0.113.9")),
        ("10.0.0.0/8, 2001:db8::7", "2001:db8::7", (True, "203.0.113.9")),
        ("10.0.0.0/8, 2001:db8::7", "192.0.2.4", (False, "192.0.2.4")),
    ],
)
def test_a_trusted_proxy_is_believed_and_nobody_else(
    clew: Any,
    questions: Any,
    tmp_path: Path,
    trusted: str,
    sender: str,
    believed: tuple[bool, str],
) -> None:
    settings = Settings(
        home=tmp_path, access_token=TOKEN, web_host="192.0.2.1", trusted_proxies=trusted
    )
    app = create_app(clew, settings, questions)
    client = Client(BehindProxies(app, trusted_networks(settings)), app.response_class)

    def post(path: str, forwarded: str, **data: str) -> Any:
        headers = {
            "Origin": "https://clew.example",
            "X-Forwarded-For": forwarded,
            "X-Forwarded-Proto": "https",
        }
        there = {"REMOTE_ADDR": sender}
        base = "http://clew.example"
        return client.post(path, data=data, headers=headers, environ_base=there, base_url=base)

    login = post("/login", "203.0.113.9", token=TOKEN)
    by_https, address = believed
    assert login.status_code == (302 if by_https else 403)  # its own page, by what it calls itself
    assert ("Secure" in login.headers.get("Set-Cookie", "")) == by_https
    if by_https:
        # what stands left of the proxy's own entry is whatever the caller wrote
        assert post("/login", "198.51.100.1, 203.0.113.9", token="wrong").status_code == 401
        assert list(app.extensions["clew"].access.addresses._times) == [address]


@pytest.mark.parametrize("address", ["192.0.2.7:8750", "127.0.0.1:99999", "127.0.0.1:x", "taken"])
def test_an_address_that_cannot_be_had_is_told_with_its_setting(address: str) -> None:
    with bound("127.0.0.1:0") as other:
        other.listen()
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        wanted = taken if address == "taken" else address
        with pytest.raises(InvalidSetting, match=wanted) as told:
            bound(wanted)
    assert "CLEW_WEB_PORT" in told.value.remedy


@pytest.mark.parametrize("address", ["8750", ":8750", ""])
def test_an_address_without_a_host_is_not_every_address(address: str) -> None:
    with pytest.raises(InvalidSetting, match="names no host"):
        bound(address)


def test_bind_opens_no_door_that_the_settings_keep_shut(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "clew_web.server", "--bind", "0.0.0.0:0"]
    environment = {"CLEW_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    # it looks for an administrator first, and there is no database that could have one
    assert (ended.returncode, "no Neo4j" in ended.stderr) == (1, True), ended.stderr


def test_the_server_hands_on_what_a_trusted_proxy_says(
    clew: Any, questions: Any, tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path, access_token=TOKEN, trusted_proxies="127.0.0.1")
    app = create_app(clew, settings, questions)
    listening = bound("127.0.0.1:0")
    server = serve(app, listening, threads=1)
    threading.Thread(target=server.run, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/login"
        said = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
        wrong = httpx.post(address, data={"token": "wrong"}, headers=said, timeout=10)
        right = httpx.post(address, data={"token": TOKEN}, headers=said, timeout=10)
    finally:
        server.close()
    assert (wrong.status_code, right.status_code) == (401, 302)
    assert "Secure" in right.headers["Set-Cookie"]
    assert list(app.extensions["clew"].access.addresses._times) == ["203.0.113.9"]


@pytest.mark.parametrize("by", ["key", "session"])
@pytest.mark.parametrize("away", [False, True], ids=["at once", "the database was away"])
def test_the_first_large_body_of_a_user_is_not_lost(
    clew: Any,
    questions: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    by: str,
    away: bool,
) -> None:
    def gone() -> Any:
        raise GraphUnavailable("Neo4j does not answer.")

    settings = Settings(home=tmp_path, access_token=TOKEN)
    clew.create_user("root", "admin", password=TOKEN)
    if by == "key":
        made = clew.create_api_key("root", "crawler", ["ingest"], 90)
        headers = {"Authorization": f"Bearer {made.key}"}
    else:
        before = create_app(clew, settings, questions).test_client()
        login = before.post("/login", data={"name": "root", "password": TOKEN})
        headers = {"Cookie": login.headers["Set-Cookie"].partition(";")[0]}
    with monkeypatch.context() as outage:
        if away:
            outage.setattr(clew, "access_state", gone)
        app = create_app(clew, settings, questions)
    listening = bound("127.0.0.1:0")
    server = serve(app, listening, threads=1)
    threading.Thread(target=server.run, daemon=True).start()

    def upload() -> httpx.Response:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/api/v1/documents?corpus=sample"
        files = {"files": ("a.txt", b"hello world. " * 3000, "text/plain")}
        return httpx.post(address, files=files, headers=headers, timeout=10)

    try:
        if away:
            refused = upload()
            assert refused.status_code == 503, refused.text
            assert refused.headers["Retry-After"] == "1"
            assert clew.calls == []
        taken = upload()
    finally:
        server.close()
    assert taken.status_code == 202, taken.text


def test_trusted_proxies_that_are_no_addresses() -> None:
    with pytest.raises(InvalidSetting, match="trusted_proxies"):
        trusted_networks(Settings(trusted_proxies="10.0.0.0/8,everybody"))


@pytest.mark.parametrize(
    "following",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1", "//["],
)
def test_login_leads_nowhere_else(guarded: Any, following: str) -> None:
    login = guarded.test_client().post("/login", data={"token": TOKEN, "next": following})
    assert login.location == "/"


@pytest.mark.parametrize("way", ["login", "bearer"])
def test_guessing_is_slowed_down_and_the_right_token_never_shut_out(guarded: Any, way: str) -> None:
    client = guarded.test_client()

    def guess(token: str) -> Any:
        if way == "login":
            return client.post("/login", data={"token": token})
        return client.get("/api/v1/corpora", headers={"Authorization": f"Bearer {token}"})

    for number in range(FAILURES):
        assert guess(f"wrong {number}").status_code == 401
    refused = guess("wrong again")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 901
    # others behind the same address hold it
    assert guess(TOKEN).status_code == (302 if way == "login" else 200)


@pytest.mark.parametrize("hours", [-5, 5])
def test_a_clock_that_is_set_neither_prolongs_nor_ends_the_wait(
    hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = Failures()
    for _ in range(FAILURES):
        failures.note("somebody")
    now = time.time()
    monkeypatch.setattr("clew_web.access.time.time", lambda: now + hours * 3600)
    assert 0 < failures.wait_s("somebody") <= WINDOW_S + 1


def test_a_copied_cookie_is_worth_nothing_after_logging_out(
    guarded: Any, clew: Any, questions: Any, tmp_path: Path
) -> None:
    def log_in() -> tuple[Any, dict[str, str]]:
        client = guarded.test_client()
        cookie = client.post("/login", data={"token": TOKEN}).headers["Set-Cookie"]
        return client, {"Cookie": cookie.partition(";")[0]}

    def status(app: Any, copied: dict[str, str]) -> int:
        found: int = (
            app.test_client(use_cookies=False).get("/api/v1/corpora", headers=copied).status_code
        )
        return found

    beside = create_app(clew, Settings(home=tmp_path, access_token=TOKEN), questions)
    client, copied = log_in()
    _, other = log_in()
    assert status(guarded, copied) == status(beside, copied) == 200
    client.post("/logout")
    assert status(guarded, copied) == status(beside, copied) == 401
    assert status(guarded, other) == 200
    restarted = create_app(clew, Settings(home=tmp_path, access_token=TOKEN), questions)
    assert status(restarted, copied) == 401
    assert status(restarted, other) == 200


def test_sessions_expire_and_end_with_the_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    access = Access(TOKEN, tmp_path)
    cookie = access.new_session()
    assert access.identify("", cookie) is TOKEN_HOLDER
    expires, nonce, signature = cookie.split(".")
    assert access.identify("", f"{int(expires) + 1}.{nonce}.{signature}") is None
    assert Access("another-token-of-length", tmp_path).identify("", cookie) is None
    for forged in ("", ".", "..", "ü.ü.ü", "9999999999..", "\udcff"):
        assert access.identify("", forged) is None
    monkeypatch.setattr("clew_web.access.time.time", lambda: float(expires) + 1)
    assert access.identify("", cookie) is None


def test_what_is_kept_of_ended_sessions_goes_when_they_expire(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    access = Access(TOKEN, tmp_path / "ended")
    early = access.new_session()
    access.end_session(early)
    access.end_session("9999999999.aa." + "0" * 64)  # nobody issued it
    monkeypatch.setattr("clew_web.access.time.time", lambda: float(early.partition(".")[0]) + 1)
    late = access.new_session()
    access.end_session(late)
    assert [file.name for file in (tmp_path / "ended").iterdir()] == [late.rpartition(".")[0]]


def test_ready_hides_the_messages_from_strangers(guarded: Any) -> None:
    client = guarded.test_client()
    hidden = client.get("/health/ready").json["services"]
    assert {service["detail"] for service in hidden} == {""}
    shown = client.get("/health/ready", headers=BEARER).json["services"]
    assert all(service["detail"] for service in shown)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "clew.example"])
def test_beyond_loopback_a_token_is_needed(
    clew: Any, questions: Any, host: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidSetting, match="let everyone in"):
        create_app(clew, Settings(home=tmp_path, web_host=host), questions)
    app = create_app(clew, Settings(home=tmp_path, web_host=host, access_token=TOKEN), questions)
    assert app.test_client().get("/health", base_url="http://clew.example").status_code == 200


def test_tokens_from_a_file_and_tokens_that_are_none(
    clew: Any, questions: Any, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    app = create_app(clew, Settings(home=tmp_path, access_token_file=file), questions)
    assert app.test_client().get("/api/v1/corpora", headers=BEARER).status_code == 200
    for content in ("", "short"):
        file.write_text(content)
        with pytest.raises(InvalidSetting, match="guessed"):
            create_app(clew, Settings(home=tmp_path, access_token_file=file), questions)
    file.unlink()
    with pytest.raises(InvalidSetting, match="cannot be read"):
        create_app(clew, Settings(home=tmp_path, access_token_file=file), questions)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    ],
)
def test_other_sites_may_not_change_anything(client: Any, clew: Any, headers: Any) -> None:
    for method, path in (
        ("POST", "/api/v1/query"),
        ("POST", "/api/v1/documents"),
        ("DELETE", "/api/v1/documents/d1?corpus=sample"),
        ("DELETE", "/api/v1/corpora/sample"),
        ("POST", "/api/v1/bench"),
        ("DELETE", "/api/v1/bench/runs/r1"),
        ("POST", "/api/v1/models/train"),
        ("POST", "/models/m/train"),
        ("POST", "/models/m/serve"),
        ("POST", "/bench"),
        ("POST", "/sample"),
        ("POST", "/login"),
    ):
        response = client.open(path, method=method, headers=headers, json={"question": "Who?"})
        assert response.status_code == 403, path
    assert clew.calls == []
    assert len(clew.stored["sample"]) == 5


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://localhost"},
    ],
)
def test_own_pages_and_programs_may(client: Any, headers: Any) -> None:
    response = client.post("/api/v1/query", json={"question": "Who?"}, headers=headers)
    assert response.status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::1", "a@b"]
)
def test_rebound_names_are_refused_on_loopback(client: Any, host: str) -> None:
    response = client.get("/api/v1/corpora", headers={"Host": host})
    assert response.status_code in (400, 421)
    assert response.json["error"]["remedy"]


@pytest.mark.parametrize("host", ["127.0.0.1:8750", "localhost", "LOCALHOST:1", "[::1]:8750"])
def test_names_of_this_machine_are_taken(client: Any, host: str) -> None:
    assert client.get("/api/v1/corpora", headers={"Host": host}).status_code == 200


def test_every_response_carries_the_headers(client: Any) -> None:
    for path in (
        "/",
        "/api/v1/corpora",
        "/nothing",
        "/static/logo.svg",
        "/docs",
        "/health",
        "/bench",
    ):
        with client.get(path) as response:
            headers = response.headers
        policy = headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers
        assert (headers["Cache-Control"] == "no-store") is (path != "/static/logo.svg")


def test_templates_hold_no_inline_code_and_nothing_foreign() -> None:
    folder = Path(__file__).parents[2] / "web" / "clew_web"
    files = [*folder.glob("templates/*.html"), *folder.glob("static/**/*.js")]
    assert len(files) > 15
    for file in files:
        text = file.read_text()
        for forbidden in (" style=", " onclick=", "<style", "|safe", "| safe", "innerHTML =",
                          "insertAdjacentHTML", "eval("):  # fmt: skip
            assert forbidden not in text, f"{file.name}: {forbidden}"
