"""Files that are replaced or deleted by somebody else while a run works on them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clew_cypher.checking.checks import check_corpus
from clew_cypher.ids import content_id
from clew_cypher.searching.documents import get_document
from clew_cypher.writing.documents import delete_document, document_data
from clew_ingest.limits import IngestLimits
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.pipeline.progress import IngestProgress
from clew_ingest.reading.sources import Source, uploaded

if TYPE_CHECKING:
    from clew_cypher.store import GraphStore
    from clew_models.embedding.base import Embedder


@pytest.fixture(scope="module")
def embedder(cache_dir: Path) -> "Embedder":
    from clew_models.embedding import load_embedder

    return load_embedder("minilm", cache_dir=cache_dir, batch_size=16, threads=1)


@pytest.fixture(scope="module")
def pipeline(store: "GraphStore", embedder: "Embedder") -> Iterator[IngestPipeline]:
    with IngestPipeline(store, embedder, limits=IngestLimits(batch_chunks=1)) as pipeline:
        yield pipeline


def people(town: str, count: int) -> Source:
    records = [{"title": f"P{n}", "text": f"She works in {town}."} for n in range(count)]
    return uploaded("staff.jsonl", "\n".join(map(json.dumps, records)).encode())


def texts(store: "GraphStore", corpus: str) -> list[str]:
    rows = store.run_declared(
        "CYPHER 25 MATCH (c:Chunk {corpus: $corpus}) RETURN c.text AS text", {"corpus": corpus}
    )
    return [row["text"] for row in rows]


@pytest.mark.parametrize("written", [1, 3])
def test_a_file_of_records_that_is_replaced_is_indexed_in_its_new_version(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, written: int
) -> None:
    """It is replaced when so many of its three records are written."""
    accepted = pipeline.accept(corpus, [people("Oslo", 3)])
    new = people("Rome", 5)
    told: list[IngestProgress] = []

    def replace_it(progress: IngestProgress) -> None:
        told.append(progress)
        if progress.stage == "write" and progress.ready == written and len(again) == 0:
            again.extend(pipeline.accept(corpus, [new]).pending)

    again: list[str] = []
    report = pipeline.process(corpus, accepted.pending, progress=replace_it)
    assert (report.ready, report.superseded) == (written, 4 - written)
    assert told[-1].documents_done == told[-1].documents_total == 4
    assert again == list(accepted.pending)
    found = get_document(store, corpus, again[0])
    assert found["status"] == "accepted"
    assert document_data(store, again[0]) == new.data
    assert pipeline.process(corpus, again).ready == 6
    assert texts(store, corpus) == ["She works in Rome."] * 5


def test_a_corrected_knowledge_base_outlives_the_failure_of_the_bad_one(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    bad = uploaded("facts.tsv", b"Curie\tdiscovered\n")
    good = uploaded("facts.tsv", b"Curie\tdiscovered\tRadium\n")
    accepted = pipeline.accept(corpus, [bad], as_triples=True)
    again: list[str] = []

    def corrected() -> bool:  # asked while the bad one is read
        if not again:
            again.extend(pipeline.accept(corpus, [good], as_triples=True).pending)
        return False

    report = pipeline.process(corpus, accepted.pending, cancelled=corrected)
    assert (report.superseded, report.failed) == (1, ())
    assert again == list(accepted.pending)
    assert document_data(store, again[0]) == good.data
    report = pipeline.process(corpus, again)
    assert (report.ready, report.triples) == (1, 1)


def test_a_file_of_records_that_is_deleted_leaves_no_failed_record(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    source = uploaded("staff.jsonl", b'{"title": "A", "text": "She works."}\n{"title": "B"}')
    accepted = pipeline.accept(corpus, [source])
    gone: list[str] = []

    def delete_it(progress: IngestProgress) -> None:
        if progress.stage == "parse" and not gone:
            gone.extend(accepted.pending)
            delete_document(store, corpus, gone[0])

    report = pipeline.process(corpus, accepted.pending, progress=delete_it)
    assert gone
    assert (report.ready, report.superseded, report.failed) == (0, 3, ())
    rows = store.run_declared(
        "CYPHER 25 MATCH (d:Document {corpus: $corpus}) RETURN d.uri AS uri", {"corpus": corpus}
    )
    assert rows == []


def test_entities_that_a_deletion_took_have_their_vector_again(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    first = uploaded("a.tsv", b"Curie\tdiscovered\tRadium\n")
    second = uploaded("b.tsv", b"Curie\tborn in\tWarsaw\nRadium\tis a\tmetal\n")
    accepted = pipeline.accept(corpus, [first, second], as_triples=True)
    gone: list[str] = []

    def delete_first(_: object) -> None:  # runs when its triples are embedded, and not yet written
        if not gone:
            gone.append(content_id("d", corpus, first.uri))
            delete_document(store, corpus, gone[0])

    report = pipeline.process(corpus, accepted.pending, guard=delete_first)
    assert (report.ready, report.superseded) == (1, 1)
    rows = store.run_declared(
        "CYPHER 25 MATCH (e:Entity {corpus: $corpus}) "
        "RETURN e.key AS key, e.embedding IS NOT NULL AS embedded ORDER BY key",
        {"corpus": corpus},
    )
    assert [(row["key"], row["embedded"]) for row in rows] == [
        (key, True) for key in ("curie", "metal", "radium", "warsaw")
    ]
    assert [finding for finding in check_corpus(store, corpus) if finding.found] == []
