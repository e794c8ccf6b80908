"""Explanation cards on the Ask page, in real Chromium: as recorded, and while they come."""

import threading
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from clew.results.evidence import SeedEntity
from clew.strategies.catalogue import STRATEGIES

from . import conftest
from .drawing import Drawing, eventually, fits
from .recorded_cards import QUOTES, ROUNDS, SUBGRAPH, quote, quotes_card, span

ADDRESS = "/ask?corpus=sample&strategy={}&q=Who+founded+the+shipyard+that+built+the+Aurelia%3F"
PHONE = {"width": 380, "height": 800}


@pytest.fixture
def asked(app: Any, serve: Any, open_page: Any) -> Any:
    """The page after an answer has come whose evidence has quotes and a subgraph."""
    page = open_page(serve(app), ADDRESS.format("translator"))
    expect(page.get_by_text("High confidence")).to_be_visible()
    return page


def explained(monkeypatch: pytest.MonkeyPatch, *cards: dict[str, Any]) -> None:
    """Let all evidence have these cards."""
    monkeypatch.setattr(conftest, "explanation", lambda strategy: list(cards))


def test_each_quote_with_its_words_likelihood_and_role(asked: Any) -> None:
    card = asked.locator("#cards [data-kind=quotes]")
    expect(card.locator("h2")).to_have_text("Clues")
    expect(card.locator(".spread")).to_contain_text("3 in all")
    expect(card.locator(".card-summary")).to_have_text("What the question was translated into.")
    heads = card.locator("summary")
    expect(heads).to_have_count(3)
    expect(heads.nth(0).locator(".quote-words")).to_have_text("Aurelia → was built at")
    for words in ("log-probability −0.4 · 70 %", "named in the question", "sentences about it"):
        expect(heads.nth(0)).to_contain_text(words)
    expect(heads.nth(1).locator(".quote-words")).to_have_text("Seld Shipyard → was founded by … in")
    for words in ("log-probability −2.3 · 10 %", "from 1."):
        expect(heads.nth(1)).to_contain_text(words)
    expect(heads.nth(2).locator(".quote-words")).to_have_text("Victor Ferrand ← sold the ← 1874")
    for words in ("log-probability −14.5", "written by the model", "sentences that mention it"):
        expect(heads.nth(2)).to_contain_text(words)
    expect(heads.nth(2)).not_to_contain_text("reverse")  # the arrows say it

    def as_likely() -> None:
        bars = [heads.nth(n).locator(".score-bar > i").bounding_box() for n in range(3)]
        first, second, third = (bar["width"] for bar in bars)
        assert first > 2 * second > 4 * third > 0

    eventually(asked, as_likely)


def test_sentences_bear_the_marked_piece_and_are_text(asked: Any) -> None:
    first, second, third = (asked.locator(f"[data-quote='{n}']") for n in range(3))
    expect(first).to_have_attribute("open", "")
    expect(first.locator("mark")).to_have_text("was built at")
    second.locator("summary").focus()
    asked.keyboard.press("Enter")
    expect(second.locator("mark")).to_have_text("was founded by Victor Ferrand in")
    expect(second.locator("q .quote-name")).to_have_text("Seld Shipyard")
    expect(second).to_contain_text("It also led to 1 passage that ranked below the evidence.")
    expect(second).to_contain_text("Also in")
    third.locator("summary").click()
    expect(third.locator("q")).to_contain_text("<b>sold</b>")
    expect(third.locator("mark")).to_have_count(0)  # the piece is not in it as it stands
    expect(third).to_contain_text("in a passage below the evidence")
    assert asked.locator("#cards b").count() == 0


def test_a_passage_opens_with_the_sentence_marked(asked: Any) -> None:
    asked.locator("[data-quote='1'] summary").click()
    asked.locator("[data-quote='1'] .passage-link", has_text="2. Seld Shipyard").click()
    passage = asked.locator("[data-chunk=c2]")
    expect(passage).to_have_attribute("open", "")
    expect(passage.locator("summary")).to_be_focused()
    expect(passage.locator("mark")).to_contain_text("was founded by Victor Ferrand in 1874.")


