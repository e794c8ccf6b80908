"""The pages of entities in real Chromium: find, merge, undo, and the queue by keyboard."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .drawing import fits
from .fake_entities import MARKUP, pair


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def test_two_are_found_merged_and_parted_again(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/entities?corpus=sample")
    expect(page.get_by_role("link", name="Entities", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    page.get_by_label("Name").fill("aurelia")
    page.get_by_role("button", name="Search").click()
    merge = page.get_by_role("button", name="Merge the two chosen")
    expect(merge).to_be_disabled()
    page.get_by_label("Choose Aurelia, work").check()
    page.get_by_label("Choose The Aurelia, work").check()
    merge.click()
    expect(page.get_by_role("heading", name="Aurelia", exact=True)).to_be_visible()
    assert ("merge", "e1", "e2") in clew.calls
    expect(page.locator(".passage")).to_have_text("The Aurelia is a ship.")
    expect(page.locator(".triples")).to_contain_text("Seld Shipyard")
    expect(page.get_by_text("Also: Aurelie")).to_be_visible()
    expect(page.locator(".merge")).to_contain_text("The Aurelia")
    page.get_by_role("button", name="Undo the merge of The Aurelia").click()
    expect(page.locator(".merge")).to_have_count(0)
    assert clew.merge_list == []


def test_the_names_of_most_chunks_are_shown_before_a_name_is_typed(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/entities?corpus=sample")
    expect(page.get_by_role("heading", name="In the most chunks")).to_be_visible()
    expect(page.locator("td .name")).to_have_text(["Aurelia", "The Aurelia", MARKUP])
    page.get_by_label("Name").fill("the aurelia")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("td .name")).to_have_text(["The Aurelia"])
    expect(page.get_by_role("heading", name="In the most chunks")).to_have_count(0)


def test_what_cannot_be_merged_is_said(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/entities/e1?corpus=sample")
    page.get_by_label("Name or id of the same thing").fill("Nobody")
    page.get_by_role("button", name="Merge").click()
    expect(page.locator("#merge-said")).to_contain_text("There is no entity")
    page.get_by_label("Name or id of the same thing").fill(MARKUP)
    page.get_by_role("button", name="Merge").click()
    expect(page.locator(".merge")).to_contain_text(MARKUP)


def test_the_queue_is_decided_by_keyboard(address: str, clew: Any, open_page: Any) -> None:
    clew.review_list = [pair(number) for number in range(1, 5)]
    page = open_page(address, "/entities?corpus=sample")
    page.get_by_role("link", name="4 to review").click()
    expect(page.locator(".review")).to_have_count(4)
    page.get_by_role("button", name="Decide by keyboard").click()
    expect(page.locator("#review-w1")).to_be_focused()
    page.keyboard.press("n")
    expect(page.locator(".review").nth(1)).to_be_focused()
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("Merged: Aurelia and Aurelia 2")
    expect(page.locator(".review")).to_have_count(3)
    expect(page.locator("#review-w3")).to_be_focused()
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text("Kept apart: Aurelia and Aurelia 3")
    page.keyboard.press("p")
    expect(page.locator("#review-w1")).to_be_focused()
    # a letter that is typed is no verdict
    page.get_by_label("Corpus").focus()
    page.keyboard.press("a")
    expect(page.locator("#waiting")).to_have_text("2")
    page.locator("#review-w1").get_by_role("button", name="Different").click()
    expect(page.locator("#review-w4")).to_be_focused()
    page.keyboard.press("a")
    expect(page.get_by_text("Nothing to review")).to_be_visible()
    assert [call[1:] for call in clew.calls if call[0] == "decide"] == [
        ("w2", "same"),
        ("w3", "different"),
        ("w1", "different"),
        ("w4", "same"),
    ]


def test_a_letter_decides_in_the_queue_alone_and_once(
    address: str, clew: Any, open_page: Any
) -> None:
    clew.review_list = [pair(number) for number in range(1, 5)]
    page = open_page(address, "/entities/review?corpus=sample")
    page.keyboard.press("a")
    page.keyboard.press("r")
    page.get_by_role("button", name="Decide by keyboard").focus()
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    page.keyboard.down("a")
    expect(page.locator("#review-w2")).to_be_focused()
    for _ in range(3):
        page.keyboard.down("a")  # held: the browser repeats it
        page.wait_for_timeout(50)
    page.keyboard.up("a")
    expect(page.locator(".review")).to_have_count(3)
    # any link or button of a pair is in the queue, too
    page.locator("#review-w3").get_by_role("button", name="Different").focus()
    page.keyboard.press("a")
    expect(page.locator("#review-w4")).to_be_focused()
    decided = [call[1:] for call in clew.calls if call[0] == "decide"]
    assert decided == [("w1", "same"), ("w3", "same")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_they_fit_a_phone_and_axe_finds_nothing(
    address: str, clew: Any, open_page: Any, scheme: str
) -> None:
    clew.review_list = [pair(number) for number in range(1, 4)]
    clew.merge("sample", "e1", "e2")
    page = open_page(
        address, "/entities?corpus=sample&text=a", color_scheme=scheme, bypass_csp=True
    )
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("", "/e1", "/review", "/merges"):
        page.goto(
            f"{address}/entities{path}?corpus=sample&text=a"
            if path != "/e1"
            else f"{address}/entities/e1?corpus=sample"
        )
        fits(page, 390)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_types_are_named_as_kinds_and_nothing_stands_for_an_unknown_one(
    client: Any, clew: Any
) -> None:
    known = pair(1)
    clew.review_list = [known.model_copy(update={"a": known.a.model_copy(update={"type": ""})})]
    page = client.get("/entities/review?corpus=sample").text
    assert '<p class="small soft">in 2 chunks' in page
    assert '<p class="small soft">work, in 1 chunk' in page


@pytest.mark.parametrize("path", ["/entities/review", "/entities/merges"])
def test_past_the_last_page_there_is_a_way_back(client: Any, path: str) -> None:
    page = client.get(f"{path}?corpus=sample&offset=25").text
    assert "is on this page" in page
    assert f'<a class="button" href="{path}?corpus=sample">Show the first</a>' in page
    assert "Show the first" not in client.get(f"{path}?corpus=sample").text


def test_that_there_are_more_is_said(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/entities?corpus=sample&text=aurelia"
    assert "The first" not in client.get(path).text
    monkeypatch.setattr("clew_web.ui.entities.FOUND", 1)
    page = client.get(path).text
    assert "The first 1. More of the name finds fewer." in page
    assert page.count('name="entity"') == 1


def test_an_empty_corpus_leads_on(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/entities?corpus=default")
    expect(page.get_by_text("No entities in this corpus yet")).to_be_visible()
    page.get_by_role("link", name="Add documents").click()
    expect(page.get_by_role("heading", name="Documents", exact=True)).to_be_visible()
