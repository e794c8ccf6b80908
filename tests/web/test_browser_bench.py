"""The bench in real Chromium: start, watch, compare, delete; and a report that is on its own."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from clew.settings import Settings
from clew_web.app import create_app

from .bench_runs import NAMES
from .drawing import fits
from .fake_bench import add_job

TOKEN = "correct-horse-battery-staple"
QUESTION = '{"question": "Who founded the yard?", "answers": ["Ferrand"]}\n'
PRYING = """<!doctype html><html lang="en"><title>Report</title><p id="told"></p><script>
const told = { origin: window.origin };
const tries = {
  page: () => parent.document.body.textContent,
  cookie: () => document.cookie,
  storage: () => localStorage.length,
  address: () => { if (top !== self) { top.location.href = "/documents"; } return "moved"; },
};
for (const [name, read] of Object.entries(tries)) {
  try { told[name] = read(); } catch (error) { told[name] = error.name; }
}
fetch("/api/v1/corpora").then((answer) => answer.text(), (error) => error.name).then((text) => {
  told.call = text;
  document.getElementById("told").textContent = JSON.stringify(told);
});
</script></html>"""


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def request_of(clew: Any) -> Any:
    (request,) = [call[1] for call in clew.calls if call[0] == "submit_bench"]
    return request


def test_the_sample_is_measured_with_one_click(address: str, clew: Any, open_page: Any) -> None:
    page = open_page(address, "/bench")
    expect(page.get_by_text("Nothing has been measured yet")).to_be_visible()
    page.get_by_role("button", name="Measure on the sample corpus").click()
    expect(page.locator("#jobs .badge")).to_have_text("queued")
    request = request_of(clew)
    assert (request.data_set, request.strategies) == ("sample", NAMES)
    assert page.url.endswith("/bench#jobs")


def test_the_form_by_keyboard_asks_only_for_what_fits(
    address: str, clew: Any, open_page: Any, tmp_path: Path
) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(QUESTION)
    page = open_page(address, "/bench")
    questions = page.get_by_role("group", name="Questions")
    expect(questions).to_be_hidden()  # the sample has its own
    page.get_by_label("Documents", exact=True).focus()
    page.keyboard.press("ArrowDown")
    expect(questions).to_be_visible()
    expect(page.get_by_label("How many")).to_have_value("50")
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="Made from the graph")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("How many")).to_be_hidden()
    page.get_by_label("File of questions").set_input_files(str(file))
    for name in NAMES[1:]:
        page.locator(f"#strategy-fields input[value='{name}']").focus()
        page.keyboard.press("Space")
    page.get_by_text("More", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("Ask at most").fill("3")
    page.keyboard.press("Enter")
    expect(page.locator("#jobs .badge")).to_have_text("queued")
    request = request_of(clew)
    assert (request.data_set, request.strategies) == ("corpus:sample", NAMES[:1])
    assert request.limit == 3
    assert [question.question for question in request.questions] == ["Who founded the yard?"]


def test_an_ablation_study_is_chosen_in_place_of_strategies(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/bench")
    strategies = page.get_by_role("group", name="Strategies")
    expect(strategies).to_be_visible()
    page.get_by_label("What is compared").select_option("hybrid")
    expect(strategies).to_be_hidden()
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("#jobs .badge")).to_have_text("queued")
    assert (request_of(clew).ablations, request_of(clew).strategies) == ("hybrid", None)


def test_a_form_without_strategies_or_with_a_wrong_file_goes_nowhere(
    address: str, clew: Any, open_page: Any, tmp_path: Path
) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"question": "Who?"}\n')
    page = open_page(address, "/bench")
    boxes = page.locator("#strategy-fields input")
    for box in boxes.all():
        box.uncheck()
    page.get_by_role("button", name="Start the run").click()
    assert boxes.first.evaluate("box => box.validationMessage") == "Choose one or more strategies."
    boxes.first.check()
    page.get_by_label("Documents", exact=True).select_option("corpus:sample")
    page.get_by_role("radio", name="Your own, from a file").check()
    page.get_by_label("File of questions").set_input_files(str(file))
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("alert")).to_contain_text("mine.jsonl, record 1")
    expect(page.get_by_label("Documents", exact=True)).to_have_value("corpus:sample")
    expect(page.get_by_role("radio", name="Your own, from a file")).to_be_checked()
    checked = [box.is_checked() for box in boxes.all()]
    assert checked == [True] + [False] * (len(checked) - 1)
    assert clew.job_list == []


def test_a_run_is_watched_until_it_is_kept(
    address: str, clew: Any, runs: Any, open_page: Any
) -> None:
    kept = runs.pop("r2")
    figures = {"questions": 17, "failed": 1, "recall_at_5": 0.66, "f1": None}
    one = {"strategy": NAMES[0], **figures, "median_seconds": 0.0084}
    progress = {"stage": "ask", "done": 17, "total": 85, "run_id": "r2", "strategies": [one]}
    add_job(clew, "bench", "sample", "running", {**progress, "remaining_seconds": 20.0})
    page = open_page(address, "/bench")
    jobs = page.locator("#jobs")
    expect(jobs).to_contain_text("Asking: 17 of 85 retrievals, under a minute left")
    row = jobs.locator("tbody tr")
    expect(row.locator("td")).to_have_text(["17", "1", "0.660", "–", "8.4 ms"])
    assert jobs.locator("progress").evaluate("bar => bar.position") == pytest.approx(0.2)
    expect(page.locator(".run")).to_have_count(2)
    page.get_by_role("checkbox", name="20 Nov").or_(
        page.get_by_role("checkbox", name="Choose Corpus sample")
    ).first.check()
    page.locator("h1").click()
    runs["r2"] = kept
    clew.job_list[0] = clew.job_list[0].model_copy(
        update={"state": "done", "progress": {**progress, "stage": "done", "done": 85}}
    )
    expect(page.locator(".run")).to_have_count(3)
    expect(jobs.get_by_role("link", name="Open the run")).to_be_visible()
    expect(page.locator("input[name=run]:checked")).to_have_value("r1")


def test_a_running_job_is_cancelled(address: str, clew: Any, open_page: Any) -> None:
    add_job(clew, "bench", "sample", "running", {"stage": "index", "done": 1, "total": 9})
    page = open_page(address, "/bench")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#jobs .badge")).to_have_text("cancelled")


def test_two_runs_are_chosen_and_compared(address: str, runs: Any, open_page: Any) -> None:
    page = open_page(address, "/bench")
    compare = page.get_by_role("button", name="Compare", exact=True)
    expect(compare).to_be_disabled()
    boxes = page.locator("input[name=run]")
    boxes.nth(2).check()
    expect(page.locator("#compare-help")).to_have_text("Choose one more.")
    boxes.nth(1).check()
    boxes.nth(0).check()  # the third takes the place of the first
    expect(boxes.nth(2)).not_to_be_checked()
    compare.click()
    expect(page.get_by_label("Compare with")).to_have_value("r1")
    assert page.url.endswith("/bench/runs/r2?against=r1")
    page.get_by_label("Compare with").select_option("")
    page.wait_for_url("**/bench/runs/r2?against=")
    expect(page.locator("#report")).to_have_attribute("src", "/api/v1/bench/runs/r2/report")


def test_a_run_is_deleted_after_a_question(address: str, runs: Any, open_page: Any) -> None:
    page = open_page(address, "/bench")
    page.get_by_role("button", name="Delete Sample corpus").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Sample corpus, 18 Nov 2026")
    dialog.get_by_role("button", name="Keep it").click()
    assert "r3" in runs
    page.get_by_role("button", name="Delete Sample corpus").click()
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".run")).to_have_count(2)
    assert "r3" not in runs


def test_the_report_is_shown_in_the_theme_of_the_page_and_downloaded(
    address: str, runs: Any, open_page: Any
) -> None:
    page = open_page(address, "/bench/runs/r2", color_scheme="light")
    report = page.frame_locator("#report")
    expect(report.locator("body")).to_contain_text(NAMES[0], timeout=60_000)
    light = report.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    page.get_by_role("button", name="Switch to dark").click()
    expect(page.locator("#report")).to_have_attribute(
        "src", f"{address}/api/v1/bench/runs/r2/report?theme=dark"
    )
    expect(report.locator("body")).to_contain_text(NAMES[0], timeout=60_000)
    dark = report.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert dark != light
    for name, ending in (("Download the report", "html"), ("Download as JSON", "json")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        assert download.value.suggested_filename == f"clew-bench-r2.{ending}"
    content = json.loads(Path(download.value.path()).read_text())
    assert content["id"] == "r2"


def test_a_script_in_a_report_cannot_read_the_app(
    clew: Any, questions: Any, runs: Any, serve: Any, chromium: Any, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("clew.evaluation.report.render_report", lambda *_: PRYING)
    address = serve(create_app(clew, Settings(home=tmp_path, access_token=TOKEN), questions))
    context = chromium.new_context()  # not open_page: what is refused is told on the console
    try:
        page = context.new_page()
        page.goto(f"{address}/bench/runs/r2")
        page.get_by_label("Access token").fill(TOKEN)
        page.keyboard.press("Enter")
        for place in (page.frame_locator("#report"), page):
            told = place.locator("#told")
            expect(told).to_contain_text("call", timeout=60_000)  # figures are computed first
            found = json.loads(told.inner_text())
            assert found["origin"] == "null"
            assert found["cookie"] == found["storage"] == "SecurityError"
            assert found["call"] == "TypeError"
            if place is not page:
                assert found["page"] == found["address"] == "SecurityError"
                assert page.url == f"{address}/bench/runs/r2"
                page.goto(f"{address}/api/v1/bench/runs/r2/report")
    finally:
        context.close()


@pytest.mark.parametrize("path", ["/bench", "/bench/runs/r2?against=r1"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_the_bench_fit_a_phone(
    address: str, clew: Any, runs: Any, path: str, scheme: str, open_page: Any
) -> None:
    add_job(clew, "bench", "sample", "running", {"stage": "index", "done": 1, "total": 9})
    page = open_page(address, path, color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_load_state("networkidle")
    fits(page, 360)
    assert page.locator("main h1").count() == 1
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("a, button, input, select, summary, iframe")]
          .filter((element) => element.type !== "hidden")
          .filter((element) => !(element.textContent.trim() || element.getAttribute("aria-label")
            || element.title || element.labels?.length || element.querySelector("img[alt]")))
          .map((element) => element.outerHTML)"""
    )
    assert unnamed == []


def test_the_pages_work_without_scripts(address: str, clew: Any, runs: Any, open_page: Any) -> None:
    page = open_page(address, "/bench", java_script_enabled=False)
    page.locator("input[name=run]").nth(0).check()
    page.locator("input[name=run]").nth(2).check()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url("**/bench/runs/r2?against=r3")
    page.goto(f"{address}/bench")
    page.get_by_label("Documents", exact=True).select_option("corpus:sample")
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("#jobs .badge")).to_have_text("queued")
    assert request_of(clew).synthetic == 50


def test_all_columns_of_a_running_job_are_seen_on_a_phone(
    address: str, clew: Any, open_page: Any
) -> None:
    figures = {"questions": 417, "failed": 12, "recall_at_5": 0.66, "f1": 0.412}
    rows = [{"strategy": name, **figures, "median_seconds": 0.412} for name in NAMES]
    progress = {"stage": "ask", "done": 17, "total": 85, "run_id": "r2", "strategies": rows}
    add_job(clew, "bench", "sample", "running", progress)
    page = open_page(address, "/bench")
    page.set_viewport_size({"width": 360, "height": 740})
    table = page.locator("#jobs .table-scroll")
    assert table.evaluate("box => box.scrollWidth - box.clientWidth") < 20
