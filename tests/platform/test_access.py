"""Users, keys and the log in a real Neo4j: what is kept, and that an administrator remains."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from clew.access import audit, keys, users
from clew.access.passwords import matches
from clew.errors import InvalidRequest, UnknownApiKey, UnknownUser
from clew_cypher.corpora import ensure_corpus
from clew_cypher.errors import UnknownCorpus
from clew_cypher.store import GraphStore

PASSWORD = "three words of it"
EVERYTHING = (
    "CYPHER 25 MATCH (n) WHERE n:User OR n:ApiKey OR n:Access OR n:AuditEntry DETACH DELETE n"
)


@pytest.fixture
def graph(store: GraphStore) -> Iterator[GraphStore]:
    """A database without users, before and after."""
    store.run_declared(EVERYTHING)
    yield store
    store.run_declared(EVERYTHING)


@pytest.fixture
def peopled(graph: GraphStore, corpus: str) -> GraphStore:
    """An administrator, and a reader of one corpus."""
    ensure_corpus(graph, corpus, embedder="hash", dimension=384)
    users.create_user(graph, "root", "admin", password=PASSWORD)
    users.create_user(graph, "ada", "reader", password=PASSWORD, corpora=[corpus])
    return graph


def test_the_first_user_is_an_administrator_who_can_log_in(graph: GraphStore) -> None:
    assert users.access_state(graph).users == 0
    for role, password in (("reader", PASSWORD), ("editor", PASSWORD), ("admin", None)):
        with pytest.raises(InvalidRequest, match="first user"):
            users.create_user(graph, "ada", role, password=password)  # type: ignore[arg-type]
    assert users.access_state(graph).users == 0
    made = users.create_user(graph, "ada", "admin", password=PASSWORD)
    assert made.all_corpora
    state = users.access_state(graph)
    assert (state.users, state.administrators) == (1, 1)
    assert state.secret
    users.create_user(graph, "crawler", "editor")
    assert users.access_state(graph).secret == state.secret


@pytest.mark.parametrize("name", ["", "Ada", "a b", "-a", "a" * 65, "ada\n", "ä"])
def test_names_that_are_none(peopled: GraphStore, name: str) -> None:
    with pytest.raises(InvalidRequest, match="no name of a user"):
        users.create_user(peopled, name, "reader")


def test_what_cannot_be_made(peopled: GraphStore, corpus: str) -> None:
    with pytest.raises(InvalidRequest, match="already"):
        users.create_user(peopled, "ada", "reader")
    with pytest.raises(InvalidRequest, match="no role"):
        users.create_user(peopled, "eve", "king")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match="9 characters"):
        users.create_user(peopled, "eve", "reader", password="too short")
    with pytest.raises(UnknownCorpus):
        users.create_user(peopled, "eve", "reader", corpora=[corpus, "no-such"])
    assert [user.name for user in users.list_users(peopled)] == ["ada", "root"]


def test_passwords_are_kept_as_argon2id_only(peopled: GraphStore) -> None:
    rows = peopled.run_declared("CYPHER 25 MATCH (u:User {name: 'ada'}) RETURN properties(u) AS u")
    assert rows[0]["u"]["password"].startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert PASSWORD not in str(rows)


def test_logging_in(peopled: GraphStore) -> None:
    found = users.log_in(peopled, "ada", PASSWORD)
    assert found is not None
    assert (found.name, found.role, found.disabled) == ("ada", "reader", False)
    users.create_user(peopled, "crawler", "editor")
    for name, password in (
        ("ada", PASSWORD + " "),
        ("ada", ""),
        ("ada", "x" * 100_000),
        ("nobody", PASSWORD),
        ("Ada", PASSWORD),
        ("crawler", ""),
        ("crawler", "a password that nobody has"),
    ):
        assert users.log_in(peopled, name, password) is None, name
    users.change_user(peopled, "ada", disabled=True)
    assert users.log_in(peopled, "ada", PASSWORD) is None


def test_it_takes_as_long_whether_there_is_such_a_name(peopled: GraphStore) -> None:
    def seconds(name: str) -> float:
        began = time.perf_counter()
        users.log_in(peopled, name, "wrong password")
        return time.perf_counter() - began

    matches(None, "")
    known, unknown = (min(seconds(name) for _ in range(5)) for name in ("ada", "nobody"))
    assert 0.5 < known / unknown < 2


def test_changes_end_sessions_where_they_must(peopled: GraphStore) -> None:
    def epoch() -> int:
        found = users.account(peopled, "ada")
        assert found is not None
        return found.epoch

    begun = epoch()
    users.change_user(peopled, "ada", role="editor", all_corpora=True)
    assert epoch() == begun
    users.change_user(peopled, "ada", password="another one, as long")
    assert epoch() == begun + 1
    assert users.log_in(peopled, "ada", PASSWORD) is None
    users.change_user(peopled, "ada", disabled=True)
    users.change_user(peopled, "ada", disabled=False)
    assert epoch() == begun + 2
    with pytest.raises(UnknownUser):
        users.change_user(peopled, "nobody", role="editor")


def test_there_is_always_an_administrator(peopled: GraphStore) -> None:
    for change in ({"role": "editor"}, {"disabled": True}):
        with pytest.raises(InvalidRequest, match="only administrator"):
            users.change_user(peopled, "root", **change)
    users.change_user(peopled, "ada", role="admin")
    users.change_user(peopled, "root", role="reader")
    with pytest.raises(InvalidRequest, match="only administrator"):
        users.change_user(peopled, "ada", disabled=True)
    assert users.access_state(peopled).administrators == 1


def test_an_administrator_without_a_password_is_not_the_one_who_is_left(
    peopled: GraphStore,
) -> None:
    """Only keys act for that one: nobody could log in and mend it."""
    users.create_user(peopled, "bot", "admin")
    assert users.access_state(peopled).administrators == 1
    for change in ({"role": "editor"}, {"disabled": True}):
        with pytest.raises(InvalidRequest, match="only administrator who can log in"):
            users.change_user(peopled, "root", **change)
    users.change_user(peopled, "bot", disabled=True)  # takes no administrator away
    users.change_user(peopled, "bot", disabled=False, password=PASSWORD)
    users.change_user(peopled, "root", disabled=True)
    assert users.access_state(peopled).administrators == 1


def test_a_deleted_user_leaves_nothing_behind(peopled: GraphStore) -> None:
    key = keys.create_api_key(peopled, "ada", "crawler", ["query"]).key
    before = users.account(peopled, "ada")
    assert before is not None
    assert users.delete_user(peopled, "ada") == 1
    assert users.account(peopled, "ada") is None
    assert keys.account_of_key(peopled, key) is None
    assert [user.name for user in users.list_users(peopled)] == ["root"]
    # another of that name is somebody else: the sessions of the one before are not theirs
    users.create_user(peopled, "ada", "reader", password=PASSWORD)
    after = users.account(peopled, "ada")
    assert after is not None
    assert (after.corpora, after.epoch > before.epoch) == (frozenset(), True)
    with pytest.raises(UnknownUser):
        users.delete_user(peopled, "nobody")
    with pytest.raises(InvalidRequest, match="only administrator"):
        users.delete_user(peopled, "root")


def test_a_grant_goes_with_its_corpus(peopled: GraphStore, corpus: str) -> None:
    def seen() -> tuple[str, ...]:
        return users.one_user(peopled, "ada").corpora

    assert seen() == (corpus,)
    assert users.revoke(peopled, "ada", corpus).corpora == ()
    with pytest.raises(InvalidRequest, match="not granted"):
        users.revoke(peopled, "ada", corpus)
    users.grant(peopled, "ada", corpus)
    users.grant(peopled, "ada", corpus)
    assert seen() == (corpus,)
    with pytest.raises(UnknownCorpus):
        users.grant(peopled, "ada", "no-such")
    with pytest.raises(UnknownUser):
        users.grant(peopled, "nobody", corpus)
    peopled.write("delete_corpus", corpus=corpus)
    ensure_corpus(peopled, corpus, embedder="hash", dimension=384)
    assert seen() == ()  # a corpus of the same name is another one


@contextmanager
def writes_counted(store: GraphStore) -> Iterator[list[str]]:
    names: list[str] = []
    write = store.write

    def counted(name: str, /, **params: object) -> list[dict[str, Any]]:
        names.append(name)
        return write(name, **params)

    with mock.patch.object(store, "write", counted):
        yield names


def test_a_key_lives_until_it_expires_or_is_revoked(peopled: GraphStore, corpus: str) -> None:
    made = keys.create_api_key(peopled, "ada", "  crawler ", ["query", "ingest", "query"], days=1)
    found = keys.account_of_key(peopled, made.key)
    assert found is not None
    assert (found.name, found.scopes, found.key_name) == ("ada", ("query", "ingest"), "crawler")
    assert found.corpora == {corpus}
    kept = peopled.run_declared("CYPHER 25 MATCH (k:ApiKey) RETURN properties(k) AS k")
    assert made.key.split("_")[2] not in str(kept)
    assert made.key not in repr(keys.list_api_keys(peopled))
    assert keys.list_api_keys(peopled)[0].last_used_at is not None
    peopled.run_declared("CYPHER 25 MATCH (k:ApiKey) SET k.last_used_at = datetime('2026-01-01')")
    with writes_counted(peopled) as written:
        for _ in range(3):
            keys.account_of_key(peopled, made.key)
        keys.account_of_key(peopled, made.key[:-40] + "0" * 40)
    assert written == ["note_key_use"]
    assert "2026-01-01" not in str(keys.list_api_keys(peopled)[0].last_used_at)
    secret = users.access_state(peopled).secret
    assert secret is not None
    assert keys.was_issued(secret, made.key)
    for wrong in (made.key[:-1] + "x", made.key.replace("clew_k", "clew_j"), "", "clew_", "ü"):
        assert not keys.was_issued(secret, wrong)
        assert keys.account_of_key(peopled, wrong) is None
    assert not keys.was_issued("0" * 64, made.key)
    # sealed with the same secret, of the same id: the digest decides
    _, other = keys.new_key(secret)
    assert keys.account_of_key(peopled, other) is None
    assert [key.state for key in keys.list_api_keys(peopled)] == ["valid"]
    peopled.run_declared(
        "CYPHER 25 MATCH (k:ApiKey) SET k.expires_at = datetime() - duration({seconds: 1})"
    )
    assert keys.account_of_key(peopled, made.key) is None
    assert [key.state for key in keys.list_api_keys(peopled)] == ["expired"]
    second = keys.create_api_key(peopled, "ada", "again", ["query"])
    assert users.one_user(peopled, "ada").keys == 1
    keys.revoke_api_key(peopled, second.id)
    assert keys.account_of_key(peopled, second.key) is None
    assert users.one_user(peopled, "ada").keys == 0
    with pytest.raises(UnknownApiKey):
        keys.revoke_api_key(peopled, "k000000000000")


@pytest.mark.parametrize(
    ("user", "name", "scopes", "days", "problem"),
    [
        ("nobody", "k", ["query"], 1, "no user"),
        ("ada", "k", [], 1, "No scope"),
        ("ada", "k", ["everything"], 1, "'everything' is no scope"),
        ("ada", "k", ["query"], 0, "0 days"),
        ("ada", "k", ["query"], 4000, "4000 days"),
        ("ada", "  ", ["query"], 1, "no name"),
    ],
)
def test_keys_that_cannot_be_made(
    peopled: GraphStore, user: str, name: str, scopes: list[str], days: int, problem: str
) -> None:
    with pytest.raises((InvalidRequest, UnknownUser), match=problem):
        keys.create_api_key(peopled, user, name, scopes, days)  # type: ignore[arg-type]
    assert keys.list_api_keys(peopled) == []


def test_the_log_is_read_page_by_page(graph: GraphStore) -> None:
    for number in range(5):
        who = "ada" if number % 2 else "root"
        audit.record(graph, who, f"documents.{number}", f"corpus=c{number}", address="192.0.2.1")
    audit.record(graph, "ada", "users.grant", "x" * 5000, "forbidden")

    def actions(**asked: object) -> list[str]:
        return [entry.action for entry in audit.list_entries(graph, **asked)]  # type: ignore[arg-type]

    assert actions(limit=2) == ["users.grant", "documents.4"]
    assert actions(limit=2, offset=2) == ["documents.3", "documents.2"]
    assert actions(who="root") == ["documents.4", "documents.2", "documents.0"]
    assert actions(action="users.") == ["users.grant"]
    newest = audit.list_entries(graph, limit=1)[0]
    assert (newest.outcome, len(newest.target)) == ("forbidden", 500)
