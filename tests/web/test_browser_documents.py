"""Several documents at once, and the way from a chunk to its triples, in real Chromium."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .drawing import fits


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def test_several_are_deleted_once_it_is_confirmed(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/documents?corpus=sample")
    delete = page.locator("#bulk-delete")
    expect(delete).to_be_disabled()
    page.get_by_label("Choose Aurelia").check()
    page.get_by_label("Choose Seld Shipyard").check()
    expect(page.locator("#bulk-count")).to_have_text("2 documents chosen")
    delete.click()
    expect(page.get_by_role("button", name="Keep them")).to_be_focused()
    page.get_by_role("button", name="Keep them").click()
    assert len(clew.stored["sample"]) == 5
    delete.click()
    expect(page.get_by_role("heading", name="Delete 2 documents?")).to_be_visible()
    page.get_by_role("button", name="Delete them").click()
    expect(page.locator("#bulk-count")).to_have_text("2 documents deleted.")
    expect(page.locator(".picked tbody tr")).to_have_count(3)
    assert {one.title for one in clew.stored["sample"].values()}.isdisjoint(
        {"Aurelia", "Seld Shipyard"}
    )
    expect(delete).to_be_disabled()


def test_failed_ones_are_tried_again(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/documents?corpus=sample")
    page.get_by_label("Choose Aurelia").check()
    expect(page.locator("#bulk-retry")).to_be_disabled()
    page.get_by_label("Choose all of this page").check()
    expect(page.locator("#bulk-count")).to_have_text("5 documents chosen")
    page.locator("#bulk-retry").dblclick()
    expect(page.locator("#bulk-count")).to_have_text("1 document tried again.")
    (asked,) = [call for call in clew.calls if call[0] == "retry_documents"]
    assert [clew.stored["sample"][one].title for one in asked[2]] == ["scan"]


def test_ticks_outlive_a_refresh(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/documents?corpus=sample")
    page.get_by_label("Choose Aurelia").check()
    said = page.locator("#bulk-count")
    expect(said).to_have_text("1 document chosen")
    clew._put("sample", "upload:new.md", "Newcomer", "accepted", None)
    expect(page.locator(".picked")).to_contain_text("Newcomer")
    expect(page.get_by_label("Choose Aurelia")).to_be_checked()
    expect(page.get_by_label("Choose Aurelia")).to_be_focused()
    expect(page.locator("#bulk-delete")).to_be_enabled()
    expect(said).to_have_text("1 document chosen")
    page.get_by_label("Choose all of this page").check()
    page.locator("#bulk-delete").click()
    page.get_by_role("button", name="Delete them").click()
    expect(page.get_by_text("No documents in this corpus yet")).to_be_visible()
    expect(said).to_have_text("6 documents deleted.")
    expect(page.locator("#bulk-delete")).to_be_hidden()


def test_the_status_is_chosen_after_a_refresh_too(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/documents?corpus=sample")
    heading = page.locator("#list-title")
    before = heading.inner_text()
    clew._put("sample", "upload:new.md", "Newcomer", "accepted", None)
    expect(heading).not_to_have_text(before)
    page.get_by_label("Status", exact=True).select_option("failed")
    expect(page).to_have_url(re.compile("status=failed"))
    expect(page.locator(".picked tbody tr")).to_have_count(1)


def test_what_is_gone_already_is_no_hindrance(
    address: str, clew: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew_web.ui.documents.LIVE_S", 3600)
    monkeypatch.setattr("clew_web.ui.documents.BUSY_S", 3600)
    page = open_page(address, "/documents?corpus=sample")
    for title in ("Aurelia", "Seld Shipyard", "scan"):
        page.get_by_label(f"Choose {title}").check()
    page.get_by_role("button", name="Delete scan").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    said = page.locator("#bulk-count")
    expect(said).to_have_text("2 documents chosen")
    page.locator("#bulk-delete").click()
    # somebody else is faster
    (gone,) = [id_ for id_, one in clew.stored["sample"].items() if one.title == "Aurelia"]
    del clew.stored["sample"][gone]
    page.get_by_role("button", name="Delete them").click()
    expect(said).to_have_text("2 documents deleted.")
    expect(page.locator(".picked tbody tr")).to_have_count(2)


def test_a_folder_that_is_dropped_is_left_out(
    address: str, clew: Any, open_page: Any, tmp_path: Path
) -> None:
    folder, file = tmp_path / "letters", tmp_path / "notes.md"
    folder.mkdir()
    file.write_text("# Notes")
    page = open_page(address, "/documents?corpus=default")
    box = page.locator("#drop").bounding_box()
    dropped = {"items": [], "files": [str(folder), str(file)], "dragOperationsMask": 1}
    mouse = page.context.new_cdp_session(page)
    for event in ("dragEnter", "dragOver", "drop"):
        at = {"x": box["x"] + 50, "y": box["y"] + 50}
        mouse.send("Input.dispatchDragEvent", {"type": event, **at, "data": dropped})
    expect(page.locator("#uploads li", has_text="letters")).to_contain_text(
        "Choose the files in it."
    )
    expect(page.locator("#uploads li", has_text="notes.md")).to_contain_text("1 stored")
    (accept,) = [call for call in clew.calls if call[0] == "accept"]
    assert len(accept[2]) == 1


def test_of_two_files_of_one_name_the_later_is_left_out(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/documents?corpus=default")
    page.locator("#drop").wait_for()
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          for (const text of ["one", "two"]) {
            data.items.add(new File([text], "notes.md"));
          }
          const input = document.getElementById("files");
          input.files = data.files;
          input.dispatchEvent(new Event("change"));
        }"""
    )
    rows = page.locator("#uploads li", has_text="notes.md")
    expect(rows.filter(has_text="1 stored")).to_have_count(1)
    expect(rows.filter(has_text="One would replace the other")).to_have_count(1)
    (accept,) = [call for call in clew.calls if call[0] == "accept"]
    assert len(accept[2]) == 1


