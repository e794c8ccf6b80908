"""A run against an earlier one, from made-up runs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from clew.errors import InvalidRequest
from clew.evaluation.comparing import LATENCY, compare_runs
from clew.evaluation.figures import Difference, RunComparison
from clew.evaluation.run import BenchOptions, BenchRun, DataSetRecord, Outcome, RankedChunk
from clew.evaluation.statistics import holm
from clew.results.data_set import BenchQuestion

QUESTIONS = 40

Place = Callable[[int], int | None]
"""Question → the rank of its gold; None: the strategy raises."""


def made_up(
    strategies: dict[str, Place], *, seconds: Callable[[int], float] = lambda n: 1.0, **changes: Any
) -> BenchRun:
    outcomes = []
    for name, place in strategies.items():
        for number in range(QUESTIONS):
            rank = place(number)
            keys = [f"x{i}" for i in range((rank or 1) - 1)] + [f"g{number}"]
            outcomes.append(
                Outcome(strategy=name, question_id=f"q{number}", error="ValueError: broken")
                if rank is None
                else Outcome(
                    strategy=name,
                    question_id=f"q{number}",
                    ranking=tuple(RankedChunk(chunk_id=k, key=k, score=0) for k in keys),
                    seconds=seconds(number),
                )
            )
    values: dict[str, Any] = {
        "id": "now",
        "created_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:01:00Z",
        "sessions": 1,
        "seconds": 60.0,
        "overhead": 0.01,
        "options": BenchOptions(
            strategies=tuple(strategies),
            depth=10,
            top_k=5,
            reader=None,
            limit=None,
            seed=3,
            judge=False,
            mauve=False,
        ),
        "data_set": DataSetRecord(
            name="made-up",
            format="jsonl",
            fingerprint="f",
            unit="document",
            synthetic=False,
            documents=30,
            total=QUESTIONS,
            refused=(),
        ),
        "index": {
            "corpus": "c",
            "revision": 1,
            "counts": {"Chunk": 30, "Entity": 5},
            "reused": True,
            "seconds": {},
            "wall_seconds": None,
            "disk_bytes": None,
        },
        "memory": {"process_mib": 9.0, "neo4j_mib": None, "strategies": {}},
        "warmup_seconds": {},
        "settings": {"embedder": "minilm", "top_k": 5},
        "versions": {"clew": "0.1.0"},
        "machine": {"cpu": "z80", "cores": 1, "load_average": 0.3},
        "questions": tuple(
            BenchQuestion(id=f"q{n}", question=f"{n}?", gold={f"g{n}": 1}, type="t")
            for n in range(QUESTIONS)
        ),
        "outcomes": tuple(outcomes),
    }
    return BenchRun.model_validate(values | changes)


def first(number: int) -> int:
    return 1


def third(number: int) -> int:
    return 3


def by(comparison: RunComparison) -> dict[tuple[str, str], Difference]:
    return {(d.strategy, d.metric): d for d in comparison.differences}


def test_a_run_against_itself_is_the_same_throughout() -> None:
    run = made_up({"a": first, "b": third}, seconds=lambda n: 0.1 * (n + 1))
    comparison = compare_runs(run, run.model_copy(update={"id": "before"}))
    assert (comparison.run_id, comparison.against_id) == ("now", "before")
    assert comparison.questions == QUESTIONS
    assert comparison.notices == ()
    assert comparison.regressions == ()
    assert {d.verdict for d in comparison.differences} == {"same"}
    assert {d.p_adjusted for d in comparison.differences} == {1.0}
    assert list(by(comparison)) == [
        (strategy, metric)
        for strategy in "ab"
        for metric in ("recall@2", "recall@5", "all_gold@5", "mrr", LATENCY)
    ]


def test_what_became_worse_is_a_regression_and_what_became_better_is_none() -> None:
    now = made_up({"a": third, "b": first})
    comparison = compare_runs(now, made_up({"a": first, "b": third}))
    found = by(comparison)
    assert [(d.strategy, d.metric) for d in comparison.regressions] == [
        ("a", "recall@2"),
        ("a", "mrr"),
    ]
    mrr = found["a", "mrr"]
    assert mrr.value == pytest.approx(1 / 3)
    assert mrr.other_value == 1
    assert mrr.delta == pytest.approx(-2 / 3)
    assert mrr.questions == QUESTIONS
    assert mrr.p_adjusted < 0.05
    assert found["b", "mrr"].verdict == "better"
    assert found["a", "recall@5"].verdict == "same"


def test_p_is_adjusted_over_all_tests_of_the_comparison() -> None:
    # 6 questions worse, none better: p = 2/64, which alone would be called worse.
    now = made_up({"a": lambda n: 3 if n < 6 else 1, "b": first})
    comparison = compare_runs(now, made_up({"a": first, "b": first}))
    assert by(comparison)["a", "mrr"].p == 2 / 64
    assert comparison.regressions == ()
    assert [d.p_adjusted for d in comparison.differences] == holm(
        [d.p for d in comparison.differences]
    )


def test_a_question_that_raises_now_counts_as_missed_and_not_as_quick() -> None:
    now = made_up({"a": lambda n: None if n < 15 else 1})
    found = by(compare_runs(now, made_up({"a": first})))
    assert found["a", "recall@5"].value == 25 / 40
    assert found["a", "recall@5"].verdict == "worse"
    assert found["a", LATENCY].questions == 25
    assert found["a", LATENCY].verdict == "same"


def noise(seed: int) -> Callable[[int], float]:
    factors = np.random.default_rng(seed).lognormal(0, 0.2, QUESTIONS)
    return lambda number: float(factors[number])


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.0, "same"), (1.08, "same"), (1.5, "worse"), (1 / 1.08, "same"), (1 / 1.5, "better")],
)
def test_latency_is_worse_only_where_it_is_sure_and_more_than_a_tenth(
    factor: float, verdict: str
) -> None:
    then = made_up({"a": first}, seconds=noise(1))
    now = made_up({"a": first}, seconds=lambda n: factor * noise(1)(n))
    found = by(compare_runs(now, then))["a", LATENCY]
    assert found.verdict == verdict
    assert found.value == pytest.approx(factor * found.other_value)
    assert found.delta == pytest.approx(found.value - found.other_value)
    assert found.low <= found.delta <= found.high
    if factor != 1:
        assert found.p_adjusted < 0.05  # the small ones too: each pair differs alike


def test_one_slow_question_is_no_regression() -> None:
    then = made_up({"a": first}, seconds=noise(1))
    now = made_up({"a": first}, seconds=lambda n: 500.0 if n == 7 else noise(2)(n))
    assert by(compare_runs(now, then))["a", LATENCY].verdict == "same"


def test_only_questions_that_are_equal_are_compared() -> None:
    run = made_up({"a": third})
    changed = list(run.questions)
    changed[0] = changed[0].model_copy(update={"question": "Something else?"})
    changed[1] = changed[1].model_copy(update={"gold": {"g7": 1}})
    changed[2] = changed[2].model_copy(update={"answers": ("x",)})
    changed[3] = changed[3].model_copy(update={"type": "another", "hops": 2})
    # in another order, so that places differ
    then = made_up({"a": first}, questions=tuple(changed[::-1]))
    comparison = compare_runs(run, then)
    assert comparison.questions == QUESTIONS - 3
    assert by(comparison)["a", "mrr"].questions == QUESTIONS - 3
    assert by(comparison)["a", "mrr"].delta == pytest.approx(-2 / 3)
    assert comparison.notices == (
        "Of 40 questions of this run, 37 are in both.",
        "Of 40 questions of the other run, 37 are in both.",
    )


def test_nothing_in_common_is_refused() -> None:
    run = made_up({"a": first})
    with pytest.raises(InvalidRequest, match="no strategy in common: a and b, c"):
        compare_runs(run, made_up({"b": first, "c": first}))
    others = tuple(q.model_copy(update={"id": f"other-{q.id}"}) for q in run.questions)
    then = run.model_copy(
        update={"questions": others}
        | {
            "outcomes": tuple(
                o.model_copy(update={"question_id": f"other-{o.question_id}"}) for o in run.outcomes
            )
        }
    )
    with pytest.raises(InvalidRequest, match="no question in common"):
        compare_runs(run, then)


def test_everything_that_is_not_alike_is_said() -> None:
    run = made_up({"a": first, "b": first})
    then = made_up(
        {"a": first, "c": first},
        data_set=run.data_set.model_copy(update={"fingerprint": "g", "documents": 31}),
        options=run.options.model_copy(
            update={"strategies": ("a", "c"), "reader": "extractive", "depth": 20, "seed": 4}
        ),
        settings={"embedder": "large", "top_k": 5, "guided_hops": 3},
        versions={"clew": "0.0.9"},
        trained={"a": "20260101-000000"},
        index=run.index.model_copy(update={"counts": {"Chunk": 31}}),
        machine={"cpu": "6502", "cores": 1, "load_average": 9.0},
    )
    assert compare_runs(run, then).notices == (
        "Only this run has: b.",
        "Only the other run has: c.",
        "The data sets differ: 'made-up' (30 documents) against 'made-up' (31 documents); "
        "other documents are other competitors for the same questions.",
        "The option 'depth': 10, against 20.",
        "The option 'reader': None, against 'extractive'.",
        "The option 'seed': 3, against 4.",
        "The setting 'embedder': 'minilm', against 'large'.",
        "The setting 'guided_hops': not recorded, against 3.",
        "The version of 'clew': '0.1.0', against '0.0.9'.",
        "The trained version of 'a': none, against '20260101-000000'.",
        "The corpus' count of 'Chunk': 30, against 31.",
        "The corpus' count of 'Entity': 5, against not recorded.",
        "The machines differ, so seconds compare them too.",
        "The machine's 'cpu': 'z80', against '6502'.",
    )
