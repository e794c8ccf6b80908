"""Jars: fetched in parallel, checked against the lock, and never used when they do not match.

The repository is a small web server of the test's own; the code under test is the real one.
"""

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from clew_cypher.embedded import jars as embedded_jars
from clew_cypher.embedded.jars import ensure_jars, missing_jars
from clew_cypher.embedded.lock import LOCK_PATH, Jar, locked_jars
from clew_cypher.errors import DownloadFailed


@dataclass
class Repository:
    """What a test repository has, how often it was asked, and how it misbehaves."""

    files: dict[str, bytes]
    requests: Counter[str] = field(default_factory=Counter)
    cut: set[str] = field(default_factory=set)
    busy_once: set[str] = field(default_factory=set)
    url: str = ""


@pytest.fixture
def jars() -> list[Jar]:
    return [
        Jar(f"org.example:part-{n}:1.{n}", len(data), hashlib.sha256(data).hexdigest())
        for n, data in enumerate(CONTENTS)
    ]


CONTENTS = [bytes([n]) * (1000 + n) for n in range(40)]


@pytest.fixture
def repository(jars: list[Jar]) -> Iterator[Repository]:
    found = Repository({f"/{jar.path}": data for jar, data in zip(jars, CONTENTS, strict=True)})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.requests[self.path] += 1
            data = found.files.get(self.path)
            if self.path in found.busy_once and found.requests[self.path] == 1:
                self.send_error(503)
            elif data is None:
                self.send_error(404)
            else:
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if self.path in found.cut else data)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        found.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield found
        server.shutdown()
        thread.join()


def test_all_are_fetched_once_and_checked(
    tmp_path: Path, jars: list[Jar], repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[int, int]] = []
    paths = ensure_jars(
        tmp_path, lambda done, total: steps.append((done, total)), repository.url, jars
    )
    assert [path.read_bytes() for path in paths] == CONTENTS
    total = sum(map(len, CONTENTS))
    assert steps == sorted(steps)
    assert steps[-1] == (total, total)

    monkeypatch.setattr(embedded_jars, "_sha256", lambda path: pytest.fail("hashed again"))
    assert ensure_jars(tmp_path, None, repository.url, jars) == paths
    assert set(repository.requests.values()) == {1}


def test_a_jar_that_was_cut_or_changed_is_fetched_again(
    tmp_path: Path, jars: list[Jar], repository: Repository
) -> None:
    paths = ensure_jars(tmp_path, None, repository.url, jars)
    paths[3].write_bytes(CONTENTS[3][:500])
    changed = bytearray(CONTENTS[4])
    changed[10] ^= 1
    paths[4].write_bytes(changed)
    paths[5].unlink()
    os.utime(paths[6])
    ensure_jars(tmp_path, None, repository.url, jars)
    assert [path.read_bytes() for path in paths] == CONTENTS
    again = {path for path, count in repository.requests.items() if count > 1}
    assert again == {f"/{jars[n].path}" for n in (3, 4, 5)}


def test_a_change_that_keeps_size_and_time_is_found(
    tmp_path: Path, jars: list[Jar], repository: Repository
) -> None:
    paths = ensure_jars(tmp_path, None, repository.url, jars)
    before = paths[4].stat()
    paths[4].write_bytes(b"x" * before.st_size)
    os.utime(paths[4], ns=(before.st_atime_ns, before.st_mtime_ns))
    ensure_jars(tmp_path, None, repository.url, jars)
    assert paths[4].read_bytes() == CONTENTS[4]


