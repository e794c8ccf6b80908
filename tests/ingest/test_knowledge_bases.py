"""Knowledge bases: files of triples become entities and triples with their line, and no text."""

import gzip
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from clew_cypher.checking.checks import check_corpus
from clew_cypher.searching.documents import get_document
from clew_cypher.writing.documents import delete_document, reaccept_documents
from clew_ingest.child_process import ChildFailed, ChildProcess
from clew_ingest.limits import IngestLimits
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.pipeline.progress import IngestReport
from clew_ingest.reading import media_types
from clew_ingest.reading.sources import uploaded
from clew_ingest.reading.triple_reader import BATCH, TripleReader

from ..children_kept import children_ending
from ..graph_lines import graph_lines

if TYPE_CHECKING:
    from clew_cypher.store import GraphStore
    from clew_models.embedding.base import Embedder

FACTS = """\
subject\trelation\tobject
Ada Lovelace\tborn_in\tLondon
Ada Lovelace\tchild of\tLord Byron
Lord Byron\tborn_in\tLondon
London\tcapital of\tEngland
Ada Lovelace\tyear_of_birth\t1815
"""
TEXT = "Ada Lovelace lived in London. London is the capital of England."


@pytest.fixture(scope="module")
def embedder(cache_dir: Path) -> "Embedder":
    from clew_models.embedding import load_embedder

    return load_embedder("minilm", cache_dir=cache_dir, batch_size=16, threads=1)


@pytest.fixture(scope="module")
def pipeline(store: "GraphStore", embedder: "Embedder") -> Iterator[IngestPipeline]:
    with IngestPipeline(store, embedder) as pipeline:
        yield pipeline


def ingest(
    pipeline: IngestPipeline,
    corpus: str,
    content: str | bytes,
    name: str = "facts.tsv",
    as_triples: bool = True,
) -> IngestReport:
    data = content.encode() if isinstance(content, str) else content
    accepted = pipeline.accept(corpus, [uploaded(name, data)], as_triples=as_triples)
    return pipeline.process(corpus, accepted.pending).after(accepted)


def triples(store: "GraphStore", corpus: str) -> list[dict[str, Any]]:
    return store.run_declared(
        "CYPHER 25 MATCH (h:Entity)-[r:RELATION {corpus: $corpus}]->(t:Entity) "
        "RETURN h.name AS head, r.relation AS relation, r.predicate AS predicate, t.name AS tail, "
        "r.line AS line, r.document_id AS document_id, r.chunk_id AS chunk_id, r.ttr AS ttr, "
        "r.embedding IS NOT NULL AS embedded, r.language AS language ORDER BY line, tail",
        {"corpus": corpus},
    )


def entities(store: "GraphStore", corpus: str) -> dict[str, dict[str, Any]]:
    rows = store.run_declared(
        "CYPHER 25 MATCH (e:Entity {corpus: $corpus}) RETURN e{.name, .type, .named, .iris, "
        ".corpus_key, embedded: e.embedding IS NOT NULL} AS e",
        {"corpus": corpus},
    )
    return {row["e"]["name"]: row["e"] for row in rows}


def sound(store: "GraphStore", corpus: str) -> bool:
    wrong = [finding for finding in check_corpus(store, corpus) if finding.found]
    assert wrong == []
    return True


def only_document(store: "GraphStore", corpus: str) -> str:
    rows = store.run_declared(
        "CYPHER 25 MATCH (d:Document {corpus: $corpus}) RETURN d.id AS id", {"corpus": corpus}
    )
    assert len(rows) == 1
    return str(rows[0]["id"])


