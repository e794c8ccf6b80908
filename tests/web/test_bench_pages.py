"""The pages of the bench as they are sent: the form, the job, the runs, and what may be framed."""

import io
import re
from typing import Any

import pytest

from clew.evaluation.report.tables import run_table
from clew_web.guard import CONTENT_SECURITY_POLICY
from clew_web.ui.bench_shown import remaining

from .bench_runs import NAMES
from .fake_bench import add_job

ALL = {"strategies": list(NAMES)}
LINE = b'{"question": "Who founded the yard?", "answers": ["Ferrand"], "gold": ["Seld Shipyard"]}'


def request_of(clew: Any) -> Any:
    (request,) = [call[1] for call in clew.calls if call[0] == "submit_bench"]
    return request


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_the_form_starts_a_run_and_shows_it(client: Any, clew: Any) -> None:
    form = {"data_set": "corpus:sample", "source": "graph", "synthetic": "12", "reader": "none",
            "limit": "", "seed": "4", "questions": (io.BytesIO(b""), ""), **ALL}  # fmt: skip
    response = client.post("/bench", data=form)
    assert (response.status_code, response.location) == (303, "/bench#jobs")
    request = request_of(clew)
    assert (request.data_set, request.synthetic, request.seed) == ("corpus:sample", 12, 4)
    assert (request.reader, request.limit, request.questions) == ("none", None, None)
    assert request.strategies == NAMES
    assert "Waiting for a worker" in client.get("/bench").text


def test_the_form_starts_an_ablation_study_whatever_boxes_are_left(client: Any, clew: Any) -> None:
    page = client.get("/bench").text
    assert '<option value="hybrid" >hybrid with itself, without each of its 2 parts' in page
    assert '<option value="dense"' not in page
    form = {"data_set": "sample", "ablations": "hybrid", **ALL}
    assert client.post("/bench", data=form).status_code == 303
    assert (request_of(clew).ablations, request_of(clew).strategies) == ("hybrid", None)


def test_the_form_takes_a_file_of_questions(client: Any, clew: Any) -> None:
    form = {"data_set": "corpus:sample", "source": "file", **ALL}
    response = client.post("/bench", data={**form, "questions": (io.BytesIO(LINE), "q.jsonl")})
    assert response.status_code == 303
    (question,) = request_of(clew).questions
    assert question.gold == {"Seld Shipyard": 1}


def test_a_file_that_was_chosen_first_is_not_sent_with_the_other_source(
    client: Any, clew: Any
) -> None:
    form = {"data_set": "corpus:sample", "source": "graph", **ALL}
    client.post("/bench", data={**form, "questions": (io.BytesIO(LINE), "q.jsonl")})
    assert request_of(clew).questions is None


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"data_set": "corpus:sample", "source": "file", **ALL}, "No file of questions is chosen."),
        ({"data_set": "corpus:sample", "source": "graph"}, "No strategy is chosen."),
        ({"data_set": "corpus:sample", "synthetic": "0", **ALL}, "synthetic: it is less than 1"),
        ({"data_set": "sample", "ablations": "dense", **ALL}, "declares no ablations"),
        ({"data_set": "/etc/passwd", **ALL}, "neither 'sample' nor 'corpus:NAME'"),
        ({"data_set": "sample", "judge": "true", **ALL}, "none is configured"),
    ],
)
def test_what_is_refused_is_said_above_the_form(
    client: Any, clew: Any, form: dict[str, Any], told: str
) -> None:
    response = client.post("/bench", data={"seed": "77", **form}, content_type=
                           "multipart/form-data")  # fmt: skip
    assert response.status_code == 422
    assert told in response.get_data(as_text=True).replace("&#39;", "'")
    assert 'value="77"' in response.text  # what was entered is still there
    assert clew.job_list == []


def test_an_unknown_corpus_is_said_above_the_form(client: Any) -> None:
    response = client.post("/bench", data={"data_set": "corpus:gone", **ALL})
    assert response.status_code == 404
    assert "There is no corpus" in response.text
    assert 'id="bench-form"' in response.text


@pytest.mark.parametrize(
    ("progress", "told"),
    [
        ({"stage": "load", "done": 0, "total": 0}, "Reading the data set"),
        ({"stage": "index", "done": 12, "total": 40}, "Indexing: 12 of 40 documents"),
        ({"stage": "warm up", "done": 1, "total": 5}, "Warming up: 1 of 5"),
        (
            {"stage": "ask", "done": 83, "total": 250, "remaining_seconds": 133.0},
            "Asking: 83 of 250 retrievals, about 2 minutes left",
        ),
        ({"stage": "check", "done": 3, "total": 9}, "Checking what was cited: 3 of 9"),
    ],
)
def test_a_running_job_says_what_it_counts(
    client: Any, clew: Any, progress: dict[str, Any], told: str
) -> None:
    add_job(clew, "bench", "sample", "running", {"run_id": "r9", **progress})
    for path in ("/bench", "/", "/documents?corpus=sample"):
        page = words(client.get(path).text)
        assert told in page, path
        counts_documents = f"of {progress['total']} documents" in page
        assert counts_documents == ("documents" in told), path


