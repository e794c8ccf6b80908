"""Accepting files: small ones together, each as if it came alone."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clew_cypher.corpora import ensure_corpus
from clew_cypher.ids import content_id
from clew_cypher.searching.documents import list_documents
from clew_cypher.writing.documents import accepted_documents, document_data
from clew_ingest.errors import IngestCancelled
from clew_ingest.limits import IngestLimits
from clew_ingest.pipeline.accepting import TOGETHER, accept_sources
from clew_ingest.pipeline.progress import IngestProgress
from clew_ingest.reading.sources import Source, uploaded

if TYPE_CHECKING:
    from clew_cypher.store import GraphStore

LIMITS = IngestLimits()
MANY = 2 * TOGETHER + 10


@pytest.fixture(autouse=True)
def made(store: "GraphStore", corpus: str) -> None:
    ensure_corpus(store, corpus, embedder="none", dimension=384)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Many small files, each with its number, and two of megabytes: one is more than a blob."""
    paths = []
    for number in range(MANY):
        path = tmp_path / f"{number:04}.txt"
        path.write_bytes(b"%d " % number * (1_500_000 if number in (3, 70) else 1))
        paths.append(path)
    return paths


@pytest.fixture
def transactions(store: "GraphStore", monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One entry for each transaction that writes."""
    seen: list[None] = []
    in_transaction = type(store).in_transaction

    def count(self: "GraphStore", work: object) -> object:
        seen.append(None)
        return in_transaction(self, work)  # type: ignore[arg-type]

    monkeypatch.setattr(type(store), "in_transaction", count)
    return seen


def test_many_small_files_take_few_transactions_and_lose_nothing(
    store: "GraphStore", corpus: str, files: list[Path], transactions: list[None]
) -> None:
    report = accept_sources(store, corpus, files, LIMITS, job_id="j")
    assert len(transactions) <= 6
    assert [item.uri for item in report.sources] == [path.as_uri() for path in files]
    assert all(item.changed and item.error is None for item in report.sources)
    for item, path in zip(report.sources, files, strict=True):
        assert item.id == content_id("d", corpus, path.as_uri())
        assert document_data(store, item.id) == path.read_bytes()
    waiting = accepted_documents(store, corpus, "j")
    assert [row["uri"] for row in waiting] == [path.as_uri() for path in files]
    again = accept_sources(store, corpus, reversed(files), LIMITS, job_id="k")
    assert len(again.sources) == len(list_documents(store, corpus, limit=1000)) == MANY


def test_a_file_that_is_gone_fails_alone_and_keeps_its_place(
    store: "GraphStore", corpus: str, files: list[Path]
) -> None:
    told: list[IngestProgress] = []
    found = [Source(path.as_uri(), path.name, path=path) for path in files[:9]]
    files[5].unlink()  # between being found and being read
    report = accept_sources(store, corpus, found, LIMITS, progress=told.append)
    uris = [item.uri for item in report.sources]
    assert uris == [path.as_uri() for path in files[:9]]
    failed = [item for item in report.sources if item.error is not None]
    assert [item.uri for item in failed] == [files[5].as_uri()]
    states = {row["uri"]: row["status"] for row in list_documents(store, corpus)}
    assert {uri for uri, status in states.items() if status == "failed"} == {files[5].as_uri()}
    assert list(states.values()).count("accepted") == 8
    assert (told[-1].documents_done, told[-1].documents_failed) == (9, 1)


def test_what_was_read_before_a_cancel_stays_accepted(
    store: "GraphStore", corpus: str, files: list[Path]
) -> None:
    looks = iter(range(MANY))
    with pytest.raises(IngestCancelled):
        accept_sources(store, corpus, files, LIMITS, cancelled=lambda: next(looks) == 5)
    assert {row["uri"] for row in list_documents(store, corpus)} == {
        path.as_uri() for path in files[:5]
    }


def test_the_first_of_two_uploads_of_one_name_is_told_of(store: "GraphStore", corpus: str) -> None:
    texts = [b"of January", b"of February", b"of February"]
    report = accept_sources(store, corpus, [uploaded("report.txt", one) for one in texts], LIMITS)
    assert [document_data(store, item.id) for item in report.sources] == [b"of February"]
    (left,) = report.skipped
    assert (left.uri, left.reason.split(":")[0]) == (
        "upload:report.txt",
        "Another one of this name came behind it in the same upload",
    )
