"""What a report says where something is missing, and how numbers are written."""

import pytest

from clew.evaluation.report.chart_steps import steps_chart
from clew.evaluation.report.charts import differences_chart, latency_chart, types_chart
from clew.evaluation.report.table import Cell, Column, Table
from clew.evaluation.report.tables import quality_table
from clew.evaluation.report.words import duration, p_sentence, signed
from clew.evaluation.run import BenchRun
from clew.evaluation.summary import summarise
from clew.results.evidence import TraceStep
from clew.results.words import listed

from .bench_runs import made_run
from .test_bench_report import data_of, page_of


def test_without_a_reader_nothing_is_said_of_answers() -> None:
    page = page_of(made_run(reader=None))
    words = page.words()
    assert "no reader" in words
    assert "leads to the best answers" not in words
    assert "Answer, median" not in words
    assert "since no question has what they need: Path Recall@50, Exact match and F1." in words
    assert all("m" not in outcome for q in data_of(page)["questions"] for outcome in q["o"])


def test_without_groups_the_charts_say_why_they_are_not_there() -> None:
    words = page_of(made_run(grouped=False)).words()
    assert "No chart: No question of this run says how many hops it needs." in words
    assert "No chart: No question of this run says of what type it is." in words


def test_one_group_is_no_grouping() -> None:
    run = made_run()
    alike = tuple(q.model_copy(update={"hops": 2, "type": "bridge"}) for q in run.questions)
    words = page_of(run.model_copy(update={"questions": alike})).words()
    assert "All questions that say how many hops it needs have 2 hops" in words
    assert "have the type “bridge”" in words


def test_one_strategy_is_compared_with_none() -> None:
    words = page_of(made_run({"only": 0.5})).words()
    assert "there is no other strategy to compare it with" in words
    assert "No chart: One strategy was run: there are no pairs." in words


def test_where_everything_failed_nobody_is_best() -> None:
    page = page_of(made_run(failing=("guided", "hybrid", "dense")))
    words = page.words()
    assert "Every strategy failed on every question, so none can be called best." in words
    assert "every strategy failed on every question." in words
    assert "No chart: No question left a trace of its steps." in words
    assert words.count("24 questions: GraphError: the projection is gone.") == 3
    assert "24 of 24" in words
    assert {"e"} == {key for q in data_of(page)["questions"] for o in q["o"] for key in o}


def test_one_that_always_fails_is_named_and_left_out_of_the_times() -> None:
    words = page_of(made_run(failing=("dense",))).words()
    assert "Not drawn, since it always failed: dense." in words
    assert "dense failed on some questions, which count as missed" in words


def test_questions_without_gold_are_judged_by_their_answers() -> None:
    run = made_run()
    without = tuple(q.model_copy(update={"gold": {}}) for q in run.questions)
    words = page_of(run.model_copy(update={"questions": without})).words()
    assert "No chart: No question of this run has gold to be found." in words
    assert "guided leads to the best answers: F1" in words


def test_nothing_to_score_at_all() -> None:
    run = made_run(reader=None)
    bare = tuple(q.model_copy(update={"gold": {}, "answers": ()}) for q in run.questions)
    bare_run = run.model_copy(update={"questions": bare})
    words = page_of(bare_run).words()
    assert "No question of this run could be scored, so no strategy can be called best." in words


def test_gold_paths_are_judged_where_the_set_has_them() -> None:
    run = made_run(depth=50, count=30)
    chained = tuple(q.model_copy(update={"gold_paths": (tuple(q.gold),)}) for q in run.questions)
    words = page_of(run.model_copy(update={"questions": chained})).words()
    assert "finds the most whole paths: Path Recall@50" in words
    assert "Path Recall@50 against the time of retrieval" in words


def test_few_chunks_asked_for_are_judged_at_the_deepest_cut() -> None:
    words = page_of(made_run(depth=2)).words()
    assert "Recall@2" in words
    assert "Recall@5 against" not in words


def test_an_interrupted_run_shows_what_was_not_asked() -> None:
    run = made_run()
    page = page_of(run.model_copy(update={"outcomes": run.outcomes[:-1]}))
    assert data_of(page)["questions"][-1]["o"][-1] is None


def test_a_chunk_that_was_not_recorded_is_shown_by_its_id() -> None:
    run = made_run()
    data = data_of(page_of(run.model_copy(update={"chunks": {}})))
    assert data["chunks"][0][1:] == ["", ""]
    assert data["chunks"][0][0].startswith("c")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0084, "8.4 ms"), (0.00996, "10 ms"), (0.12, "120 ms"), (1.5, "1.5 s"), (1200, "20 min")],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_words() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert signed(-0.0123) == "−0.012"
    assert signed(-0.0001) == "0.000"
    assert p_sentence(0.0001) == "p\u00a0<\u00a00.001"
    assert p_sentence(0.0123) == "p\u00a0=\u00a00.012"


def recalls(run: BenchRun) -> dict[str, Cell]:
    table = quality_table(summarise(run))
    place = [column.heading for column in table.columns].index("Recall@5")
    return {row[0].text: row[place] for row in table.rows}


def test_the_highest_is_marked_and_what_is_not_told_apart_from_it() -> None:
    cells = recalls(made_run({"one": 0.9, "two": 0.85, "three": 0.0}))
    leader = max(cells, key=lambda name: float(cells[name].value or 0))
    other = ({"one", "two"} - {leader}).pop()
    assert [cells[name].mark for name in (leader, other, "three")] == ["best", "level", ""]


def test_where_all_are_equal_nothing_is_marked() -> None:
    cells = recalls(made_run({"one": 1.0, "two": 1.0}))
    assert [(cell.text, cell.mark) for cell in cells.values()] == [("1.000", "")] * 2