def test_a_quote_is_brought_out_in_the_drawing(asked: Any) -> None:
    drawing = Drawing(asked)
    expect(asked.locator(".graph-card")).to_contain_text("Where the clues lead: From each clue's")
    drawing.has(6, "node.on-path")
    drawing.has(0, "node.lit")
    asked.locator("[data-quote='0'] summary").hover()
    drawing.has(2, "node.lit")
    assert drawing.ids("node.lit") == {"e1", "c1"}
    assert drawing.ids("node.unlit") == drawing.ids("node") - {"e1", "c1"}
    drawing.has(1, "edge.lit")
    asked.locator("[data-quote='1'] summary").focus()
    drawing.has(6, "node.lit")  # with what led to it, and the sentence that it stands on
    assert {"e1", "e2", "s2"} < drawing.ids("node.lit")
    asked.get_by_label("Your question").focus()
    asked.mouse.move(5, 5)
    drawing.has(0, ".lit")
    drawing.has(0, ".unlit")
    keep = asked.get_by_role("button", name="Show in the drawing")
    keep.click()
    asked.mouse.move(5, 5)
    asked.get_by_label("Your question").focus()
    drawing.has(2, "node.lit")
    keep.click()
    expect(keep).to_have_attribute("aria-pressed", "false")


def test_without_an_explanation_there_are_no_cards(asked: Any) -> None:
    asked.get_by_label("How to find evidence").select_option("dense")
    asked.get_by_role("button", name="Ask", exact=True).click()
    expect(asked.locator("#evidence-notices")).to_contain_text("the fake's")
    expect(asked.locator("#cards")).to_be_hidden()
    expect(asked.locator(".graph-card")).not_to_contain_text("Where the clues lead")
    drawing = Drawing(asked)
    drawing.has(0, "node.lit")
    drawing.has(0, "node[kind = 'sentence']")
    drawing.has(0, "[stage >= 1]")