def test_what_was_checked_again_is_not_checked_a_third_time(
    tmp_path: Path, jars: list[Jar], repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = ensure_jars(tmp_path, None, repository.url, jars)
    os.utime(paths[6])
    checked: list[Path] = []
    sha256 = embedded_jars._sha256

    def watched(path: Path) -> str:
        checked.append(path)
        return sha256(path)

    monkeypatch.setattr(embedded_jars, "_sha256", watched)
    for _ in range(2):
        ensure_jars(tmp_path, None, repository.url, jars)
    assert checked == [paths[6]]


@pytest.mark.parametrize("change", ["other bytes", "longer", "cut"])
def test_what_does_not_match_the_lock_is_never_kept(
    tmp_path: Path, jars: list[Jar], repository: Repository, change: str
) -> None:
    bad = f"/{jars[7].path}"
    if change == "other bytes":
        repository.files[bad] = b"x" * jars[7].size
    elif change == "longer":
        repository.files[bad] = CONTENTS[7] + b"x"
    else:
        repository.cut.add(bad)
    with pytest.raises(DownloadFailed) as caught:
        ensure_jars(tmp_path, None, repository.url, jars)
    assert "part-7" in str(caught.value)
    assert caught.value.remedy
    assert not (tmp_path / "jars" / jars[7].path).exists()
    assert not list(tmp_path.rglob(".part-*"))

    repository.files[bad] = CONTENTS[7]
    repository.cut.clear()
    paths = ensure_jars(tmp_path, None, repository.url, jars)
    assert [path.read_bytes() for path in paths] == CONTENTS


def test_a_failure_that_passes_costs_nothing(
    tmp_path: Path, jars: list[Jar], repository: Repository
) -> None:
    repository.busy_once = {f"/{jar.path}" for jar in jars[:5]}
    paths = ensure_jars(tmp_path, None, repository.url, jars)
    assert [path.read_bytes() for path in paths] == CONTENTS


def test_no_network_is_one_clear_sentence(tmp_path: Path, jars: list[Jar]) -> None:
    with pytest.raises(DownloadFailed, match=r"could not be fetched from http://127.0.0.1:1"):
        ensure_jars(tmp_path, None, "http://127.0.0.1:1", jars)


def test_a_repository_without_the_jar_is_one_clear_sentence(
    tmp_path: Path, jars: list[Jar], repository: Repository
) -> None:
    with pytest.raises(DownloadFailed, match="answered 404"):
        ensure_jars(tmp_path, None, f"{repository.url}/elsewhere", jars)


def test_no_room_is_said_before_anything_is_fetched(
    tmp_path: Path, jars: list[Jar], repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_jars, "_SPARE_BYTES", 1 << 60)
    with pytest.raises(DownloadFailed, match=r"need \d+ MiB, but .* has \d+ MiB"):
        ensure_jars(tmp_path, None, repository.url, jars)
    assert not repository.requests


def test_a_cache_that_cannot_be_written_is_one_clear_sentence(
    tmp_path: Path, jars: list[Jar], repository: Repository
) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(DownloadFailed, match="cannot be kept in"):
        ensure_jars(tmp_path / "file", None, repository.url, jars)


def test_a_whole_cache_is_not_written_to(
    tmp_path: Path, jars: list[Jar], repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be another user's, or on a disk that is read-only."""
    paths = ensure_jars(tmp_path, None, repository.url, jars)
    monkeypatch.setattr(embedded_jars, "_locked", lambda path: pytest.fail("written"))
    steps: list[tuple[int, int]] = []
    assert ensure_jars(tmp_path, lambda *step: steps.append(step), None, jars) == paths
    assert steps == [(total := sum(map(len, CONTENTS)), total)]


def test_two_processes_may_fetch_at_once(
    tmp_path: Path, jars: list[Jar], repository: Repository
) -> None:
    threads = [
        threading.Thread(target=ensure_jars, args=(tmp_path, None, repository.url, jars))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(repository.requests.values()) == {1}


def test_the_lock_file_is_whole() -> None:
    jars = locked_jars()
    coordinates = [jar.coordinates for jar in jars]
    assert len(set(coordinates)) == len(jars) > 300
    assert coordinates == sorted(coordinates)
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in jars)
    assert sum(jar.is_gds for jar in jars) > 50
    assert "://" not in LOCK_PATH.read_text()


def test_missing_jars_are_counted_without_fetching(tmp_path: Path) -> None:
    assert missing_jars(tmp_path) == list(locked_jars())
    assert list(tmp_path.iterdir()) == []
