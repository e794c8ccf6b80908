"""A question asked of some documents: by name, day and field, in Python and on the command line."""

import json
import os
import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from clew import Clew, Settings
from clew.cli.questions import _asked_documents
from clew.errors import InvalidRequest
from clew.results.asked_documents import AskedDocuments
from clew.strategies.catalogue import STRATEGIES
from clew.strategies.selection import select
from clew_cypher.errors import UnknownCorpus, UnknownDocument
from clew_cypher.searching.documents import list_documents
from clew_cypher.writing.documents import accept_document, put_off_document

from ..command_line import call_clew
from ..running_clew import OwnSettings

RECORDS = [
    {"id": "1", "title": "Tarn", "text": "The mayor of Tarn is Ida Brand.", "language": "en"},
    {"id": "2", "title": "Oakham", "text": "The mayor of Oakham is Max Brand.", "year": 2024},
    {
        "id": "3",
        "title": "Selby",
        "text": "The mayor of Selby is Tom Harrow.",
        "tags": ["old", "A"],
    },
]


@pytest.fixture(scope="module")
def settings(own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return own_settings(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def clew(settings: Settings) -> Iterator[Clew]:
    with Clew(settings) as clew:
        yield clew


@pytest.fixture(scope="module")
def corpus(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name = f"test-asked-{uuid.uuid4().hex[:8]}"
    folder = tmp_path_factory.mktemp("files")
    (folder / "towns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in RECORDS))
    (folder / "Minutes 2025-03 [é].txt").write_text(
        "The mayor of Ribe is Ella Vale, it was decided."
    )
    (folder / "ribe.md").write_text("---\nstatus: Draft\ntags: [old]\n---\nRibe has a mayor.\n")
    assert clew.ingest(folder, corpus=name).ready == 6  # the file of records is a document too
    yield name
    clew.delete_corpus(name)


def titles(clew: Clew, corpus: str, **asked: object) -> set[str]:
    chosen = AskedDocuments.model_validate(asked)
    chunks = clew.search("Who is the mayor?", corpus, "bm25", documents=chosen).chunks
    return {chunk.title for chunk in chunks}


def test_by_name_field_and_day(clew: Clew, corpus: str) -> None:
    towns = {"Tarn", "Oakham", "Selby"}
    minutes = {"Minutes 2025-03 [é]"}
    assert titles(clew, corpus) == towns | minutes | {"ribe"}
    assert titles(clew, corpus, names=["minutes*"]) == minutes
    assert titles(clew, corpus, names=["*2025-0? ?é?.txt"]) == minutes
    for name in ("Minutes 2025-03 [é].txt", "minutes 2025-* [[]E\u0301].TXT", "*/Minutes%202025*"):
        assert titles(clew, corpus, names=[name]) == minutes, name
    assert titles(clew, corpus, names=["towns.jsonl"]) == towns
    assert titles(clew, corpus, names=["T*rn", "oakham"]) == {"Tarn", "Oakham"}
    assert titles(clew, corpus, metadata={"language": "EN"}) == {"Tarn"}
    assert titles(clew, corpus, metadata={"year": "2024"}) == {"Oakham"}
    assert titles(clew, corpus, metadata={"tags": "a"}) == {"Selby"}
    assert titles(clew, corpus, metadata={"tags": "old"}) == {"Selby", "ribe"}
    assert titles(clew, corpus, metadata={"status": "draft"}) == {"ribe"}
    assert titles(clew, corpus, names=["Oakham", "Tarn"], metadata={"year": "2024"}) == {"Oakham"}
    today = datetime.now(UTC).date()
    nearby = [today - timedelta(days=2), today + timedelta(days=2)]  # the test may run at midnight
    assert titles(clew, corpus, added_from=nearby[0], added_until=nearby[1]) == towns | minutes | {
        "ribe"
    }
    for days in ({"added_until": nearby[0]}, {"added_from": nearby[1]}):
        with pytest.raises(UnknownDocument):
            titles(clew, corpus, **days)


def test_an_answer_is_of_the_chosen_documents(clew: Clew, corpus: str) -> None:
    whole = clew.ask("Who is the mayor of Tarn?", corpus)
    assert "Ida Brand" in whole.text
    chosen = AskedDocuments(names=("Selby", "Oakham"))
    limited = clew.ask("Who is the mayor of Tarn?", corpus, documents=chosen)
    assert {chunk.title for chunk in limited.evidence.chunks} == {"Selby", "Oakham"}
    assert "Ida Brand" not in limited.text
    events = list(clew.ask_events("Who is the mayor of Tarn?", corpus, documents=chosen))
    assert {chunk["title"] for chunk in events[-1].data["evidence"]["chunks"]} == {
        "Selby",
        "Oakham",
    }


def test_an_earlier_version_can_be_chosen_while_a_newer_one_waits_or_was_put_off(
    clew: Clew, tmp_path: Path
) -> None:
    name = f"test-asked-{uuid.uuid4().hex[:8]}"
    (tmp_path / "Ribe.txt").write_text("The mayor of Ribe is Ella Vale.")
    store = clew.resources.store
    try:
        clew.ingest(tmp_path, corpus=name)
        (old,) = list_documents(store, name)
        shared = {key: old[key] for key in ("uri", "title", "media_type")}
        accept_document(store, name, **shared, sha256="0", data=b"The mayor of Ribe is Ona Vale.")
        assert titles(clew, name, names=["Ribe"]) == {"Ribe"}
        put_off_document(store, name, old["id"], "The reader was killed.")
        assert [row["status"] for row in list_documents(store, name)] == ["failed"]
        assert titles(clew, name, names=["Ribe"]) == {"Ribe"}
    finally:
        clew.delete_corpus(name)


@pytest.mark.parametrize("strategy", [None, "dense"])
def test_facts_are_those_of_the_chosen_knowledge_base(
    clew: Clew, tmp_path: Path, strategy: str | None
) -> None:
    name = f"test-asked-{uuid.uuid4().hex[:8]}"
    shared = "Lowfield\tmayor\tHana Prior\n"
    others = "".join(f"Town {n}\tmayor\tMayor {n}\n" for n in range(120))
    (tmp_path / "big.tsv").write_text(shared + others)
    (tmp_path / "small.tsv").write_text(f"{shared}Lowfield\tlies on\tthe Ashow\n")
    (tmp_path / "note.txt").write_text("The library of Lowfield opens at ten.")
    try:
        clew.ingest(tmp_path / "big.tsv", tmp_path / "small.tsv", corpus=name, as_triples=True)
        clew.ingest(tmp_path / "note.txt", corpus=name)
        chosen = AskedDocuments(names=("small*",))
        # the triples of most towns are nearer to the question
        found = clew.search("Which town has which mayor?", name, strategy, documents=chosen)
        assert {(one.head, one.tail) for one in found.triples} == {
            ("Lowfield", "Hana Prior"),
            ("Lowfield", "the Ashow"),
        }
        assert {(one.title, one.line) for one in found.triples} == {("small", 1), ("small", 2)}
        assert found.chunks == ()
    finally:
        clew.delete_corpus(name)


def test_copies_of_a_passage_take_no_other_s_place(clew: Clew, tmp_path: Path) -> None:
    name = f"test-asked-{uuid.uuid4().hex[:8]}"
    for folder in "abcdef":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Ferry times.txt").write_text("The ferry to Brenholm leaves at nine.")
    (tmp_path / "Fares.txt").write_text("A ticket for the ferry to Brenholm costs eleven crowns.")
    (tmp_path / "Winter.txt").write_text("In winter the ferry to Brenholm sails on Saturdays.")
    question = "When does the ferry to Brenholm leave?"
    chosen = AskedDocuments(names=("Ferry*",))
    try:
        clew.ingest(tmp_path, corpus=name)
        for spec in STRATEGIES:
            if spec.models or spec.for_triples:
                continue
            found = clew.search(question, name, spec.name, k=3).chunks
            titles = [chunk.title for chunk in found]
            assert sorted(titles) == ["Fares", "Ferry times", "Winter"], spec.name
            (only,) = clew.search(question, name, spec.name, k=3, documents=chosen).chunks
            assert only.title == "Ferry times", spec.name
    finally:
        clew.delete_corpus(name)


def test_none_that_fits_is_an_error_that_says_so(clew: Clew, corpus: str) -> None:
    question = "Who is the mayor of Tarn?"
    chosen = AskedDocuments(names=("*.pdf",), metadata={"year": "1999"})
    said = re.escape(f"No document of the corpus '{corpus}' fits: '*.pdf', year = '1999'.")
    for strategy in (None, "planner:bm25"):
        with pytest.raises(UnknownDocument, match=said):
            clew.search(question, corpus, strategy, documents=chosen)
    with pytest.raises(UnknownDocument, match=said):
        clew.ask(question, corpus, documents=chosen)
    (event,) = clew.ask_events(question, corpus, documents=chosen)
    assert (event.event, event.data["http_status"]) == ("error", 404)
    with pytest.raises(UnknownCorpus):
        select(clew.resources, "no-such", chosen)


def test_no_passages_at_all_cannot_be_asked_for(clew: Clew, corpus: str) -> None:
    for documents in (None, AskedDocuments(names=("Tarn",))):
        with pytest.raises(InvalidRequest, match="0 chunks"):
            clew.search("Who is the mayor?", corpus, "bm25", k=0, documents=documents)


def test_few_of_many_are_found_though_they_stand_low(clew: Clew, tmp_path: Path) -> None:
    name = f"test-asked-{uuid.uuid4().hex[:8]}"
    rows = [
        {"id": str(n), "title": f"Town {n}", "text": f"The mayor of town {n} is called Brand."}
        for n in range(700)
    ]
    rows.append({"id": "x", "title": "Fish", "text": "Herring swim in the sea."})
    rows.append({"id": "y", "title": "Boats", "text": "A boat is made of oak."})
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        clew.ingest(tmp_path / "many.jsonl", corpus=name)
        chosen = AskedDocuments(names=("Fish", "Boats"))
        for strategy in ("bm25", "dense", "chain-ranking"):
            found = clew.search("Who is the mayor?", name, strategy, k=2, documents=chosen)
            assert {chunk.title for chunk in found.chunks} == {"Fish", "Boats"}, strategy
    finally:
        clew.delete_corpus(name)


def test_what_makes_no_sense_is_refused() -> None:
    for wrong in (
        {"added_from": "2025-03-02", "added_until": "2025-03-01"},
        {"names": [""]},
        {"name": ["x"]},
        {"added_from": "yesterday"},
    ):
        with pytest.raises(ValidationError):
            AskedDocuments.model_validate(wrong)


def test_a_field_that_is_named_twice_is_refused() -> None:
    """Of two values one would be left out."""
    with pytest.raises(InvalidRequest, match="--field tag is there twice"):
        _asked_documents(None, None, None, ["tag=a", "year=2024", "tag=b"])


def test_the_command_line_asks_some_documents(settings: Settings, corpus: str) -> None:
    assert settings.neo4j_password is not None
    environment = {key: value for key, value in os.environ.items() if "CLEW_" not in key} | {
        "CLEW_HOME": str(settings.home),
        "CLEW_CACHE_DIR": str(settings.cache_dir),
        "NEO4J_URI": str(settings.neo4j_uri),
        "NEO4J_USERNAME": settings.neo4j_username,
        "NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "CLEW_CORPUS": corpus,
    }
    search = ["search", "Who is the mayor?", "-s", "bm25", "--json"]
    found = call_clew(environment, *search, "-d", "Tarn", "-d", "Sel*")
    assert {chunk["title"] for chunk in json.loads(found.stdout)["chunks"]} == {"Tarn", "Selby"}
    found = call_clew(environment, *search, "--field", "year=2024", "--added-from", "2020-01-01")
    assert [chunk["title"] for chunk in json.loads(found.stdout)["chunks"]] == ["Oakham"]
    refused = call_clew(environment, *search, "--field", "year", code=2)
    assert "--field year says no value" in refused.stderr
    turned = [*search, "--added-from", "2025-01-02", "--added-until", "2025-01-01"]
    assert "the first day is after the last" in call_clew(environment, *turned, code=2).stderr
    nothing = call_clew(environment, *search[:-1], "-d", "*.pdf", code=3)
    assert f"No document of the corpus '{corpus}' fits: '*.pdf'." in nothing.stderr