def test_many_quotes_are_folded_and_chains_stay_together(
    app: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = QUOTES
    explained(monkeypatch, quotes_card(first, third, *[third] * 8, second, left_out=4))
    page = open_page(serve(app), ADDRESS.format("translator"))
    card = page.locator("#cards [data-kind=quotes]")
    expect(card).to_contain_text("15 in all")
    expect(card).to_contain_text("4 more are not listed.")
    shown = card.locator("summary:visible")
    expect(shown).to_have_count(8)
    expect(shown.nth(1)).to_contain_text("11.")  # what the first one led to comes after it
    assert shown.nth(1).bounding_box()["x"] > shown.nth(0).bounding_box()["x"]
    page.get_by_role("button", name="Show all 11").click()
    expect(shown).to_have_count(11)
    expect(shown.nth(8)).to_be_focused()
    expect(page.get_by_role("button", name="Show all")).to_have_count(0)


def test_quotes_without_the_notation_of_triples(
    app: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = quote(
        "the ship was built in a yard",
        0.5,
        span(1, "c1", "She was built at the Seld Shipyard."),
        label="Aurelia",
        score_name="similarity",
        tags=["reverse", "a tag"],
    )
    bare = {**plain, "label": "", "score": None, "tags": []}
    signs = {**bare, "parts": [], "text": "@@ROWCOUNT counts the rows of order ##4411 in C#"}
    explained(monkeypatch, quotes_card(plain, {**plain, "score": 0.25}, bare, signs))
    page = open_page(serve(app), ADDRESS.format("dense"))
    heads = page.locator("#cards summary")
    expect(heads.nth(0).locator(".quote-words")).to_have_text(
        "Aurelia the ship was built in a yard"
    )
    for words in ("similarity 0.500", "reverse", "a tag"):
        expect(heads.nth(0)).to_contain_text(words)
    expect(heads.nth(0)).not_to_contain_text("sentences")

    def twice_as_wide() -> None:
        bars = [heads.nth(n).locator(".score-bar > i").bounding_box() for n in range(2)]
        assert bars[0]["width"] == pytest.approx(2 * bars[1]["width"], rel=0.1)

    eventually(page, twice_as_wide)
    expect(heads.nth(2).locator(".quote-words")).to_have_text("the ship was built in a yard")
    expect(heads.nth(2).locator(".score")).to_have_count(0)
    expect(heads.nth(3).locator(".quote-words")).to_have_text(signs["text"])


def test_rounds_say_what_was_asked_found_and_decided(
    led: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(serve(led), ADDRESS.format("iterative:dense"))
    card = page.locator("#cards [data-kind=rounds]")
    expect(card.locator("h2")).to_have_text("Rounds")
    expect(card).to_contain_text("2 rounds")
    first, second = card.locator("li.round").nth(0), card.locator("li.round").nth(1)
    for words in ("Round 1", "20 ms", "that built the Aurelia?", "The works", "is missing"):
        expect(first).to_contain_text(words)
    expect(second).to_contain_text("nothing new")
    expect(second).not_to_contain_text("Decided")
    first.get_by_role("button", name="1. Aurelia").hover()
    drawing = Drawing(page)
    drawing.has(1, "node.lit")
    assert drawing.ids("node.lit") == {"c1"}
    first.get_by_role("button", name="1. Aurelia").click()
    expect(page.locator("[data-chunk=c1] summary")).to_be_focused()


def test_what_comes_while_it_is_looked_for_is_shown_and_then_replaced(
    app: Any, questions: Any, serve: Any, open_page: Any
) -> None:
    go_on = threading.Event()
    questions.searching = lambda: go_on.wait(20)
    questions.early = [
        ("card", quotes_card(QUOTES[0])),
        ("card", SUBGRAPH),
        *(("round", one) for one in ROUNDS["rounds"]),
    ]
    page = open_page(serve(app), ADDRESS.format("dense"))
    cards = page.locator("#cards .card")
    expect(cards).to_have_count(2)
    expect(cards.nth(0)).to_contain_text("Aurelia → was built at")
    expect(cards.nth(0).locator(".passage-link")).to_have_count(0)  # no passage is evidence yet
    expect(cards.nth(0)).not_to_contain_text("below the evidence")
    expect(cards.nth(1)).to_contain_text("2 rounds")
    expect(cards.nth(1)).to_contain_text("nothing new")
    drawing = Drawing(page)
    drawing.has(6, "node.on-path")
    expect(page.locator(".graph-stages output")).to_have_text("2 of 2: what clues led to")
    steps = page.locator("#answer-body .steps li")
    expect(steps).to_have_count(3)
    expect(steps.nth(2)).to_have_text("chain ranking13 ms")
    drawing.settled()
    page.mouse.click(*drawing.on_page("e2"))  # there is nothing to load yet, only to tell
    expect(page.locator(".graph-detail strong").first).to_have_text("Seld Shipyard")
    go_on.set()
    expect(page.get_by_text("High confidence")).to_be_visible()
    expect(page.locator("#cards")).to_be_hidden()  # this strategy's evidence has none
    expect(page.locator("#answer-body .steps")).to_have_count(0)
    expect(page.locator(".graph-stages")).to_be_hidden()
    drawing.has(7, "node")
    drawing.has(4, "node.on-path")
    drawing.has(0, "node[kind = 'sentence']")


def test_names_that_lead_to_no_passage_do_not_crowd_the_drawing(
    app: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = conftest.evidence_for

    def evidence_for(question: Any) -> Any:
        found = whole(question)
        seed = SeedEntity(id="e99", name="Nowhere", mention="Nowhere", match="decoded", weight=0.1)
        return found.model_copy(update={"seeds": (*found.seeds, seed)})

    monkeypatch.setattr(conftest, "evidence_for", evidence_for)
    nowhere = quote("Nowhere@@was", -9.0, span(9, "c9", "Nowhere was seen.", "was"))
    explained(monkeypatch, quotes_card(*QUOTES, nowhere), SUBGRAPH)
    page = open_page(serve(app), ADDRESS.format("translator"))
    expect(page.locator("#cards summary")).to_have_count(4)
    drawing = Drawing(page)
    drawing.has(6, "node.on-path")
    drawing.has(0, "node[id = 'e99']")
    page.locator("[data-quote='3'] summary").hover()  # there is nothing to bring out
    page.wait_for_timeout(200)
    drawing.has(0, ".lit")
    drawing.has(0, ".unlit")


def test_subgraphs_follow_each_other_stage_by_stage(
    app: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = {**SUBGRAPH, "title": "A second look", "stages": ["looked again"]}
    explained(monkeypatch, SUBGRAPH, later)
    page = open_page(serve(app), ADDRESS.format("dense"))
    expect(page.locator(".graph-card")).to_contain_text("A second look")
    expect(page.locator(".graph-stages output")).to_have_text("4 of 4: Stage 2")
    for _ in range(2):
        page.get_by_role("button", name="Stage before").click()
    expect(page.locator(".graph-stages output")).to_have_text("2 of 4: what clues led to")
    # what came twice came when it came first; what has no stage comes last
    drawing = Drawing(page)
    assert drawing.ids("node") - drawing.ids("node.later") == {"e1", "c1", "e2", "c2", "s2", "c3"}
    drawing.has(5, "edge[stage = 0], edge[stage = 1]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_cards_without_scrolling_sideways(
    led: Any, serve: Any, open_page: Any, scheme: str
) -> None:
    page = open_page(serve(led), ADDRESS.format("iterative:translator"), color_scheme=scheme)
    page.set_viewport_size(PHONE)
    page.locator("[data-quote='1'] summary").click()
    expect(page.locator("[data-quote='1'] mark")).to_be_visible()
    expect(page.locator("li.round")).to_have_count(2)
    fits(page, PHONE["width"])


def test_no_card_names_a_method() -> None:
    folder = Path(__file__).parents[2] / "web" / "clew_web" / "static" / "js"
    files = [*folder.glob("*card*.js"), *folder.glob("*quote*.js"), *folder.glob("*graph*.js")]
    assert len(files) >= 10
    for file in files:
        for spec in STRATEGIES:
            assert spec.name not in file.read_text(), f"{file.name}: {spec.name}"


def test_only_what_the_strategy_says_led_there_is_emphasised(
    app: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The evidence has a path over e2 and c2, too; it is drawn, and no stronger than the rest."""
    ends = {"e1": "entity", "c1": "chunk", "d1": "document"}
    card: dict[str, Any] = {
        "kind": "subgraph",
        "title": "The steps",
        "summary": "",
        "nodes": [{"id": id_, "kind": kind, "label": "Aurelia"} for id_, kind in ends.items()],
        "edges": [
            {"source": "e1", "target": "c1", "kind": "MENTIONED_IN", "text": "She sails."},
            {"source": "c1", "target": "d1", "kind": "PART_OF", "text": ""},
        ],
        "stages": ["Named in the question"],
    }
    for one in (*card["nodes"], *card["edges"]):
        one["stage"] = 0
    explained(monkeypatch, card)
    page = open_page(serve(app), ADDRESS.format("translator"))
    expect(page.get_by_text("High confidence")).to_be_visible()
    drawing = Drawing(page)
    drawing.has(3, "node.on-path")
    assert drawing.ids("node.on-path") == set(ends)
    drawing.has(2, "edge.on-path")
    assert {"e2", "c2"} <= drawing.ids("node")
    expect(page.locator(".legend")).to_contain_text("Document")
