"""Backups: out of one home into another, with everything that people would miss."""

import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from clew.access import users
from clew.backup.archive import GRAPH, MANIFEST, check_sums, opened
from clew.clew import Clew
from clew.errors import HomeNotEmpty, InvalidArchive, InvalidRequest
from clew.indexing.uploads import record_source
from clew.results.backup import BackupInfo
from clew.results.schedule import NewSchedule, Reindexing
from clew.runtime.graph_alone import graph_alone
from clew.settings import Settings
from clew_cypher.backup import GraphDigest, clear_graph, element_counts, read_graph
from clew_cypher.backup.graph import GraphChanged, driver_values, plain
from clew_cypher.embedded import free_ports
from clew_cypher.migrations import VERSION, graph_version

from ..command_line import call_clew
from ..graph_lines import graph_lines

pytestmark = pytest.mark.timeout(600)

PASSWORD = "a long enough secret 7"
QUESTION = "Who founded the shipyard of Seld?"
TEXTS = {
    "Seld Shipyard": "Seld Shipyard was founded by Mira Tolan. It stands in Seld.",
    "Mira Tolan": "Mira Tolan was born in Aurelia. She studied with Jon Berg.",
    "Jon Berg": "Jon Berg taught at the school of Aurelia.",
}


def home_of(folder: Path, cache_dir: Path) -> Settings:
    bolt, browser = free_ports(0, 0)
    return Settings.load(
        home=folder,
        cache_dir=cache_dir,
        bolt_port=bolt,
        browser_port=browser,
        neo4j_heap_mib=512,
        neo4j_page_cache_mib=64,
        neo4j_startup_cache=False,
    )


@pytest.fixture(scope="module")
def filled(cache_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clew]:
    """A home with a database of its own, which runs: nothing of other tests may be in it."""
    settings = home_of(tmp_path_factory.mktemp("backup") / "home", cache_dir)
    with graph_alone(settings, lambda step: None) as connected, Clew(connected) as clew:
        clew.ingest(*(record_source(*item) for item in TEXTS.items()), corpus="harbours")
        clew.accept([record_source("Waits", "This text waits for a worker.")], corpus="harbours")
        clew.create_user("root", "admin", password=PASSWORD)
        clew.create_user("ada", password=PASSWORD, corpora=["harbours"])
        clew.add_schedule(
            NewSchedule(
                name="nightly",
                corpus="harbours",
                cron="0 3 * * *",
                reindex=Reindexing(sources=(str(settings.home),)),
            )
        )
        version = settings.home / "models" / "toy" / "harbours-1" / "20261123-000000"
        version.mkdir(parents=True)
        (version / "weights").write_bytes(bytes(range(256)) * 5000)
        yield clew


@pytest.fixture(scope="module")
def archive(filled: Clew, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BackupInfo]:
    path = tmp_path_factory.mktemp("archives") / "whole.zip"
    told: list[tuple[str, int, int]] = []
    info = filled.backup(path, lambda *step: told.append(step))
    assert told[-1] == ("Trained models", 1, 1)
    assert ("Graph", info.nodes + info.relationships, info.nodes + info.relationships) in told
    return path, info


def test_an_archive_restored_into_an_empty_home_is_the_same_graph(
    filled: Clew,
    archive: tuple[Path, BackupInfo],
    cache_dir: Path,
    tmp_path: Path,
) -> None:
    path, info = archive
    assert path.stat().st_mode & 0o077 == 0
    empty = home_of(tmp_path / "other", cache_dir)
    derived = empty.home / "derived" / "chains"  # of a graph that was there before
    derived.mkdir(parents=True)
    environment = {name: value for name, value in os.environ.items() if "CLEW_" not in name} | {
        "CLEW_HOME": str(empty.home),
        "CLEW_CACHE_DIR": str(cache_dir),
        "CLEW_BOLT_PORT": str(empty.bolt_port),
        "CLEW_BROWSER_PORT": str(empty.browser_port),
        "CLEW_NEO4J_HEAP_MIB": "512",
        "CLEW_NEO4J_STARTUP_CACHE": "false",
    }
    done = call_clew(environment, "restore", str(path), "--json")  # nothing runs there
    assert json.loads(done.stdout)["digest"] == info.digest
    weights = next(filled.settings.home.rglob("weights"))
    copied = empty.home / weights.relative_to(filled.settings.home)
    assert copied.read_bytes() == weights.read_bytes()
    assert not derived.exists()
    with graph_alone(empty, lambda step: None) as connected, Clew(connected) as clew:
        before = graph_lines(filled.resources.store, "harbours")
        assert graph_lines(clew.resources.store, "harbours") == before
        assert len(before) > 20
        asked = [one.search(QUESTION, "harbours", "hybrid").chunks for one in (filled, clew)]
        assert asked[0] == asked[1]
        assert users.log_in(clew.resources.store, "ada", PASSWORD) is not None
        assert [user.corpora for user in clew.users() if user.name == "ada"] == [("harbours",)]
        assert [schedule.name for schedule in clew.schedules()] == ["nightly"]
        assert clew.audit()[0].action == "restore"
        assert clew.process("harbours").ready == 1  # what waited has its bytes
        with pytest.raises(HomeNotEmpty, match="nodes already"):
            clew.restore(path)
        clear_graph(clew.resources.store)
        with pytest.raises(HomeNotEmpty, match="files of trained models"):
            clew.restore(path)
        copied.unlink()
        earlier = tmp_path / "earlier.zip"
        filled.resources.store.write("enter_schema_version", version=VERSION - 1)
        filled.backup(earlier)
        filled.resources.store.write("enter_schema_version", version=VERSION)
        clew.restore(earlier)
        assert graph_version(clew.resources.store) == VERSION
        clear_graph(clew.resources.store)
        copied.unlink()
        false = tmp_path / "false.zip"
        rewritten(path, false, {MANIFEST: lambda data: data.replace(info.digest.encode(), b"0")})
        with pytest.raises(InvalidArchive, match="digest"):
            clew.restore(false)
        assert element_counts(clew.resources.store) == (0, 0)
        assert not copied.exists()


