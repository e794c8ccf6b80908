"""On a real graph with every strategy: who may see one corpus never reads a word of the other.

Both corpora know the same names, so that whatever crossed over would be found.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew import Clew
from clew.jobs.listing import as_job
from clew.settings import Settings
from clew.strategies.catalogue import STRATEGIES
from clew_cypher.corpora import delete_corpus
from clew_cypher.jobs import ledger
from clew_cypher.store import GraphStore
from clew_ingest.parsing.parser import Parser
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import Source
from clew_models.embedding import load_embedder
from clew_web.app import create_app

from ..held_resources import held_resources
from ..tiny_model import tiny_model

OWN_CORPUS, FOREIGN_CORPUS = "test-leaks-own", "test-leaks-kept-back"
PASSWORD = "three words of it"
EVERYTHING = (
    "CYPHER 25 MATCH (n) WHERE n:User OR n:ApiKey OR n:Access OR n:AuditEntry DETACH DELETE n"
)
SHARED = "Ada Thorne designed the Marlow Observatory in Selby. Henrik Vale taught Ada Thorne."
MARK = "Zanthor"
"""Stands in everything that only the foreign corpus knows."""
DOCUMENTS = {
    OWN_CORPUS: {
        "Marlow Observatory": SHARED,
        "Ada Thorne": "Ada Thorne grew up in Port Ellis. Port Ellis is a harbour town.",
        "Henrik Vale": "Henrik Vale was born in Ribe. He was a Danish engineer.",
    },
    FOREIGN_CORPUS: {
        f"{MARK} Works": f"{SHARED} The {MARK} Works paid Ada Thorne for the Marlow Observatory.",
        f"{MARK} Plan": f"Henrik Vale wrote the {MARK} Plan in Ribe. Ada Thorne read it.",
        "Marlow Observatory": f"The Marlow Observatory belongs to the {MARK} Works of Henrik Vale.",
    },
}
QUESTION = "Where was the teacher of the architect of the Marlow Observatory born?"


class AskedHere:
    """Questions answered in this process, as a worker would."""

    def __init__(self, clew: Clew) -> None:
        self._clew = clew

    def search(self, settings: Settings, asked: Any) -> Any:
        return self._clew.search(asked.question, asked.corpus, asked.strategy, asked.k)

    def ask(self, settings: Settings, asked: Any) -> Any:
        return self._clew.ask(asked.question, asked.corpus, asked.strategy, asked.k)

    def ask_events(self, settings: Settings, asked: Any) -> Any:
        return self._clew.ask_events(asked.question, asked.corpus, asked.strategy, asked.k)


@pytest.fixture(scope="module")
def clew(
    store: GraphStore, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Clew]:
    home = tmp_path_factory.mktemp("home")
    settings = Settings.load(
        home=home,
        cache_dir=cache_dir,
        corpus=FOREIGN_CORPUS,
        planner_model="rules",
        contextual_model="none",
        translator_model=str(tiny_model(home / "tiny")),
        translator_adapter="none",
        translator_precision="float32",
    )
    made = Clew(settings)
    embedder = load_embedder("minilm", cache_dir=settings.cache, threads=1)
    made._resources = held_resources(settings, store, embedder, Parser())
    store.run_declared(EVERYTHING)
    pipeline = IngestPipeline(store, embedder, made.resources.parser)
    for corpus, documents in DOCUMENTS.items():
        sources = [
            Source(
                uri=f"memory:{title}",
                name="record.json",
                data=json.dumps({"title": title, "text": text}).encode(),
            )
            for title, text in documents.items()
        ]
        pipeline.accept(corpus, sources)
        pipeline.process(corpus)
        ledger.create_job(store, "ingest", corpus, {"documents": 0})
    made.create_user("root", "admin", password=PASSWORD)
    for name, role in (("reader", "reader"), ("editor", "editor")):
        made.create_user(name, role, password=PASSWORD, corpora=[OWN_CORPUS])  # type: ignore[arg-type]
    yield made
    store.run_declared(EVERYTHING)
    for corpus in DOCUMENTS:
        delete_corpus(store, corpus)
        store.run_declared("CYPHER 25 MATCH (n {corpus: $c}) DETACH DELETE n", {"c": corpus})


@pytest.fixture(scope="module")
def app(clew: Clew) -> Any:
    return create_app(clew, clew.settings, AskedHere(clew))


def call(app: Any, clew: Clew, who: str = "reader") -> Any:
    """A client that sends a key of the user's."""
    client = app.test_client()
    key = clew.create_api_key(who, "test", ["query", "ingest", "admin"]).key
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {key}"
    return client


@pytest.fixture
def reader(app: Any, clew: Clew) -> Any:
    return call(app, clew)


def silent(answer: Any) -> Any:
    """Return the answer; fail where it tells anything of the other corpus."""
    assert MARK.lower() not in answer.text.lower()
    assert FOREIGN_CORPUS not in answer.text
    return answer