def test_nodes_without_a_name_of_two_files_are_two_entities(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    for folder, name in (("north", "Ada"), ("south", "Bo")):
        content = f'@prefix e: <http://e.org/> .\ne:{folder} e:head [ e:name "{name}" ] .\n'
        ingest(pipeline, corpus, content, f"{folder}/staff.ttl")
    assert len([name for name in entities(store, corpus) if "node" in name]) == 2


def test_lines_become_triples_with_their_line_and_no_text(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    report = ingest(pipeline, corpus, FACTS)
    assert (report.ready, report.triples, report.triples_total, report.chunks) == (1, 5, 5, 0)
    found = triples(store, corpus)
    document = only_document(store, corpus)
    assert [(t["line"], t["head"], t["relation"], t["tail"]) for t in found] == [
        (2, "Ada Lovelace", "born_in", "London"),
        (3, "Ada Lovelace", "child of", "Lord Byron"),
        (4, "Lord Byron", "born_in", "London"),
        (5, "London", "capital of", "England"),
        (6, "Ada Lovelace", "year_of_birth", "1815"),
    ]
    assert found[0]["ttr"] == "Ada Lovelace born in London."
    assert found[0]["predicate"] == "bear in"
    assert all(t["document_id"] == document and t["chunk_id"] is None for t in found)
    assert all(t["embedded"] for t in found)
    known = entities(store, corpus)
    assert known["London"]["named"]
    assert known["London"]["corpus_key"]
    assert known["London"]["embedded"]
    assert known["1815"]["type"] == "CARDINAL"
    row = get_document(store, corpus, document)
    assert (row["kind"], row["status"], row["chunks"], row["triples"]) == (
        *("knowledge-base", "ready"),
        *(0, 5),
    )
    assert sound(store, corpus)


def test_the_same_again_changes_nothing(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    ingest(pipeline, corpus, FACTS)
    before = graph_lines(store, corpus)
    assert ingest(pipeline, corpus, FACTS).unchanged == 1
    assert graph_lines(store, corpus) == before


def test_a_new_version_keeps_what_it_has_too_and_is_as_if_fresh(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    from clew_cypher.corpora import delete_corpus

    ingest(pipeline, corpus, FACTS)
    changed = FACTS.replace("Lord Byron\tborn_in\tLondon\n", "").replace(
        "1815\n", "1815\nada lovelace\tfriend of\tCharles Babbage\nAda Lovelace\tknew\tBabbage\n"
    )
    report = ingest(pipeline, corpus, changed)
    assert (report.ready, report.triples, report.triples_kept) == (1, 2, 4)
    assert sound(store, corpus)
    assert [t["line"] for t in triples(store, corpus)] == [2, 3, 4, 5, 6, 7]
    after = graph_lines(store, corpus)
    delete_corpus(store, corpus)
    ingest(pipeline, corpus, changed)
    fresh = graph_lines(store, corpus)
    assert without_revision(after) == without_revision(fresh)
    assert entities(store, corpus)["Ada Lovelace"]["named"]


def test_a_name_that_is_written_otherwise_is_shown_so(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    from clew_cypher.corpora import delete_corpus

    ingest(pipeline, corpus, FACTS.replace("Ada Lovelace", "ada lovelace"))
    assert "ada lovelace" in entities(store, corpus)
    report = ingest(pipeline, corpus, FACTS)
    assert (report.triples, report.triples_kept) == (0, 2)
    assert sound(store, corpus)
    assert {t["head"] for t in triples(store, corpus)} == {"Ada Lovelace", "Lord Byron", "London"}
    after = graph_lines(store, corpus)
    delete_corpus(store, corpus)
    ingest(pipeline, corpus, FACTS)
    assert without_revision(after) == without_revision(graph_lines(store, corpus))


def without_revision(lines: Any) -> list[str]:
    return sorted(line for line in lines.elements() if "['Corpus']" not in line)


def test_deleting_takes_the_triples_and_leaves_what_others_need(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    ingest(pipeline, corpus, TEXT, "text.txt", as_triples=False)
    ingest(pipeline, corpus, "London\tsister city\tNew York\n", "other.tsv")
    before = without_revision(graph_lines(store, corpus))
    ingest(pipeline, corpus, FACTS)
    assert entities(store, corpus)["Lord Byron"]["named"]
    document = next(
        row["id"]
        for row in store.run_declared(
            "CYPHER 25 MATCH (d:Document {corpus: $corpus, title: 'facts'}) RETURN d.id AS id",
            {"corpus": corpus},
        )
    )
    assert sound(store, corpus)
    counts = delete_document(store, corpus, document)
    assert (counts["documents"], counts["triples"]) == (1, 5)
    assert sound(store, corpus)
    assert "Lord Byron" not in entities(store, corpus)
    resolved = [line.replace('"resolved": true, ', "") for line in before]
    now = without_revision(graph_lines(store, corpus))
    assert [line.replace('"resolved": true, ', "") for line in now] == resolved


def test_a_text_may_become_a_knowledge_base_and_a_text_again(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    ingest(pipeline, corpus, FACTS, as_triples=False)
    assert ingest(pipeline, corpus, FACTS).ready == 1
    assert sound(store, corpus)
    assert len(triples(store, corpus)) == 5
    assert ingest(pipeline, corpus, FACTS, as_triples=False).ready == 1
    assert sound(store, corpus)
    assert all(t["line"] is None for t in triples(store, corpus))


def test_bad_lines_fail_the_document_with_their_numbers(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    bad = FACTS + "only\ttwo\n" + "Ada Lovelace\t\tLondon\n"
    report = ingest(pipeline, corpus, bad)
    (failed,) = report.failed
    assert "2 lines are no triple" in failed.error
    assert "Line 7: It has 2 columns" in failed.error
    assert "Line 8: Its relation is empty." in failed.error
    assert triples(store, corpus) == []
    assert get_document(store, corpus, failed.id)["status"] == "failed"
    assert sound(store, corpus)


def test_lines_that_say_the_same_count_once(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    ingest(pipeline, corpus, "A One\tknows\tB Two\nA One\tknows\tB Two\na one\tknows\tB Two\n")
    assert [t["line"] for t in triples(store, corpus)] == [1]


def test_lines_far_apart_that_say_the_same_count_once(
    store: "GraphStore", corpus: str, embedder: "Embedder"
) -> None:
    lines = [f"Person {n % 80}\tknows\tFriend {n // 80}\n" for n in range(4_500)]
    limits = IngestLimits(triple_vectors=False)
    with IngestPipeline(store, embedder, limits=limits) as plain:
        report = ingest(plain, corpus, "".join(lines) + lines[0].lower() + lines[7])
    assert report.triples == 4_500
    found = triples(store, corpus)
    assert [t["line"] for t in found] == list(range(1, 4_501))
    assert found[0]["head"] == "Person 0"
    assert sound(store, corpus)


TURTLE = """\
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:Q7259 rdfs:label "Ada Lovelace"@en , "Ada, comtesse de Lovelace"@fr ;
  ex:birthPlace ex:London ;
  ex:birthDate "1815-12-10"^^xsd:date ;
  ex:motto "Toujours gai"@fr .
"""
N_TRIPLES = "\n".join(
    (
        "<http://example.org/Q7259> <http://example.org/birthPlace> <http://example.org/London> .",
        "# a remark",
        '<http://example.org/Q7259> <http://www.w3.org/2000/01/rdf-schema#label> "Ada Lovelace" .',
    )
)
FORMATS: dict[str, tuple[str, list[tuple[int, str, str, str]]]] = {
    "a.csv": (
        'subject,relation,object\n"Lovelace, Ada",born_in,London\n',
        [(2, "Lovelace, Ada", "born_in", "London")],
    ),
    "a.jsonl": (
        '{"head": "Ada", "relation": "born in", "tail": "London"}\n["Ada", "age", 36]\n',
        [(1, "Ada", "born in", "London"), (2, "Ada", "age", "36")],
    ),
    "a.nt": (N_TRIPLES, [(1, "Ada Lovelace", "birth place", "London")]),
    "a.ttl": (
        TURTLE,
        [
            (5, "Ada Lovelace", "birth place", "London"),
            (6, "Ada Lovelace", "birth date", "1815-12-10"),
            (7, "Ada Lovelace", "motto", "Toujours gai"),
        ],
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_each_format(pipeline: IngestPipeline, store: "GraphStore", corpus: str, name: str) -> None:
    content, wanted = FORMATS[name]
    # RDF is a knowledge base whether it is said or not
    report = ingest(pipeline, corpus, content, name, as_triples=name.endswith(("csv", "jsonl")))
    assert report.failed == ()
    found = triples(store, corpus)
    assert [(t["line"], t["head"], t["relation"], t["tail"]) for t in found] == wanted
    assert sound(store, corpus)


def test_an_address_that_is_said_no_more_goes(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    prefix = "@prefix e: <http://e.org/> .\n"
    ingest(pipeline, corpus, prefix + "e:Ada e:knows e:Bob .", "facts.ttl")
    assert entities(store, corpus)["Bob"]["iris"] == ["http://e.org/Bob"]
    ingest(pipeline, corpus, prefix + 'e:Ada e:knows "Bob" .', "facts.ttl")
    assert entities(store, corpus)["Bob"]["iris"] is None
    assert entities(store, corpus)["Ada"]["iris"] == ["http://e.org/Ada"]


def test_rdf_keeps_addresses_types_and_languages(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    ingest(pipeline, corpus, TURTLE, "a.ttl")
    known = entities(store, corpus)
    assert known["Ada Lovelace"]["iris"] == ["http://example.org/Q7259"]
    assert known["1815-12-10"]["type"] == "DATE"
    assert [t["language"] for t in triples(store, corpus)] == [None, None, "fr"]


BROKEN = {
    "a.csv": ("a,b\n", "Line 1: It has 2 columns"),
    "a.jsonl": ('{"head": "a", "relation": "b"}\nx\n', "Line 1: It has no object."),
    "a.nt": ("<http://a/b> nothing\n", "Line 1: It is no N-Triples"),
    "a.ttl": (TURTLE + "ex:a ex:b", "It is no Turtle"),
    "a.tsv": ("", "The file holds no triple."),
    "a.pdf": ("%PDF-1.4 no triples", "hold no triples"),
}


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.ttl.gz", TURTLE), ("a.nt.gz", "<http://a/b> <http://a/c> <http://a/d> .\n")],
)
def test_packed_files_of_rdf_are_unpacked(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, name: str, content: str
) -> None:
    report = ingest(pipeline, corpus, gzip.compress(content.encode()), name, as_triples=False)
    assert (report.ready, report.failed) == (1, ())
    assert report.triples == len(triples(store, corpus)) > 0


def test_packed_tables_of_triples_are_unpacked(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    packed = gzip.compress(FACTS.encode())
    assert ingest(pipeline, corpus, packed, "facts.tsv.gz").triples == 5
    (failed,) = ingest(pipeline, corpus, packed[:-9], "broken.tsv.gz").failed
    assert "Pack it again" in failed.error


def test_reading_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    lines = "".join(f"Person {n}\tknows\tPerson {n + 1}\n" for n in range(100_000))
    with children_ending(), TripleReader(IngestLimits(unpacked_limit_mib=201)) as reader:
        assert reader.open(lines.encode(), media_types.TSV, "facts") == 100_000
        assert list(tmp_path.iterdir()) == []
        assert len(next(reader.batches())) == BATCH
    assert list(tmp_path.iterdir()) == []


def test_a_base_whose_reader_is_killed_keeps_its_earlier_version(
    pipeline: IngestPipeline,
    store: "GraphStore",
    corpus: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ingest(pipeline, corpus, FACTS)
    before = graph_lines(store, corpus)

    def killed(*_: Any, **__: Any) -> None:
        raise ChildFailed("The child process was killed by SIGKILL.")

    with monkeypatch.context() as patched:
        patched.setattr(ChildProcess, "call", killed)
        (failed,) = ingest(pipeline, corpus, FACTS + "London\tis\told\n").failed
    assert "SIGKILL" in failed.error
    document = only_document(store, corpus)
    found = get_document(store, corpus, document)
    assert (found["status"], found["triples"]) == ("failed", 5)
    assert len(triples(store, corpus)) == 5
    assert sound(store, corpus)
    assert reaccept_documents(store, corpus, [document]) == [document]
    assert pipeline.process(corpus).ready == 1
    assert len(triples(store, corpus)) == 6
    assert graph_lines(store, corpus) != before


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_say_where(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, name: str
) -> None:
    content, reason = BROKEN[name]
    (failed,) = ingest(pipeline, corpus, content, name).failed
    assert reason in failed.error


def test_without_vectors_of_triples_names_have_theirs(
    store: "GraphStore", corpus: str, embedder: "Embedder"
) -> None:
    limits = IngestLimits(triple_vectors=False)
    with IngestPipeline(store, embedder, limits=limits) as plain:
        ingest(plain, corpus, FACTS)
    assert not any(t["embedded"] for t in triples(store, corpus))
    assert all(e["embedded"] for e in entities(store, corpus).values())
    assert sound(store, corpus)


def test_vectors_of_triples_can_be_had_later(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, embedder: "Embedder"
) -> None:
    limits = IngestLimits(triple_vectors=False)
    with IngestPipeline(store, embedder, limits=limits) as plain:
        ingest(plain, corpus, FACTS)
    assert ingest(pipeline, corpus, FACTS).ready == 1
    assert len(triples(store, corpus)) == 5
    assert all(t["embedded"] for t in triples(store, corpus))
    assert sound(store, corpus)


def test_who_is_killed_in_between_goes_on(
    store: "GraphStore", corpus: str, embedder: "Embedder", cache_dir: Path, tmp_path: Path
) -> None:
    lines = "".join(
        f"Person {n % 200} Smith\tknows\tPerson {n // 200} Jones\n" for n in range(20_000)
    )
    path = tmp_path / "facts.tsv"
    path.write_text(lines)
    limits = IngestLimits(triple_vectors=False)
    with IngestPipeline(store, embedder, limits=limits) as pipeline:
        accepted = pipeline.accept(corpus, [path], as_triples=True)
        killed_while_writing(store, corpus, cache_dir, accepted.pending)
        before = len(triples(store, corpus))
        assert 0 < before < 20_000
        report = pipeline.process(corpus, accepted.pending)
    assert report.ready == 1
    assert report.triples + report.triples_kept == 20_000
    assert report.triples_kept >= before
    assert report.triples < 20_000
    assert len(triples(store, corpus)) == 20_000
    assert sound(store, corpus)


def killed_while_writing(
    store: "GraphStore", corpus: str, cache_dir: Path, documents: tuple[str, ...]
) -> None:
    """Have another process ingest, and kill it once it has written something."""
    config = (store.config.uri, store.config.username, store.config.password)
    program = textwrap.dedent(
        f"""
        from pathlib import Path
        from clew_cypher.store import GraphStore, Neo4jConfig
        from clew_ingest.limits import IngestLimits
        from clew_ingest.pipeline.pipeline import IngestPipeline
        from clew_models.embedding import load_embedder

        embedder = load_embedder("minilm", cache_dir=Path({str(cache_dir)!r}), threads=1)
        with GraphStore(Neo4jConfig(*{config!r})) as store:
            limits = IngestLimits(triple_vectors=False)
            with IngestPipeline(store, embedder, limits=limits) as pipeline:
                pipeline.process({corpus!r}, {documents!r})
        """
    )
    with subprocess.Popen([sys.executable, "-c", program]) as child:
        deadline = time.monotonic() + 120
        while not triples(store, corpus):
            assert child.poll() is None, "it ended before it had written anything"
            assert time.monotonic() < deadline
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
