"""The command line against the real graph: what it prints, and the exit codes."""

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from typer.testing import CliRunner

from clew.cli.app import COMMANDS, app
from clew.cli.dry_run import duration
from clew_cypher.corpora import delete_corpus
from clew_cypher.store import GraphStore, Neo4jConfig

from ..command_line import Done, call_clew

CORPUS = f"test-command-line-{uuid.uuid4().hex[:8]}"
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def run(
    neo4j_server: Neo4jConfig, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Run]:
    environment = {name: value for name, value in os.environ.items() if "CLEW_" not in name} | {
        "CLEW_HOME": str(tmp_path_factory.mktemp("home")),
        "CLEW_CACHE_DIR": str(cache_dir),
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
        "CLEW_CORPUS": CORPUS,
    }

    def call(*arguments: str, code: int = 0, width: int = 160, **variables: str) -> Done:
        return call_clew(environment | variables, *arguments, code=code, width=width)

    yield call
    with GraphStore(neo4j_server) as store:
        delete_corpus(store, CORPUS)


@pytest.fixture(scope="module")
def folder(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "mill.md").write_text("# Tarn Mill\n\nTarn Mill was built by Ella Brand in 1802.")
    (folder / "brand.md").write_text("# Ella Brand\n\nElla Brand was born in Oakham.")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")
    done = run("ingest", str(folder), "--in-process", code=3)
    assert "broken.pdf" in done.stderr
    assert "3 documents" in done.stdout or "2 documents" in done.stdout
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    assert len(shown.output.splitlines()) > 5


def test_a_place_that_cannot_be_written_is_told_in_a_sentence(run: Run) -> None:
    done = run("backup", "/proc/whole.zip", code=4)
    assert done.stderr.startswith("Error: /proc/.whole.zip.part: No such file")
    assert "Traceback" not in done.stderr


