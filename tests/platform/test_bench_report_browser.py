"""The report in a real browser, from a file, with the network blocked and in the UI's sandbox."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.evaluation.report import render_report
from clew.evaluation.run import BenchRun
from clew.evaluation.summary import summarise

from .bench_runs import HOSTILE, made_run

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
Open = Callable[..., Any]


@pytest.fixture
def open_file(chromium: Any) -> Iterator[Open]:
    """Opens a file without a network. Console errors, and requests but for files, fail the test."""
    contexts: list[Any] = []
    problems: list[str] = []

    def heard(message: Any) -> None:
        if message.type in ("error", "warning"):
            problems.append(f"console: {message.text}")

    def asked(request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            problems.append(f"request: {request.url}")

    def start(path: Path, query: str = "", width: int = 1280, **options: Any) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        context.set_offline(True)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", heard)
        page.on("request", asked)
        page.goto(f"{path.as_uri()}{query}")
        return page

    yield start
    for context in contexts:
        context.close()
    assert problems == []


def written(run: BenchRun, folder: Path) -> Path:
    path = folder / "report.html"
    path.write_text(render_report(run, summarise(run)), encoding="utf-8")
    return path


def rows(page: Any) -> int:
    count: int = page.locator(".questions .row").count()
    return count


def test_filters_sorts_and_opens_questions(open_file: Open, tmp_path: Path) -> None:
    run = made_run({"guided": 1.0, "hybrid": 0.7, "dense": 0.0}, count=60)
    page = open_file(written(run, tmp_path))
    assert rows(page) == 50
    page.get_by_role("button", name="Show 50 more").click()
    by_label = page.get_by_role("search").get_by_label
    assert rows(page) == 60
    assert page.evaluate("document.activeElement.textContent").startswith("Who built the ship")

    by_label("Type").select_option("bridge")
    by_label("Hops").select_option("3")
    assert rows(page) == 10
    by_label("Search").fill("number 58")
    page.wait_for_function("document.querySelectorAll('.questions .row').length === 1")
    assert page.get_by_role("status").inner_text() == "1 question of 60"

    by_label("Search").fill("")
    by_label("Type").select_option("")
    by_label("Hops").select_option("")
    by_label("Show").select_option("missed")
    page.wait_for_function("document.querySelectorAll('.questions .row').length === 0")
    assert page.get_by_role("status").inner_text() == "No question is like that."
    by_label("Show").select_option("disagree")
    page.wait_for_function("document.querySelectorAll('.questions .row').length === 50")
    by_label("Missed by").select_option("hybrid")
    hybrid = [o for o in run.outcomes if o.strategy == "hybrid"]
    missed = sum(o.answer is not None and o.answer.short.startswith("Somebody") for o in hybrid)
    page.wait_for_function(f"document.querySelectorAll('.questions .row').length === {missed}")
    by_label("Sort").select_option("slow")

    first = page.locator(".questions .open").first
    first.focus()
    page.keyboard.press("Enter")
    assert first.get_attribute("aria-expanded") == "true"
    detail = page.locator(".detail").first
    assert detail.locator(".side").count() == 3
    guided = detail.get_by_role("region", name="guided")
    assert guided.locator(".chunk.gold").count() == 2
    guided.get_by_text("Steps").click()
    assert "rank\t5.0 ms" in guided.locator(".step-list").inner_text()
    guided.get_by_text("First paths").click()
    assert "It built her." in guided.locator(".path").inner_text()
    page.keyboard.press("Tab")
    first.click()
    assert detail.is_hidden()


def test_markup_in_texts_is_shown_as_text(open_file: Open, tmp_path: Path) -> None:
    page = open_file(written(made_run(hostile=True, count=6, failing=("dense",)), tmp_path))
    title = page.title()
    page.locator(".questions .open").first.click()
    assert HOSTILE in page.locator(".detail .chunk p").first.text_content()
    assert page.locator(".detail .error").first.text_content() == f"It failed: {HOSTILE}"
    assert page.locator("#main img").count() == 0
    assert page.title() == title
    assert "owned" in title  # as text of the data set's name, not by the handler
    assert title != "owned"


def test_it_works_in_the_sandbox_under_the_policy_of_the_ui(
    open_file: Open, tmp_path: Path
) -> None:
    path = written(made_run(count=6), tmp_path)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    html = path.read_text(encoding="utf-8").replace("<head>", f"<head>{policy}", 1)
    path.write_text(html, encoding="utf-8")
    frame = tmp_path / "frame.html"
    frame.write_text('<iframe sandbox="allow-scripts" src="report.html?theme=dark"></iframe>')
    report = open_file(frame).frame_locator("iframe")
    report.locator(".questions .open").first.click()
    assert report.locator(".side").count() == 3
    ground = report.locator("body").evaluate("b => getComputedStyle(b).backgroundColor")
    assert ground == "rgb(22, 19, 15)"
    stroke = report.locator("#chart-recall .plot path[stroke='var(--s0)']").first
    assert stroke.evaluate("p => getComputedStyle(p).stroke") == "rgb(255, 156, 102)"
    marker = report.locator("#marker-1 path")
    assert marker.evaluate("p => getComputedStyle(p).fill") == "rgb(111, 179, 255)"


@pytest.mark.parametrize(
    ("scheme", "query", "ground"),
    [
        ("light", "", "rgb(250, 248, 245)"),
        ("dark", "", "rgb(22, 19, 15)"),
        ("dark", "?theme=light", "rgb(250, 248, 245)"),
    ],
)
def test_light_and_dark(
    open_file: Open, tmp_path: Path, scheme: str, query: str, ground: str
) -> None:
    page = open_file(written(made_run(count=4), tmp_path), query, color_scheme=scheme)
    assert page.locator("body").evaluate("b => getComputedStyle(b).backgroundColor") == ground
    page.emulate_media(media="print")
    printed = page.locator("body").evaluate("b => getComputedStyle(b).backgroundColor")
    assert printed == "rgb(250, 248, 245)"


@pytest.mark.parametrize("width", [360, 768, 1600])
def test_no_width_makes_the_page_wider_than_the_window(
    open_file: Open, tmp_path: Path, width: int
) -> None:
    page = open_file(written(made_run(count=8), tmp_path), width=width)
    page.locator(".questions .open").first.click()
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_every_chart_is_drawn_with_its_points_and_says_what_one_is(
    open_file: Open, tmp_path: Path
) -> None:
    page = open_file(written(made_run(), tmp_path))
    pictures = page.locator("svg[role=img]")
    assert pictures.count() == 2 * 6
    assert all(len(p.get_attribute("aria-label")) > 40 for p in pictures.all())
    curves = page.locator("#chart-recall .plot").first
    assert curves.locator("[aria-label=dot] path").count() == 3 * 5
    point = curves.get_by_label("guided, Recall@5: 0.").first
    point.hover(force=True)
    assert "guided, Recall@5: 0." in curves.locator("[aria-label=tip] text").text_content()
    assert page.locator("#chart-differences .plot").first.get_by_text("guided – dense").count() == 1
    assert page.locator("#chart-hops .plot").first.get_by_text("n = 8").count() == 3
    assert page.locator("#chart-steps .plot").first.get_by_text("9.0 ms").count() == 1
    html = page.locator(".plot").evaluate_all("all => all.map(plot => plot.innerHTML).join()")
    assert "#" not in html.replace("url(#", "")  # no colour that does not follow the theme
    assert "NaN" not in html


def test_charts_fit_a_window_that_changes(open_file: Open, tmp_path: Path) -> None:
    page = open_file(written(made_run(count=4), tmp_path))
    picture = page.locator("#chart-recall svg[role=img]").first
    wide = picture.bounding_box()["width"]
    page.set_viewport_size({"width": 360, "height": 800})
    page.wait_for_timeout(400)
    assert picture.bounding_box()["width"] < min(wide, 360)
    size = page.locator("#chart-recall .plot svg").first.evaluate(
        "s => getComputedStyle(s).fontSize"
    )
    assert size == "12px"  # drawn anew, not made smaller


@pytest.mark.parametrize("odd", ["odd\x00\x1b type", "比較 😀", "٤ نوع", "$\\frac{1$", HOSTILE])
def test_any_name_of_a_type_can_be_drawn(open_file: Open, tmp_path: Path, odd: str) -> None:
    run = made_run(count=4)
    types = tuple(
        q.model_copy(update={"type": f"{number % 2} {odd}"})
        for number, q in enumerate(run.questions)
    )
    page = open_file(written(run.model_copy(update={"questions": types}), tmp_path))
    labels = page.locator("#chart-types .plot").first.locator("text").all_text_contents()
    assert any(f"0 {odd}"[:19] in label for label in labels)


def test_the_axis_of_times_has_labels_at_any_scale(open_file: Open, tmp_path: Path) -> None:
    for seconds in (0.0002, 0.05, 3.0, 400.0):
        run = made_run(count=8)
        outcomes = tuple(
            o.model_copy(update={"seconds": seconds * (1 + n % 8 / 40)})
            for n, o in enumerate(run.outcomes)
        )
        page = open_file(written(run.model_copy(update={"outcomes": outcomes}), tmp_path))
        plot = page.locator("#chart-latency .plot").first
        labels = plot.locator("[aria-label='x-axis tick label'] text").all_text_contents()
        assert sum(seconds * 900 < float(label) < seconds * 1300 for label in labels) >= 2


def test_without_scripts_the_figures_are_there(open_file: Open, tmp_path: Path) -> None:
    page = open_file(written(made_run(count=4), tmp_path), java_script_enabled=False)
    assert "Charts need scripts" in page.locator("#charts").inner_text()
    page.locator("#chart-recall summary").click()
    assert page.locator("#chart-recall tbody tr").count() == 3
