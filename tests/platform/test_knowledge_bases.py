"""A knowledge base as a corpus, through the facade and the command line: evidence and answers of
triples, dry run, documents, check.
"""

import json
import os
import unicodedata
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from clew import Clew
from clew.answering.base import whole_answer
from clew.answering.language_model_reader import LanguageModelReader, messages
from clew.answering.triple_answers import best_paths, named_entities
from clew.mcp_server import make_server
from clew.results.evidence import Evidence, EvidenceTriple
from clew_cypher.corpora import delete_corpus
from clew_cypher.export.hetero_data import export_levels
from clew_cypher.store import GraphStore, Neo4jConfig

from ..command_line import Done, call_clew
from ..event_loop import done
from ..running_clew import OwnSettings
from .test_answering_language_model import ScriptedModel

FACTS = """\
Ella Brand\tspouse\tTom Harrow
Tom Harrow\tplace of birth\tOakham
Ella Brand\tchild\tIda Brand
Ella Brand\tchild\tMax Brand
Ella Brand\tprofession\tmiller
Lake Tarn\tlocated in\tNorthland
"""
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def corpus(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A corpus that has nothing but a knowledge base."""
    name = f"test-knowledge-{uuid.uuid4().hex[:8]}"
    file = tmp_path_factory.mktemp("facts") / "facts.tsv"
    file.write_text(FACTS)
    report = clew.ingest(file, corpus=name, as_triples=True)
    assert (report.ready, report.triples) == (1, 6)
    yield name
    clew.delete_corpus(name)


@pytest.fixture(scope="module")
def clew(own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clew]:
    settings = own_settings(tmp_path_factory.mktemp("home"))
    with Clew(settings) as clew:
        yield clew


def test_the_export_has_the_triples_that_no_chunk_states(clew: Clew, corpus: str) -> None:
    levels = export_levels(clew.resources.store, corpus, triplets=False)
    edges = levels.edges["entity", "relation", "entity"]
    names = {
        row["id"]: row["name"]
        for row in clew.resources.store.run_declared(
            "CYPHER 25 MATCH (e:Entity {corpus: $corpus}) RETURN e.id AS id, e.name AS name",
            {"corpus": corpus},
        )
    }
    ids = [names[key] for key in levels.ids["entity"]]
    found = {(ids[head], ids[tail]) for head, tail in edges.index.T}
    assert found == {(line.split("\t")[0], line.split("\t")[2]) for line in FACTS.splitlines()}
    assert len(levels.triple_ids) == len(levels.predicates) == 6


def test_dense_finds_triples_where_there_is_no_text(clew: Clew, corpus: str) -> None:
    evidence = clew.search("Who is the spouse of Ella Brand?", corpus=corpus, strategy="dense")
    assert evidence.chunks == ()
    first = evidence.triples[0]
    assert (first.head, first.relation, first.tail) == ("Ella Brand", "spouse", "Tom Harrow")
    assert (first.line, first.chunk_id, first.title) == (1, "", "facts")
    assert len(evidence.triples) == 6
    scores = [one.score for one in evidence.triples]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("question", "answer", "lines"),
    [
        ("Who is the spouse of Ella Brand?", "Tom Harrow", [1]),
        ("What is the place of birth of Ella Brand's spouse?", "Oakham", [1, 2]),
        ("Where was the spouse of Ella Brand born?", "Oakham", [1, 2]),
        ("Who has the profession miller?", "Ella Brand", [5]),
        ("Which lake is located in Northland?", "Lake Tarn", [6]),
    ],
)
def test_the_end_of_the_best_path_answers_cited_by_triple(
    clew: Clew, corpus: str, question: str, answer: str, lines: list[int]
) -> None:
    found = clew.ask(question, corpus=corpus, strategy="dense")
    assert found.supported
    assert found.short == answer
    assert [one.line for one in found.citations] == lines
    assert [one.number for one in found.citations] == list(range(1, len(lines) + 1))
    by_id = {one.id: one for one in found.evidence.triples}
    assert all(by_id[one.triple_id].text == one.quote for one in found.citations)
    assert all(f"“{one.quote}” [{one.number}]" in found.text for one in found.citations)


def test_ends_that_fit_alike_are_all_told(clew: Clew, corpus: str) -> None:
    found = clew.ask("Who is a child of Ella Brand?", corpus=corpus, strategy="dense")
    assert {"Ida Brand", "Max Brand"} == set(found.text.split(".")[0].split(", "))
    assert len(found.citations) == 2


def test_what_the_triples_do_not_name_has_no_answer(clew: Clew, corpus: str) -> None:
    found = clew.ask("Who is the spouse of Karl Weber?", corpus=corpus, strategy="dense")
    assert (found.supported, found.short, found.citations) == (False, "", ())


def test_a_strategy_that_needs_passages_says_so(clew: Clew, corpus: str) -> None:
    names = ("bm25", "hybrid", "pagerank", "guided-pagerank", "chain-ranking", "graph-network")
    for strategy in (*names, "translator", "contextual"):
        found = clew.search("Who is the spouse of Ella Brand?", corpus=corpus, strategy=strategy)
        assert found.chunks == ()
        assert any("6 triples and no text" in notice for notice in found.notices), strategy


def test_where_nobody_chose_a_strategy_one_for_triples_is_asked(clew: Clew, corpus: str) -> None:
    told: list[object] = []
    found = clew.ask("Who is the spouse of Ella Brand?", corpus=corpus, tell=told.append)
    assert (found.evidence.strategy, found.short) == ("partial-alignment", "Tom Harrow")
    (notice,) = [one for one in found.evidence.notices if "no text" in one]
    assert "chain-ranking looks for passages" in notice
    assert "partial-alignment was asked instead" in notice
    assert {(one.title, one.line) for one in found.citations} == {("facts", 1)}


def test_a_language_model_is_handed_the_triples_with_their_numbers(clew: Clew, corpus: str) -> None:
    evidence = clew.search("Who is the spouse of Ella Brand?", corpus=corpus, strategy="dense")
    assert "[1] facts\nElla Brand spouse Tom Harrow." in messages(evidence)[-1].content
    reply = {
        "supported": True,
        "answer": "Tom Harrow [1].",
        "short": "Tom Harrow",
        "citations": [1],
    }
    reader = LanguageModelReader(ScriptedModel(json.dumps(reply)), name="local")
    (cited,) = whole_answer(reader, evidence).citations
    assert (cited.triple_id, cited.line) == (evidence.triples[0].id, 1)


def test_the_tools_of_the_protocol_show_triples(clew: Clew, corpus: str) -> None:
    server = make_server(clew, lambda: corpus, clew.search, clew.ask)

    async def talk() -> dict[str, Any]:
        asked = {"question": "Who is the spouse of Ella Brand?", "corpus": corpus}
        async with Client(server) as client:
            (document,) = (await _called(client, "documents"))["documents"]
            return {
                "search": await _called(client, "search", **asked),
                "document": await _called(client, "documents", document_id=document["id"]),
                "graph": await _called(client, "graph", name="Ella Brand"),
            }

    told = done(talk())
    first = told["search"]["triples"][0]
    assert [first[name] for name in ("head", "relation", "tail", "line", "title")] == [
        *("Ella Brand", "spouse", "Tom Harrow", 1, "facts")
    ]
    written = [
        "\t".join(one[name] for name in ("head", "relation", "tail"))
        for one in told["document"]["triples"]
    ]
    assert written == FACTS.splitlines()
    assert told["document"]["text"] is None
    assert "spouse" in {edge["text"] for edge in told["graph"]["edges"]}


async def _called(client: Client, tool: str, **arguments: str) -> dict[str, Any]:
    answered = await client.call_tool(tool, arguments)
    assert not answered.is_error, answered.content
    return answered.structured_content or {}


def test_its_page_shows_triples_with_lines(
    clew: Clew, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (document,) = clew.documents(corpus)
    assert (document.kind, document.triples, document.chunks) == ("knowledge-base", 6, 0)
    detail = clew.document(corpus, document.id)
    assert [one.line for one in detail.triples] == [1, 2, 3, 4, 5, 6]
    first = detail.entities[0]
    assert first.name == "Ella Brand"
    (found,) = [one for one in clew.find_entities(corpus, "Ella Brand") if one.id == first.id]
    shown = clew.entity(corpus, first.id)
    for one in (first, found, shown.entity):
        assert (one.chunk_count, one.triple_count) == (0, len(shown.triples))
    assert clew.stats(corpus).documents == 1
    assert [finding for finding in clew.check(corpus) if finding.found] == []
    monkeypatch.setattr("clew.indexing.browsing.DOCUMENT_TRIPLES", 3)
    for line, lines in ((None, [1, 2, 3]), (2, [1, 2, 3]), (5, [1, 2, 5]), (9, [1, 2, 3])):
        detail = clew.document(corpus, document.id, line=line)
        assert [one.line for one in detail.triples] == lines


def test_a_dry_run_counts_triples_and_names_bad_lines(
    clew: Clew, corpus: str, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.tsv", tmp_path / "bad.tsv"
    good.write_text(FACTS)
    bad.write_text("a\tb\n")
    planned = clew.dry_run(good, bad, corpus=corpus, as_triples=True)
    assert (planned.new, planned.failed, planned.triples, planned.chunks) == (2, 1, 6, 0)
    assert "Line 1" in planned.failing[0].error
    assert clew.stats(corpus).documents == 1


def test_a_dry_run_times_triples_by_those_that_were_indexed(clew: Clew, tmp_path: Path) -> None:
    name = f"test-knowledge-{uuid.uuid4().hex[:8]}"
    many, more = tmp_path / "many.tsv", tmp_path / "more.tsv"
    many.write_text("".join(f"town {n}\tlies in\tcounty {n % 40}\n" for n in range(1_200)))
    more.write_text("".join(f"town {n}\tmayor\tmayor {n}\n" for n in range(600)))
    before = clew.dry_run(many, corpus=name, as_triples=True)
    try:
        if before.seconds == 0:  # nothing of the kind was indexed in this database
            assert any("1200 triples" in said for said in before.assumptions)
        clew.ingest(many, corpus=name, as_triples=True)
        planned = clew.dry_run(more, corpus=name, as_triples=True)
        (job,) = clew.jobs(name)
        assert f"1200 triples into {name}" in planned.measured
        wall = job.progress["wall_seconds"] / 1_200 * 600
        assert planned.seconds == pytest.approx(wall, abs=0.06)
        assert planned.stages["write"] > 0
    finally:
        clew.delete_corpus(name)


@pytest.fixture(scope="module")
def run(
    neo4j_server: Neo4jConfig, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Run]:
    name = f"test-knowledge-{uuid.uuid4().hex[:8]}"
    environment = {key: value for key, value in os.environ.items() if "CLEW_" not in key} | {
        "CLEW_HOME": str(tmp_path_factory.mktemp("home")),
        "CLEW_CACHE_DIR": str(cache_dir),
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USERNAME": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
        "CLEW_CORPUS": name,
    }

    def call(*arguments: str, code: int = 0) -> Done:
        return call_clew(environment, *arguments, code=code, width=160)

    yield call
    with GraphStore(neo4j_server) as store:
        delete_corpus(store, name)


def test_the_command_line_ingests_asks_and_deletes(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "facts.tsv"
    file.write_text(FACTS)
    done = run("ingest", str(file), "--as", "triples", "--in-process")
    assert "1 documents" in done.stdout
    assert "6 triples" in done.stdout
    question = "Who is the spouse of Ella Brand?"
    found = run("search", question, "--strategy", "dense")
    assert "Ella Brand | spouse | Tom Harrow" in found.stdout
    asked = run("ask", question, "--strategy", "dense")
    assert "Tom Harrow." in asked.stdout
    assert "facts (line 1)" in asked.stdout
    file.write_text(FACTS + "one column\n")
    failed = run("ingest", str(file), "--as", "triples", "--in-process", code=3)
    assert "Line 7: It has 1 columns" in failed.stderr
    run("delete", "facts", "--yes")


def triple(number: int, head: str, relation: str, tail: str) -> EvidenceTriple:
    return EvidenceTriple(
        id=f"t{number}",
        head_id=f"e-{head}",
        head=head,
        relation=relation,
        tail_id=f"e-{tail}",
        tail=tail,
        text=f"{head} {relation} {tail}.",
        score=1.0,
        line=number,
    )


def test_a_text_as_long_as_a_page_is_an_end_of_a_triple(clew: Clew, tmp_path: Path) -> None:
    """As abstracts are in dumps of knowledge bases: no index of names takes them whole."""
    abstract = "Oakham is a town of mills. " * 700
    stacked = "A" + "\u0301" * 15_000 + "da Thorne"  # a short name by its key
    file = tmp_path / "facts.ttl"
    file.write_text(
        f'<http://example.org/Oakham> <http://example.org/abstract> "{abstract}" .\n'
        f'<http://example.org/Oakham> <http://example.org/mayor> "{stacked}" .\n'
    )
    name = f"test-knowledge-{uuid.uuid4().hex[:8]}"
    try:
        report = clew.ingest(file, corpus=name, as_triples=True)
        assert (report.ready, report.triples) == (1, 2), report.failed
        found = clew.search("Who is the mayor of Oakham?", name, strategy="dense")
        whole = {abstract.strip(), unicodedata.normalize("NFC", stacked)}
        assert whole == {one.tail for one in found.triples}
        again = clew.ingest(file, corpus=name, as_triples=True)
        assert again.unchanged == 1
        assert [finding.check for finding in clew.check(name) if finding.found] == []
    finally:
        clew.delete_corpus(name)


def test_names_within_longer_names_are_not_named(clew: Clew) -> None:
    triples = (
        triple(1, "London", "capital of", "England"),
        triple(2, "London Bridge", "opened in", "1831"),
    )
    asked = "When was London Bridge opened?"
    evidence = Evidence(question=asked, corpus="c", strategy="s", triples=triples)
    names = named_entities(evidence)
    assert list(names.values()) == ["London Bridge"]
    found = best_paths(evidence, names, clew.resources.embedder)
    assert found is not None
    assert [path.triples[0].id for path in found[0]] == ["t2"]


def test_the_bench_ranks_triples_of_pathquestion(clew: Clew, tmp_path: Path) -> None:
    from clew.evaluation.request import BenchRequest
    from clew.evaluation.scoring import score_run

    (tmp_path / "2H-kb.txt").write_text(
        "ella_brand\tspouse\ttom_harrow\ntom_harrow\tplace_of_birth\toakham\n"
        "lake_tarn\tlocated_in\tnorthland\n"
    )
    (tmp_path / "PQ-2H.txt").write_text(
        "where was ella_brand 's spouse born ?\toakham(oakham/)\t"
        "ella_brand#spouse#tom_harrow#place_of_birth#oakham#<end>#oakham\n"
    )
    request = BenchRequest(
        data_set=str(tmp_path), strategies=("dense", "bm25"), reader="extractive", depth=50
    )
    run = clew.bench(request)
    found = score_run(run)
    assert found["dense"]["triplet_recall@50"].tolist() == [1.0]
    assert found["dense"]["path_recall@50"].tolist() == [1.0]
    assert found["dense"]["exact_match"].tolist() == [1.0]
    # it finds passages, of which there are none: that is no measure of it, and it says so
    assert str(found["bm25"]["path_recall@50"].tolist()) == "[nan]"
    assert any("triples and no text" in one for o in run.outcomes for one in o.notices)
    outcome = next(one for one in run.outcomes if one.strategy == "dense")
    assert outcome.validity is not None
    assert outcome.validity.missing == ()
    assert {one.key for one in outcome.ranking[:2]} == set(run.questions[0].gold)
    clew.delete_corpus(run.index.corpus)
