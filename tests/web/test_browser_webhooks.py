"""The Webhooks page in real Chromium: add, its secret once, what it was told, again, delete."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from clew.results.webhook import WebhookDelivery

from .drawing import fits
from .fake_bench import WHEN

FAR = "https://example.org/" + "a-hook-with-a-very-long-address/" * 4


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def delivery(job: str, state: Any, attempt: int, **more: Any) -> WebhookDelivery:
    known = {"status": None, "error": None, "tried_at": None, "next_at": None}
    return WebhookDelivery(
        id=f"h-sample-{job}",
        job_id=job,
        state=state,
        attempt=attempt,
        created_at=WHEN,
        **{**known, **more},
    )


@pytest.fixture
def told(clew: Any) -> Any:
    clew.add_webhook("sample", FAR, ["ingest"])
    clew.told = [
        delivery("j-given-up", "failed", 7, status=503, error="It answered 503."),
        delivery("j-waits", "queued", 2, error="URLError: refused", next_at=WHEN),
        delivery("j-well", "delivered", 1, status=204),
    ]
    return clew


def test_a_webhook_is_added_and_its_secret_shown_once(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/webhooks")
    expect(page.get_by_text("Nobody is told yet")).to_be_visible()
    expect(page.get_by_role("link", name="Webhooks")).to_have_attribute("aria-current", "page")
    page.get_by_label("Address").fill("https://example.org/hook")
    page.get_by_label("Corpus").select_option("sample")
    page.get_by_label("train").check()
    with page.expect_response("**/webhooks") as answered:
        page.get_by_role("button", name="Add", exact=True).dblclick()
    assert answered.value.headers["cache-control"] == "no-store"
    expect(page.get_by_label("The secret, this once").last).to_have_value("0" * 43)
    page.get_by_role("button", name="I have kept it").click()
    card = page.get_by_role("article", name="https://example.org/hook")
    expect(card).to_contain_text("Train in sample")
    expect(card).to_contain_text("No job has ended since it was added.")
    (made,) = clew.webhook_list
    assert made.kinds == ("train",)
    page.reload()
    expect(card).to_be_visible()
    assert "0" * 43 not in page.content()
    assert clew.webhook_list == [made]  # not added again


def test_what_is_wrong_is_said_and_nothing_typed_is_lost(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/webhooks")
    page.get_by_label("Address").fill("https://example.org/hook")
    page.get_by_label("bench").check()
    page.evaluate("document.querySelector('#corpus').innerHTML = '<option>gone</option>'")
    with page.expect_response("**/webhooks") as answered:
        page.get_by_role("button", name="Add", exact=True).click()
    assert answered.value.status == 404
    expect(page.get_by_role("alert")).to_contain_text("'gone'")
    expect(page.get_by_label("Address")).to_have_value("https://example.org/hook")
    expect(page.get_by_label("bench")).to_be_checked()
    assert clew.webhook_list == []


def test_what_was_given_up_is_sent_again(address: str, told: Any, open_page: Any) -> None:
    page = open_page(address, "/webhooks")
    card = page.get_by_role("article", name=FAR)
    row = card.get_by_role("listitem").filter(has_text="j-given-up")
    expect(row).to_contain_text("7 tries")  # open, since something failed
    expect(row).to_contain_text("It answered 503.")
    expect(card.get_by_role("button", name="Send again for j-well")).to_be_visible()
    row.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("article", name=FAR)).not_to_contain_text("failed")
    assert told.told[0].state == "queued"


def test_it_is_deleted(address: str, told: Any, open_page: Any) -> None:
    page = open_page(address, "/webhooks")
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Keep it").click()
    assert len(told.webhook_list) == 1
    page.get_by_role("button", name="Delete").click()
    expect(dialog).to_contain_text(FAR)
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("Nobody is told yet")).to_be_visible()
    assert told.webhook_list == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_axe_finds_nothing(
    address: str, told: Any, open_page: Any, scheme: str
) -> None:
    page = open_page(address, "/webhooks", color_scheme=scheme, bypass_csp=True)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("article", name=FAR)).to_be_visible()
    fits(page, 390)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
