"""The Schedules page in real Chromium: add, look at the history, pause, run, delete."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from clew.results.schedule import NewSchedule, Reindexing

from .drawing import fits
from .fake_schedules import RUN

FAR = "https://example.org/" + "a-page-with-a-very-long-address/" * 4


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


@pytest.fixture
def scheduled(clew: Any) -> Any:
    for name, gone in (("Nightly papers", "delete"), ("Weekly pages", "keep")):
        clew.add_schedule(
            NewSchedule(
                name=name,
                corpus="sample",
                cron="0 3 * * *",
                zone="Europe/Berlin",
                reindex=Reindexing(sources=("https://example.org/a", FAR), gone=gone),
            )
        )
    clew.runs = [
        RUN.model_copy(update={"missed": 3, "late_s": 4000.0}),
        RUN.model_copy(update={"state": "skipped", "job_state": "running"}),
        RUN.model_copy(update={"job_state": "failed", "job_error": "The folder is not there."}),
        RUN.model_copy(update={"by_hand": True, "job_failed": 2}),
    ]
    clew.calls.clear()
    return clew


def test_a_schedule_is_added_by_the_form(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/schedules")
    expect(page.get_by_text("Nothing is scheduled yet")).to_be_visible()
    expect(page.get_by_label("Corpus")).to_have_value("sample")  # the one that has documents
    expect(page.get_by_role("link", name="Schedules")).to_have_attribute("aria-current", "page")
    page.get_by_label("Name").fill("Nightly")
    page.get_by_label("Corpus").select_option("sample")
    page.get_by_label("Minute, hour, day, month, weekday").fill("30 2 * * 1-5")
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    page.get_by_label("Pages, one a line").fill("https://example.org/a\n\n https://example.org/b ")
    page.get_by_label("Documents whose source vanished").select_option("delete")
    page.get_by_role("button", name="Add", exact=True).dblclick()
    expect(page.get_by_role("heading", name="Nightly")).to_be_visible()
    ((_, asked, confined),) = clew.calls
    assert confined is True
    assert (asked.cron, asked.zone, asked.every_s) == ("30 2 * * 1-5", "Europe/Berlin", None)
    assert asked.reindex.sources == ("https://example.org/a", "https://example.org/b")
    assert asked.reindex.gone == "delete"
    page.get_by_label("Name").fill("Measured")
    page.get_by_label("At an interval").check()
    page.get_by_label("Measure").check()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("every 6 hours")).to_be_visible()


def test_pressed_twice_it_is_sent_once(address: str, open_page: Any) -> None:
    page = open_page(address, "/schedules")
    page.get_by_label("Name").fill("Nightly")
    page.evaluate(
        """() => {
          window.sent = [];
          document.addEventListener("submit", (event) => {
            window.sent.push(!event.defaultPrevented);
            event.preventDefault();
          });
        }"""
    )
    page.get_by_role("button", name="Add", exact=True).dblclick()
    assert page.evaluate("window.sent") == [True, False]


def test_what_is_wrong_is_said_and_nothing_typed_is_lost(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/schedules", accept_downloads=False)
    page.get_by_label("Name").fill("Nightly")
    page.get_by_label("Minute, hour, day, month, weekday").fill("61 * * * *")
    page.get_by_label("Pages, one a line").fill("https://example.org/a")
    page.get_by_label("Strategies; none chosen: all").select_option(["dense", "bm25"])
    with page.expect_response("**/schedules") as answered:
        page.get_by_role("button", name="Add", exact=True).click()
    assert answered.value.status == 422
    expect(page.get_by_role("alert")).to_contain_text("no cron expression")
    expect(page.get_by_label("Name")).to_have_value("Nightly")
    expect(page.get_by_label("Pages, one a line")).to_have_value("https://example.org/a")
    expect(page.get_by_label("Strategies; none chosen: all")).to_have_values(["dense", "bm25"])
    assert clew.schedule_list == []


def test_it_is_paused_run_and_deleted(address: str, scheduled: Any, open_page: Any) -> None:
    page = open_page(address, "/schedules")
    card = page.get_by_role("article", name="Nightly papers")
    card.get_by_text("History").click()
    expect(card.get_by_role("row").nth(1)).to_contain_text("3 missed after it")
    expect(card.get_by_role("row").nth(2)).to_contain_text("the run before was not over")
    expect(card.get_by_role("row").nth(3)).to_contain_text("The folder is not there.")
    expect(card.get_by_role("row").nth(4)).to_contain_text("done, 2 failed")
    card.get_by_role("button", name="Pause").click()
    expect(card.get_by_text("paused")).to_be_visible()
    card.get_by_role("button", name="Resume").click()
    expect(card.get_by_role("button", name="Pause")).to_be_visible()
    card.get_by_role("button", name="Run now").click()
    expect(card).to_be_visible()
    assert [job.kind for job in scheduled.job_list] == ["reindex"]
    card.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Nightly papers")
    assert len(scheduled.schedule_list) == 2
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("article")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_axe_finds_nothing(
    address: str, scheduled: Any, open_page: Any, scheme: str
) -> None:
    page = open_page(address, "/schedules", color_scheme=scheme, bypass_csp=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text("History").first.click()
    fits(page, 390)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
