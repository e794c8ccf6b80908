"""Every route, called by everyone there is: who is let in, and who gets what is another's."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import encode_multipart

from clew.access.keys import new_key
from clew.errors import TooManyLogins
from clew.results.access import ROLES
from clew.results.schedule import NewSchedule, PlannedBench
from clew.settings import Settings
from clew_cypher.errors import GraphUnavailable
from clew_web.access import COOKIE, FAILURES, REMEMBERED_S
from clew_web.api.docs import BODIES
from clew_web.app import create_app
from clew_web.audit import OF_TWO_FORMS
from clew_web.guard import FORM_DATA
from clew_web.policy import PUBLIC, Corpora, policy_of

from .bench_runs import kept_run
from .fake_access import SECRET
from .fake_bench import add_job
from .fake_models import METHOD, version

PASSWORD = "three words of it"
OWN, FOREIGN = "papers", "classified"
PEOPLE = ("stranger", "editor", "reader", "admin")
"""The first is a reader of another corpus: of none that the routes are called for."""
LARGE_FIELD = encode_multipart({"corpus": "x" * 600_000}, boundary="x")[1]


@pytest.fixture
def peopled(clew: Any, questions: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An app with two corpora, and a user of each kind."""
    monkeypatch.setattr("clew_web.access.REMEMBERED_S", 0.0)
    for corpus in (OWN, FOREIGN):
        clew._put(corpus, f"u:{corpus}", f"Title of {corpus}", "ready", None)
        add_job(clew, "ingest", corpus, "running", {"done": 1, "total": 2})
        run = kept_run(f"run-{corpus}", "2026-11-19T10:00:00+00:00")
        data_set = run.data_set.model_copy(update={"name": f"corpus:{corpus}"})
        clew.kept[run.id] = run.model_copy(update={"data_set": data_set})
        clew.versions.append(version(f"v-{corpus}", corpus))
        asked = NewSchedule(name="x", corpus=corpus, cron="0 3 * * *", bench=PlannedBench())
        clew.add_webhook(corpus, "https://example.org/hook")
        made = clew.add_schedule(asked).model_copy(update={"id": f"s-{corpus}"})
        clew.schedule_list[-1] = made
    clew.create_user("root", "admin", password=PASSWORD)
    clew.create_user("stranger", "reader", password=PASSWORD, corpora=["sample"])
    clew.create_user("reader", "reader", password=PASSWORD, corpora=[OWN])
    clew.create_user("editor", "editor", password=PASSWORD, corpora=[OWN])
    clew.create_user("admin", "admin", password=PASSWORD)
    return create_app(clew, Settings(home=tmp_path, corpus=FOREIGN), questions)


def bearer(clew: Any, user: str, *scopes: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {clew.create_api_key(user, 'test', scopes).key}"}


def logged_in(app: Any, name: str) -> dict[str, str]:
    login = app.test_client().post("/login", data={"name": name, "password": PASSWORD})
    assert login.status_code == 302
    return {"Cookie": login.headers["Set-Cookie"].partition(";")[0]}


def calls(app: Any) -> Iterator[tuple[str, str, str]]:
    """Yield endpoint, method and a path for every route, about OWN where a corpus is named."""
    values = {
        "corpus": OWN,
        "name": "reader",
        "document_id": "d6",
        "job_id": "j1",
        "run_id": f"run-{OWN}",
        "method": METHOD,
        "version": f"v-{OWN}",
        "key_id": "k1",
        "review_id": "w1",
        "merge_id": "m1",
        "entity_id": "e1",
        "chunk_id": "c1",
        "schedule_id": f"s-{OWN}",
        "webhook_id": f"h-{OWN}",
        "action": "pause",
        "model": f"dense@{OWN}",
        "filename": "logo.svg",
    }
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: values[found[1]], rule.rule)
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            yield rule.endpoint, method, path


