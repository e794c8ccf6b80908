"""Users, keys and the log by command: what is asked for, printed and kept."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.access import keys, users
from clew_cypher.corpora import ensure_corpus
from clew_cypher.store import GraphStore, Neo4jConfig

from ..command_line import Done, call_clew
from .test_access import EVERYTHING, PASSWORD

Run = Callable[..., Done]


@pytest.fixture
def run(
    store: GraphStore,
    neo4j_server: Neo4jConfig,
    cache_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Run]:
    environment = {name: value for name, value in os.environ.items() if "CLEW_" not in name} | {
        "CLEW_HOME": str(tmp_path),
        "CLEW_CACHE_DIR": str(cache_dir),
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
    }

    def call(*arguments: str, code: int = 0, typed: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        return call_clew(environment, *arguments, code=code)

    store.run_declared(EVERYTHING)
    yield call
    store.run_declared(EVERYTHING)


def test_from_no_user_to_a_revoked_key(run: Run, store: GraphStore, corpus: str) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert "no users" in run("users").stdout
    assert "no API key" in run("keys").stdout
    refused = run("users", "create", "ada", typed=PASSWORD, code=2)
    assert "administrator" in refused.stderr
    refused = run("users", "create", "ada", "--role", "admin", code=2)
    assert "no password" in refused.stderr
    run("users", "create", "ada", "--role", "admin", typed=f"{PASSWORD}\n")
    assert users.log_in(store, "ada", PASSWORD) is not None
    run("users", "create", "crawler", "--role", "editor", "-c", corpus, "--no-password")
    listed = {user["name"]: user for user in json.loads(run("users", "list", "--json").stdout)}
    assert listed["ada"]["all_corpora"]
    assert listed["crawler"]["corpora"] == [corpus]
    assert not listed["crawler"]["can_log_in"]

    made = run("keys", "create", "crawler", "--name", "nightly", "--scope", "ingest")
    key = made.stdout.strip()
    found = keys.account_of_key(store, key)
    assert found is not None
    assert found.scopes == ("ingest",)
    shown = run("keys", "list").stdout
    assert "nightly" in shown
    assert key not in shown + run("keys", "list", "--json").stdout
    key_id = key.split("_")[1]
    run("keys", "revoke", key_id)
    assert keys.account_of_key(store, key) is None
    assert "revoked" in run("keys").stdout
    run("keys", "revoke", "k000000000000", code=3)

    told = json.loads(run("audit", "--json").stdout)
    assert [(line["action"], line["outcome"]) for line in reversed(told)] == [
        ("users create", "InvalidRequest"),
        ("users create", "done"),
        ("users create", "done"),
        ("keys create", "done"),
        ("keys revoke", "done"),
        ("keys revoke", "UnknownApiKey"),
    ]
    assert all(line["who"].startswith("command line (") for line in told)
    assert PASSWORD not in str(told)
    assert key not in str(told)
    assert len(run("audit", "--action", "keys", "--limit", "2").stdout.splitlines()) == 3


def test_changing_users(run: Run, store: GraphStore, corpus: str) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    run("users", "create", "root", "--role", "admin", typed=PASSWORD)
    run("users", "create", "ada", typed=PASSWORD)

    def ada() -> tuple[object, ...]:
        found = users.one_user(store, "ada")
        return found.role, found.corpora, found.all_corpora, found.disabled

    assert ada() == ("reader", (), False, False)
    run("users", "grant", "ada", corpus)
    run("users", "role", "ada", "editor")
    assert ada() == ("editor", (corpus,), False, False)
    run("users", "revoke", "ada", corpus)
    run("users", "grant", "ada", "--all")
    run("users", "disable", "ada")
    assert ada() == ("editor", (), True, True)
    run("users", "revoke", "ada", "--all")
    run("users", "enable", "ada")
    assert ada() == ("editor", (), False, False)
    run("users", "password", "ada", typed="another one, as long")
    assert users.log_in(store, "ada", "another one, as long") is not None
    for wrong, code in (
        (("grant", "ada"), 2),
        (("grant", "ada", corpus, "--all"), 2),
        (("grant", "ada", "no-such"), 3),
        (("grant", "nobody", corpus), 3),
        (("disable", "root"), 2),
        (("role", "ada", "king"), 2),
    ):
        assert run("users", *wrong, code=code).stderr


def test_a_password_is_never_an_argument(run: Run) -> None:
    for command in ("create", "password"):
        assert "--password " not in run("users", command, "--help").stdout


def test_webhooks_are_made_listed_and_deleted(run: Run, store: GraphStore, corpus: str) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert "no webhooks" in run("webhooks", "-c", corpus).stdout
    refused = run("webhooks", "add", "http://127.0.0.1:9/x", "-c", corpus, code=3)
    assert "not a public address" in refused.stderr
    url = "https://93.184.215.14/hook"
    made = run("webhooks", "add", url, "-c", corpus, "--kind", "ingest")
    assert len(made.stdout.strip()) == 43
    (listed,) = json.loads(run("webhooks", "list", "-c", corpus, "--json").stdout)
    assert (listed["url"], listed["kinds"]) == (url, ["ingest"])
    assert made.stdout.strip() not in run("webhooks", "list", "--json").stdout
    run("webhooks", "delete", listed["id"])
    assert "h0" in run("webhooks", "sent", "h0", code=3).stderr
