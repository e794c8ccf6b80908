"""From files to a graph, with the real Neo4j, parser and embedder."""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from clew_cypher.checking.checks import check_corpus
from clew_cypher.errors import DataRefused
from clew_cypher.ids import content_id
from clew_cypher.searching.documents import document_text, get_document, list_documents
from clew_cypher.writing import writer
from clew_cypher.writing.documents import reaccept_documents
from clew_ingest.child_process import ChildProcess
from clew_ingest.errors import IngestCancelled, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.process import ParsingProcess
from clew_ingest.pipeline import accepting
from clew_ingest.pipeline.parse_stage import SLICE_CHUNKS
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.pipeline.progress import IngestProgress
from clew_ingest.reading.file_reader import FileReader
from clew_ingest.reading.sources import uploaded

if TYPE_CHECKING:
    from clew_cypher.store import GraphStore
    from clew_models.embedding.base import Embedder

LIMITS = IngestLimits(batch_chunks=16, chunk_tokens=256)


@pytest.fixture(scope="module")
def embedder(cache_dir: Path) -> "Embedder":
    from clew_models.embedding import load_embedder

    return load_embedder("minilm", cache_dir=cache_dir, batch_size=16, threads=1)


@pytest.fixture(scope="module")
def pipeline(store: "GraphStore", embedder: "Embedder") -> Iterator[IngestPipeline]:
    with IngestPipeline(store, embedder, limits=LIMITS) as pipeline:
        yield pipeline


def states(store: "GraphStore", corpus: str) -> dict[str, tuple[str, str | None]]:
    from clew_cypher.searching.documents import list_documents

    rows = list_documents(store, corpus, limit=1000)
    return {row["uri"].rsplit("/", 1)[-1]: (row["status"], row["error"]) for row in rows}


def counts(store: "GraphStore", corpus: str) -> dict[str, int]:
    from clew_cypher.corpora import corpus_counts

    return corpus_counts(store, corpus)


def texts(store: "GraphStore", corpus: str, uri: str) -> list[str]:
    from clew_cypher.ids import content_id
    from clew_cypher.searching.documents import document_text

    return [row["text"] for row in document_text(store, corpus, content_id("d", corpus, uri))]


def ingest(pipeline: IngestPipeline, corpus: str, *sources: Any) -> Any:
    accepted = pipeline.accept(corpus, sources)
    return pipeline.process(corpus, accepted.pending).after(accepted)


@pytest.fixture
def folder(
    tmp_path: Path,
    docx: Callable[..., bytes],
    pdf: Callable[..., bytes],
    pptx: Callable[..., bytes],
    xlsx: Callable[..., bytes],
) -> Path:
    """A folder with a good file of each kind and a bad one of each sort."""
    good = {
        "a.txt": b"Marie Curie moved to Paris. She won the Nobel Prize.",
        "b.md": b"# Ada Lovelace\n\nAda Lovelace was born in *London*.",
        "c.html": b"<title>Turing</title><p>Alan Turing lived in Manchester.</p>",
        "d.pdf": pdf(["Niels Bohr lived in Copenhagen."]),
        "e.docx": docx(["Engines", "Charles Babbage built engines in London."]),
        "f.pptx": pptx([("Looms", "Joseph Jacquard wove in Lyon.")]),
        "g.xlsx": xlsx({"s": [["Name", "Town"], ["Ada", "London"]]}),
        "h.csv": b"Name,Town\nAda,London\n",
        "i.json": json.dumps([{"title": "Lyon", "text": "Lyon lies in France."}]).encode(),
        "j.jsonl": b'{"title": "Paris", "text": "Paris lies in France."}\n{broken\n',
    }
    bad = {
        "corrupt.pdf": b"%PDF-1.4\n\x00\x01 nonsense",
        "empty.txt": b"",
        "binary.txt": bytes(range(256)) * 50,
        "bomb.docx": docx(["x"], extra={"word/zeros": bytes(30 * 1024 * 1024)}),
        "deep.json": b"[" * 100_000,
        "truncated.pptx": pptx([("x", "y")])[:900],
    }
    for name, data in (good | bad).items():
        (tmp_path / name).write_bytes(data)
    with open(tmp_path / "line.txt", "wb") as file:
        file.truncate(200 * 1024 * 1024)
    return tmp_path


