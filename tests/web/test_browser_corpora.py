"""The pages of corpora in real Chromium: make one, see how it grew, delete it knowing what goes."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from clew.results.corpus import GrowthDay
from clew.results.schedule import NewSchedule, PlannedBench
from clew_web.ui.corpora_pages import HEIGHT, WIDTH, growth_chart

from .drawing import fits


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def test_a_corpus_is_made_and_opened(address: str, clew: Any, open_page: Any) -> None:
    clew.create_corpus("bench-musique-0123abcd")
    page = open_page(address, "/corpora")
    expect(page.get_by_role("link", name="Corpora")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("table", name="Corpora", exact=True).get_by_role("row")).to_have_count(
        3
    )
    page.get_by_text("1 made by the bench").click()
    expect(page.get_by_role("link", name="bench-musique-0123abcd")).to_be_visible()
    page.get_by_role("button", name="New corpus").click()
    page.get_by_label("Name").fill("letters")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/documents?corpus=letters")
    page.goto(f"{address}/corpora/letters")
    expect(page.get_by_text("Nothing was indexed yet.")).to_be_visible()
    page.get_by_label("Triples are made by").select_option("none")
    expect(page.locator("#extractor-said")).to_have_text("From now on.")
    assert clew.extractors["letters"] == "none"


def test_it_is_deleted_by_who_knows_what_goes(address: str, clew: Any, open_page: Any) -> None:
    for corpus in ("sample", "default"):
        clew.add_schedule(
            NewSchedule(name="Nightly", corpus=corpus, every_s=3600, bench=PlannedBench())
        )
    clew.add_webhook("sample", "https://example.org/hook")
    page = open_page(address, "/corpora/sample")
    expect(page.locator(".growth")).to_have_count(3)
    page.get_by_role("button", name="Delete this corpus").click()
    expect(page.locator("#takes-along")).to_contain_text("its documents (5 ready, 1 failed)")
    expect(page.locator("#takes-along")).not_to_contain_text("users to see it")
    expect(page.locator("#takes-along")).to_contain_text("1\u202f204 entities")
    expect(page.locator("#takes-along")).to_contain_text("1 schedule, with the history")
    expect(page.locator("#takes-along")).to_contain_text("1 webhook, with the history")
    confirm = page.get_by_role("button", name="Delete", exact=True)
    expect(confirm).to_be_disabled()
    page.get_by_label("Type its name to go on").fill("simple")
    expect(confirm).to_be_disabled()
    page.get_by_role("button", name="Keep it").click()
    assert "sample" in clew.stored
    page.get_by_role("button", name="Delete this corpus").click()
    page.get_by_label("Type its name to go on").fill("sample")
    confirm.click()
    page.wait_for_url("**/corpora")
    assert "sample" not in clew.stored
    expect(page.get_by_role("link", name="sample")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_they_fit_a_phone_and_axe_finds_nothing(
    address: str, clew: Any, open_page: Any, scheme: str
) -> None:
    clew.create_corpus("a-corpus-with-a-name-that-is-as-long-as-names-of-corpora-may-become")
    page = open_page(address, "/corpora", color_scheme=scheme, bypass_csp=True)
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/corpora", "/corpora/sample"):
        page.goto(address + path)
        fits(page, 390)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_of_one_day_no_growth_is_drawn(
    address: str, clew: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = GrowthDay(day="2026-11-17", documents=5, chunks=40, triples=90)
    monkeypatch.setattr(clew, "growth", lambda corpus=None: [day])
    page = open_page(address, "/corpora/sample")
    expect(page.get_by_role("region", name="How it grew")).to_contain_text("one day, 2026-11-17")
    expect(page.locator(".growth")).to_have_count(0)


def test_a_chart_is_true_to_days_and_counts() -> None:
    days = [
        GrowthDay(day=day, documents=count, chunks=0, triples=0)
        for day, count in (("2026-11-01", 1), ("2026-11-02", 2), ("2026-11-11", 4))
    ]
    chart = growth_chart(days, "documents")
    places = [tuple(map(float, place.split(","))) for place in chart.points.split()]
    assert places == [
        (0.0, HEIGHT * 0.75),
        (WIDTH * 0.1, HEIGHT * 0.5),
        (float(WIDTH), 0.0),
    ]
    assert chart.most == 4
    assert growth_chart(days, "triples").points.split()[0] == f"0.0,{HEIGHT:.1f}"
