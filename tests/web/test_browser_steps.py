"""Strategies in several steps, and what an address asks for, in real Chromium."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from clew.settings import Settings
from clew_web.app import create_app

from .drawing import fits

QUESTION = "q=Who+founded+the+shipyard+that+built+the+Aurelia%3F"
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])


def strategy_in(page: Any) -> list[str]:
    return parse_qs(urlsplit(page.url).query)["strategy"]


def test_a_question_is_asked_in_several_steps(
    led: Any, questions: Any, serve: Any, open_page: Any
) -> None:
    address = serve(led)
    page = open_page(address, "/ask?corpus=sample")
    steps = page.get_by_label("In several steps")
    expect(steps).not_to_be_checked()
    page.get_by_label("How to find evidence").select_option("translator")
    steps.focus()
    page.keyboard.press("Space")
    page.get_by_label("Your question").fill("Who founded the shipyard that built the Aurelia?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("strategy: iterative:translator")).to_be_visible()
    assert questions.asked[0].strategy == "iterative:translator"
    assert strategy_in(page) == ["iterative:translator"]
    again = open_page(address, page.url.removeprefix(address))
    expect(again.get_by_text("High confidence")).to_be_visible()
    expect(again.get_by_label("How to find evidence")).to_have_value("translator")
    expect(again.get_by_label("In several steps")).to_be_checked()
    again.get_by_label("In several steps").uncheck()
    again.get_by_role("button", name="Ask", exact=True).click()
    expect(again.get_by_text("strategy: translator")).to_be_visible()
    assert strategy_in(again) == ["translator"]


def test_the_trace_of_several_steps_has_a_heading_for_each(
    led: Any, serve: Any, open_page: Any
) -> None:
    page = open_page(serve(led), f"/ask?corpus=sample&strategy=iterative:dense&{QUESTION}")
    expect(page.get_by_text("High confidence")).to_be_visible()
    heads = page.locator("#trace .trace-head")
    expect(heads).to_have_text(
        [
            "Step 1: “Who founded the shipyard that built the Aurelia?”",
            "Step 2: “founder of the Seld Shipyard”",
            "After the steps",
        ]
    )
    names = page.locator("#trace .name")
    expect(names).to_have_text(["embed", "seeds", "chain ranking"] * 2 + ["merge", "read"])
    expect(page.locator("#trace .detail").first).to_have_text("tokens: 14")


def test_a_default_in_several_steps_is_what_the_page_begins_with(
    clew: Any, questions: Any, tmp_path: Any, serve: Any, open_page: Any
) -> None:
    settings = Settings(home=tmp_path, strategy="iterative:dense", llm_model="m")
    page = open_page(serve(create_app(clew, settings, questions)), "/ask?corpus=sample")
    expect(page.get_by_label("How to find evidence")).to_have_value("dense")
    expect(page.get_by_label("In several steps")).to_be_checked()
    expect(page.locator("#address-notices")).to_have_count(0)


def test_without_a_language_model_it_is_said_why_it_cannot_be_chosen(
    app: Any, questions: Any, serve: Any, open_page: Any
) -> None:
    page = open_page(serve(app), f"/ask?corpus=sample&strategy=iterative:translator&{QUESTION}")
    expect(page.get_by_text("High confidence")).to_be_visible()
    steps = page.get_by_label("In several steps")
    expect(steps).to_be_disabled()
    expect(steps).not_to_be_checked()
    expect(page.locator("#steps-help")).to_contain_text("CLEW_LLM_MODEL")
    expect(page.locator("#steps-help")).not_to_contain_text("iterative:")  # a name of the CLI
    notice = page.locator("#address-notices")
    expect(notice).to_contain_text("needs a language model, and none is set")
    expect(notice).to_contain_text("translator is chosen instead.")
    assert questions.asked[0].strategy == "translator"


@pytest.mark.parametrize("name", ["magic", "iterative:magic"])
def test_an_unknown_strategy_in_the_address_is_said(
    led: Any, questions: Any, serve: Any, open_page: Any, name: str
) -> None:
    page = open_page(serve(led), f"/ask?corpus=sample&strategy={name}&{QUESTION}")
    expect(page.get_by_text("High confidence")).to_be_visible()
    notice = page.locator("#address-notices")
    expect(notice).to_contain_text(f"There is no strategy '{name}'.")
    expect(notice).to_contain_text("chain-ranking is chosen instead.")
    assert questions.asked[0].strategy is None  # the default, as nobody chose one
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(notice).to_have_count(0)  # what is asked now is what was chosen


def test_an_unknown_corpus_in_the_address_is_said(app: Any, serve: Any, open_page: Any) -> None:
    page = open_page(serve(app), "/ask?corpus=gone")
    expect(page.locator("#address-notices")).to_contain_text("There is no corpus 'gone'.")
    expect(page.locator("#address-notices")).to_contain_text("sample is chosen instead.")
    expect(page.get_by_label("Corpus", exact=True)).to_have_value("sample")


def test_going_back_leads_to_the_page_before(app: Any, serve: Any, open_page: Any) -> None:
    address = serve(app)
    page = open_page(address, "/")
    page.get_by_label("Your question").fill("Who founded the shipyard that built the Aurelia?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert strategy_in(page) == ["chain-ranking"]
    page.go_back()
    page.wait_for_url(f"{address}/")
    expect(page.locator("#hero-title")).to_be_visible()


def test_what_takes_seconds_is_said_while_it_is_done(
    app: Any, questions: Any, serve: Any, open_page: Any
) -> None:
    import threading

    loaded = threading.Event()
    questions.loading = lambda: loaded.wait(20)
    page = open_page(serve(app), f"/ask?corpus=sample&strategy=translator&{QUESTION}")
    expect(page.locator("#answer-state")).to_have_text("Loading the model…")
    loaded.set()
    expect(page.get_by_text("High confidence")).to_be_visible()
    expect(page.locator("#answer-state")).to_have_text("")


def test_paths_that_are_left_out_are_counted(
    app: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from . import conftest

    whole = conftest.evidence_for
    monkeypatch.setattr(
        conftest,
        "evidence_for",
        lambda question: whole(question).model_copy(update={"paths_left_out": 5}),
    )
    page = open_page(serve(app), f"/ask?corpus=sample&{QUESTION}")
    expect(page.locator(".graph-message")).to_contain_text("5 more paths are not drawn.")


def test_the_bench_measures_strategies_in_several_steps(
    led: Any, clew: Any, serve: Any, open_page: Any
) -> None:
    page = open_page(serve(led), "/bench")
    for box in page.locator("#strategy-fields input").all():
        box.set_checked(box.get_attribute("value") in ("dense", "iterative:dense"))
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("#jobs .badge")).to_have_text("queued")
    (request,) = [call[1] for call in clew.calls if call[0] == "submit_bench"]
    assert request.strategies == ("dense", "iterative:dense")


def test_without_a_language_model_the_bench_says_why(app: Any, serve: Any, open_page: Any) -> None:
    page = open_page(serve(app), "/bench")
    expect(page.get_by_text("iterative:")).to_have_count(0)  # not a heap of what cannot be chosen
    group = page.get_by_role("group", name="In several steps")
    expect(group).to_contain_text("CLEW_LLM_MODEL")


@SCHEMES
@pytest.mark.parametrize("path", ["/ask?corpus=gone&strategy=iterative:magic", "/bench"])
def test_a_phone_shows_it_without_scrolling_sideways(
    app: Any, serve: Any, open_page: Any, path: str, scheme: str
) -> None:
    page = open_page(serve(app), path, color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    expect(page.locator("#steps-help")).to_be_visible()
    fits(page, 360)
