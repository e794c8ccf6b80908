"""The child process that reads: it may die, hang or eat memory, and the next file is read."""

import errno
import json
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from clew_ingest.child_process import ChildFailed, ChildProcess, ChildTimeout
from clew_ingest.errors import (
    IngestCancelled,
    ReadingInterrupted,
    SourceTooLarge,
    UnreadableSource,
)
from clew_ingest.limits import IngestLimits
from clew_ingest.reading import file_reader
from clew_ingest.reading.buckets import BucketAccess
from clew_ingest.reading.failures import lacks_memory
from clew_ingest.reading.file_reader import FileReader, check_reply, child_arguments
from clew_ingest.reading.triple_reader import TripleReader

from ..children_kept import children_ending


@pytest.fixture
def reader(limits: IngestLimits) -> Iterator[FileReader]:
    with FileReader(limits) as reader:
        yield reader


def test_one_child_reads_many_files(reader: FileReader) -> None:
    reader.read(b"first", "a.txt")
    pid = reader.pid
    begun = time.monotonic()
    for number in range(200):
        text = f"file {number}"
        assert reader.read(text.encode(), "a.txt").documents[0].text == text
    assert time.monotonic() - begun < 10
    assert reader.pid == pid


def test_a_bad_file_leaves_the_child_alive(reader: FileReader) -> None:
    reader.read(b"first", "a.txt")
    pid = reader.pid
    with pytest.raises(UnreadableSource, match="broken or protected"):
        reader.read(b"%PDF-1.4 garbage", "a.pdf")
    with pytest.raises(SourceTooLarge, match="200 MiB"):
        reader.read(bytes(200 * 1024 * 1024), "line.txt")
    assert reader.read(b"next", "a.txt").documents[0].text == "next"
    assert reader.pid == pid


def test_a_killed_child_costs_its_file_only(reader: FileReader) -> None:
    reader.read(b"first", "a.txt")
    assert reader.pid is not None
    os.kill(reader.pid, signal.SIGSTOP)

    def kill_it() -> bool:
        assert reader.pid is not None
        os.kill(reader.pid, signal.SIGKILL)
        return False

    with pytest.raises(ReadingInterrupted, match="SIGKILL"):
        reader.read(b"second", "a.txt", cancelled=kill_it)
    assert reader.read(b"third", "a.txt").documents[0].text == "third"


def test_a_file_that_takes_too_long_is_given_up(limits: IngestLimits) -> None:
    with FileReader(replace(limits, reader_timeout_s=1)) as reader:
        reader.read(b"first", "a.txt")
        pid = reader.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(ReadingInterrupted, match="longer than 1 s"):
            reader.read(b"second", "a.txt")
        assert not psutil.pid_exists(pid)
        assert reader.read(b"third", "a.txt").documents[0].text == "third"


def test_a_file_that_takes_too_much_memory_is_given_up(
    limits: IngestLimits, docx: Callable[..., bytes]
) -> None:
    noise = os.urandom(100_000)  # does not compress, so that the ratio is no reason
    large = {f"word/media/{number}": bytes(8_000_000) + noise for number in range(1)}
    data = docx(["word " * 4_000_000], extra={"word/noise": os.urandom(1_000_000)} | large)
    with FileReader(replace(limits, reader_memory_mib=256, unpacked_ratio=1000)) as reader:
        with pytest.raises(UnreadableSource, match=r"memory|ended before"):
            reader.read(data, "a.docx")
        assert reader.read(b"next", "a.txt").documents[0].text == "next"


def test_a_full_disk_is_not_the_fault_of_the_file(
    limits: IngestLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(file_reader, "read", full)
    for limit in ("limit_memory", "limit_file_size", "limit_cpu_time"):
        monkeypatch.setattr(file_reader, limit, lambda _: None)
    monkeypatch.setattr(file_reader.logging, "disable", lambda _: None)
    with warnings.catch_warnings():
        handle = file_reader.start(child_arguments(limits))
    reply = handle({"name": "a.docx", "title": None, "media_type": None}, b"data")
    with pytest.raises(ReadingInterrupted, match="No space left"):
        check_reply(reply)


def test_a_cancelled_read_ends_at_once(reader: FileReader) -> None:
    reader.read(b"first", "a.txt")
    pid = reader.pid
    assert pid is not None
    with pytest.raises(IngestCancelled):
        reader.read(b"second", "a.txt", cancelled=lambda: True)
    assert not psutil.pid_exists(pid)


def test_closing_ends_the_child(limits: IngestLimits) -> None:
    with children_ending(), FileReader(limits) as reader:
        reader.read(b"first", "a.txt")
        pid = reader.pid
    assert pid is not None
    assert not psutil.pid_exists(pid)


def test_a_child_that_cannot_start_says_why() -> None:
    with (
        ChildProcess("clew_ingest.no_such_module", {}) as child,
        pytest.raises(ChildFailed, match="No module named"),
    ):
        child.call({}, timeout_s=5)


def test_a_timeout_is_a_failure_of_its_own_kind() -> None:
    text = "Ada Thorne met Henrik Vale in Marlow. " * 2000  # a child that is kept is quick
    with ChildProcess("clew_ingest.parsing.process", {"pipeline": "en_core_web_sm"}) as child:
        with pytest.raises(ChildTimeout):
            child.call({"texts": [text], "titles": None}, timeout_s=0.01)
        assert child.pid is None


def test_the_child_gets_none_of_our_secrets(
    limits: IngestLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLEW_LLM_API_KEY", "NEO4J_PASSWORD", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "hunter2")
    with FileReader(limits) as reader:
        assert reader.read(b"One thing.", "a.txt").documents
        environment = Path(f"/proc/{reader.pid}/environ").read_bytes()
    assert b"hunter2" not in environment
    assert b"PATH=" in environment


def test_the_child_is_told_none_of_our_keys(limits: IngestLimits) -> None:
    limits = replace(limits, buckets=BucketAccess("http://s3", "r", "hunter1", "hunter2", True))
    for made in (FileReader(limits), TripleReader(limits)):
        assert "hunter" not in json.dumps(made._child._arguments)


def test_an_error_on_the_way_out_does_not_hide_that_memory_ran_out() -> None:
    """zipfile raises ValueError while it closes what it could not write for want of memory."""

    def write() -> None:
        try:
            raise MemoryError
        finally:
            raise ValueError("I/O operation on closed file.")

    with pytest.raises(ValueError, match="closed") as raised:
        write()
    assert lacks_memory(raised.value)
    assert not lacks_memory(ValueError("broken"))
