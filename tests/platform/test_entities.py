"""Entity resolution by the facade and the command line, on documents that were really ingested."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clew.clew import Clew
from clew.cli.app import app
from clew.errors import InvalidRequest
from clew.settings import Settings
from clew_cypher.corpora import delete_corpus
from clew_cypher.errors import UnknownCorpus, UnknownEntity, UnknownMerge, UnknownReview
from clew_cypher.searching.entities import find_entities

from ..running_clew import OwnSettings

CORPUS = "test-entities"
DOCUMENTS = {
    "a.md": "# Basketball\n\nMichael Jordan was born in Brooklyn. Jordan married Juanita Vanoy.",
    "g.md": "# Weddings\n\nThe player Jordan married Juanita Vanoy in 1989. Jordan smiled.",
    "b.md": "# Levant\n\nThe ambassador flew to Jordan. Jordan lies between Israel and Iraq.",
    "c.md": "# Fantasy\n\nThe novel was written by J. R. R. Tolkien in Oxford.",
    "d.md": "# Philology\n\nThe lectures were given by John Ronald Reuel Tolkien in Oxford.",
    "e.md": "# Memoirs\n\nMark Twain grew up in Hannibal.",
    "f.md": "# Printing\n\nSamuel Langhorne Clemens learned printing in Hannibal.",
}


@pytest.fixture(scope="module")
def settings(own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return own_settings(
        tmp_path_factory.mktemp("home"),
        corpus=CORPUS,
    )


@pytest.fixture(scope="module")
def clew(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clew]:
    folder = tmp_path_factory.mktemp("documents")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    with Clew(settings) as clew:
        report = clew.ingest(folder)
        assert (report.ready, report.failed) == (len(DOCUMENTS), ())
        assert report.merges == len(clew.merges()) > 0
        yield clew
        with suppress(UnknownCorpus):
            delete_corpus(clew.resources.store, CORPUS)


def found(clew: Clew, name: str) -> set[tuple[str, str, int]]:
    rows = find_entities(clew.resources.store, CORPUS, [name])
    return {(row["name"], row["type"], row["chunk_count"]) for row in rows}


def test_ingest_merges_what_is_one_and_keeps_homonyms_apart(clew: Clew) -> None:
    ((merge),) = clew.merges()
    names = {merge.canonical.name, *(entity.name for entity in merge.merged)}
    assert names == {"J. R. R. Tolkien", "John Ronald Reuel Tolkien"}
    (tolkien,) = find_entities(clew.resources.store, CORPUS, ["john ronald reuel tolkien"])
    assert tolkien["chunk_count"] == 2
    jordans = found(clew, "jordan")
    assert {("Jordan", "GPE", 1), ("Jordan", "PERSON", 1)} <= jordans  # the country, the player


def test_a_person_merges_and_undoes_by_name(clew: Clew) -> None:
    said = clew.merge(CORPUS, "Mark Twain", "samuel langhorne clemens")
    assert said.verdict == "same"
    assert said.merge_id is not None
    assert {merge.by for merge in clew.merges()} == {"auto", "person"}
    with pytest.raises(InvalidRequest, match="one entity already"):
        clew.merge(CORPUS, "Mark Twain", "Samuel Langhorne Clemens")
    clew.undo_merge(CORPUS, said.merge_id)
    assert {merge.by for merge in clew.merges()} == {"auto"}
    assert clew.resolve(CORPUS).merges == 0


def test_what_a_person_keeps_apart_decides_what_was_doubted_for_it(
    clew: Clew, corpus: str, tmp_path: Path
) -> None:
    text = tmp_path / "trade.txt"
    text.write_text(
        "The World Trade Organization met the ministers in Geneva in 1995. The WTO elected a "
        "chairman in Geneva.\n\nThe World Tourism Organization opened an office in Madrid in 1976."
    )
    clew.ingest(text, corpus=corpus)
    assert clew.merges(corpus) == []
    tourism = "World Tourism Organization"
    pairs = {review.id: f"{review.a.name} {review.b.name}" for review in clew.reviews(corpus)}
    (rival,) = [id_ for id_, names in pairs.items() if tourism in names and "WTO" in names]
    assert clew.decide(corpus, rival, "different").verdict == "different"
    (merge,) = clew.merges(corpus)
    names = " ".join(str(entity.name) for entity in (merge.canonical, *merge.merged))
    assert ("WTO" in names, "World Trade" in names, tourism in names) == (True, True, False)


def test_what_is_not_there_is_told(clew: Clew) -> None:
    with pytest.raises(UnknownEntity, match="Nobody"):
        clew.merge(CORPUS, "Nobody At All", "Mark Twain")
    with pytest.raises(UnknownMerge, match="clew entities merges"):
        clew.undo_merge(CORPUS, "none")
    with pytest.raises(UnknownReview):
        clew.decide(CORPUS, "none", "same")
    with pytest.raises(InvalidRequest, match="same, different"):
        clew.decide(CORPUS, "none", "maybe")  # type: ignore[arg-type]
    for ask in (clew.reviews, clew.merges):
        with pytest.raises(UnknownCorpus):
            ask("no-such-corpus")


def test_the_command_line_lists_and_decides(
    clew: Clew, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("neo4j_uri", "home", "cache_dir"):
        monkeypatch.setenv(f"CLEW_{name.upper()}", str(getattr(settings, name)))
    assert settings.neo4j_password is not None
    monkeypatch.setenv("CLEW_NEO4J_PASSWORD", settings.neo4j_password.get_secret_value())

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["entities", *arguments, "-c", CORPUS])
        assert result.exit_code == 0, result.output
        return result.stdout

    (merge,) = json.loads(run("merges", "--json"))
    assert "Tolkien" in run("merges")
    joined = json.loads(run("merge", "Mark Twain", "Samuel Langhorne Clemens", "--json"))
    assert "kept apart" in run("undo", joined["merge_id"])
    assert merge["id"] in run("merges")
    waiting = json.loads(run("review", "--json"))
    assert waiting
    assert "kept apart" in run("decide", waiting[0]["id"], "different")
    left = {row["id"] for row in json.loads(run("review", "--json"))}
    assert left == {row["id"] for row in waiting[1:]}
    assert "entities" in run("resolve")