def test_every_route_by_everyone(peopled: Any, clew: Any) -> None:
    """401 for who proves nothing that holds, 403 for whose role is too low, else let in."""
    client = peopled.test_client(use_cookies=False)
    expired, revoked = (bearer(clew, "admin", "query", "ingest", "admin") for _ in range(2))
    by_age = list(clew.keys.values())
    by_age[-2].state, by_age[-1].state = "expired", "revoked"
    _, forged = new_key("0" * 64)
    nobody: dict[str, dict[str, str]] = {
        "anonymous": {},
        "expired key": expired,
        "revoked key": revoked,
        "forged key": {"Authorization": f"Bearer {forged}"},
        "forged token": {"Authorization": "Bearer 0123456789abcdef"},
        "forged session": {"Cookie": f"{COOKIE}=9999999999.aa.0.admin.{'0' * 64}"},
    }
    people = {name: logged_in(peopled, name) for name in PEOPLE}
    seen = 0
    for endpoint, method, path in calls(peopled):
        policy = policy_of(peopled, endpoint)
        assert policy is not None, endpoint
        if policy == PUBLIC or endpoint == "ui.logout":
            continue
        for who, headers in nobody.items():
            answer = client.open(path, method=method, headers=headers)
            assert answer.status_code in (401, 429), f"{who}: {method} {path}"
        for name, headers in people.items():
            role = "reader" if name == "stranger" else name
            answer = client.open(path, method=method, headers=headers, json={})
            enough = ROLES.index(role) >= ROLES.index(policy.needed(method))
            refused = answer.status_code == 403 and "This needs the role" in answer.text
            assert refused != enough, f"{name}: {method} {path}: {answer.status_code}"
            assert answer.status_code not in (401, 500), f"{name}: {method} {path}"
            seen += 1
        if OWN not in clew.stored:
            clew._put(OWN, f"u:{OWN}", f"Title of {OWN}", "ready", None)
        if "reader" not in clew.accounts:
            clew.create_user("reader", "reader", password=PASSWORD, corpora=[OWN])
    assert seen > 200


def test_a_key_does_what_its_scopes_say(peopled: Any, clew: Any) -> None:
    client = peopled.test_client(use_cookies=False)

    def statuses(headers: dict[str, str]) -> tuple[int, int, int]:
        read = client.get(f"/api/v1/corpora/{OWN}", headers=headers)
        write = client.post(
            f"/api/v1/documents?corpus={OWN}", headers=headers, json={"records": [{"text": "x"}]}
        )
        govern = client.get("/api/v1/users", headers=headers)
        return read.status_code, write.status_code, govern.status_code

    assert statuses(bearer(clew, "admin", "query")) == (200, 403, 403)
    assert statuses(bearer(clew, "admin", "ingest")) == (403, 202, 403)
    assert statuses(bearer(clew, "admin", "admin")) == (403, 403, 200)
    assert statuses(bearer(clew, "reader", "query", "ingest", "admin")) == (200, 403, 403)