def test_a_document_says_what_of_it_was_not_read(
    pipeline: IngestPipeline,
    store: "GraphStore",
    corpus: str,
    tmp_path: Path,
    set_pdf: Callable[..., bytes],
) -> None:
    """Until a version of it comes of which all was read."""
    scan = "q 600 0 0 780 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q\n"
    page = [(72, 600, 12, ["Niels Bohr lived in Copenhagen."])]
    (tmp_path / "a.pdf").write_bytes(set_pdf([page, []], rules=scan))
    report = ingest(pipeline, corpus, tmp_path)
    (listed,) = list_documents(store, corpus)
    told = "Nothing was read of page 2: there are pictures"
    assert (report.ready, report.read_in_part) == (1, 1)
    assert listed["left_out"].startswith(told)
    (tmp_path / "a.pdf").write_bytes(set_pdf([page, page], rules=scan))
    report = ingest(pipeline, corpus, tmp_path)
    document = get_document(store, corpus, content_id("d", corpus, listed["uri"]))
    assert (report.read_in_part, document["left_out"]) == (0, None)


def test_a_folder_of_everything(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, folder: Path
) -> None:
    report = ingest(pipeline, corpus, folder)
    found = states(store, corpus)
    assert {name for name, (status, _) in found.items() if status == "ready"} == {
        "a.txt", "b.md", "c.html", "d.pdf", "e.docx", "f.pptx", "g.xlsx", "h.csv", "i.json",
        "j.jsonl",
    }  # fmt: skip
    errors = {name: error for name, (status, error) in found.items() if status == "failed"}
    assert {name: word for name, word in {
        "corrupt.pdf": "broken",
        "empty.txt": "empty",
        "binary.txt": "binary",
        "bomb.docx": "ZIP bomb",
        "deep.json": "too deeply",
        "truncated.pptx": "broken",
        "line.txt": "200 MiB",
    }.items() if word not in (errors.pop(name) or "")} == {}  # fmt: skip
    assert errors == {}
    # 10 good files, 2 good records; 7 bad files, 1 bad record
    assert (report.ready, len(report.failed), report.unchanged) == (12, 8, 0)
    assert counts(store, corpus)["accepted"] == 0

    again = ingest(pipeline, corpus, folder)
    assert (again.ready, again.unchanged, len(again.failed)) == (0, 10, 7)
    assert states(store, corpus) == found


