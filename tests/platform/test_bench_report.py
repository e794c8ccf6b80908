"""The report of a run: what stands in it, that it is always the same, and that texts stay texts."""

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from clew.evaluation.comparing import compare_runs
from clew.evaluation.figures import RunComparison
from clew.evaluation.report import render_report
from clew.evaluation.run import BenchRun
from clew.evaluation.summary import summarise
from clew.results.data_set import BenchQuestion

from .bench_runs import HOSTILE, made_run

ROOT = Path(__file__).parents[2]
TOKENS = ROOT / "web" / "clew_web" / "static" / "css" / "tokens.css"
STYLE = ROOT / "platform" / "clew" / "evaluation" / "report" / "report.css"
VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(HTMLParser):
    """A report, taken apart: elements, ids, text outside of scripts, and what the scripts hold."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self.open:
            self.scripts[-1] += data
        elif "style" not in self.open:
            self.text += data + " "

    def words(self) -> str:
        return " ".join(self.text.split())


def page_of(run: BenchRun, comparison: RunComparison | None = None) -> Page:
    return Page(render_report(run, summarise(run), comparison))


@cache
def standard() -> Page:
    """The report of the run as it is made where nothing is said."""
    return page_of(made_run())


def data_of(page: Page) -> dict:
    return json.loads(page.scripts[0])


def points_of(page: Page) -> list[dict]:
    return [
        point
        for chart in json.loads(page.scripts[1])
        for panel in chart["panels"]
        for point in panel["points"]
    ]


def colours(scheme: int) -> dict[str, str]:
    """The report's colours in light (0) or in dark (1)."""
    pairs = re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", STYLE.read_text()
    )
    return {name: pair[scheme] for name, *pair in pairs}


def test_the_best_is_named_with_its_lead_and_how_sure_it_is() -> None:
    run = made_run({"guided": 1.0, "dense": 0.1})
    pair = next(p for p in summarise(run).pairs if p.metric == "recall@5")
    words = page_of(run).words()
    assert "guided finds the most: Recall@5 1.000 [1.000, 1.000]," in words
    assert f"{pair.delta:.3f} [{pair.low:.3f}, {pair.high:.3f}] more than dense" in words
    assert "(adjusted p < 0.001, 24 questions)" in words
    assert "guided leads to the best answers: F1 1.000" in words


def test_a_lead_that_may_be_chance_is_called_that() -> None:
    words = page_of(made_run({"one": 0.6, "two": 0.55, "three": 0.0}, seed=3)).words()
    assert "has the highest Recall@5" in words
    assert "but the questions do not show that it is better than" in words
    assert "finds the most" not in words


def test_equals_are_named_together() -> None:
    words = page_of(made_run({"one": 1.0, "two": 1.0})).words()
    assert "one and two have the same Recall@5, the highest: 1.000" in words


def test_every_figure_stands_there_with_its_interval_and_denominator() -> None:
    run = made_run()
    words = standard().words()
    for strategy in summarise(run).strategies:
        for name in ("recall@2", "recall@5", "mrr", "f1", "ndcg@10", "rouge_l"):
            figure = strategy.metrics[name]
            assert f"{figure.value:.3f}" in words
            assert f"[{figure.low:.3f}, {figure.high:.3f}]" in words
    assert "n = 24" in words
    assert "Mean over answerable questions with gold of gold in the first 5 / all its gold" in words
    assert "Not in the table, since no question has what they need: Path Recall@50." in words


def test_what_was_measured_stands_there() -> None:
    words = page_of(made_run(sessions=2, notices=("Another corpus is there.",))).words()
    for said in (
        "made-up",
        "0123456789abcdef",
        "Seed 7",
        "Indexing 3.2 s",
        "Stage: embed 3.0 s",
        "Database on disk 50 MiB",
        "Memory, peak of Neo4j 900 MiB",
        "cpu Made-up 9000",
        "gds 2.26.0",
        "embedder minilm",
        "2: it was interrupted and went on",
        "Taken by the bench itself 1.2% of the queries' time",
        "Another corpus is there.",
        "1 question could not be scored and was left out",
        "r1 It has no gold.",
    ):
        assert said in words
    assert "Synthetic questions" not in words


def test_synthetic_questions_are_marked() -> None:
    words = page_of(made_run(synthetic=True)).words()
    assert "Synthetic questions" in words
    assert "These questions were made by a program from the graph." in words


def test_six_charts_each_with_a_table_and_words_in_place_of_the_picture() -> None:
    page = standard()
    charts = json.loads(page.scripts[1])
    assert len(charts) == page.text.count("The same as a table") == 6
    panels = [panel for chart in charts for panel in chart["panels"]]
    places = [attributes for _, attributes in page.elements if attributes.get("class") == "plot"]
    assert len(panels) == len(places) == 2 * 6
    assert all(len(panel["description"]) > 40 for panel in panels)
    tips = [point["tip"] for point in points_of(page)]
    assert len(tips) > 60
    assert any(tip.startswith("guided, Recall@5: 0.") for tip in tips)


