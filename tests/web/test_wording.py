"""What errors say on a page: no command line, no names of fields; REST's callers get both."""

from typing import Any

import pytest

from clew.errors import without_commands
from clew.jobs.listing import unknown_job
from clew.results.evidence import AskEvent
from clew_web.wording import on_page

PAGE = {"X-Clew-Page": "1"}
HTML = {"Accept": "text/html"}


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ("Wait for it.", "Wait for it."),
        ("`clew keys` lists them.", ""),
        ("Train one on it: `clew train NAME --corpus a.b`.", "Train one on it."),
        ("`clew jobs` shows it; wait for it, or cancel it.", "Wait for it, or cancel it."),
        ("Upload them again, or `clew ingest PATH`.", "Upload them again."),
        ("Use one with `clew train X`, or set CLEW_X.", "Set CLEW_X."),
        ("Decided already: `clew entities review` lists what waits.", "Decided already."),
    ],
)
def test_commands_are_left_out(told: str, left: str) -> None:
    assert without_commands(told) == left


def test_what_is_left_of_a_remedy_is_more_than_that_of_its_code() -> None:
    none_fits = "`clew documents` lists them. A pattern has to fit a whole title: '*minutes*'."
    left = "A pattern has to fit a whole title: '*minutes*'."
    assert on_page("unknown_document", none_fits) == left
    listed = on_page("unknown_document", "`clew documents` lists them with their ids.")
    assert listed == "The page Documents lists those there are."


def test_pages_advise_what_can_be_done_on_pages(client: Any) -> None:
    page = client.get("/jobs/nothing", headers=HTML)
    assert page.status_code == 404
    assert "The page Jobs lists those there are" in page.text
    assert "clew jobs" not in page.text
    asked = client.get("/api/v1/jobs/nothing", headers=PAGE).json["error"]
    assert asked["remedy"].startswith("The page Jobs")
    told = client.get("/api/v1/jobs/nothing").json["error"]
    assert told["remedy"] == unknown_job("nothing").remedy
    assert "/docs" not in client.get("/nothing-here", headers=HTML).text.split("<main")[1]


def test_an_error_of_a_stream_advises_the_same(client: Any, questions: Any) -> None:
    body = {"question": "Who founded it?", "corpus": "sample"}

    def fails(*_: Any) -> Any:
        raise unknown_job("j9")
        yield

    questions.ask_events = fails
    for headers, words in ((PAGE, "The page Jobs"), ({}, "`clew jobs`")):
        stream = client.post("/api/v1/query/stream", json=body, headers=headers)
        assert words in stream.text


def test_an_error_that_a_worker_told_advises_the_same(client: Any, questions: Any) -> None:
    body = {"question": "Who founded it?", "corpus": "sample"}
    told = unknown_job("j9")
    data = {"code": "unknown_job", "message": told.message, "remedy": told.remedy}
    events = [AskEvent(event="error", data=data)]
    questions.ask_events = lambda *_: (event for event in events)
    for headers, words in ((PAGE, "The page Jobs"), ({}, "`clew jobs`")):
        stream = client.post("/api/v1/query/stream", json=body, headers=headers)
        assert words in stream.text


def test_a_form_says_what_is_wrong_by_the_names_of_its_fields(client: Any) -> None:
    form = {"name": "Nightly", "corpus": "sample", "cron": "0 3 * * *", "kind": "reindex"}
    page = client.post("/schedules", data=form, headers=HTML)
    assert page.status_code == 422
    assert "Pages to read again: it is empty." in page.text
    assert "List should" not in page.text


def test_days_in_the_wrong_order_are_named_in_words(client: Any) -> None:
    documents = {"added_from": "2026-02-02", "added_until": "2026-01-01"}
    body = {"question": "Who?", "corpus": "sample", "documents": documents}
    error = client.post("/api/v1/query", json=body, headers=PAGE).json["error"]
    assert error["message"] == "documents: the first day is after the last."
    assert error["remedy"] == "Correct it, then try again."


def test_a_corpus_that_is_not_there_does_not_look_empty(client: Any) -> None:
    page = client.get("/documents?corpus=nosuch", headers=HTML).text
    assert "There is no corpus 'nosuch'." in page
    assert "No documents in this corpus yet" not in page
    assert "There is no corpus" not in client.get("/documents", headers=HTML).text


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("query", ["Who?"], "the body: it is no object."),
        ("query", {"question": 7}, "question: it is no text."),
        ("query", {"question": "Who?", "history": None}, "history: it is no list."),
        (
            "query",
            {"question": "Who?", "documents": {"names": 7}},
            "documents.names: it is no list.",
        ),
        ("query", {"question": "Who?", "documents": []}, "documents: it is no object."),
    ],
)
def test_a_field_of_another_kind_is_told_in_words(
    client: Any, path: str, body: Any, said: str
) -> None:
    answered = client.post(f"/api/v1/{path}", json=body)
    assert (answered.status_code, answered.json["error"]["message"]) == (422, said)


def test_a_status_that_no_document_has_is_refused(client: Any) -> None:
    refused = client.get("/api/v1/documents?corpus=sample&status=done")
    told = "status: it is none of 'accepted', 'ready' or 'failed'."
    assert (refused.status_code, refused.json["error"]["message"]) == (422, told)
