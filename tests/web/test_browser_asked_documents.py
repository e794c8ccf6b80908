"""What the Ask page's form asks of which documents, by which strategies, in real Chromium."""

from typing import Any

import pytest
from playwright.sync_api import expect

from .test_browser_ask import SUPPORTED


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def test_some_documents_are_asked(address: str, questions: Any, open_page: Any) -> None:
    page = open_page(address, "/ask?corpus=sample")
    page.get_by_text("Only some documents").click()
    page.get_by_label("Names").fill("Aurelia*; *.pdf")
    page.get_by_label("Added from").fill("2025-03-01")
    page.get_by_label("Fields of records").fill("language = en")
    page.get_by_label("Your question").fill(SUPPORTED)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("High confidence")).to_be_visible()
    (asked,) = questions.asked
    assert asked.documents.model_dump(mode="json", exclude_defaults=True) == {
        "names": ["Aurelia*", "*.pdf"],
        "added_from": "2025-03-01",
        "metadata": {"language": "en"},
    }
    again = open_page(address, page.url.removeprefix(address))
    expect(again.get_by_text("High confidence")).to_be_visible()
    expect(again.get_by_label("Names")).to_have_value("Aurelia*; *.pdf")
    assert questions.asked[1].documents == asked.documents
    again.set_viewport_size({"width": 390, "height": 800})
    assert again.evaluate("document.documentElement.scrollWidth") <= 390


def test_days_in_the_wrong_order_are_not_asked(
    address: str, questions: Any, open_page: Any
) -> None:
    page = open_page(address, "/ask?corpus=sample")
    page.get_by_text("Only some documents").click()
    page.get_by_label("Added from").fill("2026-02-02")
    page.get_by_label("Added until").fill("2026-01-01")
    page.get_by_label("Your question").fill(SUPPORTED)
    page.get_by_role("button", name="Ask", exact=True).click()
    # a closed box opens, else nothing could be said
    page.get_by_text("Only some documents").click()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_label("Added until")).to_be_focused()
    message = page.get_by_label("Added until").evaluate("input => input.validationMessage")
    assert message == "“Added until” is before “Added from”."
    assert questions.asked == []


def test_a_field_that_is_named_twice_is_not_asked(
    address: str, questions: Any, open_page: Any
) -> None:
    page = open_page(address, "/ask?corpus=sample")
    page.get_by_text("Only some documents").click()
    fields = page.get_by_label("Fields of records")
    fields.fill("tag=a; year=2024; tag = b")
    page.get_by_label("Your question").fill(SUPPORTED)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(fields).to_be_focused()
    message = fields.evaluate("input => input.validationMessage")
    assert message == "The field “tag” is named twice."
    assert questions.asked == []


def test_days_are_said_to_be_of_utc(client: Any) -> None:
    shown = client.get("/ask").text
    assert "Added from (UTC)" in shown
    assert "Added until (UTC)" in shown


def test_what_the_browser_fills_in_again_is_seen(address: str, open_page: Any) -> None:
    page = open_page(address, "/ask?corpus=sample")
    page.get_by_label("How to find evidence").select_option("bm25")
    page.get_by_text("Beside other strategies").click()
    page.get_by_role("checkbox", name="dense", exact=True).check()
    page.get_by_text("Only some documents").click()
    page.get_by_label("Names").fill("nothing-*.pdf")
    page.goto(f"{address}/settings")
    page.go_back()
    expect(page.get_by_role("checkbox", name="dense", exact=True)).to_be_checked()
    expect(page.get_by_role("checkbox", name="dense", exact=True)).to_be_visible()
    expect(page.get_by_label("Names")).to_have_value("nothing-*.pdf")
    expect(page.get_by_label("Names")).to_be_visible()
    chosen = page.locator("#strategy option:checked")
    assert chosen.get_attribute("value") == "bm25"
    expect(page.locator("#strategy-summary")).to_have_text(
        chosen.get_attribute("data-summary") or ""
    )
