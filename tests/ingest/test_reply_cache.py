"""The cache of replies: threads, processes, damage and its bound."""

import logging
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew_ingest.errors import IngestError
from clew_ingest.triples.reply_cache import FILE, LEAST_BYTES, ReplyCache, reply_key


def test_keeps_a_reply_until_it_is_opened_again(tmp_path: Path) -> None:
    with ReplyCache(tmp_path / "new" / "folder") as cache:
        assert cache.get("k") is None
        cache.put("k", "réponse", source="text")
        cache.put("k", "later", source="text")
    with ReplyCache(tmp_path / "new" / "folder") as cache:
        assert cache.get("k") == "later"
        assert len(cache) == 1


def test_a_key_depends_on_every_part_and_on_where_parts_end() -> None:
    keys = {
        reply_key("a", "b"),
        reply_key("b", "a"),
        reply_key("ab", ""),
        reply_key("", "ab"),
        reply_key('a", "b'),
        reply_key("a", "b", ""),
    }
    assert len(keys) == 6
    assert reply_key("a", "b") in keys


def test_forgets_what_was_made_from_a_text_and_nothing_else(tmp_path: Path) -> None:
    with ReplyCache(tmp_path) as cache:
        for key, source in (("a1", "text a"), ("a2", "text a"), ("b1", "text b")):
            cache.put(key, f"reply {key} SECRET", source=source)
        assert cache.forget(["text a", "never seen"]) == 2
        assert [cache.get(key) is None for key in ("a1", "a2", "b1")] == [True, True, False]
        assert cache.forget([]) == 0
        assert cache.forget(["text b"]) == 1
        for file in tmp_path.iterdir():
            assert b"SECRET" not in file.read_bytes()


def test_a_reply_of_several_texts_goes_with_any_of_them(tmp_path: Path) -> None:
    with ReplyCache(tmp_path) as cache:
        for key in ("a", "b", "c"):
            cache.put(key, f"reply {key} SECRET", source=key, further=[f"{key} 2", "shared"])
        cache.put("c", "another reply", source="c", further=["c 3"])  # in place of the first
        cache.put("d", "plain", source="d")
        assert cache.known(["a", "a 2", "c 2", "c 3", "shared", "x"]) == {
            "a",
            "a 2",
            "c 3",
            "shared",
        }
        assert cache.forget(["a 2"]) == 1
        assert cache.known(["a", "a 2"]) == set()
        assert cache.forget(["shared", "c 2"]) == 1
        assert [cache.get(key) for key in ("a", "b", "c", "d")] == [
            None,
            None,
            "another reply",
            "plain",
        ]
        for file in tmp_path.iterdir():
            assert b"SECRET" not in file.read_bytes()


def test_a_cache_of_before_takes_replies_of_several_texts(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as before:
        before.executescript(
            "CREATE TABLE replies (key TEXT PRIMARY KEY, source TEXT NOT NULL, "
            "reply TEXT NOT NULL, used INTEGER NOT NULL);"
            "INSERT INTO replies VALUES ('old', 'hash', 'kept', 1);"
        )
    before.close()
    with ReplyCache(tmp_path) as cache:
        assert cache.get("old") == "kept"
        cache.put("new", "reply", source="one", further=["two"])
        assert cache.forget(["two"]) == 1
        assert len(cache) == 1


def test_the_replies_used_longest_ago_go_beyond_the_bound(tmp_path: Path) -> None:
    bound = 4 * LEAST_BYTES
    with ReplyCache(tmp_path, max_bytes=bound) as cache:
        cache.put("00", "x" * 2000, source="first")
        for number in range(1000):
            cache.put(str(number), f"{number} " + "x" * 2000, source=str(number))
            assert cache.get("00") is not None
        assert cache.get("0") is None
        assert cache.get("999") is not None
        assert 50 < len(cache) < 130
    assert (tmp_path / FILE).stat().st_size < 1.25 * bound


def test_a_reply_too_long_to_be_kept_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReplyCache(tmp_path, max_bytes=LEAST_BYTES) as cache:
        cache.put("small", "x", source="s")
        with caplog.at_level(logging.WARNING):
            cache.put("k", "x" * LEAST_BYTES, source="s")
        assert cache.get("k") is None
        assert cache.get("small") == "x"
    assert "too long" in caplog.text


def test_a_bound_that_holds_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="max_bytes"):
        ReplyCache(tmp_path, max_bytes=1000)


def test_a_file_that_is_no_database_is_set_aside_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_bytes(b"this is no database " * 500)
    with caplog.at_level(logging.WARNING), ReplyCache(tmp_path) as cache:
        assert cache.get("k") is None
        cache.put("k", "reply", source="s")
        assert cache.get("k") == "reply"
    assert "damaged" in caplog.text
    assert (tmp_path / f"{FILE}.damaged").read_bytes().startswith(b"this is no database")


def test_damage_inside_the_file_is_survived(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReplyCache(tmp_path) as cache:
        for number in range(300):
            cache.put(str(number), "x" * 1000, source=str(number))
    data = bytearray((tmp_path / FILE).read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    (tmp_path / FILE).write_bytes(data)
    with caplog.at_level(logging.WARNING), ReplyCache(tmp_path) as cache:
        assert [cache.get(str(number)) for number in range(300)] == [None] * 300
        cache.put("k", "reply", source="s")
        assert cache.get("k") == "reply"
    assert "damaged" in caplog.text


def test_damage_while_it_is_open_is_set_aside_once_by_those_who_use_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReplyCache(tmp_path) as writer:
        writer.put("before", "x", source="s")
    with ReplyCache(tmp_path) as one, ReplyCache(tmp_path) as other:
        for suffix in ("", "-wal"):
            path = tmp_path / (FILE + suffix)
            size = path.stat().st_size
            with path.open("r+b") as file:
                file.write(b"\xff" * size)
        with caplog.at_level(logging.WARNING):
            assert one.get("before") is None
            one.put("after", "y", source="s")
            assert other.get("before") is None
        assert other.get("after") == "y"
    assert len([record for record in caplog.records if "damaged" in record.message]) == 1


def test_a_directory_that_cannot_be_made_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(IngestError, match="file/cache") as failed:
        ReplyCache(tmp_path / "file" / "cache")
    assert failed.value.remedy


def test_threads_share_a_cache(tmp_path: Path) -> None:
    with ReplyCache(tmp_path) as cache:

        def write(worker: int) -> None:
            for number in range(50):
                cache.put(f"{worker}-{number}", f"{worker} {number}", source="s")
                assert cache.get(f"{worker}-{number}") == f"{worker} {number}"

        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(cache) == 200


PROCESS = """
import sys
from pathlib import Path
from clew_ingest.triples.reply_cache import ReplyCache

worker = sys.argv[2]
with ReplyCache(Path(sys.argv[1])) as cache:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(300):
        cache.put(f"{worker}-{number}", worker * 200, source="s")
        cache.put("shared", worker, source="s")
        assert cache.get(f"{worker}-{number}") == worker * 200
        assert cache.get("shared") in ("a", "b")
"""


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    errors = [worker.communicate(timeout=120)[1] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], errors
    with ReplyCache(tmp_path) as cache:
        assert len(cache) == 601
        assert cache.get("a-299") == "a" * 200
        assert cache.get("b-299") == "b" * 200
