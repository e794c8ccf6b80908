"""A walk through the web app as it is used: the real server, broker, worker, Neo4j and Chromium.

Ten files are uploaded and asked about; two entities are merged and parted; a schedule runs; two
runs of the bench are compared. Each page on the way is looked at in light, in dark and on a phone:
it fits, and axe-core has nothing to say. ``CLEW_TEST_SHOTS`` names a folder for what was seen:

    CLEW_TEST_SHOTS=/tmp/shots .venv/bin/pytest -q tests/web/test_walk.py
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from clew.resources.connecting import connection
from clew.sample_corpus import ARTICLES
from clew.settings import Settings

from ..ingest.conftest import make_docx, make_pdf_pages
from .drawing import Drawing, eventually, fits

pytestmark = pytest.mark.timeout(600)
PATIENCE_MS = 180_000
NAME = "walk"
LAMP = [
    ["The Brindlewick Lamp", "This report is about lamps of the northern coast and their makers."],
    ["The Brindlewick Lamp was invented by Ottoline Farrow in 1911."],
]
FARROW = [
    "Ottoline Farrow",
    "Ottoline Farrow was born in Saltmere. Farrow studied optics in Dunmore.",
    "In 1920 Henry Farrow visited Dunmore. Henry Farrow was a painter.",
]
QUESTION = "Where was the inventor of the Brindlewick Lamp born?"
LOOKS = (("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390))
WIDEST = 1920


class Walk:
    """One browser page, and what is looked at on each page that it comes to."""

    def __init__(self, page: Page, address: str, shots: str | None) -> None:
        self.page = page
        self.address = address
        self._shots = Path(shots) if shots else None

    def go(self, path: str) -> Page:
        self.page.goto(self.address + path)
        return self.page

    def look(self, name: str) -> None:
        """See the page in each look: it is no wider than the window, and axe finds nothing."""
        self.page.wait_for_load_state("networkidle")
        for scheme, width in LOOKS:
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            self.page.set_viewport_size({"width": width, "height": 900 if width > 390 else 844})
            fits(self.page, width)
            if self._shots:
                file = self._shots / f"{name}-{scheme}-{width}.png"
                self.page.screenshot(path=file, full_page=True)
            found = Axe().run(self.page)
            assert found.violations_count == 0, f"{name}: {found.generate_report()}"
        self.page.set_viewport_size({"width": WIDEST, "height": 1080})
        fits(self.page, WIDEST)
        if self._shots:
            self.page.screenshot(path=self._shots / f"{name}-{WIDEST}.png", full_page=True)
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": 1280, "height": 900})


@pytest.fixture
def walk(runtime: Settings, open_page: Any) -> Iterator[Walk]:
    address = connection(runtime).web_url
    assert address is not None
    shots = os.environ.get("CLEW_TEST_SHOTS")
    if shots:
        Path(shots).mkdir(parents=True, exist_ok=True)
    yield Walk(open_page(address, "/", bypass_csp=True), address, shots)
    with httpx.Client(base_url=f"{address}/api/v1", timeout=120) as rest:
        for schedule in rest.get("/schedules").json()["schedules"]:
            rest.delete(f"/schedules/{schedule['id']}").raise_for_status()
        for run in rest.get("/bench/runs").json()["runs"]:
            rest.delete(f"/bench/runs/{run['id']}").raise_for_status()
        rest.delete(f"/corpora/{NAME}")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Ten files: eight articles, a PDF of two pages, a Word document."""
    made = [tmp_path / "lamp.pdf", tmp_path / "farrow.docx"]
    made[0].write_bytes(make_pdf_pages(LAMP, title="The Brindlewick Lamp"))
    made[1].write_bytes(make_docx(FARROW, title="Ottoline Farrow"))
    return [*made, *sorted(ARTICLES.glob("*.md"))[:8]]


def test_from_ten_files_to_two_runs_compared(walk: Walk, files: list[Path]) -> None:
    upload_and_follow(walk, files)
    ask_and_open(walk)
    explore(walk)
    merge_and_undo(walk)
    schedule_and_compare(walk)
    see_the_rest(walk)


