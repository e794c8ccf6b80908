"""The record of a run that the project keeps, and the page made of records."""

import json
from typing import Any

import pytest

from clew.evaluation.record import markdown_table, record_of
from clew.evaluation.summary import summarise

from .bench_runs import HOSTILE, made_run


def recorded(**options: Any) -> dict:
    run = made_run(**options)
    return json.loads(json.dumps(record_of(run, summarise(run))))


def test_a_record_has_the_figures_and_what_they_depend_on() -> None:
    run = made_run()
    figures, record = summarise(run), recorded()
    for strategy in figures.strategies:
        kept = record["strategies"][strategy.strategy]
        for name, figure in strategy.metrics.items():
            if figure.value is None:
                assert name not in kept["metrics"]
                continue
            one = kept["metrics"][name]
            assert one["value"] == pytest.approx(figure.value, abs=5e-5)
            assert one["low"] == pytest.approx(figure.low, abs=5e-5)
            assert one["high"] == pytest.approx(figure.high, abs=5e-5)
            assert one["questions"] == figure.questions
        assert kept["cost"]["median_seconds"] == pytest.approx(strategy.cost.median_seconds)
        assert kept["cost"]["steps"]["embed"]["questions"] == 24
        assert set(kept["by_hops"]) == {"2", "3", "4"}
        assert "ndcg@5" not in kept["by_hops"]["2"]
    assert record["options"]["seed"] == 7
    assert record["index"]["seconds"] == {"read": 0.5, "embed": 3.0}
    assert record["data_set"]["refused"] == 1
    assert record["machine"]["cpu"] == "Made-up 9000"
    assert len(record["pairs"]) == len(figures.pairs)


def test_a_record_is_small_and_has_nothing_of_the_questions_or_of_the_machine_s_places() -> None:
    text = json.dumps(recorded(count=40))
    assert len(text) < 60_000
    assert "Who built" not in text
    assert "ranking" not in text
    assert "/somewhere/private" not in text
    assert "••••" not in text
    assert recorded()["settings"] == {"embedder": "minilm"}


def test_the_page_has_a_section_a_data_set_and_a_table_a_record() -> None:
    one = recorded()
    other = recorded(reader=None) | {"run": "other", "created_at": "2026-11-22T10:00:00+00:00"}
    third = recorded(synthetic=True)
    third["data_set"]["name"] = "third"
    page = markdown_table([one, third, other])
    assert page.count("\n## ") == 2
    assert page.index("## made-up") < page.index("`other`") < page.index("`made-run`")
    assert page.index("`made-run`") < page.index("## third")
    assert page.count("| Strategy |") == 3
    assert "24 synthetic questions of 24" in page
    assert "24 questions of 24, 96 documents, seed 7, depth 20, reader `extractive`." in page
    assert "Refused, since they cannot be scored: 1." in page
    assert page == markdown_table([one, third, other])


def test_a_row_has_the_figures_with_their_intervals() -> None:
    run = made_run(failing=("dense",))
    figures = summarise(run)
    page = markdown_table([record_of(run, figures)])
    head = next(line for line in page.splitlines() if line.startswith("| Strategy"))
    assert head == (
        "| Strategy | Recall@2 | Recall@5 | All gold@5 | MRR | Exact match | F1 "
        "| Evidence validity | Median ms | 95th percentile ms | Failed |"
    )
    recall = figures.strategies[0].metrics["recall@5"]
    row = next(line for line in page.splitlines() if line.startswith("| guided"))
    assert f"**{recall.value:.3f}** [{recall.low:.3f}, {recall.high:.3f}]" in row
    assert row.endswith("| 11 | 12 | 0 of 24 |")
    failed = next(line for line in page.splitlines() if line.startswith("| dense"))
    assert failed.endswith("| – | – | – | 24 of 24 |")
    assert (
        "Indexed in 3.2 s (read 500 ms, embed 3.0 s): 96 documents, 96 chunks, 90 entities." in page
    )
    assert "The database takes 50 MiB on disk." in page
    assert "Peak memory: 512 MiB of the process, 900 MiB of Neo4j." in page


def test_a_reused_index_is_called_that() -> None:
    run = made_run()
    index = run.index.model_copy(update={"reused": True, "wall_seconds": None, "seconds": {}})
    reused = run.model_copy(update={"index": index})
    page = markdown_table([record_of(reused, summarise(reused))])
    assert "The index was reused: 96 documents, 96 chunks, 90 entities." in page


def test_texts_of_a_run_cannot_break_the_page() -> None:
    page = markdown_table([recorded(hostile=True, notices=("a | b\n## c <img>",))])
    assert page.count("\n## ") == 1
    assert "<img" not in page.replace("\\<", "")
    assert HOSTILE not in page
    assert "> a \\| b \\#\\# c \\<img\\>" in page


def test_settings_that_are_not_the_default_are_named() -> None:
    assert "Not the default" not in markdown_table([recorded()])
    run = made_run()
    settings = {"embedder": "minilm", "translator_adapter": "none", "translator_hops": 3}
    other = run.model_copy(update={"settings": settings})
    page = markdown_table([record_of(other, summarise(other))])
    assert "Not the default: `translator_adapter` none, `translator_hops` 3." in page
