"""A method is a folder: one from outside is found everywhere, and no file of Clew names it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from clew_cypher.store import Neo4jConfig

TOY = Path(__file__).parents[1] / "toy" / "toy_method"
QUESTION = "Who designed the lighthouse?"
TEXTS = {
    "Marlow": "Ada Thorne designed the lighthouse of Marlow in 1921.",
    "Marlow Lighthouse": "The lighthouse stands on a rock, and was designed by an architect.",
    "Herring": "Herring are forage fish that move in large schools.",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the method as pip would install it."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(TOY, site / "toy_method")
    metadata = site / "toy_method-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-method\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[clew.methods]\ntoy = toy_method\n")
    return site


@pytest.fixture(scope="module")
def environment(
    installed: Path,
    neo4j_server: "Neo4jConfig",
    cache_dir: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Mapping[str, str]:
    """What a process needs to find the method and the database."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
    path = os.pathsep.join([str(installed), *filter(None, [mine.get("PYTHONPATH")])])
    return mine | {
        "PYTHONPATH": path,
        "CLEW_HOME": str(tmp_path_factory.mktemp("home")),
        "CLEW_CACHE_DIR": str(cache_dir),
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
        "CLEW_TOY_WEIGHT": "3",
    }


def run(environment: Mapping[str, str], code: str) -> Any:
    """Run Python that prints JSON last."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=dict(environment), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def seen(environment: Mapping[str, str]) -> Any:
    """What each surface says of the method, asked in one process."""
    code = f"""
import contextlib, io, json, sys, uuid
from clew import Clew
from clew.cli.app import main
from clew.cli.output import console
from clew.evaluation.request import BenchRequest
from clew.indexing.uploads import record_source
from clew.results.data_set import BenchQuestion
from clew.settings.page import settings_page
from clew.strategies.page import strategies_page
from clew_web.app import create_app

console.width = 200
corpus = "test-toy-" + uuid.uuid4().hex[:8]

def command(*arguments):
    out = io.StringIO()
    sys.argv = ["clew", *arguments]
    with contextlib.redirect_stdout(out):
        try:
            main()
        except SystemExit as end:
            assert not end.code, (arguments, end.code, out.getvalue())
    return out.getvalue()

seen = {{}}
with Clew() as clew:
    try:
        texts = {TEXTS!r}
        sources = [record_source(title, text) for title, text in texts.items()]
        assert clew.ingest(*sources, corpus=corpus).ready == 3
        told = []
        found = clew.search({QUESTION!r}, corpus, "toy-method", 2, tell=told.append)
        seen["told"] = [type(one).__name__ for one in told]
        seen["search"] = found.model_dump(mode="json")
        seen["events"] = [
            event.event
            for event in clew.ask_events({QUESTION!r}, corpus, "toy-method", reader="extractive")
        ]
        question = BenchQuestion(id="q", question={QUESTION!r}, gold={{"Marlow": 1}})
        request = BenchRequest(
            data_set="corpus:" + corpus, questions=(question,), reader="none"
        )
        bench = clew.bench(request)
        seen["bench"] = list(bench.options.strategies)
        seen["bench errors"] = [one.error for one in bench.outcomes if one.strategy == "toy-method"]
        seen["bench settings"] = bench.settings
        clew.delete_bench_run(bench.id)
        version = clew.train("toy-method", corpus, steps=4)
        seen["trained"] = version.model_dump(mode="json")
        seen["cli search"] = command(
            "search", {QUESTION!r}, "-c", corpus, "-s", "toy-method", "--explain"
        )
        web = create_app(clew).test_client()
        seen["rest"] = web.get("/api/v1/strategies").get_json()
        seen["rest models"] = web.get("/api/v1/models?method=toy-method").get_json()
        seen["ask page"] = web.get("/ask").get_data(as_text=True)
        seen["bench page"] = web.get("/bench").get_data(as_text=True)
        seen["models page"] = web.get("/models").get_data(as_text=True)
    finally:
        clew.delete_corpus(corpus)
seen["cli strategies"] = json.loads(command("strategies", "--json"))
seen["cli settings"] = json.loads(command("settings", "--json"))
seen["cli train"] = command("train", "--help")
seen["cli train toy"] = command("train", "toy-method", "--help")
seen["settings page"] = settings_page()
seen["strategies page"] = strategies_page()
print(json.dumps(seen))
"""
    return run(environment, code)


def test_python_finds_evidence_by_its_own_options_with_its_cards(seen: Any) -> None:
    found = seen["search"]
    assert [chunk["title"] for chunk in found["chunks"]] == ["Marlow Lighthouse", "Marlow"]
    assert [chunk["score"] for chunk in found["chunks"]] == [3 * 17, 3 * 6]
    assert [card["kind"] for card in found["explanation"]] == ["quotes", "subgraph", "rounds"]
    assert found["explanation"][2]["rounds"][0]["decided"] == "enough"


def test_what_it_tells_arrives(seen: Any) -> None:
    assert {"QuotesCard", "SubgraphCard", "RoundsCard", "TraceStep"} <= set(seen["told"])
    assert seen["events"].count("card") == 3
    assert seen["events"].index("card") < seen["events"].index("evidence")


def test_the_command_line_has_it(seen: Any) -> None:
    names = [one["name"] for one in seen["cli strategies"]["strategies"]]
    assert "toy-method" in names
    assert seen["cli settings"]["toy_weight"] == {"value": "3.0", "source": "environment"}
    for title in ("Letters counted", "Rounds of the toy", "Marlow Lighthouse"):
        assert title in seen["cli search"]


def test_rest_and_pages_have_it(seen: Any) -> None:
    assert "toy-method" in [one["name"] for one in seen["rest"]["strategies"]]
    for page in ("ask page", "bench page", "models page"):
        assert "toy-method" in seen[page], page


def test_the_bench_measures_it_with_the_others(seen: Any) -> None:
    assert "toy-method" in seen["bench"]
    assert len(seen["bench"]) > 5
    assert seen["bench errors"] == [None]
    assert seen["bench settings"]["toy_weight"] == 3.0


def test_it_is_trained_by_the_platform(seen: Any) -> None:
    version = seen["trained"]
    assert (version["kind"], version["serves"]) == ("toy-method", True)
    assert version["figures"]["before"]["error"] == 10.0
    assert version["figures"]["after"]["error"] == 0.5
    assert "toy-method" in seen["cli train"]
    assert "--steps" in seen["cli train toy"]
    assert "How often the toy" in seen["cli train toy"]
    assert version["version"] in json.dumps(seen["rest models"])


def test_the_pages_of_the_documents_have_it(seen: Any) -> None:
    assert "| `toy_weight` | `CLEW_TOY_WEIGHT` |" in seen["settings page"]
    assert "## toy-method" in seen["strategies page"]
    assert "clew train toy-method" in seen["strategies page"]
