"""Doing again what a job did not do, against a real graph: no worker and no broker is needed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import Clew
from clew.errors import ClewClosed, InvalidRequest, JobNotOver, UnknownJob
from clew_cypher.jobs.ledger import close_job, create_job, take_job
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import document_data, fail_document
from clew_ingest.reading.sources import uploaded

from ..running_clew import OwnSettings


@pytest.fixture
def clew(own_settings: OwnSettings, tmp_path: Path) -> Iterator[Clew]:
    settings = own_settings(tmp_path)
    with Clew(settings) as opened:
        yield opened


def accepted(clew: Clew, corpus: str, *names: str) -> list[str]:
    sources = [uploaded(name, f"# {name}".encode()) for name in names]
    return clew.accept(sources, corpus=corpus).pending


def test_a_cancelled_upload_is_indexed_after_all(
    clew: Clew, store: GraphStore, corpus: str
) -> None:
    ids = accepted(clew, corpus, "a.md", "b.md")
    job = clew.submit(corpus, ids)
    with pytest.raises(JobNotOver):
        clew.retry_job(job.id)
    clew.cancel_job(job.id)
    assert {one.status for one in clew.documents(corpus)} == {"failed"}
    again = clew.retry_job(job.id)
    assert (again.kind, again.state) == ("ingest", "queued")
    assert {(one.status, one.error) for one in clew.documents(corpus)} == {("accepted", None)}
    assert document_data(store, ids[0]).startswith(b"# ")
    # the documents are the new job's: cancelled again, they fail again
    clew.cancel_job(again.id)
    assert {one.status for one in clew.documents(corpus)} == {"failed"}


def test_pages_are_fetched_again_and_looked_at_files_are_not_kept(
    clew: Clew, store: GraphStore, corpus: str
) -> None:
    broken, waiting = accepted(clew, corpus, "broken.md", "waiting.md")
    fail_document(store, corpus, broken, "It is broken.")
    page = "https://example.org/a"
    job = create_job(
        store, "ingest", corpus, {"documents": 2, "urls": [page]}, document_ids=[broken, waiting]
    )
    held = take_job(store, job.id, "me", lease_s=30, attempts=3)
    assert held is not None
    close_job(store, held, "failed", error="The disk is full.")
    retried = clew.retry_job(job.id)
    assert clew.job(retried.id).state == "queued"
    by_title = {one.title: one.status for one in clew.documents(corpus)}
    assert by_title == {"broken": "failed", "waiting": "accepted"}
    left = clew.retry_documents(corpus, [broken]).left
    assert "add it again" in left[0].reason
    lost = create_job(store, "ingest", corpus, {"documents": 1}, document_ids=[broken])
    held = take_job(store, lost.id, "me", lease_s=30, attempts=3)
    assert held is not None
    close_job(store, held, "done")
    with pytest.raises(InvalidRequest, match="not kept"):
        clew.retry_job(lost.id)


def test_another_job_is_asked_for_anew(clew: Clew, store: GraphStore, corpus: str) -> None:
    clew.create_corpus(corpus)
    job = create_job(store, "bench", corpus, {"data_set": f"corpus:{corpus}", "seed": 7})
    clew.cancel_job(job.id)
    again = clew.retry_job(job.id)
    assert (again.kind, again.corpus, again.state) == ("bench", corpus, "queued")
    assert again.id != job.id
    with pytest.raises(UnknownJob):
        clew.retry_job("none")


def test_what_was_closed_is_not_opened_again(clew: Clew, corpus: str) -> None:
    clew.create_corpus(corpus)
    clew.close()
    clew.close()  # twice does no harm
    with pytest.raises(ClewClosed, match=r"Clew\(\)"):
        clew.corpora()
    assert clew.settings.corpus == "default"