def test_cells_are_written_by_their_kind() -> None:
    assert str(Cell(0.5, "share", 0.25, 0.75)) == "0.500 [0.250, 0.750]"
    assert str(Cell(-0.5, "signed", -0.75, 0.25)) == "−0.500 [−0.750, +0.250]"
    assert str(Cell(-0.0005, "signed_seconds", -1.5, 0.0)) == "−0.5 ms [−1.5 s, 0.0 ms]"
    assert str(Cell(1.234, "ms")) == "1,234"
    assert str(Cell(None, "share", 0.1, 0.2)) == "–"
    assert str(Cell(0.0001, "p")) == "< 0.001"


def test_columns_can_be_left_out_and_added() -> None:
    table = Table("t", (Column("a"), Column("b")), ((Cell("x"), Cell(1, "count")),))
    changed = table.without("b").plus(Column("c"), [Cell(2, "count")])
    assert [column.heading for column in changed.columns] == ["a", "c"]
    assert [[cell.text for cell in row] for row in changed.rows] == [["x", "2"]]
    with pytest.raises(ValueError, match="shorter"):
        table.plus(Column("c"), [])


def test_only_the_best_is_drawn_against_each_of_many() -> None:
    skills = {f"s{number}": number / 8 for number in range(8)}
    figures = summarise(made_run(skills, count=30))
    chart = differences_chart(figures)
    assert len(chart.panels[0].points) == 7
    assert chart.table is not None
    assert len(chart.table.rows) == len(figures.pairs)
    assert "Drawn is the best against each other" in chart.caption


def test_differences_are_drawn_with_the_better_strategy_first() -> None:
    chart = differences_chart(summarise(made_run({"low": 0.1, "high": 0.9})))
    (point,) = chart.panels[0].points
    assert point["pair"] == "high – low"
    assert 0 < point["low"] < point["x"] < point["high"]
    assert point["told"]


def test_the_times_of_a_chart_are_those_of_the_run() -> None:
    run = made_run()
    chart = latency_chart(summarise(run), run)
    # of 24 questions that take 10 ms and 0.1 ms more each; an answer takes 200 ms
    assert chart.table is not None
    assert [cell.value for cell in chart.table.rows[0][2::3]] == pytest.approx([0.01115, 0.21115])
    assert [panel.points[0]["ms"] for panel in chart.panels] == pytest.approx([11.15, 211.15])
    assert chart.panels[0].points[0]["until"] > 11.15


def test_bars_add_up_to_the_mean_time_in_steps() -> None:
    chart = steps_chart(summarise(made_run()))
    assert "guided 9.0 ms; hybrid 14 ms; dense 19 ms" in chart.panels[0].description
    assert "guided 150 ms; hybrid 150 ms; dense 150 ms" in chart.panels[1].description
    guided = [point for point in chart.panels[0].points if point["name"] == "guided"]
    assert sum(point["ms"] for point in guided) == pytest.approx(9)
    assert {point["total"] for point in guided} == {"9.0 ms"}


def test_the_steps_of_several_searches_are_one_bar() -> None:
    name = "iterative:guided-pagerank"
    run = made_run({name: 0.9})
    steps = tuple(
        TraceStep(name=f"step {number}: {kind}", seconds=seconds)
        for number in range(1, 5)
        for kind, seconds in (("embed", 0.01), ("rank", 0.02), ("next query", 0.5))
    )
    outcomes = tuple(o.model_copy(update={"steps": steps}) for o in run.outcomes)
    chart = steps_chart(summarise(run.model_copy(update={"outcomes": outcomes})))
    assert chart.fills[:3] == ("embed", "rank", "next query")
    assert chart.panels[0].points[0]["tip"] == f"{name}, embed: 40 ms"
    assert chart.panels[0].points[0]["total"] == "2.1 s"
    assert chart.table is not None
    rows = [row for row in chart.table.rows if row[0].text == name]
    assert len(rows) == 12 + 1  # one of the answer


def test_beyond_the_colours_the_shortest_steps_share_one() -> None:
    run = made_run({"one": 0.9}, reader=None)
    steps = tuple(TraceStep(name=f"s{number}", seconds=number / 100) for number in range(1, 15))
    outcomes = tuple(o.model_copy(update={"steps": steps}) for o in run.outcomes)
    chart = steps_chart(summarise(run.model_copy(update={"outcomes": outcomes})))
    assert len(chart.fills) == 12
    assert chart.fills[-1] == "other steps"
    assert chart.panels[0].points[-1]["ms"] == pytest.approx(10 * (1 + 2 + 3))


def test_a_group_that_nothing_counts_in_is_left_out() -> None:
    run = made_run()
    odd = tuple(
        q.model_copy(update={"gold": {}, "answers": (), "answerable": False, "type": "moon"})
        if number == 5
        else q
        for number, q in enumerate(run.questions)
    )
    chart = types_chart(summarise(run.model_copy(update={"questions": odd})))
    assert {point["group"] for point in chart.panels[0].points} == {"bridge", "comparison"}
    assert "Left out: groups in which no question counts." in chart.caption


def test_a_group_without_gold_has_the_questions_that_have_answers() -> None:
    run = made_run()
    without = tuple(
        q.model_copy(update={"gold": {}, "type": "moon"}) if number < 3 else q
        for number, q in enumerate(run.questions)
    )
    table = types_chart(summarise(run.model_copy(update={"questions": without}))).table
    assert table is not None
    assert {str(row[-1]) for row in table.rows if str(row[0]) == "moon"} == {"3"}
