"""Answers of several strategies side by side, in real Chromium."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from . import conftest
from .drawing import fits

QUESTION = "Who founded the shipyard that built the Aurelia?"


@pytest.fixture
def address(app: Any, serve: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """A server at which bm25 finds only the first passage, dense all three."""
    whole = conftest.evidence_for

    def evidence_for(question: Any) -> Any:
        found = whole(question)
        if question.strategy == "bm25":
            return found.model_copy(update={"chunks": found.chunks[:1]})
        return found

    monkeypatch.setattr(conftest, "evidence_for", evidence_for)
    return str(serve(app))


def test_each_strategy_has_its_column_and_what_one_alone_found_is_marked(
    address: str, open_page: Any, questions: Any
) -> None:
    page = open_page(address, "/ask?corpus=sample&strategy=bm25")
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_text("Beside other strategies").click()
    page.get_by_role("checkbox", name="dense", exact=True).check()
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Ask", exact=True).click()
    one, other = page.get_by_role("region", name="bm25"), page.get_by_role("region", name="dense")
    for column in (one, other):
        expect(column.locator(".answer-short")).to_have_text("Victor Ferrand")
    expect(page.locator("#result")).to_be_hidden()
    expect(one.locator(".evidence > li")).to_have_count(1)
    expect(one.locator(".only-here")).to_have_count(0)
    expect(one.get_by_text("1 of 1 found by another too")).to_be_visible()
    expect(other.locator(".evidence > li")).to_have_count(3)
    expect(other.locator(".only-here")).to_have_count(2)
    assert sorted(one.strategy for one in questions.asked) == ["bm25", "dense"]

    # the address says all of it; going there again shows what was answered, without asking
    shared = parse_qs(urlsplit(page.url).query)
    assert (shared["strategy"], shared["beside"]) == (["bm25"], ["dense"])
    page.goto(page.url)
    expect(page.locator(".beside .answer-short")).to_have_count(2)
    assert len(questions.asked) == 2
    other.get_by_role("link", name="Alone").click()
    expect(page.locator("#answer-body .answer-short")).to_have_text("Victor Ferrand")
    assert parse_qs(urlsplit(page.url).query)["strategy"] == ["dense"]
    assert "beside" not in page.url


def test_three_at_most_are_asked_beside(address: str, open_page: Any) -> None:
    names = ("dense", "hybrid", "pagerank")
    asked = "&".join(f"beside={name}" for name in (*names, "contextual", "nothing-like-it"))
    page = open_page(address, f"/ask?corpus=sample&strategy=bm25&{asked}")
    boxes = page.locator("#beside input")
    expect(boxes.locator(":scope:checked")).to_have_count(3)
    expect(page.get_by_role("checkbox", name="contextual", exact=True)).to_be_disabled()
    page.get_by_role("checkbox", name="dense", exact=True).uncheck()
    expect(page.get_by_role("checkbox", name="contextual", exact=True)).to_be_enabled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_they_stand_one_below_the_other_on_a_phone(
    address: str, open_page: Any, scheme: str
) -> None:
    path = f"/ask?corpus=sample&strategy=bm25&beside=dense&q={QUESTION.replace(' ', '+')}"
    page = open_page(address, path, color_scheme=scheme, bypass_csp=True)
    expect(page.locator(".beside .answer-short")).to_have_count(2)
    page.set_viewport_size({"width": 390, "height": 844})
    fits(page, 390)
    boxes = [column.bounding_box() for column in page.locator(".beside > section").all()]
    assert boxes[0]["x"] == boxes[1]["x"]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_question_further_leans_on_the_answer_before_it_in_each_column(
    address: str, open_page: Any, questions: Any
) -> None:
    meant = "Where was Victor Ferrand born?"
    questions.meant = {"Where was he born?": meant}
    page = open_page(address, f"/ask?corpus=sample&strategy=bm25&q={QUESTION}")
    page.get_by_text("Beside other strategies").click()
    page.get_by_role("checkbox", name="dense", exact=True).check()
    page.get_by_label("Ask further").fill("Where was he born?")
    page.keyboard.press("Enter")
    expect(page.locator(".beside .answer-short")).to_have_count(2)
    for asked in questions.asked[1:]:
        assert [turn.question for turn in asked.history] == [QUESTION]
    # as it was understood it can be shared, and asked alone
    expect(page.get_by_label("Your question")).to_have_value(meant)
    assert parse_qs(urlsplit(page.url).query)["q"] == [meant]
    page.get_by_role("region", name="dense").get_by_role("link", name="Alone").click()
    expect(page.locator("#answer-body .answer-short")).to_have_text("Victor Ferrand")
    assert questions.asked[-1].question == meant
