"""What commands print to a pipe, and what long work tells off a terminal."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from clew.cli import output
from clew.cli.app import app, main
from clew.cli.demo import demo
from clew.cli.ingest import _index, trouble
from clew.cli.ingest_progress import progress_words
from clew.cli.output import Lines, table
from clew.cli.services import start
from clew.results.evidence import Answer, Evidence, ScoredChunk
from clew.results.ingest import Accepted, AcceptedDocument
from clew.results.job import Job, JobState
from clew.runtime import Addresses, OnStep, Step
from clew.settings import Settings

ADDRESS = "file:///home/somebody/a/long/way/down/to/where/documents/lie/in/a/folder/of/notes.md"


def test_a_table_in_a_pipe_is_tsv_with_every_cell_whole() -> None:
    shown = table("Documents", ("title", "error", "address"), [("One\ntwo", "", ADDRESS)])
    piped, terminal = io.StringIO(), io.StringIO()
    Console(file=piped, width=80, soft_wrap=True).print(shown)
    Console(file=terminal, width=80, force_terminal=True).print(shown)
    assert piped.getvalue() == f"title\terror\taddress\nOne two\t\t{ADDRESS}\n"
    assert "Documents" in terminal.getvalue()


@pytest.mark.parametrize("redirected", ["", " >&-", " 2>&-"])
def test_what_a_stream_cannot_write_ends_nothing(redirected: str) -> None:
    said = "from clew.cli.output import console; console.print('“Zürich” → 東京')"
    command = f'PYTHONIOENCODING=latin-1 "{sys.executable}" -c "$0"{redirected}'
    done = subprocess.run(["sh", "-c", command, said], capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert redirected or "?Zürich? ? ??\n".encode("latin-1") == done.stdout


def test_what_nobody_reads_any_more_ends_nothing() -> None:
    """`clew up 2>&1 | head -3` stopped what it had started."""
    reading, writing = os.pipe()
    os.close(reading)
    said = "from clew.cli.output import errors; errors.print('a'); errors.print('b'); print('done')"
    with os.fdopen(writing, "wb") as nobody:
        done = subprocess.run(
            [sys.executable, "-c", said], stdout=subprocess.PIPE, stderr=nobody, check=False
        )
    assert (done.returncode, done.stdout) == (0, b"done\n")


def test_an_interrupt_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    commands = typer.Typer()
    commands.command()(interrupted)
    monkeypatch.setattr("clew.cli.app.app", commands)
    monkeypatch.setattr(sys, "argv", ["clew"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "Interrupted.\n")


def test_a_start_is_told_line_by_line_off_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """In a log there was nothing until all was healthy, which takes minutes the first time."""
    told: list[str] = []

    def up(settings: Settings, report: OnStep) -> Addresses:
        for step in (
            Step("jars", "Jars", "fetching", 2_000_000, 189_000_000),
            Step("jars", "Jars", "fetched", 189_000_000, 189_000_000),
            Step("neo4j", "Neo4j + GDS", "starting"),
            Step("neo4j", "Neo4j + GDS", "healthy", detail="bolt://127.0.0.1:7687"),
        ):
            report(step)
            told.append(capsys.readouterr().err)
        return Addresses("", "", "", False, ())

    monkeypatch.setattr("clew.runtime.up", up)
    start(Settings.load(home=tmp_path))
    assert told == [
        "",  # what takes less than ten seconds
        "Jars: fetched\n",
        "Neo4j + GDS: starting\n",
        "Neo4j + GDS: healthy bolt://127.0.0.1:7687\n",
    ]


@pytest.mark.parametrize("library", ["pydantic", "typer", "rich", "neo4j"])
def test_an_interrupt_while_the_program_is_loaded_is_told(library: str) -> None:
    program = f"""
import sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == "{library}":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from clew.cli import main
main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, "corpora"], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "Interrupted.\n")


LONG_ANSWER = """
from clew.cli.answers import show_answer
from clew.results.evidence import Answer, Evidence, EvidencePath, PathNode

nodes = tuple(PathNode(id=f"n{n}", kind="entity", label="y" * 30) for n in range(9))
path = EvidencePath(nodes=nodes, edges=())
evidence = Evidence(question="Who?", corpus="any", strategy="dense", chunks=(), paths=(path,))
show_answer(
    Answer(
        question="Who?", text="x" * 300, short="x", supported=True, confidence=0.8, citations=(),
        reader="extractive", evidence=evidence,
    ),
    explain=True,
)
"""


def test_an_answer_and_its_paths_are_whole_in_a_pipe() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", LONG_ANSWER], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert shown[:2] == ["confidence 80%", "x" * 300]
    assert any(" — ".join(["y" * 30] * 9) in line for line in shown)
    assert max(map(len, shown)) < 400


def test_an_ingest_says_what_is_read_before_it_is_written() -> None:
    assert progress_words({"stage": "parse", "parsed": 64, "chunks": 0}) == (
        "Parse   64 chunks read, 0 written, 0 triples"
    )
    ended = {"stage": "resolve", "parsed": 64, "chunks": 64, "triples": 9, "failed": 1}
    assert progress_words(ended) == "Resolve 64 chunks, 9 triples, 1 failed"