def test_the_graph_of_a_document(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    from clew_cypher.searching.entities import find_entities

    ingest(
        pipeline, corpus, uploaded("Ed Wood (film).txt", b"Tim Burton directed Ed Wood in 1994.")
    )
    rows = {
        row["key"]: (row["name"], row["type"], row["matched"])
        for row in find_entities(store, corpus, ["tim burton", "ed wood (film)", "1994"])
    }
    assert rows == {
        "tim burton": ("Tim Burton", "PERSON", "name"),
        "ed wood (film)": ("Ed Wood (film)", "", "name"),
        "1994": ("1994", "DATE", "name"),
    }


def test_a_changed_file_replaces_its_old_version(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    uri = "upload:a.txt"
    ingest(pipeline, corpus, uploaded("a.txt", b"Marie Curie lived in Paris."))
    ingest(pipeline, corpus, uploaded("a.txt", b"Lise Meitner lived in Berlin."))
    assert texts(store, corpus, uri) == ["Lise Meitner lived in Berlin."]
    once = counts(store, corpus)
    assert (once["documents"], once["chunks"], once["sentences"]) == (1, 1, 1)
    ingest(pipeline, corpus, uploaded("a.txt", b"\x00\x01 now broken"))
    assert states(store, corpus)["upload:a.txt"][0] == "failed"
    assert counts(store, corpus)["chunks"] == 0


def test_a_source_that_cannot_be_had_today_keeps_what_it_was(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"Marie Curie lived in Paris.")
    ingest(pipeline, corpus, path)
    with path.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    report = ingest(pipeline, corpus, path)
    assert [failed.uri for failed in report.failed] == [path.as_uri()]
    assert states(store, corpus)["a.txt"][0] == "ready"
    assert texts(store, corpus, path.as_uri()) == ["Marie Curie lived in Paris."]


def test_a_changed_collection_touches_its_changed_records_only(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    def lines(**records: str) -> bytes:
        return "\n".join(
            json.dumps({"title": title, "text": text, "year": 1900})
            for title, text in records.items()
        ).encode()

    first = uploaded("c.jsonl", lines(A="Ada wrote.", B="Bohr thought.", C="Curie worked."))
    assert ingest(pipeline, corpus, first).ready == 4
    second = uploaded("c.jsonl", lines(D="Darwin sailed.", A="Ada wrote.", B="Bohr slept."))
    report = ingest(pipeline, corpus, second)
    assert (report.ready, report.unchanged) == (3, 1)
    assert texts(store, corpus, "upload:c.jsonl#B") == ["Bohr slept."]
    assert counts(store, corpus)["documents"] == 3
    from clew_cypher.ids import content_id
    from clew_cypher.searching.documents import get_document

    record = get_document(store, corpus, content_id("d", corpus, "upload:c.jsonl#D"))
    assert json.loads(record["metadata"]) == {"year": 1900}
    assert record["parent_id"] == content_id("d", corpus, "upload:c.jsonl")


def test_the_order_of_documents_changes_nothing(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    from clew_cypher.corpora import delete_corpus
    from clew_cypher.searching.entities import search_entities

    documents = [
        uploaded("a.txt", b"UNESCO sits in Paris. The UNESCO staff met."),
        uploaded("b.txt", b"In Paris, Unesco met. Unesco voted in London."),
        uploaded("c.txt", b"The Unesco house is in Paris."),
    ]
    seen = []
    for order in (documents, documents[::-1]):
        ingest(pipeline, corpus, *order)
        rows = search_entities(store, corpus, "unesco") + search_entities(store, corpus, "paris")
        seen.append((counts(store, corpus), [(r["id"], r["name"], r["type"]) for r in rows]))
        delete_corpus(store, corpus)
    assert seen[0] == seen[1]
    assert seen[0][1]


def test_a_large_document_is_written_in_slices_and_is_whole(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    sentences = [f"Person {n} moved from Paris to London in {1900 + n % 90}." for n in range(900)]
    report = ingest(pipeline, corpus, uploaded("long.txt", " ".join(sentences).encode()))
    assert (report.ready, report.chunks > SLICE_CHUNKS) == (1, True)
    assert " ".join(texts(store, corpus, "upload:long.txt")).replace("\n", " ") == " ".join(
        sentences
    )


def test_a_parser_that_dies_costs_nothing(
    pipeline: IngestPipeline,
    store: "GraphStore",
    corpus: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed: list[int] = []
    parse = ParsingProcess.parse

    def mortal(self: ParsingProcess, texts: Any, **options: Any) -> Any:
        if self.pid is not None and not killed:
            killed.append(self.pid)
            os.kill(self.pid, signal.SIGKILL)
        return parse(self, texts, **options)

    ingest(pipeline, corpus, uploaded("first.txt", b"Now the parser runs."))
    monkeypatch.setattr(ParsingProcess, "parse", mortal)
    documents = [uploaded(f"{n}.txt", b"Marie Curie lived in Paris.") for n in range(3)]
    report = ingest(pipeline, corpus, *documents)
    assert killed
    assert (report.ready, report.failed) == (3, ())


def test_a_document_that_kills_the_parser_fails_alone(
    pipeline: IngestPipeline,
    store: "GraphStore",
    corpus: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse = ParsingProcess.parse

    def mortal(self: ParsingProcess, texts: Any, **options: Any) -> Any:
        def kill() -> bool:
            if self.pid is not None and any("poison" in text for text in texts):
                os.kill(self.pid, signal.SIGKILL)
            return False

        return parse(self, texts, cancelled=kill)

    monkeypatch.setattr(ParsingProcess, "parse", mortal)
    report = ingest(
        pipeline,
        corpus,
        uploaded("a.txt", b"Marie Curie lived in Paris."),
        uploaded("b.txt", b"This is poison."),
        uploaded("c.txt", b"Niels Bohr lived in Copenhagen."),
    )
    assert report.ready == 2
    assert [failed.uri for failed in report.failed] == ["upload:b.txt"]
    assert "was killed by SIGKILL" in (states(store, corpus)["upload:b.txt"][1] or "")


def test_a_reader_that_is_killed_takes_nothing_away(
    pipeline: IngestPipeline,
    store: "GraphStore",
    corpus: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = uploaded("a.txt", b"Marie Curie lived in Paris.")
    ingest(pipeline, corpus, old)
    call = ChildProcess.call

    def mortal(self: ChildProcess, request: Any, payload: bytes = b"", **options: Any) -> Any:
        def kill() -> bool:
            if self.pid is not None and b"Sceaux" in payload:
                os.kill(self.pid, signal.SIGKILL)
            return False

        return call(self, request, payload, **{**options, "cancelled": kill})

    new = [uploaded("a.txt", b"Marie Curie died in Sceaux."), uploaded("b.txt", b"A new town.")]
    with monkeypatch.context() as patched:
        patched.setattr(ChildProcess, "call", mortal)
        report = ingest(pipeline, corpus, *new)
    assert (report.ready, [failed.uri for failed in report.failed]) == (1, ["upload:a.txt"])
    status, error = states(store, corpus)["upload:a.txt"]
    assert status == "failed"
    assert error is not None
    assert "SIGKILL" in error
    assert "earlier version stays searchable" in error
    assert texts(store, corpus, "upload:a.txt") == ["Marie Curie lived in Paris."]
    assert not [finding for finding in check_corpus(store, corpus) if finding.found]
    key = content_id("d", corpus, "upload:a.txt")
    assert reaccept_documents(store, corpus, [key]) == [key]
    assert pipeline.process(corpus).ready == 1
    assert texts(store, corpus, "upload:a.txt") == ["Marie Curie died in Sceaux."]


def test_what_was_read_before_stays_where_it_cannot_be_read_anew(
    pipeline: IngestPipeline,
    store: "GraphStore",
    corpus: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A newer Clew, or other settings, read the same bytes again: what refuses them is no news of
    the file. One that was changed is what it is now."""
    same, changed = (uploaded(name, b"Marie Curie lived in Paris.") for name in ("a.txt", "b.txt"))
    ingest(pipeline, corpus, same, changed)
    monkeypatch.setattr(accepting, "VERSION", accepting.VERSION + 1)

    def refuse(*_: Any, **__: Any) -> Any:
        raise UnreadableSource("The file is broken.")

    with monkeypatch.context() as patched:
        patched.setattr(FileReader, "read", refuse)
        report = ingest(pipeline, corpus, same, uploaded("b.txt", b"\x00"))
    assert [failed.uri for failed in report.failed] == ["upload:a.txt", "upload:b.txt"]
    status, error = states(store, corpus)["upload:a.txt"]
    assert status == "failed"
    assert error == "The file is broken. Until then its earlier version stays searchable."
    assert states(store, corpus)["upload:b.txt"] == ("failed", "The file is broken.")
    assert texts(store, corpus, "upload:a.txt") == ["Marie Curie lived in Paris."]
    assert texts(store, corpus, "upload:b.txt") == []
    assert not [finding for finding in check_corpus(store, corpus) if finding.found]
    assert ingest(pipeline, corpus, same).ready == 1


def test_cancelling_stops_soon_and_the_next_run_goes_on(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    text = "Marie Curie lived in Paris with Pierre Curie. " * 130
    documents = [uploaded(f"{n}.txt", f"{n}. {text}".encode()) for n in range(12)]
    accepted = pipeline.accept(corpus, documents)
    stop = threading.Event()

    def first_write(event: IngestProgress) -> None:
        if event.chunks:
            stop.set()

    with pytest.raises(IngestCancelled):
        pipeline.process(corpus, accepted.pending, first_write, stop.is_set)
    found = counts(store, corpus)
    assert found["failed"] == 0
    assert found["accepted"] > 0
    assert threading.active_count() < 20
    report = pipeline.process(corpus)
    assert (report.ready, report.failed) == (found["accepted"], ())
    assert counts(store, corpus)["documents"] == 12
    assert counts(store, corpus)["accepted"] == 0


def test_a_guard_that_refuses_ends_the_run_and_writes_nothing(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    accepted = pipeline.accept(corpus, [uploaded("a.txt", b"Marie Curie lived in Paris.")])

    def refuse(transaction: object) -> None:
        raise PermissionError("the lease is lost")

    with pytest.raises(PermissionError, match="lease"):
        pipeline.process(corpus, accepted.pending, guard=refuse)
    assert counts(store, corpus)["chunks"] == 0
    assert counts(store, corpus)["accepted"] == 1


def test_a_document_deleted_meanwhile_stays_deleted(
    store: "GraphStore", embedder: "Embedder", corpus: str
) -> None:
    from clew_cypher.writing.documents import delete_document

    pipeline = IngestPipeline(store, embedder, limits=replace(LIMITS, batch_chunks=100))
    accepted = pipeline.accept(
        corpus,
        [
            uploaded("a.txt", b"Marie Curie lived in Paris."),
            uploaded("b.txt", b"Niels Bohr lived in Copenhagen."),
        ],
    )
    deleted = threading.Event()

    def delete_first() -> bool:
        if not deleted.is_set():
            deleted.set()
            delete_document(store, corpus, accepted.pending[0])
        return False

    report = pipeline.process(corpus, accepted.pending, cancelled=delete_first)
    assert (report.ready, report.superseded, report.failed) == (1, 1, ())
    assert list(states(store, corpus)) == ["upload:b.txt"]


def test_progress_only_grows_and_ends_complete(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    records = [{"title": f"T{n}", "text": f"Person {n} lived in Paris."} for n in range(40)]
    accepted = pipeline.accept(corpus, [uploaded("r.json", json.dumps(records).encode())])
    events: list[IngestProgress] = []
    report = pipeline.process(corpus, accepted.pending, events.append)
    done = [event.documents_done for event in events]
    assert done == sorted(done)
    last = events[-1]
    assert (last.documents_done, last.documents_total) == (41, 41)
    assert (last.chunks, last.sentences, last.entities) == (
        report.chunks,
        report.sentences,
        report.entities,
    )
    parsed = [event.parsed for event in events]
    assert parsed == sorted(parsed)
    assert parsed[-1] == report.chunks
    assert any(event.parsed and not event.chunks for event in events)  # told before any is written
    assert set(report.seconds) == {"read", "parse", "embed", "write", "link", "resolve"}


def test_chunks_know_their_pages_and_keep_them_right_when_a_page_comes_before(
    store: "GraphStore",
    corpus: str,
    pipeline: IngestPipeline,
    pdf_pages: Callable[..., bytes],
) -> None:
    pages = [
        [f"Page {n} tells of Ada Lovelace and the engine number {n}{line}." for line in range(12)]
        for n in range(1, 9)
    ]

    def on_pages(pages: list[list[str]]) -> Any:
        report = ingest(pipeline, corpus, uploaded("book.pdf", pdf_pages(pages)))
        page_of = {line: number for number, lines in enumerate(pages, 1) for line in lines}
        rows = document_text(store, corpus, content_id("d", corpus, "upload:book.pdf"))
        assert rows
        for row in rows:
            lines = row["text"].split("\n")
            told = row["pages"] * len(lines) if len(row["pages"]) == 1 else row["pages"]
            wanted = [next(page_of[key] for key in page_of if key in line) for line in lines]
            assert told == wanted
        return report

    on_pages(pages)
    before = [[f"A preface by Charles Babbage, line {line}." for line in range(30)]]
    assert on_pages([*before, *pages]).kept_chunks > 0


def test_chunks_know_their_headings(
    store: "GraphStore", corpus: str, pipeline: IngestPipeline
) -> None:
    text = b"# Tides\n\nThey rise.\n\n## Methods\n\nAda measured them.\n"
    ingest(pipeline, corpus, uploaded("tides.md", text))
    (row,) = document_text(store, corpus, content_id("d", corpus, "upload:tides.md"))
    assert row["text"].split("\n") == ["They rise.", "Methods", "Ada measured them."]
    assert row["headings"] == ["", "Methods", "Methods"]
    assert row["pages"] == []


def test_a_person_with_and_without_a_form_of_address_is_one_and_headings_are_none(
    store: "GraphStore", corpus: str, pipeline: IngestPipeline
) -> None:
    first = "Dr. Ada Thorne founded the clinic of Selby in 1911. She was born in Port Ellis."
    second = (
        "Ada Thorne met Henrik Vale in Ribe.\n\n## Acknowledgements\n\n"
        "The authors thank Prof. Henrik Vale of the Selby Institute."
    )
    ingest(
        pipeline,
        corpus,
        uploaded("clinic.md", first.encode()),
        uploaded("ribe.md", second.encode()),
        uploaded("person.json", b'{"title": "Dr. Ada Thorne", "text": "She was an architect."}'),
    )
    rows = store.run_declared(
        "CYPHER 25 MATCH (e:Entity {corpus: $corpus}) WHERE e.named RETURN e.name AS name",
        {"corpus": corpus},
    )
    names = [row["name"] for row in rows]
    assert len([name for name in names if "Thorne" in name]) == 1
    assert len([name for name in names if "Vale" in name]) == 1
    assert not [name for name in names if "cknowledg" in name]


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Neo4j refuses what is written of documents whose text holds one of these words."""
    words: list[str] = []
    write_nodes = writer._write_nodes

    def write(transaction: Any, corpus: str, batch: Any, locked: Any) -> None:
        write_nodes(transaction, corpus, batch, locked)
        if any(word in row.text for word in words for row in batch.chunks):
            transaction._runner.run("CREATE (:Refused {value: $value})", {"value": {"a": 1}})

    monkeypatch.setattr(writer, "_write_nodes", write)
    return words


def test_a_document_that_the_database_refuses_fails_alone(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, tmp_path: Path, refusing: list[str]
) -> None:
    refusing.append("poison")
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(f"Ada Brand lives in Town {number}.")
    # in slices, the first of which are written before what is refused comes
    text = "\n\n".join(f"Paragraph {n} tells of Ada Brand. " * 40 for n in range(40))
    (tmp_path / "2.txt").write_text(f"{text}\n\nThis is poison.\n\n{text}")
    report = ingest(pipeline, corpus, tmp_path)
    assert (report.ready, len(report.failed)) == (3, 1)
    found = states(store, corpus)
    assert [found[f"{number}.txt"][0] for number in (0, 1, 3)] == ["ready"] * 3
    status, error = found["2.txt"]
    assert status == "failed"
    assert "Neo4j refused" in (error or "")
    assert counts(store, corpus)["chunks"] == 3  # nothing of it is left
    refusing.clear()
    (tmp_path / "2.txt").write_text(f"{text}\n\nThis is poison no more.")
    assert ingest(pipeline, corpus, tmp_path).ready == 1


def test_where_every_document_is_refused_the_run_ends_and_they_wait(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, tmp_path: Path, refusing: list[str]
) -> None:
    refusing.append("Town")
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"Ada Brand lives in Town {number}.")
    with pytest.raises(DataRefused):
        ingest(pipeline, corpus, tmp_path)
    assert {status for status, _ in states(store, corpus).values()} == {"accepted"}