def test_ids_are_unique_and_what_is_referred_to_is_there() -> None:
    page = page_of(made_run(failing=("dense",)))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    named: list[str] = []
    for _, attributes in page.elements:
        link = attributes.get("href") or ""
        if link.startswith("#"):
            named.append(link[1:])
        named += re.findall(r"url\(#([^)]+)\)", " ".join(filter(None, attributes.values())))
    assert named
    assert set(named) <= set(ids)


def test_nothing_is_fetched() -> None:
    for tag, attributes in standard().elements:
        assert tag not in ("img", "iframe", "object", "base")
        for name in ("src", "href", "action"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))


def test_the_same_run_gives_the_same_bytes_after_a_detour_through_json() -> None:
    run = made_run()
    again = BenchRun.model_validate_json(run.model_dump_json())
    assert render_report(run, summarise(run)) == render_report(again, summarise(again))


def test_texts_stay_texts() -> None:
    run = made_run(hostile=True, failing=("dense",), notices=(HOSTILE,))
    html = render_report(run, summarise(run))
    page = Page(html)
    assert not any("onerror" in attributes for _, attributes in page.elements)
    assert "img" not in {tag for tag, _ in page.elements}
    assert html.count("</script>") == 6
    assert "<!--" not in html
    assert page.text.count(HOSTILE) > 10
    data = data_of(page)
    assert data["questions"][0]["q"] == f"{HOSTILE} 0?"
    assert data["chunks"][0][2] == HOSTILE
    assert any(HOSTILE in point["group"] for point in points_of(page) if "group" in point)


def test_the_data_has_every_ranking_with_the_places_of_gold() -> None:
    run = made_run()
    data = data_of(standard())
    assert data["strategies"] == ["guided", "hybrid", "dense"]
    for number, question in enumerate(data["questions"]):
        for place, outcome in enumerate(question["o"]):
            recorded = run.outcomes[place * 24 + number]
            keys = [data["chunks"][chunk][0] for chunk in outcome["r"]]
            assert keys == [chunk.key for chunk in recorded.ranking]
            assert outcome["g"] == [
                keys.index(key) + 1 if key in keys else 0 for key in question["g"]
            ]
            assert recorded.answer is not None
            assert outcome["m"] == ("right" if "Builder" in recorded.answer.short else "partly")
            assert outcome["ms"] == pytest.approx(recorded.seconds * 1000, abs=0.01)
            assert data["texts"][outcome["st"][0][0]] == "embed"


def test_chunks_of_one_document_share_their_rank() -> None:
    run = made_run({"only": 0.0}, count=3)
    first = run.outcomes[0]
    again = first.model_copy(
        update={"ranking": (first.ranking[0], first.ranking[0], *first.ranking[1:])}
    )
    data = data_of(page_of(run.model_copy(update={"outcomes": (again, *run.outcomes[1:])})))
    outcome = data["questions"][0]["o"][0]
    assert outcome["k"] == [1, *range(1, len(first.ranking) + 1)]
    assert "k" not in data["questions"][1]["o"][0]


def test_a_question_the_documents_do_not_answer() -> None:
    run = made_run({"only": 1.0}, count=2)
    silent = BenchQuestion(id="q0", question="Who owns the moon?", answerable=False)
    data = data_of(page_of(run.model_copy(update={"questions": (silent, run.questions[1])})))
    assert data["questions"][0]["un"] is True
    assert data["questions"][0]["o"][0]["m"] == "wrong"
    assert data["questions"][1]["o"][0]["m"] == "right"


def test_an_earlier_run_marks_regressions_with_their_p() -> None:
    then, now = made_run(seed=1, id_="earlier"), made_run(SKILLS_LOST, seed=2)
    comparison = compare_runs(now, then)
    assert [d.strategy for d in comparison.regressions if d.metric == "recall@5"] == ["guided"]
    page = page_of(now, comparison)
    words = page.words()
    assert "Against earlier" in words
    assert words.count("▼ regression") == len(comparison.regressions)
    worst = next(d for d in comparison.regressions if d.metric == "recall@5")
    assert f"Recall@5 ▼ regression {worst.other_value:.3f} {worst.value:.3f} −" in words
    assert "< 0.001" in words


SKILLS_LOST = {"guided": 0.2, "hybrid": 0.6, "dense": 0.3}


def test_no_regression_is_said_too() -> None:
    run = made_run()
    words = page_of(run, compare_runs(run, made_run(id_="earlier"))).words()
    assert "No regression on the 24 questions of both runs." in words
    assert "▼ regression" not in words


@pytest.mark.parametrize("scheme", [0, 1])
def test_colours_of_strategies_stand_out_from_their_ground(scheme: int) -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    found = colours(scheme)
    strategies = [found[f"s{place}"] for place in range(10)]
    for colour in strategies:
        dark, light = sorted(map(luminance, (colour, found["surface"])))
        assert (light + 0.05) / (dark + 0.05) >= 3
    assert len(set(strategies)) == len(strategies)


def test_the_colours_are_those_of_the_web_ui() -> None:
    blocks = re.findall(r"\{[^{}]*--paper[^{}]*\}", TOKENS.read_text())
    web = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]
    for scheme, tokens in ((0, web[0]), (1, web[-1])):
        named = {k: v for k, v in colours(scheme).items() if not re.fullmatch(r"s\d", k)}
        assert len(named) == 21
        assert {name: tokens[name] for name in named} == named