def test_a_dry_run_is_a_table_or_json_and_stores_nothing(run: Run, folder: Path) -> None:
    new = folder.parent / "new"
    new.mkdir(exist_ok=True)
    (new / "hill.md").write_text("# Grey Hill\n\nGrey Hill is a hill near Oakham.")
    found = json.loads(
        run("ingest", str(new), str(folder / "mill.md"), "--dry-run", "--json").stdout
    )
    assert (found["new"], found["unchanged"], found["chunks"], found["llm_calls"]) == (1, 1, 1, 0)
    shown = run("ingest", str(folder), "--dry-run", code=3)
    assert "Nothing was stored." in shown.stdout
    assert "2 unchanged" in shown.stdout
    assert "Would fail" in shown.stderr
    assert "hill" not in run("documents").stdout


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.04, "under 1 s"),
        (7.6, "about 8 s"),
        (200, "about 3 min"),
        (7_800, "about 2 h 10 min"),
    ],
)
def test_a_dry_run_tells_time_as_people_do(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.usefixtures("folder")
def test_one_document_is_shown_with_its_triples(run: Run) -> None:
    shown = run("documents", "show", "Ella Brand").stdout
    assert "title\tElla Brand\n" in shown
    assert "seconds of work" in shown
    assert "Oakham" in shown
    found = json.loads(run("documents", "show", "Ella Brand", "--json").stdout)
    assert ("Ella Brand", "bear in", "Oakham") in [
        (each["head"], each["predicate"], each["tail"]) for each in found["triples"]
    ]
    assert found["document"]["triples"] == len(found["triples"])


def test_the_extractor_of_a_corpus_is_chosen_and_refused(run: Run, tmp_path: Path) -> None:
    name = f"{CORPUS}-extractor"
    try:
        assert "extractor none" in run("corpora", "create", name, "--extractor", "none").stdout
        assert "extractor rules" in run("corpora", "set", name, "--extractor", "rules").stdout
        refused = run("corpora", "set", name, "--extractor", "llm", code=2)
        assert "CLEW_LLM_MODEL" in refused.stderr
        file = tmp_path / "x.txt"
        file.write_text("Grey Hill is a hill.")
        refused = run(
            "ingest", str(file), "-c", name, "--extractor", "ruls", "--in-process", code=2
        )
        assert "rules, llm, model, none, file:PATH" in refused.stderr
    finally:
        run("delete", "--whole-corpus", "--yes", "-c", name)


@pytest.mark.usefixtures("folder")
def test_documents_and_corpora_are_listed(run: Run) -> None:
    rows = json.loads(run("documents", "--json").stdout)
    assert {row["title"]: row["status"] for row in rows} == {
        "Tarn Mill": "ready",
        "Ella Brand": "ready",
        "broken": "failed",
    }
    assert "broken" in run("documents", "--status", "failed").stdout
    corpora = {row["name"]: row for row in json.loads(run("corpora", "--json").stdout)}
    assert corpora[CORPUS]["failed"] == 1
    assert CORPUS in run("corpora").stdout
    assert json.loads(run("documents", "list", "--json").stdout) == rows
    narrow = run("documents", width=80).stdout
    assert all(row["id"] in narrow for row in rows)  # an id is copied


@pytest.mark.usefixtures("folder")
def test_a_question_is_answered_with_its_proof(run: Run) -> None:
    question = "Where was the builder of Tarn Mill born?"
    answer = json.loads(run("ask", question, "--json").stdout)
    assert "Oakham" in answer["short"]
    assert {citation["title"] for citation in answer["citations"]} >= {"Ella Brand"}
    shown = run("ask", question, "--explain").stdout
    assert "Oakham" in shown
    assert "confidence" in shown
    assert re.search(r"chain ranking[\s│]+[\d.]+", shown)


@pytest.mark.usefixtures("folder")
def test_several_strategies_answer_one_below_the_other(run: Run) -> None:
    question = "Who built Tarn Mill?"
    asked = ("ask", question, "--strategy", "bm25, dense,bm25")
    found = [
        (answer["evidence"]["strategy"], [one["title"] for one in answer["evidence"]["chunks"]])
        for answer in json.loads(run(*asked, "--json").stdout)
    ]
    assert found == [("bm25", ["Tarn Mill"]), ("dense", ["Tarn Mill", "Ella Brand"])]
    shown = run(*asked).stdout
    first, second = shown[: shown.index("strategy dense")], shown[shown.index("strategy dense") :]
    assert "strategy bm25" in first
    assert "1 of 1 found by another too" in first
    assert "only here" not in first
    assert "1 of 2 found by another too" in second
    marks = {row.split("\t")[3]: row.split("\t")[2] for row in second.splitlines() if "\t" in row}
    assert marks == {"title": "found by", "Tarn Mill": "another too", "Ella Brand": "only here"}
    assert shown.count("confidence") == 2
    assert "found by" not in run("ask", question, "-s", "bm25,bm25").stdout  # it is one


@pytest.mark.usefixtures("folder")
def test_questions_in_turn_may_lean_on_those_before(run: Run) -> None:
    asked = ("ask", "Who built Tarn Mill?", "--then", "Where was she born?")
    answers = json.loads(run(*asked, "--json").stdout)
    assert [one["question"] for one in answers] == [asked[1], "Where was Ella Brand born?"]
    assert "Oakham" in answers[1]["short"]
    shown = run(*asked).stdout
    assert shown.index("Who built Tarn Mill?") < shown.index("Where was Ella Brand born?")
    refused = run(*asked, "-s", "bm25,dense", code=2)
    assert "Several strategies answer one question only." in refused.stderr


@pytest.mark.usefixtures("folder")
def test_a_strategy_that_cannot_answer_costs_the_others_nothing(run: Run) -> None:
    question = "Who built Tarn Mill?"
    done = run("ask", question, "-s", "iterative:dense,bm25", "--json", code=5)
    assert [one["evidence"]["strategy"] for one in json.loads(done.stdout)] == ["bm25"]
    assert "iterative:dense did not answer." in done.stderr
    assert "CLEW_LLM_MODEL" in done.stderr
    none = run("ask", question, "-s", "bm25,dense", "-c", "no-such-corpus", code=3)
    assert none.stderr.count("no corpus 'no-such-corpus'") == 1
    assert none.stdout == ""


@pytest.mark.usefixtures("folder")
def test_evidence_is_found_by_the_strategy_that_is_named(run: Run) -> None:
    evidence = json.loads(run("search", "Tarn Mill", "-s", "bm25", "-k", "1", "--json").stdout)
    assert [chunk["title"] for chunk in evidence["chunks"]] == ["Tarn Mill"]
    assert evidence["strategy"] == "bm25"
    assert "Tarn Mill" in run("search", "Tarn Mill").stdout


@pytest.mark.usefixtures("folder")
def test_the_clues_a_question_was_translated_into_are_explained(run: Run) -> None:
    question = "Who built Tarn Mill?"
    shown = run("search", question, "-s", "translator", "--explain").stdout
    assert re.search(r"\d\. Tarn Mill [→←] \S.*named in the question.*log-probability -?\d", shown)
    assert re.search(r"“Tarn Mill was built by Ella Brand in 1802.” — Tarn Mill", shown)
    assert re.search(r"passages: \d\. Tarn Mill", shown)
    assert "Clues" not in run("search", question, "-s", "bm25", "--explain").stdout


def test_ingesting_again_and_deleting(run: Run, folder: Path) -> None:
    again = run("ingest", str(folder / "mill.md"), "--in-process")
    assert "0 new or changed, 1 unchanged" in again.stdout
    assert "Deleted 1 documents" in run("delete", "broken", "--yes").stdout
    assert "There is no document" in run("delete", "broken", "--yes", code=3).stderr
    run("ingest", str(folder / "no-such-file"), "--in-process", code=3)


def test_what_failed_before_and_what_vanished_is_told(run: Run, tmp_path: Path) -> None:
    corpus = ("-c", f"{CORPUS}-vanished")
    inbox, other = tmp_path / "in box", tmp_path / "other"
    for folder in (inbox, other):
        folder.mkdir()
        (folder / "mill.md").write_text("# Tarn Mill\n\nTarn Mill was built in 1802.")
    (inbox / "a brand.md").write_text("# Ella Brand\n\nElla Brand was born in Oakham.")
    (inbox / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")
    ingest = ("ingest", "--in-process", *corpus)
    try:
        first = run(*ingest, str(inbox), str(other), code=3)
        assert "(sources: 4 new or changed, 0 unchanged)" in first.stdout
        assert "gone" not in first.stderr
        (inbox / "a brand.md").rename(inbox / "b brand.md")
        planned = run("ingest", str(inbox), "--dry-run", *corpus, code=3)
        assert "1 new, 0 changed, 1 failed before, 1 unchanged" in planned.stdout
        again = run(*ingest, str(inbox), code=3)
        counts = "1 new or changed, 1 failed before and tried again, 1 unchanged"
        assert counts in again.stdout
        for told in (planned, again):
            assert "of 1 document is gone: a brand.md. `--gone delete`" in told.stderr
        assert "4 documents" in again.stdout  # the one of before stays
        run("entities", "merge", "Ella Brand", "Oakham", *corpus)
        (inbox / "b brand.md").rename(inbox / "c brand.md")
        deleted = run(*ingest, str(inbox), "--gone", "delete", code=3)
        both = "Deleted 2 documents whose file or page is gone: a brand.md, b brand.md."
        assert both in deleted.stderr
        # what is new is indexed before what it replaces goes
        assert len(json.loads(run("entities", "merges", "--json", *corpus).stdout)) == 1
        assert "Corpus" in deleted.stdout
        kept = json.loads(run("documents", "--json", *corpus).stdout)
        assert {unquote(one["uri"]).removeprefix(f"file://{tmp_path}/") for one in kept} == {
            *("in box/mill.md", "in box/c brand.md", "in box/broken.pdf", "other/mill.md")
        }
        (other / "mill.md").unlink()
        run(*ingest, str(other), code=3)
        refused = run(*ingest, str(other), "--gone", "delete", code=3)
        assert "Is its disk mounted" in refused.stderr
        assert len(json.loads(run("documents", "--json", *corpus).stdout)) == 4
    finally:
        run("delete", "--whole-corpus", "--yes", *corpus)


def test_a_corpus_is_the_same_however_its_name_is_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mill.md").write_text("# Tarn Mill\n\nTarn Mill was built in 1802.")
    name, written = f"{CORPUS}-\u00e9t\u00e9", f" {CORPUS}-e\u0301te\u0301"
    try:
        run("ingest", str(tmp_path), "--in-process", "-c", written)
        (shown,) = json.loads(run("documents", "--json", "-c", name).stdout)
        assert shown["status"] == "ready"
    finally:
        run("delete", "--whole-corpus", "--yes", "-c", written)


def test_a_document_is_named_as_it_is_printed_or_by_its_path(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{CORPUS}-named"
    for year in ("2023", "2024"):
        (tmp_path / year).mkdir()
        (tmp_path / year / "Annual Report é.txt").write_text(f"The year {year} was good.")
    (tmp_path / "2024" / "0004 invoice.txt").write_text("Ella Brand paid 40 marks.")
    (tmp_path / "caf\udce9.txt").write_text("A name of bytes that are no UTF-8.")
    run("ingest", str(tmp_path), "--in-process", "-c", name)

    def shown(document: str) -> str:
        found = run("documents", "show", document, "--json", "-c", name).stdout
        return unquote(json.loads(found)["document"]["uri"])

    try:
        invoice, report = (
            f"file://{tmp_path}/2024/{file}" for file in ("0004 invoice.txt", "Annual Report é.txt")
        )
        assert invoice in run("documents", "-c", name, "--search", "0004 Invoice").stdout
        assert shown("0004 invoice.txt") == shown(invoice) == shown(quote(invoice, ":/")) == invoice
        monkeypatch.chdir(tmp_path)
        assert shown("caf\udce9.txt") == unquote((tmp_path / "caf\udce9.txt").as_uri())
        for path in (f"{tmp_path}/2024/Annual Report é.txt", "2024/Annual Report é.txt"):
            assert shown(path) == report
        several = run("delete", "Annual Report é.txt", "-y", "-c", name, code=2).stderr
        assert all(f"({report.replace('2024', year)})" in several for year in ("2023", "2024"))
        monkeypatch.chdir(tmp_path / "2023")
        run("documents", "delete", "../2024/Annual Report é.txt", "-y", "-c", name)
        assert shown("Annual Report é.txt") == report.replace("2024", "2023")
    finally:
        run("delete", "--whole-corpus", "--yes", "-c", name)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["search", "  "], 2, "The question is empty."),
        (["search", "x", "-s", "denze"], 2, "dense"),
        (["ask", "x", "-s", "bm25,denze"], 2, "Did you mean 'dense'?"),
        (["ask", "x", "-s", " , "], 2, "--strategy names no strategy."),
        (["search", "x", "-c", "no-such-corpus"], 3, "no corpus 'no-such-corpus'"),
        (["documents", "--status", "lost"], 2, "ready, failed, accepted"),
        (["documents", "-c", CORPUS, "show", "x"], 2, "`clew documents show … --corpus`"),
        (["jobs", "--cancel", "j-none"], 3, "no job 'j-none'"),
        (["ingest", "", "--in-process"], 3, "A blank names no file or folder."),
        (["ingest", "any", "--dry-run", "--extractor", "none"], 2, "has the extractor 'rules'"),
        (["delete", "mill.md", "--whole-corpus", "-y"], 2, "or the whole corpus?"),
        (["documents", "show", "mill.md", "-c", "no-such-corpus"], 3, "no corpus 'no-such-corpus'"),
        (["search", "x", "-c", "caf\udce9"], 2, "not valid Unicode"),
        (["corpora", "create", "caf\udce9"], 2, "not valid Unicode"),
        (["train", "list", "nope"], 2, "These can be trained: "),
        (["schedules", "bench", "--every", "30s"], 2, "--every takes 1m to 366d"),
        (["schedules", "train", "dense", "--every", "999d"], 2, "every_s: it is more than"),
        (
            ["schedules", "reindex", "x" * 9, "--name", "x" * 201, "--every", "1d"],
            2,
            "name: it has more than 200 characters",
        ),
        (["status"], 5, "clew up"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    run: Run, folder: Path, arguments: list[str], code: int, words: str
) -> None:
    done = run(*arguments, code=code)
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_without_workers_nothing_is_accepted(run: Run, folder: Path) -> None:
    (folder / "late.md").write_text("# Late\n\nToo late.")
    done = run("ingest", str(folder / "late.md"), code=5)
    assert "--in-process" in done.stderr
    assert "late" not in run("documents").stdout


def test_without_a_database_the_way_out_is_named(run: Run) -> None:
    done = run("corpora", code=5, NEO4J_URI="bolt://127.0.0.1:1")
    assert "127.0.0.1:1" in done.stderr
    unset = run("settings", code=2, CLEW_TOPK="3")
    assert "top_k" in unset.stderr


def test_settings_say_where_they_come_from_and_keep_secrets(run: Run) -> None:
    shown = run("settings", "--json", CLEW_TOP_K="7").stdout
    values = json.loads(shown)
    assert values["top_k"] == {"value": "7", "source": "environment"}
    assert values["neo4j_password"] == {"value": "••••••", "source": "environment"}
    assert values["chunk_tokens"]["source"] == "default"


def test_it_is_a_program_with_exit_codes(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("clew")
    environment = {"CLEW_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([program, "status"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (5, "")
    assert "clew up" in done.stderr


def test_help_does_not_wait_for_models() -> None:
    code = "import sys, clew.cli.app; print([m for m in ('torch', 'spacy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