@pytest.mark.parametrize("strategy", [spec.name for spec in STRATEGIES if not spec.models])
def test_every_strategy_keeps_to_the_corpus(
    app: Any, clew: Clew, reader: Any, strategy: str
) -> None:
    asked = {"question": f"{QUESTION} What did it pay?", "strategy": strategy, "k": 20}
    for path in ("search", "query"):
        found = silent(reader.post(f"/api/v1/{path}", json=asked))
        assert found.status_code == 200, found.text
    chunks = silent(reader.post("/api/v1/search", json=asked)).json["chunks"]
    titles = {chunk["title"] for chunk in chunks}
    assert titles <= set(DOCUMENTS[OWN_CORPUS])
    assert titles
    with reader.post("/api/v1/query/stream", json=asked) as streamed:
        assert "event: answer" in silent(streamed).text
    foreign = call(app, clew, "root").post("/api/v1/search", json=asked)  # the default corpus
    assert MARK in foreign.text  # it would be found, if it could be reached
    refused = [
        reader.post(f"/api/v1/{path}", json={**asked, "corpus": corpus})
        for path in ("search", "query", "query/stream")
        for corpus in (FOREIGN_CORPUS, "no-such-corpus")
    ]
    assert [answer.status_code for answer in refused] == [404] * 6
    for there, not_there in zip(refused[::2], refused[1::2], strict=True):
        assert MARK not in there.text
        assert there.text.replace(FOREIGN_CORPUS, "X") == not_there.text.replace(
            "no-such-corpus", "X"
        )


def test_ids_of_the_other_corpus_are_worth_nothing(app: Any, clew: Clew, reader: Any) -> None:
    root = call(app, clew, "root")
    documents = root.get(f"/api/v1/documents?corpus={FOREIGN_CORPUS}").json["documents"]
    entities = root.get(f"/api/v1/graph/entities?corpus={FOREIGN_CORPUS}&text={MARK}").json
    evidence = root.post("/api/v1/search", json={"question": QUESTION, "k": 20}).json
    entity = entities["entities"][0]["id"]
    chunks = "&".join(f"chunk_ids={chunk['id']}" for chunk in evidence["chunks"])
    for document in documents:
        for path in (
            f"/api/v1/documents/{document['id']}",
            f"/api/v1/documents/{document['id']}?corpus={OWN_CORPUS}",
            f"/documents/{document['id']}?corpus={OWN_CORPUS}",
            f"/documents/{document['id']}/original?corpus={OWN_CORPUS}",
        ):
            assert silent(reader.get(path)).status_code == 404, path
    assert silent(reader.get(f"/api/v1/graph?entity_id={entity}")).status_code == 404
    drawn = silent(reader.get(f"/api/v1/graph?{chunks}&entity_ids={entity}"))
    assert drawn.json["nodes"] == []
    for name in (MARK, "Ada Thorne", "Marlow"):
        found = silent(reader.get(f"/api/v1/graph/entities?text={name}")).json["entities"]
        assert bool(found) == (name != MARK)
        for one in found:
            silent(reader.get(f"/api/v1/graph?entity_id={one['id']}&limit=300"))
    editor = call(app, clew, "editor")
    for method, path, body in (
        ("DELETE", f"/api/v1/documents/{documents[0]['id']}", None),
        ("POST", f"/api/v1/corpora/{OWN_CORPUS}/merges", {"a": entity, "b": "Ada Thorne"}),
        ("POST", f"/api/v1/corpora/{OWN_CORPUS}/merges", {"a": f"{MARK} Plan", "b": "Ribe"}),
    ):
        refused = editor.open(path, method=method, json=body)
        assert refused.status_code == 404, refused.text
    assert clew.stats(FOREIGN_CORPUS).documents == 3


def test_jobs_and_lists_are_of_the_own_corpus(
    app: Any, clew: Clew, reader: Any, store: GraphStore
) -> None:
    listed = silent(reader.get("/api/v1/jobs")).json["jobs"]
    assert {job["corpus"] for job in listed} == {OWN_CORPUS}
    foreign = as_job(ledger.list_jobs(store, FOREIGN_CORPUS)[0]).id
    assert silent(reader.get(f"/api/v1/jobs/{foreign}")).status_code == 404
    editor = call(app, clew, "editor")
    assert editor.post(f"/api/v1/jobs/{foreign}/cancel").status_code == 404
    assert clew.job(foreign).state == "queued"
    told = silent(reader.get("/api/v1/corpora")).json
    assert [corpus["name"] for corpus in told["corpora"]] == [OWN_CORPUS]
    assert told["default"] == OWN_CORPUS
    for path in ("/", "/ask", "/documents", "/bench", "/models", "/api/v1/models",
                 "/api/v1/bench/runs", "/health/ready", "/openapi.json", "/api/v1/me"):  # fmt: skip
        assert silent(reader.get(path)).status_code in (200, 503), path


def test_a_grant_that_is_taken_back_is_felt(app: Any, clew: Clew) -> None:
    """Within a second: what is known of a caller is remembered no longer."""
    clew.create_user("guest", "reader", password=PASSWORD, corpora=[FOREIGN_CORPUS])
    guest = call(app, clew, "guest")
    path = f"/api/v1/corpora/{FOREIGN_CORPUS}"
    assert guest.get(path).status_code == 200
    clew.revoke("guest", FOREIGN_CORPUS)
    began = time.monotonic()
    while guest.get(path).status_code == 200:
        assert time.monotonic() - began < 2
        time.sleep(0.05)