def upload_and_follow(walk: Walk, files: list[Path]) -> None:
    walk.look("home-empty")
    page = walk.go("/corpora")
    page.get_by_role("button", name="New corpus").click()
    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("No documents in this corpus yet")).to_be_visible()
    expect(page.get_by_label("Corpus", exact=True)).to_have_value(NAME)
    walk.look("documents-empty")
    page.locator("#files").set_input_files([str(file) for file in files])
    page.locator("#jobs a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(NAME)
    expect(page.locator("#job .badge").first).to_have_text("done", timeout=PATIENCE_MS)
    expect(page.locator("#job")).to_contain_text("10 of 10 documents")
    walk.look("job")
    page.get_by_role("link", name=f"Jobs of {NAME}").click()
    expect(page.locator("#jobs li")).to_have_count(1)
    walk.look("jobs")
    page = walk.go(f"/documents?corpus={NAME}")
    expect(page.locator("#list tbody tr")).to_have_count(10)
    ready = page.locator("#list tbody .badge").filter(has_text=re.compile("^ready$"))
    expect(ready).to_have_count(10)
    walk.look("documents")


def ask_and_open(walk: Walk) -> None:
    page = walk.go(f"/ask?corpus={NAME}")
    walk.look("ask-empty")
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    card = page.locator("#answer-card")
    expect(card).to_have_attribute("aria-busy", "false", timeout=60_000)
    expect(card.locator(".answer-short")).to_have_text("Saltmere")
    page.wait_for_load_state("networkidle")
    Drawing(page).settled()
    walk.look("ask")
    page.get_by_text("Only some documents").click()
    page.get_by_label("Names").fill("*.docx; *.pdf")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(card).to_have_attribute("aria-busy", "false", timeout=60_000)
    expect(page.locator("#evidence-list > li")).to_have_count(2)
    walk.look("ask-some-documents")

    citation = page.locator(".citations button", has_text="Brindlewick Lamp").first
    citation.click()
    opened = page.locator(".passage[open]", has_text="invented by Ottoline Farrow")
    expect(opened.locator("mark")).to_contain_text("Ottoline Farrow")
    # the bytes of an upload are not kept
    expect(opened.get_by_role("link", name="Open the original")).to_have_count(0)
    opened.get_by_role("link", name="Open the document").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The Brindlewick Lamp")
    passage = page.locator(".chunks li:target")
    expect(passage).to_contain_text("invented by Ottoline Farrow")
    expect(passage.locator("mark")).to_contain_text("Ottoline Farrow")
    expect(passage.locator(".place")).to_have_text("pages 1–2")
    walk.look("document")
    passage.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Sentences")).to_be_visible()
    walk.look("chunk")


def explore(walk: Walk) -> None:
    page = walk.go(f"/ask?corpus={NAME}&q={QUESTION.replace(' ', '+')}")
    expect(page.locator("#answer-card")).to_have_attribute("aria-busy", "false", timeout=60_000)
    page.get_by_role("link", name="Explore").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Graph")
    drawing = Drawing(page)

    def led_to() -> None:
        assert drawing.ids("edge.on-path")  # from the question's names to the passages

    eventually(page, led_to)
    drawing.settled()
    before = drawing.ids("node")
    walk.look("graph")
    page.get_by_text("The same as a list").click()
    entity = page.locator("#explore-list li", has_text="Ottoline Farrow entity")
    entity.get_by_role("button").click()

    def grown() -> None:
        assert drawing.ids("node") > before
        assert drawing.ids("edge[kind = 'RELATION']")

    eventually(page, grown)
    expect(page.locator("#explore-list li", has_text="document")).not_to_have_count(0)
    drawing.settled()
    walk.look("graph-expanded")
    walk.go("/graph/tools")
    walk.look("graph-tools")


def merge_and_undo(walk: Walk) -> None:
    page = walk.go(f"/entities?corpus={NAME}")
    walk.look("entities-empty")
    page.get_by_label("Name").fill("farrow")
    page.get_by_role("button", name="Search").click()
    walk.look("entities")
    page.get_by_label(re.compile("^Choose Ottoline Farrow,")).check()
    page.get_by_label(re.compile("^Choose Henry Farrow,")).check()
    page.get_by_role("button", name="Merge the two chosen").click()
    expect(page.locator(".merge")).to_contain_text("Henry Farrow")
    walk.look("entity-merged")
    page.get_by_role("link", name=f"Entities of {NAME}").click()
    page.get_by_role("link", name=re.compile("merged$")).click()
    walk.look("merges")
    page.get_by_role("button", name=re.compile("^Undo the merge of Henry Farrow")).click()
    expect(page.locator(".merge", has_text="Henry Farrow")).to_have_count(0)
    walk.go(f"/entities?corpus={NAME}&text=farrow")
    expect(page.get_by_label(re.compile("^Choose Henry Farrow,"))).to_be_visible()
    walk.go(f"/entities/review?corpus={NAME}")
    walk.look("review")


def schedule_and_compare(walk: Walk) -> None:
    page = walk.go("/schedules")
    walk.look("schedules-empty")
    page.get_by_label("Name", exact=True).fill("Nightly figures")
    page.get_by_label("Corpus").select_option(NAME)
    page.get_by_label("Measure").check()
    page.get_by_label("Strategies; none chosen: all").select_option(["bm25", "dense"])
    page.get_by_role("button", name="Add", exact=True).click()
    card = page.get_by_role("article", name="Nightly figures")
    for done in (1, 2):
        card.get_by_role("button", name="Run now").click()
        if done == 1:
            card.get_by_text("History").click()
        ended = card.locator("tbody .badge").filter(has_text=re.compile("^done$"))
        expect(ended).to_have_count(done, timeout=PATIENCE_MS)
    walk.look("schedules")
    page = walk.go("/bench")
    expect(page.locator(".run")).to_have_count(2)
    walk.look("bench")
    for box in page.locator(".run").get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_label("Compare with")).to_be_visible()
    expect(page.frame_locator("#report").locator("body")).to_contain_text("bm25")
    walk.look("bench-compared")


def see_the_rest(walk: Walk) -> None:
    for name, path in {
        "home": "/",
        "corpora": "/corpora",
        "corpus": f"/corpora/{NAME}",
        "models": "/models",
        "users": "/users",
        "audit": "/audit",
        "settings": "/settings",
    }.items():
        walk.go(path)
        walk.look(name)
