"""The other pages in real Chromium: documents, home, docs, login, theme, small screens."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from clew.settings import Settings
from clew_ingest.reading.media_types import BY_EXTENSION
from clew_web.app import create_app

from .drawing import fits, whole_groups

PAGES = (
    "/",
    "/ask?corpus=sample",
    "/ask?corpus=sample&q=Who+founded+it%3F",
    "/documents?corpus=sample",
    "/documents?corpus=default",
    "/documents/d4?corpus=sample",
    "/jobs",
    "/bench",
    "/docs",
    "/nothing",
)


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def test_home_says_what_is_running_and_how_full_it_is(
    address: str, clew: Any, open_page: Any
) -> None:
    clew.submit("sample", ["d1"] * 3)
    clew.up = False
    page = open_page(address)
    expect(page.get_by_text("Not ready")).to_be_visible()
    expect(page.get_by_text("`clew up` starts it.")).to_be_visible()
    expect(page.locator(".corpus").nth(1)).to_contain_text("5")
    expect(page.get_by_text("1 of 4 documents, parsing")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".jobs .badge")).to_have_text("cancelled")
    page.get_by_label("Your question").fill("Who founded it?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert "corpus=sample" in page.url  # the default corpus is empty


def test_home_says_which_corpus_is_asked(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address)
    expect(page.get_by_label("Corpus")).to_have_count(0)  # one corpus has documents
    clew.stored["letters"] = dict(clew.stored["sample"])
    page = open_page(address)
    expect(page.get_by_label("Corpus")).to_have_value("sample")
    page.get_by_label("Corpus").select_option("letters")
    page.get_by_label("Your question").fill("Who founded it?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert "corpus=letters" in page.url


def test_what_can_be_added_is_said(client: Any) -> None:
    shown = client.get("/documents?corpus=sample").text
    assert [ending for ending in BY_EXTENSION if not re.search(rf"\{ending}\b", shown)] == []


def test_an_empty_graph_leads_on(address: str, clew: Any, open_page: Any) -> None:
    clew.stored = {}
    page = open_page(address)
    expect(page.get_by_role("heading", name="The graph is empty")).to_be_visible()
    page.get_by_role("button", name="Load the sample corpus").click()
    page.wait_for_url("**/documents?corpus=sample")
    accept, submit = clew.calls[0], clew.calls[1]
    assert Path(accept[2][0]).name == "articles"
    assert submit[0] == "submit"


def test_upload_by_choice_and_by_drop(
    address: str, clew: Any, open_page: Any, tmp_path: Path
) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Notes")
    page = open_page(address, "/documents?corpus=default")
    expect(page.get_by_text("No documents in this corpus yet")).to_be_visible()
    page.set_input_files("#files", str(file))
    expect(page.locator("#uploads")).to_contain_text("1 stored")
    expect(page.locator(".documents")).to_contain_text("notes.md")
    expect(page.locator(".documents .badge")).to_have_text("waiting")
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["one"], "one.txt"));
          data.items.add(new File(["two"], "two.txt"));
          document.getElementById("drop").dispatchEvent(
            new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
    )
    expect(page.locator("#uploads")).to_contain_text("2 stored")
    expect(page.locator(".documents tbody tr")).to_have_count(3)
    assert [call[0] for call in clew.calls if call[0] != "documents"] == ["accept", "submit"] * 2


def test_an_upload_that_is_too_large_is_refused_before_it_is_sent(
    clew: Any, questions: Any, serve: Any, open_page: Any, tmp_path: Path
) -> None:
    app = create_app(clew, Settings(home=tmp_path, upload_limit_mib=1), questions)
    file = tmp_path / "big.txt"
    file.write_bytes(b"x" * 1_500_000)
    page = open_page(serve(app), "/documents?corpus=default")
    page.set_input_files("#files", str(file))
    expect(page.get_by_role("alert")).to_contain_text("At most 1 MiB")
    assert [call for call in clew.calls if call[0] == "accept"] == []


def test_documents_are_filtered_and_deleted_after_a_question(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/documents?corpus=sample")
    expect(page.locator(".documents tbody tr")).to_have_count(5)
    expect(page.locator("#list-title")).to_contain_text("1 failed")
    page.get_by_label("Status").select_option("failed")
    expect(page.locator(".documents tbody tr")).to_have_count(1)
    expect(page.locator(".error-text").first).to_have_text("The PDF is broken.")
    page.get_by_role("button", name="Delete scan").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This cannot be undone")
    expect(dialog.get_by_role("button", name="Keep it")).to_be_focused()
    dialog.get_by_role("button", name="Keep it").click()
    assert len(clew.stored["sample"]) == 5
    page.get_by_role("button", name="Delete scan").click()
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("No document fits")).to_be_visible()
    assert len(clew.stored["sample"]) == 4


def test_a_new_corpus(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/documents?corpus=sample")
    page.get_by_role("button", name="New corpus").click()
    page.get_by_label("Name").fill("letters & notes")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("No documents in this corpus yet")).to_be_visible()
    assert "letters & notes" in clew.stored
    assert page.get_by_label("Corpus", exact=True).input_value() == "letters & notes"
    assert clew.extractors["letters & notes"] == "rules"


def test_a_corpus_of_that_name_is_not_made_again(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/documents?corpus=default")
    page.get_by_role("button", name="New corpus").click()
    page.get_by_label("Name").fill("sample")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert")).to_contain_text("There is a corpus sample already.")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="New corpus").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Create").click()
    page.get_by_role("link", name="Open it").click()
    page.wait_for_url("**/documents?corpus=sample")


def test_what_was_left_out_of_an_upload_is_told_in_full_and_in_yellow(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/documents?corpus=sample")
    page.set_viewport_size({"width": 420, "height": 800})
    name = "a-file-with-a-very-long-name-" * 4
    files = [
        {"name": "notes.md", "mimeType": "text/markdown", "buffer": b"# Notes"},
        {"name": f"{name}.exe", "mimeType": "application/octet-stream", "buffer": b"MZ\0"},
    ]
    page.set_input_files("#files", files)
    told = page.locator("#uploads .badge-warn")
    expect(told).to_contain_text("1 stored, 1 left out")
    expect(told).to_contain_text(name)
    fits(page, 420)


def test_the_extractor_is_chosen_with_a_corpus_and_changed_later(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/documents?corpus=sample")
    page.get_by_role("button", name="New corpus").click()
    page.get_by_label("Name").fill("plain")
    page.get_by_label("Triples", exact=True).select_option("llm")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert")).to_contain_text("Set CLEW_LLM_MODEL.")
    page.get_by_label("Triples", exact=True).select_option("none")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("No documents in this corpus yet")).to_be_visible()
    chosen = page.get_by_label("Extractor of triples")
    assert chosen.input_value() == clew.extractors["plain"] == "none"
    page.goto(f"{address}/documents?corpus=sample")
    expect(page.locator(".extraction")).to_contain_text("8 triples, made by")
    chosen.select_option("none")
    expect(page.get_by_text("until the same files are added again")).to_be_visible()
    assert clew.extractors["sample"] == "none"
    chosen.select_option("llm")
    expect(page.get_by_text("It needs a language model.")).to_be_visible()
    assert chosen.input_value() == "none"


def test_a_document_shows_its_text_as_text(address: str, open_page: Any) -> None:
    page = open_page(address, "/documents/d4?corpus=sample")
    expect(page.get_by_role("heading", level=1)).to_have_text('<b>Not bold</b> & "quoted"')
    expect(page.locator(".chunks")).to_contain_text("<script>alert(1)</script>")
    expect(page.locator(".entities")).to_contain_text("Aurelia")
    expect(page.locator(".triples tbody tr").first).to_contain_text('<b>Not bold</b> & "quoted"')


def test_a_document_shows_what_it_cost_and_what_it_states(address: str, open_page: Any) -> None:
    page = open_page(address, "/documents/d1?corpus=sample")
    expect(page.locator("#costs")).to_contain_text("0.8 s of work")
    expect(page.locator("#costs")).to_contain_text("2 language-model calls")
    expect(page.locator("#costs")).to_contain_text(re.compile(r"1\s840 tokens in, 212 out"))
    row = page.locator(".triples tbody tr").nth(1)
    for cell, said in enumerate(("Aurelia", "build at", "Seld Shipyard", "She was built at")):
        expect(row.locator("td").nth(cell)).to_contain_text(said)
    expect(row).to_contain_text("Aurelia build at Seld Shipyard.")  # its textual triplet
    page.goto(f"{address}/documents/d5?corpus=sample")
    expect(page.get_by_text("It could not be read, so none were made.")).to_be_visible()


def test_the_api_page_shows_every_operation_without_the_internet(
    address: str, open_page: Any
) -> None:
    page = open_page(address, "/docs")
    paths = page.evaluate("async () => (await (await fetch('/openapi.json')).json()).paths")
    operations = sum(len(methods) for methods in paths.values())
    assert operations > 15
    expect(page.locator(".opblock")).to_have_count(operations)
    page.locator(".opblock-summary", has_text="/api/v1/query/stream").click()
    expect(page.get_by_text("Server-sent events").first).to_be_visible()


def test_the_api_page_can_be_read(address: str, open_page: Any) -> None:
    page = open_page(address, "/docs", bypass_csp=True)
    page.locator(".opblock").first.wait_for()
    found = Axe().run(page)
    serious = [
        one["id"]
        for one in found.response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == [], found.generate_report()


def test_login_and_logout(
    clew: Any, questions: Any, serve: Any, open_page: Any, tmp_path: Path
) -> None:
    token = "correct-horse-battery-staple"
    app = create_app(clew, Settings(home=tmp_path, access_token=token), questions)
    page = open_page(serve(app), "/ask?corpus=sample&q=Who+founded+it%3F")
    page.get_by_label("Access token").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not the access token")
    page.get_by_label("Access token").fill(token)
    page.keyboard.press("Enter")
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert "clew_session" not in page.evaluate("document.cookie")  # for no script to read
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Access token")).to_be_visible()


def test_the_theme_follows_the_system_and_the_toggle(address: str, open_page: Any) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    page = open_page(address, color_scheme="dark")
    dark = page.evaluate(background)
    page.get_by_role("button", name="Switch to light").click()
    light = page.evaluate(background)
    assert light != dark
    page.reload()
    assert page.evaluate(background) == light


@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_a_phone(address: str, path: str, open_page: Any) -> None:
    page = open_page(address, path)
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_load_state("networkidle")
    fits(page, 360)


def test_no_group_of_the_header_is_cut_on_a_phone(address: str, open_page: Any) -> None:
    page = open_page(address, "/settings")
    page.set_viewport_size({"width": 390, "height": 844})
    whole_groups(page)


@pytest.mark.parametrize("path", PAGES)
def test_pages_work_with_keyboard_and_screen_reader(
    address: str, path: str, open_page: Any
) -> None:
    page = open_page(address, path)
    page.wait_for_load_state("networkidle")
    if path == "/docs":
        page.locator(".opblock").first.wait_for()
    own = "main h1" if path != "/docs" else "main h1:not(.swagger *)"
    assert page.locator(own).count() == 1
    assert page.locator("html[lang=en]").count() == 1
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("a, button, input, select, textarea, summary")]
          .filter((element) => !element.closest(".swagger") && element.type !== "hidden")
          .filter((element) => !(element.textContent.trim() || element.getAttribute("aria-label")
            || element.labels?.length || element.querySelector("img[alt]:not([alt=''])")))
          .map((element) => element.outerHTML)"""
    )
    assert unnamed == []
    broken = page.evaluate(
        """() => [...document.querySelectorAll("[aria-labelledby], [aria-describedby], label[for]")]
          .flatMap((element) => (element.getAttribute("aria-labelledby")
            ?? element.getAttribute("aria-describedby") ?? element.htmlFor).split(" "))
          .filter((id) => !document.getElementById(id))"""
    )
    assert broken == []
    page.evaluate("document.activeElement.blur()")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_paper_holds_what_was_found_and_nothing_to_press(address: str, open_page: Any) -> None:
    page = open_page(address, "/ask?corpus=sample&q=Who+founded+it%3F", color_scheme="dark")
    expect(page.get_by_text("High confidence")).to_be_visible()
    ink = "getComputedStyle(document.body).color"
    assert page.evaluate(ink) == "rgb(243, 237, 228)"
    page.emulate_media(media="print")
    assert page.evaluate(ink) == "rgb(31, 27, 22)"  # pale letters are for dark ground
    assert page.locator(".header").evaluate("h => getComputedStyle(h).position") == "static"
    for seen in ("#question", ".answer-text", ".citation", ".passage mark", ".graph"):
        expect(page.locator(seen).first).to_be_visible()
    for pressed in ("Ask", "Ask further", "Copy link", "Fit everything"):
        expect(page.get_by_role("button", name=pressed, exact=True)).to_be_hidden()
    expect(page.get_by_role("navigation", name="Pages")).to_be_hidden()
    kept = page.locator(".passage mark").evaluate("m => getComputedStyle(m).printColorAdjust")
    assert kept == "exact"