def test_long_work_tells_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    monkeypatch.setattr(output, "errors", Console(file=said, width=80))
    now = [100.0]
    lines = Lines(clock=lambda: now[0])
    for second in range(31):
        now[0] = 100.0 + second
        lines.tell("Embed  12 chunks", second, 60)
    told = said.getvalue().splitlines()
    assert len(told) == 3
    start = "Embed 12 chunks: 10 of 60 done, 50 left, 1.00 a second, about 50 s to go, until "
    assert told[0].startswith(start)


def test_the_speed_of_long_work_is_that_of_its_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    monkeypatch.setattr(output, "errors", Console(file=said, width=80))
    now = [0.0]
    lines = Lines(clock=lambda: now[0])
    lines.tell("Indexing", 0, 900, stage="index")
    now[0] = 900.0
    lines.tell("Indexing", 900, 900, stage="index")
    lines.tell("Asking", 40, 100, stage="ask")  # 40 were asked by the run before
    now[0] = 910.0
    lines.tell("Asking", 60, 100, stage="ask")
    told = said.getvalue().splitlines()
    assert len(told) == 2
    assert told[1].startswith("Asking: 60 of 100 done, 40 left, 2.00 a second, about 20 s to go")


def test_the_version_is_told() -> None:
    found = CliRunner().invoke(app, ["--version"])
    assert found.exit_code == 0
    assert found.stdout.strip().split(".")[0].isdigit()


def test_an_answer_is_shown_in_a_line_and_in_a_notebook_as_text() -> None:
    chunk = ScoredChunk(id="c", document_id="d", title="<b>T</b>", text="x" * 20_000, score=0.5)
    evidence = Evidence(question="Who?", corpus="any", strategy="dense", chunks=(chunk,) * 5)
    answer = Answer(
        question="Who?",
        text="Ada <script>",
        short="Ada",
        supported=True,
        confidence=0.8,
        citations=(),
        reader="extractive",
        evidence=evidence,
    )
    assert len(repr(answer)) < 200
    assert "chunks=5" in repr(answer)
    shown = answer._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
    assert "&lt;b&gt;T" in shown


def test_a_port_that_is_taken_gives_the_next_one_again_and_again(tmp_path: Path) -> None:
    import socket

    from clew_cypher.embedded import free_ports

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        first = free_ports(port)
        assert first == free_ports(port)
        assert port < first[0] < port + 20


def test_an_address_is_never_broken_in_two() -> None:
    address = "redis://127.0.0.1:46379"
    columns = ("service", "state", "address", "pid", "for", "restarts")
    made = table("Services", columns, [("Worker: ingest, gpu", "healthy", address, 1, "31 min", 1)])
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=True, no_color=True).print(made)
    assert address in out.getvalue()


def test_the_demo_shows_a_question_as_it_was_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("start", "Clew", "show_answer", "show_addresses"):
        monkeypatch.setattr(f"clew.cli.demo.{name}", MagicMock())
    monkeypatch.setattr("clew.cli.demo.follow", MagicMock())
    monkeypatch.setattr("clew.jobs.questions.ask", MagicMock())
    demo("Who wrote [bold]x[/b]?")
    assert "Who wrote [bold]x[/b]?" in capsys.readouterr().out


def test_an_ingest_waits_for_its_documents_in_whatever_job_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def job(name: str, state: JobState, **progress: Any) -> Job:
        times: Any = {"created_at": "", "started_at": None, "finished_at": None}
        asked: Any = {"kind": "ingest", "corpus": "c", "attempt": 1, "error": None}
        return Job(id=name, state=state, progress=progress, **asked, **times)

    failed = [{"id": name, "uri": f"file:///{name}", "error": "It is broken."} for name in "dx"]
    clew = MagicMock()
    clew.submit.return_value = job("own", "done", done=2)
    clew.job.side_effect = [job("other", "running"), job("other", "done", failures=failed)]
    clew.jobs_with.side_effect = [{"other": 2}, {}]
    documents = tuple(
        AcceptedDocument(id=name, uri=f"file:///{name}", changed=True, error=None) for name in "de"
    )
    accepted = Accepted(documents=documents, skipped=())
    failures, _ = _index(clew, "c", accepted, False, MagicMock())
    assert failures == [("file:///d", "It is broken.")]
    assert clew.job.call_count == 2
    assert "job other, entered meanwhile, has 2 documents of these" in capsys.readouterr().err


def test_what_nothing_is_counted_of_yet_is_told_without_a_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = [0.0]
    lines = Lines(clock=lambda: now[0])
    now[0] = 20.0
    lines.tell("Training", 0, None, "learn")
    assert capsys.readouterr().err == "Training\n"


def test_what_an_ingest_could_not_read_or_use_is_told() -> None:
    assert trouble({"done": 3}) == ""
    told = trouble({"read_in_part": 1, "extractions_failed": 2})
    assert told.startswith("1 document was read in part: `clew documents` says what is missing; ")
    assert "the extractor failed on 2 chunks" in told
