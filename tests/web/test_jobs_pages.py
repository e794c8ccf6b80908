"""Jobs over REST and on their pages: pages and totals, the log, doing it again."""

from typing import Any

import pytest

from .fake_bench import add_job


@pytest.fixture
def many(clew: Any) -> Any:
    """Sixty jobs of two corpora, every third of them failed."""
    for number in range(60):
        state = ("done", "running", "failed")[number % 3]
        add_job(clew, "ingest", ("sample", "default")[number % 2], state, {"done": number})
    return clew


def test_a_page_of_jobs_has_a_total(client: Any, many: Any) -> None:
    page = client.get("/api/v1/jobs?limit=10&state=failed").json
    assert (len(page["jobs"]), page["more"], page["total"]) == (10, True, 20)
    assert {job["state"] for job in page["jobs"]} == {"failed"}
    last = client.get("/api/v1/jobs?limit=10&state=failed&offset=10&corpus=sample").json
    assert (last["jobs"], last["more"], last["total"]) == ([], False, 10)
    assert client.get("/api/v1/jobs?state=lost").status_code == 422


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ({"chunks": 1200}, "0 of 1 documents, embed, 1\u202f200 chunks so far"),
        ({"chunks": 0, "parsed": 64}, "0 of 1 documents, embed, 64 chunks read, 0 written"),
        (
            {"chunks": 0, "triples": 900, "triples_kept": 100, "triples_total": 50_000},
            "0 of 1 documents, embed, 1\u202f000 of 50\u202f000 lines",
        ),
    ],
)
def test_a_large_file_is_seen_to_go_on(client: Any, clew: Any, inside: Any, words: str) -> None:
    add_job(
        clew, "ingest", "sample", "running", {"stage": "embed", "done": 0, "total": 1, **inside}
    )
    for path in ("/", "/jobs", "/jobs/j1", "/documents?corpus=sample"):
        page = client.get(path).text
        assert words in page, path
        assert 'value="0"' not in page  # a bar that stands still


def test_a_job_in_which_documents_failed_is_not_all_green(client: Any, clew: Any) -> None:
    add_job(clew, "ingest", "sample", "done", {"done": 3, "failed": 1, "total": 3})
    for path in ("/", "/jobs", "/jobs/j1", "/documents?corpus=sample"):
        assert '<span class="badge badge-warn">done, 1 failed</span>' in client.get(path).text, path


def test_what_a_job_counted_is_not_taken_for_what_its_corpus_counts(client: Any, clew: Any) -> None:
    job = add_job(clew, "ingest", "sample", "done", {"done": 1, "total": 1, "entities": 1515})
    page = client.get(f"/jobs/{job.id}").text
    assert "<dt>Entities and concepts</dt><dd>1\u202f515</dd>" in page


def test_the_log_of_a_job(client: Any, many: Any) -> None:
    events = client.get("/api/v1/jobs/j3/log").json["events"]
    assert [event["text"] for event in events][:2] == ["Queued.", "Try 1 begins, by ingest@here."]
    gone = client.get("/api/v1/jobs/j999/log")
    assert (gone.status_code, gone.json["error"]["code"]) == (404, "unknown_job")


@pytest.mark.parametrize(
    ("job", "status", "code"),
    [("j3", 202, None), ("j2", 409, "job_not_over"), ("j1", 422, "invalid_request")],
)
def test_what_is_over_is_done_again(
    client: Any, many: Any, job: str, status: int, code: str | None
) -> None:
    answer = client.post(f"/api/v1/jobs/{job}/retry")
    assert answer.status_code == status
    if code is None:
        assert (answer.json["id"], answer.json["state"]) == ("j61", "queued")
    else:
        assert answer.json["error"]["code"] == code
        assert answer.json["error"]["remedy"]


def test_the_pages_say_where_they_are(client: Any, many: Any) -> None:
    first = client.get("/jobs?state=failed&corpus=sample")
    assert first.text.count('<li class="job">') == 10
    page = client.get("/jobs")
    assert "1 to 25 of 60" in page.text
    assert "offset=25" in page.text
    assert client.get("/jobs?state=lost").status_code == 422
    assert client.get("/jobs/j999").status_code == 404


@pytest.mark.parametrize(("path", "kind"), [("/bench", "bench"), ("/models", "train")])
def test_what_goes_on_stays_on_its_page_whatever_else_is_done(
    client: Any, clew: Any, path: str, kind: str
) -> None:
    add_job(clew, kind, "sample", "done", {})
    add_job(clew, kind, "sample", "running", {})
    for state in ("done", "running"):
        for _ in range(99):
            add_job(clew, "ingest", "sample", state, {})
    assert 'data-cancel-job="j2"' in client.get(path).text
    clew.cancel_job("j2")
    assert "cancelled" in client.get(path).text