def test_a_job_that_is_done_leads_to_its_run_and_one_that_failed_says_why(
    client: Any, clew: Any, runs: Any
) -> None:
    done = {"stage": "done", "done": 9, "total": 9, "run_id": "r1"}
    add_job(clew, "bench", "sample", "done", done)
    for path in ("/bench", "/"):
        assert 'href="/bench/runs/r1">Open the run' in client.get(path).text
    clew.delete_bench_run("r1")
    for path in ("/bench", "/"):
        page = client.get(path).text
        assert "/bench/runs/r1" not in page
        assert "The run was deleted." in page
    failed = add_job(clew, "bench", "sample", "failed", {"stage": "load", "done": 0, "total": 0})
    clew.job_list[0] = failed.model_copy(update={"error": "There is nothing to ask."})
    assert "There is nothing to ask." in client.get("/bench").text


def test_without_runs_the_page_leads_to_the_sample(client: Any) -> None:
    page = client.get("/bench").text
    assert "Nothing has been measured yet" in page
    assert "Measure on the sample corpus" in page


def test_the_best_strategy_of_a_run_is_marked(runs: Any, clew: Any) -> None:
    newest, *_ = (run_table(info).rows for info in clew.bench_runs())
    ((_, recall, _, median),) = (row for row in newest if row[0].mark == "best")
    assert recall.value == max(row[1].value or 0 for row in newest)
    equal = [row for row in newest if row[1].value == recall.value]
    assert median.value == min(row[3].value or 0 for row in equal)


def test_runs_are_listed_with_what_tells_them_apart(client: Any, runs: Any) -> None:
    page = words(client.get("/bench").text)
    assert "Corpus sample" in page
    assert page.count("synthetic") == 2  # the badge of one run, and the form's hint
    assert "answers by extractive" in page
    assert "no answers" in page
    assert "took 1 min 24 s" in page


def test_two_chosen_runs_are_compared_the_older_as_the_base(client: Any, runs: Any) -> None:
    for query in ("run=r1&run=r2", "run=r2&run=r1"):
        assert client.get(f"/bench/compare?{query}").location == "/bench/runs/r2?against=r1"
    for query in ("", "run=r1", "run=r1&run=r1", "run=r1&run=r2&run=r3"):
        refused = client.get(f"/bench/compare?{query}")
        assert refused.status_code == 422
        assert "Choose two in the list" in refused.text
    html = {"Accept": "text/html"}
    assert client.get("/bench/compare?run=r1&run=r9", headers=html).status_code == 404


def test_the_page_of_a_run_frames_its_report(client: Any, runs: Any) -> None:
    page = client.get("/bench/runs/r2?against=r1").text
    assert 'src="/api/v1/bench/runs/r2/report?against=r1"' in page
    assert 'sandbox="allow-scripts"' in page
    assert 'download="clew-bench-r2.html"' in page
    assert 'download="clew-bench-r2.json"' in page
    assert '<option value="r1" selected>' in page
    assert '<option value="r2"' not in page
    # one of another data set has no question in common
    assert page.index("The same questions") < page.index('value="r1"')
    assert 'value="r3"' not in page
    html = {"Accept": "text/html"}
    for path in ("r9", "r2?against=r9"):
        missing = client.get(f"/bench/runs/{path}", headers=html)
        assert missing.status_code == 404
        assert "r9" in missing.text


def test_only_the_page_of_a_run_may_frame_and_nothing_else_changes(client: Any, runs: Any) -> None:
    assert CONTENT_SECURITY_POLICY == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    for path in ("/", "/ask", "/documents", "/bench", "/docs", "/api/v1/bench/runs/r1"):
        headers = client.get(path).headers
        assert headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY, path
        assert headers["X-Frame-Options"] == "DENY"
    framing = client.get("/bench/runs/r1").headers
    assert framing["Content-Security-Policy"] == f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"
    assert framing["X-Frame-Options"] == "DENY"


def test_durations_are_shown_as_people_say_them() -> None:
    shown = [remaining(value) for value in (12, 61, 133, 4000, 9000)]
    assert shown == ["under a minute left", "about 1 minute left", "about 2 minutes left",
                     "about 67 minutes left", "about 2 hours left"]  # fmt: skip


def test_a_run_beyond_the_list_has_its_page_too(
    client: Any, runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew_web.ui.bench.LISTED", 1)
    assert "Corpus sample" not in words(client.get("/bench/runs/r3").text).split("Compare with")[0]
    assert "Sample corpus" in client.get("/bench/runs/r3").text
