"""What pages say in real Chromium when they cannot be refreshed."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from clew.results.schedule import NewSchedule, Reindexing
from clew.settings import Settings
from clew_web.app import create_app

from .fake_bench import add_job

TOKEN = "correct-horse-battery-staple"


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    for page in ("home", "schedules", "bench"):
        monkeypatch.setattr(f"clew_web.ui.{page}.LIVE_S", 0.2)


def test_a_server_that_is_away_is_told_and_comes_back(
    app: Any, clew: Any, serve: Any, open_page: Any
) -> None:
    page = open_page(serve(app))
    said = page.get_by_text("Not refreshed since")
    expect(page.get_by_text("Ready", exact=True)).to_be_visible()
    expect(said).to_have_count(0)
    page.context.set_offline(True)
    expect(said).to_contain_text("The server cannot be reached.")
    clew.up = False
    page.context.set_offline(False)
    expect(page.get_by_text("Not ready")).to_be_visible()
    expect(said).to_have_count(0)


def test_an_error_of_the_server_is_told(app: Any, serve: Any, open_page: Any) -> None:
    page = open_page(serve(app))
    page.route("**/", lambda route: route.fulfill(status=500, body="no"))
    expect(page.get_by_text("The server answered with status 500.")).to_be_visible()


def test_a_session_that_has_ended_is_told_with_the_way_back(
    clew: Any, questions: Any, tmp_path: Path, serve: Any, open_page: Any
) -> None:
    address = serve(create_app(clew, Settings(home=tmp_path, access_token=TOKEN), questions))
    page = open_page(address, "/schedules")
    for again in (False, True):
        # before the page has focused it by itself, Chromium may drop what is filled in
        expect(page.get_by_label("Access token")).to_be_focused()
        page.get_by_label("Access token").fill(TOKEN)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Schedules")).to_be_visible()
        if not again:
            page.context.clear_cookies()
            expect(page.get_by_text("You are logged out.")).to_be_visible()
            page.get_by_role("link", name="Log in again").click()
    expect(page.get_by_text("Not refreshed since")).to_have_count(0)


def test_a_page_that_a_refused_form_left_goes_on(
    app: Any, clew: Any, serve: Any, open_page: Any
) -> None:
    """Its address takes no GET."""
    asked = NewSchedule(
        name="Nightly", cron="0 3 * * *", reindex=Reindexing(sources=("https://example.org/a",))
    )
    clew.add_schedule(asked)
    add_job(clew, "reindex", "sample", "queued", {})  # what is to run now has to wait for it
    page = open_page(serve(app), "/schedules")
    page.get_by_role("button", name="Run now").click()
    page.wait_for_url("**/schedules/s1/run")
    clew.add_schedule(asked.model_copy(update={"name": "Weekly"}))
    expect(page.get_by_role("heading", name="Weekly")).to_be_visible()
    expect(page.get_by_text("Not refreshed since")).to_have_count(0)


def test_a_comparison_that_was_refused_goes_on(app: Any, serve: Any, open_page: Any) -> None:
    page = open_page(serve(app), "/bench/compare?run=r1")
    expect(page.get_by_text("Choose two in the list")).to_be_visible()
    page.wait_for_timeout(600)
    expect(page.get_by_text("Not refreshed since")).to_have_count(0)