def test_a_document_shows_the_quote_that_led_to_it(address: str, open_page: Any) -> None:
    page = open_page(address, "/documents/d4?corpus=sample&quote=alert(1)%3C/script%3E+in+it#c1")
    mark = page.locator(".chunks li:target mark")
    expect(mark).to_have_text("alert(1)</script> in it")
    header = page.locator(".header").bounding_box()
    assert mark.bounding_box()["y"] > header["y"] + header["height"]


def test_a_document_says_that_triples_are_missing(client: Any, clew: Any) -> None:
    assert "Some triples are missing" not in client.get("/documents/d4?corpus=sample").text
    known = clew.stored["sample"]
    known["d4"] = known["d4"].model_copy(update={"failed_chunks": 3})
    page = client.get("/documents/d4?corpus=sample").text
    assert "The extractor failed on 3 of its chunks." in page


def test_a_document_says_what_of_it_was_not_read(client: Any, clew: Any) -> None:
    assert "Not all of this document was read" not in client.get("/documents/d4?corpus=sample").text
    known = clew.stored["sample"]
    said = "Nothing was read of pages 4–13: there are pictures."
    known["d4"] = known["d4"].model_copy(update={"left_out": said})
    assert said in client.get("/documents/d4?corpus=sample").text
    assert said in client.get("/documents?corpus=sample").text


def test_a_failed_document_is_tried_again_and_deleted(
    address: str, clew: Any, open_page: Any
) -> None:
    (scan,) = [one.id for one in clew.stored["sample"].values() if one.title == "scan"]
    page = open_page(address, f"/documents/{scan}?corpus=sample")
    expect(page.get_by_text("It could not be read, so none were made.")).to_be_visible()
    with page.expect_navigation():  # it shows itself anew
        page.get_by_role("button", name="Try again").dblclick()
    assert clew.calls.count(("retry_documents", "sample", [scan])) == 1
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url("**/documents?corpus=sample")
    assert scan not in clew.stored["sample"]


def test_from_a_chunk_to_its_triples(address: str, open_page: Any) -> None:
    page = open_page(address, "/documents/d4?corpus=sample")
    page.get_by_role("link", name="what was found in this chunk").click()
    expect(page.get_by_role("heading", name="Chunk 1")).to_be_visible()
    expect(page.locator(".sentences li").first).to_contain_text("She was built at")
    expect(page.locator(".statements").first).to_contain_text("Aurelia build at Seld Shipyard")
    page.locator(".sentences .badge").first.click()
    expect(page.get_by_role("heading", name="Aurelia", exact=True)).to_be_visible()


def test_the_longest_word_of_a_name_fits_a_phone(address: str, clew: Any, open_page: Any) -> None:
    name = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    document, provenance = clew.document, clew.provenance

    def long(one: Any) -> Any:
        return one.model_copy(update={"name": name})

    def with_long_names(*arguments: Any, **options: Any) -> Any:
        detail = document(*arguments, **options)
        return detail.model_copy(update={"entities": tuple(map(long, detail.entities))})

    def found_in(*arguments: Any) -> Any:
        found = provenance(*arguments)
        first = found.sentences[0].model_copy(update={"heads": (long(found.mentions[0]),)})
        mentions = tuple(map(long, found.mentions))
        return found.model_copy(update={"mentions": mentions, "sentences": (first,)})

    clew.document, clew.provenance = with_long_names, found_in
    page = open_page(address, "/documents/d4?corpus=sample")
    page.set_viewport_size({"width": 360, "height": 740})
    for path in ("d4", "d1/chunks/c1"):
        page.goto(f"{address}/documents/{path}?corpus=sample")
        expect(page.locator(".badge-entity").first).to_have_text(name)
        fits(page, 360)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_they_fit_a_phone_and_axe_finds_nothing(address: str, open_page: Any, scheme: str) -> None:
    page = open_page(address, "/documents?corpus=sample", color_scheme=scheme, bypass_csp=True)
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/documents", "/documents/d4", "/documents/d1/chunks/c1"):
        page.goto(f"{address}{path}?corpus=sample")
        expect(page.locator("h1")).to_be_visible()
        fits(page, 390)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
