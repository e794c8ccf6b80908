"""The Jobs page and a job's own in real Chromium: filter, cancel, read the log, do it again."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .drawing import fits
from .fake_bench import add_job

LONG = "https://example.org/" + "a-page-with-a-very-long-address/" * 4


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


@pytest.fixture
def worked(clew: Any) -> Any:
    """A job in each state that matters, the failed one with documents that failed."""
    add_job(clew, "train", "sample", "done", {"stage": "done", "method": "x", "version": "v1"})
    failures = [{"id": "d5", "uri": LONG, "error": "The page is away."}] * 3
    progress = {"stage": "done", "done": 4, "total": 4, "failed": 3, "failures": failures}
    failed = add_job(clew, "ingest", "sample", "failed", progress)
    clew.job_list[0] = failed.model_copy(update={"error": "The database went away."})
    running = {"stage": "parse", "done": 1, "total": 4, "chunks": 12}
    add_job(clew, "ingest", "default", "running", running)
    return clew


def test_an_empty_page_leads_on(address: str, open_page: Any) -> None:
    page = open_page(address, "/jobs")
    expect(page.get_by_text("No job has run yet")).to_be_visible()
    expect(page.get_by_role("link", name="Jobs")).to_have_attribute("aria-current", "page")
    page.get_by_role("link", name="Add documents").click()
    expect(page.get_by_role("heading", name="Documents", exact=True)).to_be_visible()


def test_jobs_are_filtered_and_cancelled(address: str, worked: Any, open_page: Any) -> None:
    page = open_page(address, "/jobs")
    expect(page.locator(".job")).to_have_count(3)
    page.get_by_label("State").select_option("running")
    expect(page.locator(".job")).to_have_count(1)
    expect(page.get_by_text("1 of 4 documents, parse")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("No job fits")).to_be_visible()
    page.get_by_role("link", name="Show all").click()
    page.get_by_label("Corpus").select_option("default")
    expect(page.locator(".job .badge")).to_have_text("cancelled")


def test_a_failed_job_is_read_and_done_again(address: str, worked: Any, open_page: Any) -> None:
    page = open_page(address, "/jobs?state=failed")
    page.locator(".job").get_by_role("link").click()
    expect(page.get_by_text("The database went away.")).to_be_visible()
    expect(page.get_by_text("The page is away.")).to_have_count(3)
    expect(page.locator(".log li").last).to_contain_text('<b>Not bold</b> & "quoted"')
    page.get_by_role("button", name="Try again").click()
    page.wait_for_url("**/jobs/j4")
    expect(page.locator(".job .badge")).to_have_text("queued")
    # as it goes on, so does the page
    worked.job_list[0] = worked.job_list[0].model_copy(update={"state": "done"})
    expect(page.locator(".job .badge")).to_have_text("done")


def test_why_it_cannot_be_done_again_is_said(address: str, worked: Any, open_page: Any) -> None:
    page = open_page(address, "/jobs?state=failed")
    worked.job_list[1] = worked.job_list[1].model_copy(update={"state": "done"})
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text("Upload them again.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/jobs", "/jobs/j2"])
def test_they_fit_a_phone_and_axe_finds_nothing(
    address: str, worked: Any, open_page: Any, scheme: str, path: str
) -> None:
    page = open_page(address, path, color_scheme=scheme, bypass_csp=True)
    page.set_viewport_size({"width": 390, "height": 844})
    fits(page, 390)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
