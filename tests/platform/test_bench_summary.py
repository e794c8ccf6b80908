"""The figures of a run, from made-up runs whose figures are worked out by hand."""

import math
from typing import Any

import numpy as np
import pytest

from clew.evaluation.run import AnswerRecord, BenchRun, Outcome, RankedChunk, Usage
from clew.evaluation.scoring import METRICS, score_run
from clew.evaluation.statistics import bootstrap_interval, holm, paired_randomisation
from clew.evaluation.summary import summarise
from clew.results.data_set import BenchQuestion
from clew.results.evidence import TraceStep

from .bench_runs import made_run

STRATEGIES = ("good", "poor", "noisy")
QUESTIONS = 12


def question(number: int) -> BenchQuestion:
    """Every third is a comparison; hops are 2, 3 and 11; the last question cannot be answered."""
    last = number == QUESTIONS - 1
    return BenchQuestion(
        id=f"q{number}",
        question=f"Question {number}?",
        answers=() if last else (f"answer {number}",),
        gold={} if last else {f"g{number}": 1},
        answerable=not last,
        type=None if last else ("comparison" if number % 3 == 0 else "bridge"),
        hops=None if last else (2, 3, 11)[number % 3],
    )


def outcome(strategy: str, number: int) -> Outcome:
    """good: gold first; poor: gold third, raises on question 4; noisy: gold first or nowhere."""
    if strategy == "poor" and number == 4:
        return Outcome(
            strategy=strategy,
            question_id="q4",
            error="ValueError: broken",
            seconds=99.0,
            usage=Usage(calls=1, prompt_tokens=12),
        )
    there = {
        "good": (f"g{number}", "x"),
        "poor": ("x", "y", "y", f"g{number}"),
        "noisy": (f"g{number}" if number % 2 else "x", "y"),
    }[strategy]
    return Outcome(
        strategy=strategy,
        question_id=f"q{number}",
        ranking=tuple(
            RankedChunk(chunk_id=f"{key}-{place}", key=key, score=-place)
            for place, key in enumerate(there)
        ),
        seconds=1.0 + number,
        steps=(
            TraceStep(name="seeds", seconds=0.25),
            TraceStep(name="walk", seconds=0.5),
            TraceStep(name="walk", seconds=1.5),
        )
        if number % 2
        else (TraceStep(name="seeds", seconds=0.75),),
        answer=AnswerRecord(
            text=f"Answer {number} [1].",
            short=f"answer {number}" if strategy == "good" else "answer",
            supported=number != QUESTIONS - 1,
            confidence=0.5,
            cited=(),
            dropped_citations=0,
        ),
        answer_seconds=0.5,
        answer_steps=(TraceStep(name="read", seconds=0.5),),
        usage=Usage(calls=1, prompt_tokens=24, completion_tokens=6),
    )


def made_up(**changes: Any) -> BenchRun:
    values: dict[str, Any] = {
        "id": "run-1",
        "created_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:01:00Z",
        "sessions": 1,
        "seconds": 60.0,
        "overhead": 0.01,
        "options": {
            "strategies": STRATEGIES,
            "depth": 10,
            "top_k": 5,
            "reader": "extractive",
            "limit": None,
            "seed": 3,
            "judge": False,
            "mauve": True,
        },
        "data_set": {
            "name": "made-up",
            "format": "jsonl",
            "fingerprint": "f",
            "unit": "document",
            "synthetic": False,
            "documents": 30,
            "total": QUESTIONS,
            "refused": (),
        },
        "index": {
            "corpus": "c",
            "revision": 1,
            "counts": {"Chunk": 30},
            "reused": True,
            "seconds": {},
            "wall_seconds": None,
            "disk_bytes": None,
        },
        "memory": {"process_mib": 9.0, "neo4j_mib": None, "strategies": {"good": 7.5}},
        "warmup_seconds": {},
        "settings": {},
        "versions": {},
        "machine": {},
        "mauve": {"good": 0.75},
        "questions": tuple(question(n) for n in range(QUESTIONS)),
        "outcomes": tuple(outcome(s, n) for n in range(QUESTIONS) for s in STRATEGIES),
    }
    return BenchRun(**values | changes)