def test_a_damaged_archive_changes_nothing(
    filled: Clew, archive: tuple[Path, BackupInfo], tmp_path: Path
) -> None:
    whole, _ = archive
    path = tmp_path / "archive.zip"

    def refused(words: str) -> None:
        with pytest.raises(InvalidArchive, match=words):
            filled.restore(path)

    path.write_bytes(whole.read_bytes()[:-3000])
    refused("damaged")
    path.write_bytes(b"not a zip file")
    refused("damaged")
    path.write_bytes(b"")
    refused("damaged")
    rewritten(whole, path, {GRAPH: lambda data: data.replace(b"Tolan", b"Nalot")})
    refused("graph.jsonl has another checksum")
    rewritten(whole, path, {GRAPH: None})
    refused("a part is missing")
    newer = {MANIFEST: lambda data: data.replace(b'"format": 1', b'"format": 2')}
    rewritten(whole, path, newer)
    refused("has format 2; this Clew reads format 1")
    path.unlink()
    refused("no file")


def test_whatever_byte_of_an_archive_changes_it_is_read_whole_or_called_damaged(
    archive: tuple[Path, BackupInfo], tmp_path: Path
) -> None:
    """Each byte of what says what is where, and some of what is packed: zipfile has an error of
    its own for nearly every one of them, its decompressors have theirs."""
    whole, path = archive[0].read_bytes(), tmp_path / "archive.zip"
    with zipfile.ZipFile(io.BytesIO(whole)) as held:
        directory, members = held.start_dir, held.infolist()
        wanted = {member.filename: held.read(member) for member in members}
    headers = {m.header_offset + n for m in members for n in range(40 + len(m.filename))}
    packed = range(0, directory, directory // 400)
    places = sorted({*headers, *packed, *range(directory, len(whole))})
    refused = 0
    for place in places:
        data = bytearray(whole)
        data[place] ^= 0xFF
        path.write_bytes(data)
        try:
            with opened(path) as (changed, manifest):
                check_sums(path, changed, manifest, lambda what, done, total: None)
                assert {name: changed.read(name) for name in changed.namelist()} == wanted
        except InvalidArchive:
            refused += 1
    assert refused > len(places) / 2


def test_a_member_outside_the_home_is_refused(
    filled: Clew, archive: tuple[Path, BackupInfo], tmp_path: Path
) -> None:
    path = tmp_path / "archive.zip"
    shutil.copy(archive[0], path)
    with zipfile.ZipFile(path) as held:
        manifest = json.loads(held.read(MANIFEST))
    for name in ("files/models/../../../etc/evil", "files/run/runtime.json", "files//etc/evil"):
        sums = {**manifest["sums"], name: hashlib.sha256(b"evil").hexdigest()}
        text = json.dumps({**manifest, "sums": sums}).encode()
        rewritten(archive[0], path, {MANIFEST: lambda data, text=text: text}, {name: b"evil"})
        with pytest.raises(InvalidArchive, match="no place in a home"):
            filled.restore(path)


def test_a_graph_that_is_written_to_is_read_again_and_then_refused(
    filled: Clew, tmp_path: Path
) -> None:
    path = tmp_path / "archive.zip"
    store = filled.resources.store
    times = 0

    def disturb(what: str, done: int, total: int) -> None:
        nonlocal times
        if what == "Graph" and done == total and times < allowed:
            times += 1
            store.run_declared("CYPHER 25 MATCH (c:Corpus) SET c.touched = $n", {"n": times})

    allowed = 2
    info = filled.backup(path, disturb)
    digest = GraphDigest()
    assert sum(1 for _ in read_graph(store, digest)) == info.nodes + info.relationships
    assert digest.value == info.digest
    with pytest.raises(InvalidRequest, match="there already"):
        filled.backup(path)
    path.unlink()
    times, allowed = 0, 3
    with pytest.raises(GraphChanged, match="written to while it was read"):
        filled.backup(path, disturb)
    assert list(tmp_path.iterdir()) == []


def test_every_kind_of_value_comes_back_as_it_was() -> None:
    moment = neo4j.time.DateTime.from_iso_format("2026-11-23T04:05:06.123456789+02:00")
    values = {"a": 1, "b": 1.5, "c": "ä", "d": True, "e": b"\0\xff", "f": ["x", "y"], "g": moment}
    kept = json.loads(json.dumps(plain({**values, "gone": None})))
    assert driver_values(kept) == values
    with pytest.raises(TypeError, match="Duration"):
        plain({"x": neo4j.time.Duration(days=1)})


def rewritten(source, target, changes, more=None) -> None:  # type: ignore[no-untyped-def]
    """Copy an archive with some members changed, left out (None) or added."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            change = changes.get(name, lambda data: data)
            if change is not None:
                new.writestr(name, change(old.read(name)))
        for name, data in (more or {}).items():
            new.writestr(name, data)
