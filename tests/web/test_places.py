"""Where a passage stands in its original, and names that may be meant: on the page and in REST."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from clew.results.document import TripleInfo
from clew.results.evidence import Answer, Evidence, NameSuggestion, place_words

ASKED = "Who founded the Seld Shipyrad?"
MEANT = "Who founded the Seld Shipyard?"


def placed(evidence: Evidence) -> Evidence:
    """Return the evidence as if of a PDF, for a question with a name that is not there."""
    first, second, *others = evidence.chunks
    upload = second.model_copy(update={"pages": (2,)})
    chunk = first.model_copy(
        update={"pages": (3, 4), "headings": ("The yard › Ships",), "original": True}
    )
    suggestion = NameSuggestion(
        asked="Shipyrad", name="Seld Shipyard", entity_id="e2", question=MEANT, followed=True
    )
    return evidence.model_copy(
        update={"chunks": (chunk, upload, *others), "suggestions": (suggestion,)}
    )


@pytest.fixture(autouse=True)
def _placed(monkeypatch: pytest.MonkeyPatch, questions: Any) -> None:
    from . import conftest

    plain, whole = conftest.evidence_for, questions.answer

    def answer(question: Any) -> Answer:
        made = whole(question)
        first, *others = made.citations
        cited = first.model_copy(update={"page": 4, "heading": "The yard › Ships"})
        return made.model_copy(update={"citations": (cited, *others)})

    monkeypatch.setattr(conftest, "evidence_for", lambda question: placed(plain(question)))
    monkeypatch.setattr(questions, "answer", answer)


def test_rest_has_places_and_suggestions(client: Any) -> None:
    answer = client.post("/api/v1/query", json={"question": ASKED}).json
    chunk = answer["evidence"]["chunks"][0]
    assert (chunk["pages"], chunk["headings"]) == ([3, 4], ["The yard › Ships"])
    assert (answer["citations"][0]["page"], answer["citations"][1]["page"]) == (4, None)
    (one,) = answer["evidence"]["suggestions"]
    assert (one["name"], one["question"], one["followed"]) == ("Seld Shipyard", MEANT, True)


def test_a_passage_is_under_the_heading_that_it_begins_below() -> None:
    assert place_words((3, 4), ("Ships", "Ships", "Docks")) == "pages 3–4, under “Ships”"
    assert place_words((), ("", "", "Docks")) == ""  # most of it is told before that heading


def test_the_page_shows_places_and_leads_to_them(app: Any, serve: Any, open_page: Any) -> None:
    page = open_page(serve(app), "/ask?corpus=sample&q=Who+founded+the+Seld+Shipyrad%3F")
    expect(page.get_by_text("High confidence")).to_be_visible()
    first = page.locator(".evidence > li").first
    expect(first).to_contain_text("pages 3–4, under “The yard › Ships”")
    expect(page.locator(".citations > li").first).to_contain_text("page 4, under")
    link = first.get_by_role("link", name="Open the original at page 4")
    assert link.get_attribute("href") == "/documents/d1/original?corpus=sample&chunk=c1#page=4"
    document = first.get_by_role("link", name="Open the document")
    quote = "quote=She%20was%20built%20at%20the%20Seld%20Shipyard."
    assert document.get_attribute("href") == f"/documents/d1?corpus=sample&{quote}#c1"
    second = page.locator(".evidence > li").nth(1)
    expect(second).to_contain_text("page 2")
    expect(second.get_by_text("Open the original")).to_have_count(0)  # of an upload it is not kept


def test_the_page_asks_did_you_mean(app: Any, serve: Any, open_page: Any, questions: Any) -> None:
    page = open_page(serve(app), "/ask?corpus=sample&q=Who+founded+the+Seld+Shipyrad%3F")
    notice = page.locator("#suggestions .notice")
    expect(notice).to_contain_text("has no “Shipyrad”. Did you mean Seld Shipyard? The evidence")
    notice.get_by_role("link", name="Seld Shipyard").click()
    expect(page.get_by_label("Your question")).to_have_value(MEANT)
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert questions.asked[-1].question == MEANT


def test_the_original_is_opened_where_it_can_be_had(client: Any, clew: Any, tmp_path: Path) -> None:
    report, page = tmp_path / "report.pdf", tmp_path / "page.html"
    report.write_bytes(b"%PDF-1.4")
    page.write_text("<script>alert(1)</script>")
    text = tmp_path / "notes.txt"
    text.write_text("Notes.")
    clew.originals = {"d1": report, "d2": page, "d3": "https://example.org/a.pdf", "d5": text}
    with client.get("/documents/d1/original?corpus=sample") as shown:
        assert (shown.mimetype, shown.data) == ("application/pdf", b"%PDF-1.4")
        assert not shown.headers.get("Content-Disposition", "").startswith("attachment")
        assert shown.headers["Cache-Control"] == "no-store"
    with client.get("/documents/d5/original?corpus=sample") as plain:
        assert plain.headers["Content-Type"] == "text/plain; charset=utf-8"
    # a page of somebody's is never run as one of ours
    with client.get("/documents/d2/original?corpus=sample") as kept:
        assert kept.headers["Content-Disposition"].startswith("attachment")
        assert kept.mimetype == "application/octet-stream"
    away = client.get("/documents/d3/original?corpus=sample")
    assert (away.status_code, away.location) == (302, "https://example.org/a.pdf")
    gone = client.get("/documents/d4/original?corpus=sample&chunk=c1")
    assert (gone.status_code, gone.location) == (302, "/documents/d4?corpus=sample#c1")
    assert client.get("/documents/nothing/original?corpus=sample").status_code == 404


def test_the_page_of_a_knowledge_base_shows_lines_and_no_text(
    client: Any, clew: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = clew.document("sample", "d1")
    line = TripleInfo(
        head="Ella Brand",
        predicate="spouse",
        tail="Tom Harrow",
        text="Ella Brand spouse Tom Harrow.",
        sentence=None,
        extractor="knowledge-base",
        chunk_id="",
        head_id="e1",
        tail_id="e2",
        line=12,
    )
    base = plain.document.model_copy(update={"kind": "knowledge-base", "triples": 1, "chunks": 0})
    found = plain.model_copy(update={"document": base, "chunks": (), "triples": (line,)})
    monkeypatch.setattr(clew, "document", lambda corpus, document_id, **_: found)
    page = client.get("/documents/d1?corpus=sample").get_data(as_text=True)
    assert 'id="line-12"' in page
    assert "Tom Harrow" in page
    assert 'id="text-title"' not in page
    assert "in 2 triples" in page
    assert client.get("/api/v1/documents/d1?corpus=sample").json["triples"][0]["line"] == 12