RUN = made_up()
FIGURES = summarise(RUN)
GOOD, POOR, NOISY = FIGURES.strategies


def test_the_run_alone_gives_the_same_figures_each_time_also_after_it_was_stored() -> None:
    assert summarise(RUN) == FIGURES
    assert summarise(BenchRun.model_validate_json(RUN.model_dump_json())) == FIGURES
    shuffled = RUN.model_copy(update={"outcomes": RUN.outcomes[::-1]})
    assert summarise(shuffled).pairs == FIGURES.pairs
    assert [s.metrics for s in summarise(shuffled).strategies] == [
        s.metrics for s in FIGURES.strategies
    ]


def test_every_strategy_has_every_metric_with_its_denominator() -> None:
    assert [s.strategy for s in FIGURES.strategies] == list(STRATEGIES)
    for strategy in FIGURES.strategies:
        assert list(strategy.metrics) == [metric.name for metric in METRICS]
        assert strategy.questions == QUESTIONS
    assert GOOD.metrics["recall@5"].questions == 11
    assert GOOD.metrics["abstention"].questions == 1
    deeper = GOOD.metrics["recall@20"]
    assert (deeper.value, deeper.low, deeper.high, deeper.questions) == (None, None, None, 0)


def test_means_by_hand_and_a_question_that_raised_counts_0() -> None:
    assert GOOD.metrics["mrr"].value == GOOD.metrics["f1"].value == 1
    assert (GOOD.failed, POOR.failed) == (0, 1)
    assert POOR.metrics["recall@5"].value == pytest.approx(10 / 11)
    assert POOR.metrics["recall@2"].value == 0
    assert POOR.metrics["mrr"].value == pytest.approx((10 / 3) / 11)
    assert POOR.metrics["recall@5"].questions == 11
    # "answer" against "answer 7": F1 = 2/3
    assert POOR.metrics["f1"].value == pytest.approx((2 / 3) * 10 / 11)
    assert NOISY.metrics["mrr"].value == pytest.approx(5 / 11)


def test_intervals_are_those_of_the_values_that_count() -> None:
    values = score_run(RUN)["noisy"]["mrr"]
    there = values[~np.isnan(values)]
    figure = NOISY.metrics["mrr"]
    assert (figure.low, figure.high) == bootstrap_interval(there, RUN.options.seed)
    assert figure.low < figure.value < figure.high  # type: ignore[operator]
    other_seed = RUN.model_copy(update={"options": RUN.options.model_copy(update={"seed": 4})})
    assert summarise(other_seed).strategies[1].metrics["f1"].value == POOR.metrics["f1"].value


def test_mauve_is_taken_from_the_run_without_an_interval() -> None:
    mauve = GOOD.metrics["mauve"]
    assert (mauve.value, mauve.low, mauve.high, mauve.questions) == (0.75, None, None, 11)
    assert POOR.metrics["mauve"].value is None


def test_groups_are_by_type_and_by_hops_in_their_order() -> None:
    assert list(GOOD.by_type) == ["bridge", "comparison"]
    assert list(GOOD.by_hops) == ["2", "3", "11"]
    assert [NOISY.by_hops[hops]["mrr"].questions for hops in ("2", "3", "11")] == [4, 4, 3]
    # comparisons are 0, 3, 6, 9, of which 'noisy' finds the odd ones
    assert NOISY.by_type["comparison"]["mrr"].value == 2 / 4
    assert NOISY.by_type["bridge"]["mrr"].value == pytest.approx(3 / 7)
    plain = tuple(q.model_copy(update={"type": None, "hops": None}) for q in RUN.questions)
    ungrouped = summarise(made_up(questions=plain)).strategies[0]
    assert ungrouped.by_type == ungrouped.by_hops == {}


def test_cost_by_hand() -> None:
    cost = GOOD.cost
    assert cost.median_seconds == 6.5  # of 1, 2, … 12
    assert cost.p95_seconds == pytest.approx(1 + 0.95 * 11)
    assert cost.answer_median_seconds == cost.answer_p95_seconds == 0.5
    assert (cost.calls, cost.prompt_tokens, cost.completion_tokens) == (1, 24, 6)
    assert (cost.memory_mib, POOR.cost.memory_mib) == (7.5, None)
    assert list(cost.steps) == ["seeds", "walk"]
    assert cost.steps["seeds"].questions == 12
    assert cost.steps["seeds"].mean_seconds == 0.5
    # it ran twice in each of the odd questions
    walk = cost.steps["walk"]
    assert (walk.questions, walk.median_seconds, walk.mean_seconds) == (6, 2.0, 2.0)
    assert cost.answer_steps["read"].questions == 12


