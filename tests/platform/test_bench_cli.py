"""`clew bench`, as a person calls it, against the real graph."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew_cypher.corpora import delete_corpus, list_corpora
from clew_cypher.jobs.bench_runs import delete_bench_run
from clew_cypher.store import GraphStore, Neo4jConfig

from ..command_line import Done, call_clew
from .bench_data_set import people_and_towns

Run = Callable[..., Done]
CALL = [sys.executable, "-c", "from clew.cli import main; main()", "bench"]
QUICK = ("--strategies", "bm25", "--reader", "none")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def environment(neo4j_server: Neo4jConfig, cache_dir: Path, home: Path) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if "CLEW_" not in name} | {
        "CLEW_HOME": str(home),
        "CLEW_CACHE_DIR": str(cache_dir),
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
    }


@pytest.fixture(scope="module")
def run(neo4j_server: Neo4jConfig, environment: dict[str, str]) -> Iterator[Run]:
    made: list[str] = []

    def call(*arguments: str, code: int = 0) -> Done:
        done = call_clew(environment, "bench", *arguments, code=code)
        if "--json" in arguments and code == 0 and "--list" not in arguments:
            made.append(json.loads(done.stdout)["run"])
        return done

    with GraphStore(neo4j_server) as store:
        before = {row["name"] for row in list_corpora(store)}
        yield call
        for row in list_corpora(store):
            if row["name"] not in before and row["name"].startswith("bench-"):
                delete_corpus(store, row["name"])
        for run_id in made:
            delete_bench_run(store, run_id)


def test_help_says_what_a_data_set_is(run: Run) -> None:
    shown = run("--help").stdout
    for word in ("hotpotqa", "musique", "beir", "pathquestion", "questions.jsonl", "--against"):
        assert word in shown


def test_a_run_leaves_a_table_a_file_with_everything_and_a_report(run: Run, home: Path) -> None:
    shown = run("sample", "--limit", "6", *QUICK)
    assert "Recall@5" in shown.stdout
    assert "n = 6" in shown.stdout
    (data,) = (home / "bench").glob("sample-*.json")
    whole = json.loads(data.read_text())
    assert len(whole["outcomes"]) == len(whole["questions"]) == 6
    assert whole["figures"]["strategies"][0]["metrics"]["recall@5"]["questions"] == 6
    page = data.with_suffix(".html").read_text()
    assert "<svg" in page
    assert data.stem in run("--list").stdout.replace("\n", "")
    again = run("--show", str(data), "--json")
    assert json.loads(again.stdout)["figures"] == whole["figures"]
    run("--delete", data.stem)
    run("--delete", data.stem, code=3)


def test_against_marks_what_became_worse_and_ends_with_exit_code_1(
    run: Run, tmp_path: Path
) -> None:
    done = json.loads(run("sample", "--limit", "20", *QUICK, "--json").stdout)
    same = run("sample", "--limit", "20", *QUICK, "--against", done["run"], "--json")
    # the same run, if nothing had been found
    worse = json.loads(Path(done["files"][0]).read_text())
    for outcome in worse["outcomes"]:
        outcome["ranking"] = []
    worse["id"] = "sample-worse"
    file = tmp_path / "worse.json"
    file.write_text(json.dumps(worse))
    shown = run("--show", str(file), "--against", done["run"], code=1)
    assert "worse" in shown.stdout
    assert "regression" in shown.stdout
    quality = [
        difference
        for difference in json.loads(same.stdout)["comparison"]["differences"]
        if difference["metric"] != "seconds"
    ]
    assert quality
    assert all(difference["delta"] == 0 for difference in quality)


def test_what_was_measured_is_shown_where_there_is_nothing_to_compare_with(
    run: Run, tmp_path: Path
) -> None:
    asked = (str(people_and_towns(tmp_path)), "--reader", "none", "--against", "latest", "--json")
    alone = run(*asked, "--strategies", "bm25", code=3)
    first = json.loads(alone.stdout)
    assert first["comparison"] is None
    assert Path(first["files"][1]).exists()
    assert "No earlier run of this data set" in alone.stderr
    other = run(*asked, "--strategies", "dense", code=3)
    second = json.loads(other.stdout)
    # the newest has another strategy
    third = json.loads(run(*asked, "--strategies", "bm25").stdout)
    assert third["comparison"]["against_id"] == first["run"]
    shown = run("--show", third["run"], "--against", second["run"], code=2)
    assert "Recall@5" in shown.stdout
    assert "no strategy in common" in shown.stderr
    for one in (first, second):
        run("--delete", one["run"])


def test_an_ablation_study_prints_its_table_and_shows_it_again(run: Run, tmp_path: Path) -> None:
    folder = str(people_and_towns(tmp_path))
    output = tmp_path / "output"
    rows = ("--ablations", "hybrid", "--reader", "none")
    shown = run(folder, *rows, "--output", str(output)).stdout
    for words in ("without words", "without meaning", "Δ Recall"):
        assert words in shown
    assert "Cost of a question" not in shown
    (data,) = output.glob("*.json")
    whole = json.loads(data.read_text())
    assert whole["options"]["ablations"]["variants"][0]["settings"] == {"hybrid_dense_weight": 1.0}
    assert {pair["other"] for pair in whole["figures"]["pairs"]} == {"hybrid"}
    assert "without words" in data.with_suffix(".html").read_text()
    table = shown[shown.index("without words") : shown.index("hybrid has Recall@5")]
    assert table in run("--show", data.stem).stdout
    run("--delete", data.stem)


@pytest.mark.parametrize(
    "rows",
    [("--strategies", "dense,bm25", "--limit", "12"), ("--ablations", "hybrid", "--limit", "8")],
    ids=lambda rows: rows[0],
)
def test_a_run_that_was_killed_goes_on_where_it_stopped(
    run: Run, environment: dict[str, str], home: Path, rows: tuple[str, ...]
) -> None:
    arguments = ("sample", "--reader", "extractive", *rows)
    process = subprocess.Popen(
        [*CALL, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    unfinished = home / "bench" / "unfinished"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        journals = list(unfinished.glob("*.jsonl"))
        if journals and journals[0].read_bytes().count(b'{"outcome"') >= 3:
            break
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (journal,) = unfinished.glob("*.jsonl")
    before = journal.read_bytes().count(b'{"outcome"')
    assert 3 <= before < 24
    done = json.loads(run(*arguments, "--json").stdout)
    whole = json.loads(Path(done["files"][0]).read_text())
    assert whole["sessions"] == 2
    assert len(whole["outcomes"]) == 24
    assert all(outcome["validity"]["missing"] == [] for outcome in whole["outcomes"])
    assert not journal.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "Name a data set"),
        (("/nowhere/at/all",), 2, "no file or folder"),
        (("sample", "--strategies", "densee"), 2, "Did you mean 'dense'"),
        (("sample", "--ablations", "hybird"), 2, "Did you mean 'hybrid'"),
        (("sample", "--ablations", "dense"), 2, "These do: "),
        (("sample", "--ablations", "hybrid", "--strategies", "dense"), 2, "Name the method alone"),
        (("sample", "--synthetic", "6000"), 2, "or equal to 5000"),
        (("--show", "latest", "--ablations", "hybrid"), 2, "cannot be added"),
        (("sample", "--against", "no-such-run"), 3, "no run"),
        (("corpus:no-such-corpus",), 3, "no corpus"),
    ],
)
def test_what_cannot_be_done_is_one_clear_sentence(
    run: Run, arguments: tuple[str, ...], code: int, words: str
) -> None:
    failed = run(*arguments, code=code)
    assert words in failed.stderr.replace("\n", " ")
    assert "Traceback" not in failed.stderr
