"""The clues of translator on the Ask page, in real Chromium."""

from typing import Any

import pytest
from playwright.sync_api import expect

from clew.evidence import Evidence, SeedEntity
from clew.jobs.question import Question

from . import conftest
from .clue_evidence import CLUES, clue, sentence

ADDRESS = "/ask?corpus=sample&strategy={}&q=Who+founded+the+shipyard+that+built+the+Aurelia%3F"
PHONE = {"width": 380, "height": 800}


@pytest.fixture
def asked(app: Any, serve: Any, open_page: Any) -> Any:
    """The page after an answer has come whose evidence has clues."""
    page = open_page(serve(app), ADDRESS.format("translator"))
    expect(page.get_by_text("High confidence")).to_be_visible()
    return page


def test_each_clue_with_its_words_likelihood_and_role(asked: Any) -> None:
    expect(asked.locator("#clues-card")).to_be_visible()
    expect(asked.locator("#clues-count")).to_have_text("3 clues")
    heads = asked.locator("#clues summary")
    expect(heads).to_have_count(3)
    expect(heads.nth(0).locator(".clue-words")).to_have_text("Aurelia → was built at")
    for words in ("score −0.4 · 70 %", "named in the question", "sentences about it"):
        expect(heads.nth(0)).to_contain_text(words)
    expect(heads.nth(1).locator(".clue-words")).to_have_text("Seld Shipyard → was founded by … in")
    for words in ("score −2.3 · 10 %", "from clue 1"):
        expect(heads.nth(1)).to_contain_text(words)
    expect(heads.nth(2).locator(".clue-words")).to_have_text("Victor Ferrand ← sold the ← 1874")
    for words in ("score −14.5", "written by the model", "sentences that mention it"):
        expect(heads.nth(2)).to_contain_text(words)
    widths = [heads.nth(n).locator(".score-bar > i").bounding_box()["width"] for n in range(3)]
    assert widths[0] > 2 * widths[1] > 4 * widths[2] > 0


def test_sentences_bear_the_marked_piece_and_are_text(asked: Any) -> None:
    first, second, third = (asked.locator(f"[data-clue='{n}']") for n in range(3))
    expect(first).to_have_attribute("open", "")
    expect(first.locator("mark")).to_have_text("was built at")
    second.locator("summary").focus()
    asked.keyboard.press("Enter")
    expect(second.locator("mark")).to_have_text("was founded by Victor Ferrand in")
    expect(second.locator("q .clue-name")).to_have_text("Seld Shipyard")
    expect(second).to_contain_text("It also led to 1 passage that ranked below the evidence.")
    third.locator("summary").click()
    expect(third.locator("q")).to_contain_text("<b>sold</b>")
    expect(third.locator("mark")).to_have_count(0)  # the piece is not in it as it stands
    expect(third).to_contain_text("in a passage below the evidence")
    assert asked.locator("#clues b").count() == 0


def test_a_passage_opens_with_the_sentence_marked(asked: Any) -> None:
    asked.locator("[data-clue='1'] summary").click()
    asked.locator("[data-clue='1'] .clue-passage", has_text="2. Seld Shipyard").click()
    passage = asked.locator("[data-chunk=c2]")
    expect(passage).to_have_attribute("open", "")
    expect(passage.locator("summary")).to_be_focused()
    expect(passage.locator("mark")).to_contain_text("was founded by Victor Ferrand in 1874.")


def test_the_path_from_entity_to_passage_is_drawn_and_brought_out(asked: Any) -> None:
    expect(asked.locator("#graph g.node.on-path")).to_have_count(5)  # c3 too, by clue 2
    expect(asked.locator(".graph line.on-path")).to_have_count(4)
    lit = asked.locator("#graph g.node.lit")
    expect(lit).to_have_count(0)
    asked.locator("[data-clue='0'] summary").hover()
    expect(lit).to_have_count(2)
    expect(asked.locator("#graph g[data-node=e1].lit")).to_have_count(1)
    expect(asked.locator(".graph line.lit")).to_have_count(1)
    asked.locator("[data-clue='1'] summary").focus()
    expect(asked.locator("#graph g[data-node=e2].lit")).to_have_count(1)
    expect(asked.locator("#graph g[data-node=e1].lit")).to_have_count(1)  # clue 1 led to it
    expect(asked.locator(".graph line.lit")).to_have_count(4)
    asked.get_by_label("Your question").focus()
    asked.mouse.move(5, 5)
    expect(lit).to_have_count(0)
    keep = asked.get_by_role("button", name="Show in the drawing")
    keep.click()
    asked.mouse.move(5, 5)
    asked.get_by_label("Your question").focus()
    expect(lit).to_have_count(2)
    keep.click()
    expect(keep).to_have_attribute("aria-pressed", "false")


def test_without_clues_there_is_no_panel(asked: Any) -> None:
    asked.get_by_label("How to find evidence").select_option("dense")
    asked.get_by_role("button", name="Ask", exact=True).click()
    expect(asked.locator("#evidence-notices")).to_contain_text("the fake's")
    expect(asked.locator("#clues-card")).to_be_hidden()
    expect(asked.locator("#graph g.node.lit")).to_have_count(0)


def test_many_clues_are_folded_and_chains_stay_together(
    app: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = CLUES
    many = (first, third, *[third] * 8, second)
    monkeypatch.setattr("tests.web.clue_evidence.CLUES", many)
    page = open_page(serve(app), ADDRESS.format("translator"))
    expect(page.locator("#clues-count")).to_have_text("11 clues")
    shown = page.locator("#clues summary:visible")
    expect(shown).to_have_count(8)
    expect(shown.nth(1)).to_contain_text("11.")  # what the first one led to comes after it
    assert shown.nth(1).bounding_box()["x"] > shown.nth(0).bounding_box()["x"]
    page.get_by_role("button", name="Show all 11 clues").click()
    expect(shown).to_have_count(11)
    expect(shown.nth(8)).to_be_focused()
    expect(page.get_by_role("button", name="Show all")).to_have_count(0)


def test_names_that_lead_to_no_passage_do_not_crowd_the_drawing(
    app: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = clue(("e99", "Nowhere"), "was", -9.0, sentence(9, "c9", "Nowhere was seen.", "was"))
    whole = conftest.evidence_for

    def evidence_for(question: Question) -> Evidence:
        found = whole(question)
        seed = SeedEntity(id="e99", name="Nowhere", mention="Nowhere", match="decoded", weight=0.1)
        return found.model_copy(update={"seeds": (*found.seeds, seed)})

    monkeypatch.setattr(conftest, "evidence_for", evidence_for)
    monkeypatch.setattr("tests.web.clue_evidence.CLUES", (*CLUES, nowhere))
    page = open_page(serve(app), ADDRESS.format("translator"))
    expect(page.locator("#clues-count")).to_have_text("4 clues")
    expect(page.locator("#graph g.node.on-path")).to_have_count(5)
    expect(page.locator("#graph g[data-node=e99]")).to_have_count(0)
    page.locator("[data-clue='3'] summary").hover()  # there is nothing to bring out
    expect(page.locator("#graph g.node.lit")).to_have_count(0)
    expect(page.locator("#graph svg.lit-only")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_clues_without_scrolling_sideways(
    app: Any, serve: Any, open_page: Any, scheme: str
) -> None:
    page = open_page(serve(app), ADDRESS.format("translator"), color_scheme=scheme)
    page.set_viewport_size(PHONE)
    page.locator("[data-clue='1'] summary").click()
    expect(page.locator("[data-clue='1'] mark")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