def test_a_key_that_may_ingest_sees_what_became_of_its_job(peopled: Any, clew: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    ingests, asks = bearer(clew, "editor", "ingest"), bearer(clew, "admin", "query")
    sent = {"corpus": OWN, "records": [{"text": "x"}]}
    job = client.post("/api/v1/documents", headers=ingests, json=sent).json["job_id"]
    for path in (f"/api/v1/jobs/{job}", f"/api/v1/jobs/{job}/log"):
        assert client.get(path, headers=ingests).status_code == 200
    assert client.get("/api/v1/jobs", headers=ingests).status_code == 403
    for key, scope in ((ingests, "ingest"), (bearer(clew, "admin", "admin"), "admin")):
        assert client.get("/api/v1/me", headers=key).json["scopes"] == [scope]
    # what is missing is said: the scope, not the role, which its user has
    refused = client.get("/api/v1/users", headers=asks).json["error"]
    assert refused["message"] == "This needs an API key with the scope admin."
    refused = client.get("/api/v1/users", headers=bearer(clew, "editor", "query")).json["error"]
    assert refused["message"] == "This needs the role admin."


NAMED = (
    ("GET", "/api/v1/corpora/{}", None),
    ("GET", "/api/v1/corpora/{}/growth", None),
    ("GET", "/corpora/{}", None),
    ("PATCH", "/api/v1/corpora/{}", {"extractor": "none"}),
    ("POST", "/api/v1/corpora", {"name": "{}"}),
    ("GET", "/api/v1/documents?corpus={}", None),
    ("GET", "/api/v1/documents/d7?corpus={}", None),
    ("DELETE", "/api/v1/documents/d7?corpus={}", None),
    ("POST", "/api/v1/documents?corpus={}", {"records": [{"text": "x"}]}),
    ("POST", "/api/v1/documents", {"corpus": "{}", "records": [{"text": "x"}]}),
    ("GET", "/api/v1/jobs?corpus={}", None),
    ("GET", "/jobs?corpus={}", None),
    ("GET", "/api/v1/graph?corpus={}&entity_id=e1", None),
    ("GET", "/api/v1/graph?corpus={}&chunk_ids=c1", None),
    ("GET", "/api/v1/graph/entities?corpus={}&text=a", None),
    ("GET", "/api/v1/corpora/{}/entities/e1", None),
    *(("GET", f"/entities{page}?corpus={{}}", None) for page in ("", "/e1", "/review", "/merges")),
    ("GET", "/api/v1/graph/path?corpus={}&a=e1&b=e2", None),
    ("GET", "/api/v1/corpora/{}/reviews", None),
    ("POST", "/api/v1/corpora/{}/reviews/w1", {"verdict": "same"}),
    ("GET", "/api/v1/corpora/{}/merges", None),
    ("POST", "/api/v1/corpora/{}/merges", {"a": "e1", "b": "e2"}),
    ("DELETE", "/api/v1/corpora/{}/merges/m1", None),
    ("POST", "/api/v1/query", {"question": "Who?", "corpus": "{}"}),
    ("POST", "/api/v1/query/stream", {"question": "Who?", "corpus": "{}"}),
    ("POST", "/api/v1/search", {"question": "Who?", "corpus": "{}"}),
    ("POST", "/api/v1/bench", {"data_set": "corpus:{}"}),
    ("POST", "/api/v1/schedules", {"name": "x", "corpus": "{}", "cron": "0 3 * * *", "bench": {}}),
    ("GET", "/api/v1/schedules/s-{}", None),
    ("GET", "/api/v1/schedules/s-{}/runs", None),
    *(("POST", f"/api/v1/schedules/s-{{}}/{one}", None) for one in ("pause", "resume", "run")),
    ("DELETE", "/api/v1/schedules/s-{}", None),
    ("POST", "/api/v1/webhooks", {"corpus": "{}", "url": "https://example.org/x"}),
    ("GET", "/api/v1/webhooks/h-{}/deliveries", None),
    ("POST", "/api/v1/webhooks/h-{}/deliveries/j1/retry", None),
    ("DELETE", "/api/v1/webhooks/h-{}", None),
    ("GET", "/v1/models/dense@{}", None),
    (
        "POST",
        "/v1/chat/completions",
        {"model": "dense@{}", "messages": [{"role": "user", "content": "Who?"}]},
    ),
    ("GET", "/api/v1/bench/runs/run-{}", None),
    ("GET", "/api/v1/bench/runs/run-{}/figures", None),
    ("GET", "/api/v1/bench/runs/run-{}/report", None),
    ("GET", "/api/v1/bench/runs/run-papers/comparison?against=run-{}", None),
    ("GET", "/api/v1/bench/runs/run-papers/report?against=run-{}", None),
    ("DELETE", "/api/v1/bench/runs/run-{}", None),
    ("GET", "/api/v1/models?corpus={}", None),
    ("POST", "/api/v1/models/train", {"method": METHOD, "corpus": "{}"}),
    ("GET", f"/api/v1/models/{METHOD}/v-{{}}", None),
    ("GET", f"/api/v1/models/{METHOD}/v-{{}}/curve.svg", None),
    ("POST", f"/api/v1/models/{METHOD}/v-{{}}/promote", {}),
    ("POST", f"/api/v1/models/{METHOD}/v-papers/promote", {"corpus": "{}"}),
    ("POST", f"/api/v1/models/{METHOD}/roll-back", {"corpus": "{}"}),
    ("GET", "/documents?corpus={}", None),
    ("GET", "/documents/d7?corpus={}", None),
    ("GET", "/documents/d7/original?corpus={}", None),
    ("GET", "/documents/d7/chunks/c1?corpus={}", None),
    ("GET", "/api/v1/corpora/{}/chunks/c1", None),
    ("POST", "/api/v1/documents/retry", {"corpus": "{}", "document_ids": ["d7"]}),
    ("GET", "/ask?corpus={}", None),
    ("GET", "/bench/runs/run-{}", None),
    ("GET", "/bench/compare?run=run-papers&run=run-{}", None),
)


def of(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("{}", name)
    if isinstance(value, dict):
        return {key: of(name, inner) for key, inner in value.items()}
    return value


@pytest.mark.parametrize(("method", "path", "body"), NAMED, ids=lambda value: str(value)[:60])
@pytest.mark.parametrize("who", ["reader", "editor"])
def test_what_is_foreign_is_as_if_it_did_not_exist(
    peopled: Any, clew: Any, questions: Any, who: str, method: str, path: str, body: Any
) -> None:
    client = peopled.test_client(use_cookies=False)
    headers = logged_in(peopled, who) | {"Accept": "*/*"}
    if path.startswith(("/documents", "/ask", "/bench", "/jobs", "/entities", "/corpora")):
        headers["Accept"] = "text/html"

    def answer(name: str) -> tuple[int, str]:
        found = client.open(of(name, path), method=method, headers=headers, json=of(name, body))
        return found.status_code, found.text.replace(name, "NAME")

    before = len(clew.calls), len(questions.asked)
    foreign, unknown = answer(FOREIGN), answer("no-such")
    assert foreign == unknown
    assert foreign[0] in ((403, 404) if "html" not in headers["Accept"] else (200, 404))
    assert (len(clew.calls), len(questions.asked)) == before
    assert FOREIGN in clew.stored
    assert len(clew.stored[FOREIGN]) == 1
    assert f"run-{FOREIGN}" in clew.kept


def test_the_list_of_calls_names_every_route_that_checks_a_corpus(peopled: Any) -> None:
    """So that a new route is tried too; jobs have a test of their own."""
    adapter = peopled.url_map.bind("localhost")
    tried = {adapter.match(of("x", path).partition("?")[0], method)[0] for method, path, _ in NAMED}
    apart = {"jobs.get_job", "jobs.get_job_log", "jobs.cancel_job", "jobs.retry_job", "ui.job"}
    apart |= {"corpora.delete_corpus", "mcp.answer_mcp"}
    forms = {"ui.start_bench", "ui.train_model", "ui.serve_model", "ui.load_sample"}
    forms |= {"ui.schedules", "ui.add_schedule", "ui.change_schedule"}
    forms |= {"ui.retry_delivery"}
    for endpoint, _, _ in calls(peopled):
        policy = policy_of(peopled, endpoint)
        if policy is not None and policy.corpora is Corpora.CHECKED:
            assert endpoint in tried | apart | forms, endpoint


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/bench", {"data_set": "corpus:{}", "strategies": "dense"}),
        (f"/models/{METHOD}/train", {"corpus": "{}"}),
        (f"/models/{METHOD}/serve", {"version": "v-{}"}),
        (f"/models/{METHOD}/serve", {"corpus": "{}"}),
        ("/sample", {}),
        ("/schedules", {"name": "x", "corpus": "{}", "cron": "0 3 * * *", "kind": "bench"}),
        ("/schedules/s-{}/run", {}),
        ("/webhooks/h-{}/deliveries/j1/retry", {}),
    ],
)
def test_forms_do_not_tell_either(peopled: Any, clew: Any, path: str, fields: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    headers = logged_in(peopled, "editor") | {"Accept": "text/html"}

    def answer(name: str) -> tuple[int, str]:
        found = client.post(of(name, path), headers=headers, data=of(name, fields))
        return found.status_code, found.text.replace(name, "NAME")

    assert answer(FOREIGN) == answer("no-such")
    assert answer(FOREIGN)[0] in (403, 404)


def test_what_serves_every_corpus_is_rolled_back_by_who_sees_every_corpus(peopled: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    path = "/api/v1/models/text-to-triples/roll-back"
    answer = client.post(path, headers=logged_in(peopled, "editor"), json={})
    assert (answer.status_code, answer.json["error"]["code"]) == (403, "forbidden")
    assert "every corpus" in answer.json["error"]["message"]


def test_what_was_of_a_deleted_corpus_is_none_of_a_later_one(peopled: Any, clew: Any) -> None:
    (job,) = clew.jobs(OWN)
    run = f"run-{OWN}"
    version = next(one for one in clew.versions if one.corpus == OWN)
    headers = bearer(clew, "reader", "query")
    client = peopled.test_client()

    def seen() -> list[bool]:
        def answer(path: str) -> Any:
            return client.get(f"/api/v1/{path}", headers=headers)

        return [
            answer(f"jobs/{job.id}").status_code == 200,
            answer(f"jobs/{job.id}/log").status_code == 200,
            answer("jobs").json["total"] == 1,
            answer(f"bench/runs/{run}").status_code == 200,
            bool(answer("bench/runs").json["runs"]),
            bool(answer(f"models?corpus={OWN}").json["models"]),
            answer(f"models/{version.kind}/{version.version}").status_code == 200,
        ]

    assert seen() == [True] * 7
    clew.job_list[clew.job_list.index(job)] = job.model_copy(update={"corpus_deleted": True})
    clew.of_deleted.add(run)
    clew.versions = [
        one.model_copy(update={"corpus_deleted": one.version == version.version})
        for one in clew.versions
        if one.corpus is not None
    ]
    assert seen() == [False] * 7


def test_a_report_that_an_administrator_had_drawn_is_no_others(peopled: Any, clew: Any) -> None:
    """Which is the default corpus stands in it."""
    run = clew.kept[f"run-{OWN}"]
    clew.kept[run.id] = run.model_copy(update={"settings": {"corpus": FOREIGN}})
    client = peopled.test_client(use_cookies=False)
    told = [
        FOREIGN in client.get(f"/api/v1/bench/runs/{run.id}/report", headers=headers).text
        for headers in (bearer(clew, "admin", "query"), bearer(clew, "reader", "query"))
    ]
    assert told == [True, False]


@pytest.mark.parametrize(("who", "offered"), [("reader", False), ("editor", True)])
def test_pages_offer_what_their_reader_may_do(peopled: Any, who: str, offered: bool) -> None:
    client = peopled.test_client(use_cookies=False)
    headers = logged_in(peopled, who)
    controls = {
        "/bench": ("Start the run", "data-delete", "delete-dialog", "bench_form.js"),
        "/schedules": ("Run now", "Pause", "data-delete", "delete-dialog", 'name="timing"'),
    }
    for path, parts in controls.items():
        shown = client.get(path, headers=headers).text
        assert [part in shown for part in parts] == [offered] * len(parts), path
        assert ("Those who are editors can" in shown) is not offered, path


def test_who_has_some_corpora_is_offered_to_make_no_other(peopled: Any, clew: Any) -> None:
    clew.create_corpus("soon")
    clew.create_user("later", "editor", password=PASSWORD, corpora=["soon"])
    clew.create_user("tried", "editor", password=PASSWORD, corpora=["sample", "soon"])
    client = peopled.test_client(use_cookies=False)
    shown = {
        (who, path): client.get(path, headers=logged_in(peopled, who)).text
        for who in ("later", "tried", "admin")
        for path in ("/", "/corpora", "/documents?corpus=soon", "/bench")
    }
    for words, offered in (("new-corpus", {"admin"}), ("corpus-dialog", {"admin"})):
        for path in ("/corpora", "/documents?corpus=soon"):
            found = {who for who in ("later", "tried", "admin") if words in shown[who, path]}
            assert found == offered, (words, path)
    sample = "Load the sample corpus"
    loading = {who for who in ("later", "tried", "admin") if sample in shown[who, path]}
    assert loading == {"tried", "admin"}
    assert sample not in shown["later", "/"]
    assert "Add documents" in shown["later", "/"]
    measured = {who for who in ("later", "tried", "admin") if "sample" in shown[who, "/bench"]}
    assert measured == {"tried", "admin"}
    assert client.post("/sample", headers=logged_in(peopled, "later")).status_code == 404


def test_jobs_of_others_do_not_exist(peopled: Any, clew: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    headers = logged_in(peopled, "editor")
    own, foreign = (
        next(job.id for job in clew.job_list if job.corpus == corpus) for corpus in (OWN, FOREIGN)
    )
    for method, path in (
        *(("GET", path) for path in ("/api/v1/jobs/{}", "/api/v1/jobs/{}/log", "/jobs/{}")),
        *(("POST", f"/api/v1/jobs/{{}}/{action}") for action in ("cancel", "retry")),
    ):
        answers = [
            client.open(path.format(job), method=method, headers=headers)
            for job in (foreign, "no-such")
        ]
        assert answers[0].status_code == answers[1].status_code == 404
        assert answers[0].text.replace(foreign, "ID") == answers[1].text.replace("no-such", "ID")
        assert client.open(path.format(own), method=method, headers=headers).status_code < 300
    assert clew.job(foreign).state == "running"


@pytest.mark.parametrize(
    "path",
    [
        *("/api/v1/corpora", "/api/v1/jobs", "/api/v1/bench/runs", "/api/v1/models", "/api/v1/me"),
        *(
            "/",
            "/ask",
            "/documents",
            "/corpora",
            "/jobs",
            "/bench",
            "/models",
            "/health/ready",
            "/openapi.json",
        ),
    ],
)
def test_lists_are_of_what_may_be_seen(peopled: Any, path: str) -> None:
    client = peopled.test_client(use_cookies=False)
    told = client.get(path, headers=logged_in(peopled, "reader")).text
    assert FOREIGN not in told
    everything = client.get(path, headers=logged_in(peopled, "admin")).text
    if path not in ("/health/ready", "/openapi.json", "/api/v1/me", "/documents"):
        assert FOREIGN in everything
        assert OWN in told


def test_without_a_corpus_the_own_one_is_meant(peopled: Any, questions: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    asked = {"question": "Who?"}
    client.post("/api/v1/search", headers=logged_in(peopled, "reader"), json=asked)
    client.post("/api/v1/search", headers=logged_in(peopled, "admin"), json=asked)
    assert [question.corpus for question in questions.asked] == [OWN, FOREIGN]


def test_a_route_that_declares_nothing_is_closed_to_administrators_too(
    clew: Any, questions: Any, tmp_path: Path
) -> None:
    clew.create_user("admin", "admin", password=PASSWORD)
    app = create_app(clew, Settings(home=tmp_path), questions)
    app.add_url_rule("/forgotten", "forgotten", lambda: "open")
    client = app.test_client(use_cookies=False)
    assert client.get("/forgotten", headers=logged_in(app, "admin")).status_code == 403


def test_disabling_ends_sessions_and_keys(peopled: Any, clew: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    ways = (logged_in(peopled, "reader"), bearer(clew, "reader", "query"))
    path = f"/api/v1/corpora/{OWN}"
    assert [client.get(path, headers=way).status_code for way in ways] == [200, 200]
    clew.change_user("reader", disabled=True)
    assert [client.get(path, headers=way).status_code for way in ways] == [401, 401]
    clew.change_user("reader", disabled=False)
    # a session that was ended stays ended
    assert [client.get(path, headers=way).status_code for way in ways] == [401, 200]
    clew.revoke("reader", OWN)
    assert client.get(path, headers=ways[1]).status_code == 404


def test_a_new_password_ends_the_sessions_before(peopled: Any, clew: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    before = logged_in(peopled, "reader")
    clew.change_user("reader", password=PASSWORD)
    assert client.get("/api/v1/me", headers=before).status_code == 401
    after = logged_in(peopled, "reader")
    assert client.get("/api/v1/me", headers=after).json["name"] == "reader"
    client.post("/logout", headers=after)
    assert client.get("/api/v1/me", headers=after).status_code == 401


def test_what_is_known_of_callers_is_remembered_for_a_second(
    clew: Any, questions: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clew.create_user("admin", "admin", password=PASSWORD)
    app = create_app(clew, Settings(home=tmp_path), questions)
    client = app.test_client(use_cookies=False)
    now = [1000.0]
    monkeypatch.setattr("clew_web.access.time.monotonic", lambda: now[0])
    key = bearer(clew, "admin", "query")
    clew.looked_up.clear()
    for _ in range(5):
        assert client.get("/api/v1/me", headers=key).status_code == 200
    assert clew.looked_up.count("key") == 1
    clew.keys[next(iter(clew.keys))].state = "revoked"
    now[0] += REMEMBERED_S
    assert client.get("/api/v1/me", headers=key).status_code == 401
    for number in range(FAILURES):
        client.get("/api/v1/me", headers={"Authorization": f"Bearer {new_key('0' * 64)[1]}"})
        assert clew.looked_up.count("key") == 2, number  # a made-up key is not looked up


def test_open_on_loopback_until_there_is_a_user(clew: Any, client: Any) -> None:
    assert client.get("/api/v1/me").json["role"] == "admin"
    assert client.get("/login").status_code == 302
    made = client.post("/api/v1/users", json={"name": "ada", "role": "admin", "password": PASSWORD})
    assert made.status_code == 201
    client.application.extensions["clew"].access._recent = type(
        client.application.extensions["clew"].access._recent
    )()
    assert client.get("/api/v1/me").status_code == 401
    page = client.get("/login").text
    assert 'name="password"' in page
    assert 'name="token"' not in page


@pytest.mark.parametrize("known", [True, False])
def test_guessing_a_password_is_stopped_for_the_account(peopled: Any, known: bool) -> None:
    """From wherever the guesses come, whether there is such an account or not."""
    name = "reader" if known else "nobody-has-this"
    client = peopled.test_client(use_cookies=False)

    def guess(password: str, number: int) -> int:
        there = {"REMOTE_ADDR": f"192.0.2.{number}"}
        data = {"name": name, "password": password}
        status: int = client.post("/login", data=data, environ_base=there).status_code
        return status

    assert [guess(f"wrong {n}", n) for n in range(FAILURES)] == [401] * FAILURES
    assert guess("wrong again", 99) == 429
    assert guess(PASSWORD, 100) == 429  # a password can be guessed: even the right one waits
    assert logged_in(peopled, "editor")


def test_one_address_cannot_try_a_password_on_many_names(
    peopled: Any, clew: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is refused by its address is neither compared nor logged, the right one neither."""
    client = peopled.test_client(use_cookies=False)
    compared: list[str] = []
    log_in = clew.log_in

    def noted(name: str, given: str) -> Any:
        compared.append(name)
        return log_in(name, given)

    monkeypatch.setattr(clew, "log_in", noted)

    def guess(name: str, password: str, address: str = "192.0.2.1") -> int:
        data = {"name": name, "password": password}
        there = {"REMOTE_ADDR": address}
        status: int = client.post("/login", data=data, environ_base=there).status_code
        return status

    assert guess("editor", PASSWORD) == 302  # who is right does not use the tries up
    assert [guess(f"name-{n}", "wrong") for n in range(FAILURES)] == [401] * FAILURES
    compared.clear()
    clew.entries.clear()
    assert guess("editor", "wrong again") == 429
    assert guess("editor", PASSWORD) == 429
    assert compared == []
    assert clew.entries == []
    assert guess("editor", PASSWORD, "192.0.2.2") == 302


@pytest.mark.parametrize("error", [TooManyLogins("Busy."), GraphUnavailable("away")])
def test_what_could_not_be_compared_shuts_nobody_out(
    peopled: Any, clew: Any, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    client = peopled.test_client(use_cookies=False)

    def away(name: str, password: str) -> Any:
        raise error

    with monkeypatch.context() as outage:
        outage.setattr(clew, "log_in", away)
        for _ in range(FAILURES + 1):
            tried = client.post("/login", data={"name": "editor", "password": PASSWORD})
            assert tried.status_code == 503
    assert logged_in(peopled, "editor")


def test_names_that_nobody_has_do_not_fill_the_log(peopled: Any, clew: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    clew.entries.clear()
    for number in range(3 * FAILURES):
        there = {"REMOTE_ADDR": f"192.0.2.{number}"}
        data = {"name": f"nobody-{number}", "password": "wrong"}
        assert client.post("/login", data=data, environ_base=there).status_code == 401
    client.post("/login", data={"name": "editor", "password": "wrong"})
    told = [entry.who for entry in reversed(clew.entries)]
    assert told == ["an unknown name"] * FAILURES + ["editor"]


def test_changes_are_logged_and_nothing_secret_with_them(peopled: Any, clew: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    admin, editor = logged_in(peopled, "admin"), logged_in(peopled, "editor")
    clew.entries.clear()
    question = "Who told the secret?"
    client.post("/api/v1/query", headers=editor, json={"question": question, "corpus": OWN})
    assert clew.entries == []  # who only asks changes nothing
    secret = "do not tell anybody"
    eve = {"name": "eve", "password": secret, "corpora": [OWN, FOREIGN]}
    client.post("/api/v1/users", headers=admin, json=eve)
    client.patch("/api/v1/users/eve", headers=admin, json={"password": secret + "!"})
    client.post(
        f"/api/v1/documents?corpus={OWN}", headers=editor, json={"records": [{"text": secret}]}
    )
    client.delete("/api/v1/documents/d6?corpus=no-such", headers=editor)
    client.delete(f"/api/v1/corpora/{OWN}", headers=editor)
    made = client.post(
        "/api/v1/keys", headers=admin, json={"user": "eve", "name": "k", "scopes": ["query"]}
    )
    client.post("/login", data={"name": secret, "password": secret})
    assert [(e.who, e.action, e.target, e.outcome) for e in reversed(clew.entries)] == [
        (
            *("admin", "access.create_user"),
            *(f"name=eve, corpora={OWN} {FOREIGN}, password given", "done"),
        ),
        ("admin", "access.change_user", "name=eve, password given", "done"),
        ("editor", "documents.add_documents", f"corpus={OWN}", "done"),
        ("editor", "documents.delete_document", "document_id=d6, corpus=no-such", "not_found"),
        ("editor", "corpora.delete_corpus", f"corpus={OWN}", "forbidden"),
        ("admin", "access.create_key", "name=k, user=eve, scopes=query", "done"),
        ("an unknown name", "ui.log_in", "", "access_denied"),
    ]
    told = client.get("/api/v1/audit?limit=3", headers=admin)
    assert [entry["action"] for entry in told.json["entries"]] == [
        "ui.log_in",
        "access.create_key",
        "corpora.delete_corpus",
    ]
    assert told.json["more"]
    for text in (secret, question, made.json["key"]):
        assert text not in client.get("/api/v1/audit", headers=admin).text
    assert client.get("/api/v1/audit", headers=editor).status_code == 403


@pytest.mark.parametrize(
    "sent",
    [
        {"json": {"name": "\ud800"}},
        {"json": {"corpus": "harmless"}},
        {"data": LARGE_FIELD, "content_type": f"{FORM_DATA}; boundary=x"},
        {"data": "[" * 50_000, "content_type": "application/json"},
    ],
    ids=["a lone surrogate", "another corpus", "a large field", "deep nesting"],
)
def test_what_a_view_does_not_read_changes_nothing_in_the_log(
    peopled: Any, clew: Any, sent: dict[str, Any]
) -> None:
    client = peopled.test_client(use_cookies=False)
    editor = logged_in(peopled, "editor")
    clew.entries.clear()
    done = client.delete(f"/api/v1/documents/d6?corpus={OWN}", headers=editor, **sent)
    assert done.status_code in (200, 400), done.text
    assert ("d6" in clew.stored[OWN]) == (done.status_code == 400)
    (line,) = clew.entries
    assert (line.who, line.action) == ("editor", "documents.delete_document")
    assert line.target == f"document_id=d6, corpus={OWN}"
    assert line.outcome == ("done" if done.status_code == 200 else "bad_request")


def test_a_change_is_logged_whatever_its_body_holds(
    peopled: Any, clew: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = peopled.test_client(use_cookies=False)
    people = {name: logged_in(peopled, name) for name in ("reader", "admin")}
    clew.entries.clear()

    def post(who: str, path: str, **sent: Any) -> int:
        status: int = client.post(f"/api/v1/{path}", headers=people[who], **sent).status_code
        return status

    def parts() -> dict[str, Any]:
        files = [(io.BytesIO(b"x"), f"{number}.txt") for number in range(2100)]
        return {"data": {"files": files}, "content_type": FORM_DATA}

    deep = {"data": "[" * 50_000 + "]" * 50_000, "content_type": "application/json"}
    assert post("reader", f"documents?corpus={OWN}", **parts()) == 403
    assert post("reader", "corpora", **deep) == 403
    assert post("admin", "documents?corpsu=x", **parts()) == 422
    assert post("admin", "documents?corpus=a", json={"corpus": "b"}) == 422
    assert post("admin", "users?name=harmless", json={"name": "\ud800"}) == 422
    assert [(line.who, line.target, line.outcome) for line in reversed(clew.entries)] == [
        ("reader", f"corpus={OWN}", "forbidden"),
        ("reader", "the rest cannot be read", "forbidden"),
        ("admin", "", "invalid_request"),
        ("admin", "corpus=a, corpus=b", "invalid_request"),
        ("admin", "name=?", "invalid_request"),
    ]

    def broken(*_: Any) -> None:
        raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "no surrogates")

    monkeypatch.setattr(clew, "record", broken)
    assert post("admin", "corpora", json={"name": "new"}) == 201


def test_the_log_knows_the_views_whose_body_has_two_forms(app: Any) -> None:
    taking = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.rule in BODIES and "POST" in rule.methods
    }
    assert taking == set(OF_TWO_FORMS)


def test_one_without_a_corpus_is_told_who_can_grant_one(peopled: Any, clew: Any) -> None:
    clew.create_user("new", "editor", password=PASSWORD)
    client = peopled.test_client(use_cookies=False)
    headers = logged_in(peopled, "new")
    question = {"question": "Who?"}
    chat = {"model": "dense", "messages": [{"role": "user", "content": "Who?"}]}
    told = [
        client.get("/api/v1/documents", headers=headers),
        client.get("/api/v1/graph/entities?text=a", headers=headers),
        client.post("/api/v1/query", headers=headers, json=question),
        client.post("/api/v1/documents", headers=headers, json={"records": [{"text": "x"}]}),
        client.post("/api/v1/models/train", headers=headers, json={"method": METHOD}),
        client.post("/v1/chat/completions", headers=headers, json=chat),
    ]
    for answer in told:
        assert answer.status_code == 403, answer.text
        assert "No corpus is granted to you." in answer.json["error"]["message"]
    assert told[0].json["error"]["remedy"] == "An administrator can grant you one."
    html = headers | {"Accept": "text/html"}
    for page in ("documents", "entities", "entities/review", "entities/merges"):
        shown = client.get(f"/{page}", headers=html)
        assert shown.status_code == 200, page
        assert "No corpus is granted to you." in shown.text, page


def test_a_sealed_key_of_another_database_lets_nobody_in(peopled: Any, clew: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    _, unkept = new_key(SECRET)  # sealed here, but never given out
    for key in (unkept, new_key("1" * 64)[1]):
        answer = client.get("/api/v1/me", headers={"Authorization": f"Bearer {key}"})
        assert answer.status_code == 401


def test_lists_of_schedules_and_models_hold_what_is_seen(peopled: Any) -> None:
    client = peopled.test_client(use_cookies=False)
    headers = logged_in(peopled, "reader")
    listed = client.get("/api/v1/schedules", headers=headers).json["schedules"]
    assert [one["corpus"] for one in listed] == [OWN]
    models = client.get("/v1/models", headers=headers).json["data"]
    assert {one["id"].partition("@")[2] for one in models} == {OWN}
    assert FOREIGN not in client.get("/schedules", headers=headers | {"Accept": "text/html"}).text


def test_tools_of_programs_see_what_their_caller_sees(
    peopled: Any, clew: Any, questions: Any
) -> None:
    """Two callers by turns: what one may see is not remembered for the other."""
    client = peopled.test_client(use_cookies=False)
    accepted = {"Accept": "application/json, text/event-stream"}
    people = {name: bearer(clew, name, "query") | accepted for name in ("reader", "admin")}

    def told(who: str, tool: str, **arguments: Any) -> Any:
        call = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        found = client.post("/mcp", json=message, headers=people[who])
        assert found.status_code == 200, found.text
        return found.json["result"]

    for _ in range(2):
        seen = told("reader", "documents")["structuredContent"]
        assert [corpus["name"] for corpus in seen["corpora"]] == [OWN]
        every = told("admin", "documents")["structuredContent"]
        assert {OWN, FOREIGN} <= {corpus["name"] for corpus in every["corpora"]}
    for tool, arguments in (
        ("ask", {"question": "Who?"}),
        ("search", {"question": "Who?"}),
        ("documents", {}),
        ("graph", {"name": "a"}),
    ):
        asked = len(questions.asked)
        foreign = told("reader", tool, corpus=FOREIGN, **arguments)
        unknown = told("reader", tool, corpus="no-such", **arguments)
        assert foreign["isError"]
        assert str(foreign).replace(FOREIGN, "NAME") == str(unknown).replace("no-such", "NAME")
        assert len(questions.asked) == asked