def test_seconds_leave_out_questions_that_raised_but_tokens_do_not() -> None:
    assert POOR.cost.median_seconds == 7.0  # without 5 and 99
    assert POOR.cost.calls == 1
    assert POOR.cost.prompt_tokens == pytest.approx((11 * 24 + 12) / 12)
    broken = tuple(
        Outcome(strategy="good", question_id=f"q{n}", error="x") for n in range(QUESTIONS)
    )
    options = RUN.options.model_copy(update={"strategies": ("good",)})
    only = summarise(made_up(outcomes=broken, options=options)).strategies[0]
    assert (only.failed, only.metrics["mrr"].value, only.cost.median_seconds) == (12, 0.0, 0.0)
    assert only.cost.answer_median_seconds is None


def test_pairs_are_tested_on_the_main_metrics_and_adjusted_within_each() -> None:
    tested = [(d.metric, d.strategy, d.other) for d in FIGURES.pairs]
    pairs = [("good", "poor"), ("good", "noisy"), ("poor", "noisy")]
    # no gold paths and no validity in this run
    metrics = ["recall@2", "recall@5", "all_gold@5", "mrr", "exact_match", "f1"]
    assert tested == [(metric, *pair) for metric in metrics for pair in pairs]
    mrr = [d for d in FIGURES.pairs if d.metric == "mrr"]
    values = score_run(RUN)
    p_values = [
        paired_randomisation(
            values[d.strategy]["mrr"][:11], values[d.other]["mrr"][:11], RUN.options.seed
        )
        for d in mrr
    ]
    assert [d.p for d in mrr] == p_values
    assert [d.p_adjusted for d in mrr] == holm(p_values)
    # 11 pairs, all in favour of 'good': 2 of 2^11 sign patterns
    assert mrr[0].p == 2 / 2**11
    assert mrr[0].p_adjusted == 6 / 2**11
    assert (mrr[0].questions, mrr[0].verdict) == (11, "better")
    assert mrr[0].delta == pytest.approx(1 - (10 / 3) / 11)
    assert mrr[0].low < mrr[0].delta < mrr[0].high
    # 6 questions differ, all in favour of 'good': 2 / 2^6 before, twice that after
    assert math.isclose(mrr[1].p, 2 / 64)
    assert math.isclose(mrr[1].p_adjusted, 4 / 64)
    assert mrr[1].verdict == "same"


def test_one_strategy_has_no_pairs_and_the_worse_one_is_called_so() -> None:
    alone = RUN.options.model_copy(update={"strategies": ("good",)})
    outcomes = tuple(o for o in RUN.outcomes if o.strategy == "good")
    assert summarise(made_up(options=alone, outcomes=outcomes)).pairs == ()
    turned = RUN.options.model_copy(update={"strategies": ("poor", "good", "noisy")})
    first = next(d for d in summarise(made_up(options=turned)).pairs if d.metric == "mrr")
    assert (first.strategy, first.verdict) == ("poor", "worse")


def test_of_a_strategy_that_finds_no_triple_nothing_is_measured_though_it_fails_once() -> None:
    run = made_run({"guided": 0.9, "hybrid": 0.6, "dense": 0.3}, failing=("dense",))
    data_set = run.data_set.model_copy(update={"unit": "triple"})
    unfound = [
        outcome.model_copy(update={"ranking": (), "error": "It failed." if place == 0 else None})
        if outcome.strategy == "hybrid"
        else outcome
        for place, outcome in enumerate(
            sorted(run.outcomes, key=lambda one: one.strategy != "hybrid")
        )
    ]
    values = score_run(run.model_copy(update={"data_set": data_set, "outcomes": tuple(unfound)}))
    assert np.isnan(values["hybrid"]["recall@5"]).all()
    assert not np.isnan(values["dense"]["recall@5"]).any()  # it failed throughout
