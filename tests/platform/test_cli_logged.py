"""Every command that changes what others see is in the audit log, however it ends."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from typer.main import get_command

from clew.cli.app import COMMANDS, app
from clew.errors import InvalidRequest

from ..command_line import call_clew

READING = {
    *("ask", "search", "mcp", "status", "doctor", "audit", "strategies", "settings"),
    *("documents list", "documents show", "corpora list", "users list", "keys list", "train list"),
    *("train show", "entities review", "entities merges", "schedules list", "schedules history"),
    *("webhooks list", "webhooks sent", "graph perspective", "graph guide", "graph style"),
}
PROCESSES = {"up", "down", "schedules tick"}
"""What runs on this machine, which nobody else sees."""
ELSEWHERE = {"backup", "restore", "train METHOD"}
"""Tested with what they do: tests/platform/test_backup.py, and below."""
KEY = "user=ada, name=k, scopes=query, days=90"
LOGGED = {
    "ingest": ("FILE --in-process -c mine", "ingest", "corpus=mine"),
    "delete": ("d1 -c mine -y", "documents delete", "corpus=mine, document_id=d1"),
    "documents delete": ("d1 -c mine -y", "documents delete", "corpus=mine, document_id=d1"),
    "jobs": ("--cancel j1", "jobs cancel", "job=j1"),
    "check": ("--repair", "check repair", "corpus=all"),
    "bench": ("sample", "bench", "data_set=sample"),
    "demo": ("", "ingest", "corpus=sample"),
    "entities decide": (
        "r1 same -c mine",
        "entities decide",
        "corpus=mine, review=r1, verdict=same",
    ),
    "entities merge": ("Ada Lovelace -c mine", "entities merge", "corpus=mine"),
    "entities undo": ("m1 -c mine", "entities undo", "corpus=mine, merge=m1"),
    "entities resolve": ("-c mine", "entities resolve", "corpus=mine"),
    "corpora create": ("mine", "corpora create", "corpus=mine"),
    "corpora set": ("mine --extractor none", "corpora set", "corpus=mine, extractor=none"),
    "users create": (
        "ada --no-password -c mine -c yours --all-corpora",
        "users create",
        "name=ada, role=reader, corpora=mine yours, all_corpora=True",
    ),
    "users role": ("ada editor", "users role", "name=ada, role=editor"),
    "users grant": ("ada mine", "users grant", "name=ada, corpus=mine"),
    "users revoke": ("ada mine", "users revoke", "name=ada, corpus=mine"),
    "users disable": ("ada", "users disable", "name=ada"),
    "users enable": ("ada", "users enable", "name=ada"),
    "users password": ("ada", "users password", "name=ada"),
    "users delete": ("ada --yes", "users delete", "name=ada"),
    "keys create": ("ada --name k --scope query", "keys create", KEY),
    "keys revoke": ("k1", "keys revoke", "key_id=k1"),
    "train promote": ("dense v1", "train promote", "method=dense, version=v1"),
    "train rollback": ("dense -c mine", "train rollback", "method=dense, corpus=mine"),
    "schedules reindex": ("FILE -c mine --every 1d", "schedules reindex", "corpus=mine"),
    "schedules train": ("dense -c mine --every 1d", "schedules train", "corpus=mine"),
    "schedules bench": ("-c mine --every 1d", "schedules bench", "corpus=mine"),
    "schedules run": ("s1", "schedules run", "schedule=s1"),
    "schedules pause": ("s1", "schedules pause", "schedule=s1"),
    "schedules resume": ("s1", "schedules resume", "schedule=s1"),
    "schedules delete": ("s1", "schedules delete", "schedule=s1"),
    "webhooks add": ("https://example.org/ -c mine", "webhooks add", "corpus=mine"),
    "webhooks retry": ("w1 j1", "webhooks retry", "webhook=w1"),
    "webhooks delete": ("w1", "webhooks delete", "webhook=w1"),
}


class Refusing:
    """A facade that reads, refuses whatever changes something, and keeps what is logged."""

    READS = ("stats", "resolve_document", "resources")
    entries: list[tuple[str, str, str]]

    def __init__(self, settings: Any = None) -> None:
        self.stats = MagicMock()
        self.resources = MagicMock()

    def __enter__(self) -> "Refusing":
        return self

    def __exit__(self, *_: object) -> None:
        return

    def record(self, who: str, action: str, target: str, outcome: str) -> None:
        assert who.startswith("command line (")
        self.entries.append((action, target, outcome))

    def resolve_document(self, corpus: str, document: str, folder: Path) -> Any:
        return MagicMock(id=document)

    def __getattr__(self, name: str) -> Any:
        def refuse(*given: Any, **named: Any) -> Any:
            raise InvalidRequest(f"{name} is refused.")

        return refuse


def commands() -> Iterator[str]:
    group: Any = get_command(app)
    for name in COMMANDS:
        command = group.get_command(None, name)
        below = getattr(command, "commands", None)
        if below is None:
            yield name
        else:
            yield from (f"{name} {one}" for one in below)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Calls a command over the facade above; returns what was logged."""
    entries: list[tuple[str, str, str]] = []
    monkeypatch.setattr(Refusing, "entries", entries, raising=False)
    for name, module in list(sys.modules.items()):
        if name.startswith("clew.cli.") and hasattr(module, "Clew"):
            monkeypatch.setattr(module, "Clew", Refusing)
    monkeypatch.setattr("clew.cli.demo.start", lambda settings: None)
    monkeypatch.setattr("clew.cli.access._password", lambda: "three words of it")

    def call(words: str) -> list[tuple[str, str, str]]:
        entries.clear()
        call_clew({"CLEW_HOME": str(tmp_path), "HOME": str(tmp_path)}, *words.split(), code=2)
        return entries

    return call


def test_every_command_is_one_that_reads_or_one_that_is_logged() -> None:
    known = READING | PROCESSES | ELSEWHERE | set(LOGGED)
    assert set(commands()) | {"train METHOD"} == known


@pytest.mark.parametrize("command", LOGGED)
def test_what_it_changes_is_logged(called: Any, command: str) -> None:
    arguments, action, target = LOGGED[command]
    assert called(f"{command} {arguments}") == [(action, target, "InvalidRequest")]


@pytest.mark.parametrize(
    ("words", "entry"),
    [
        ("jobs --retry j1", ("jobs retry", "job=j1")),
        ("bench --delete r1", ("bench delete", "run=r1")),
        ("delete --whole-corpus -c mine -y", ("corpora delete", "corpus=mine")),
        ("train graph-network -c mine", ("train", "method=graph-network, corpus=mine")),
        (
            "train graph-network -c mine --in-background",
            ("train", "method=graph-network, corpus=mine"),
        ),
    ],
)
def test_what_an_option_changes_is_logged(called: Any, words: str, entry: Any) -> None:
    assert called(words) == [(*entry, "InvalidRequest")]


@pytest.mark.parametrize("words", ["jobs", "jobs --log j1", "check", "bench --list"])
def test_what_only_reads_is_not_logged(called: Any, words: str) -> None:
    assert called(words) == []
