"""Which questions count for which metric, and that a question that raised counts 0."""

from typing import Any

import pytest

from clew.evaluation.run import (
    CUTS,
    AnswerRecord,
    JudgeMarks,
    Outcome,
    RankedChunk,
    Validity,
)
from clew.evaluation.scoring import METRICS, scores, texts_and_references
from clew.results.data_set import BenchQuestion

QUESTION = BenchQuestion(
    id="q",
    question="Where?",
    answers=("Oslo", "Christiania"),
    gold={"d1": 1, "d2": 1},
    gold_paths=(("d1", "d2"),),
    labels=("Oslo", "Bergen"),
)
UNANSWERABLE = BenchQuestion(id="u", question="Why?", answerable=False)
RANKING = tuple(
    RankedChunk(chunk_id=f"c{i}", key=key, score=1 - i / 10)
    for i, key in enumerate(("x", "d1", "d1", "d2"))
)
ANSWER = AnswerRecord(
    text="In Oslo [1], Norway [2, 3].",
    short="oslo",
    supported=True,
    confidence=0.9,
    cited=("c1",),
    dropped_citations=0,
)
NOT_SAID = ANSWER.model_copy(
    update={"text": "Near Oslo, but the evidence does not say.", "short": "Oslo"}
    | {"supported": False}
)


def outcome(**changes: Any) -> Outcome:
    values = {"strategy": "s", "question_id": "q", "ranking": RANKING, "answer": ANSWER}
    return Outcome(**values | changes)


def of(question: BenchQuestion, **changes: Any) -> dict[str, float | None]:
    depth, reader = changes.pop("depth", 50), changes.pop("reader", True)
    return scores(question, outcome(**changes), depth=depth, reader=reader)


def counted(found: dict[str, float | None]) -> set[str]:
    return {name for name, value in found.items() if value is not None}


GROUPS = {
    group: {metric.name for metric in METRICS if metric.group == group}
    for group in ("retrieval", "triples", "answer", "evidence", "judge")
}


def test_every_metric_has_a_name_of_its_own_and_says_what_it_is_the_mean_over() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    assert sum(map(len, GROUPS.values())) == len(METRICS)
    for metric in METRICS:
        assert metric.denominator.startswith(("Mean over", "Over all")), metric.name
        assert metric.denominator.endswith("."), metric.name
    assert [metric.name for metric in METRICS if metric.main] == [
        "recall@2",
        "recall@5",
        "all_gold@5",
        "mrr",
        "path_recall@50",
        "exact_match",
        "f1",
        "evidence_validity",
    ]


def test_values_by_hand() -> None:
    found = of(
        QUESTION,
        validity=Validity(checked=3, missing=()),
        judgement=JudgeMarks(correctness=1.0, faithfulness=0.5, relevance=0.25),
    )
    expected = {
        "recall@1": 0.0,
        "recall@2": 0.5,
        "recall@5": 1.0,
        "all_gold@2": 0.0,
        "all_gold@5": 1.0,
        "precision@2": 0.5,
        "precision@5": 0.4,
        "mrr": 0.5,
        "map": (1 / 2 + 2 / 3) / 2,
        "triplet_recall@50": 1.0,
        "path_recall@50": 1.0,
        "exact_match": 1.0,
        "f1": 1.0,
        "accuracy": 1.0,
        "golden_match": 1.0,
        # "in oslo norway" against "oslo": P = 1/3, R = 1
        "rouge_l": 0.5,
        "rouge_lsum": 0.5,
        "evidence_validity": 1.0,
        "correctness": 1.0,
        "faithfulness": 0.5,
        "relevance": 0.25,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found["mauve"] is None
    assert found["abstention"] is None


def test_a_strategy_that_returns_the_gold_has_1_everywhere() -> None:
    gold = tuple(RankedChunk(chunk_id=k, key=k, score=1.0) for k in QUESTION.gold)
    right = ANSWER.model_copy(update={"text": "Oslo [1].", "short": "Oslo"})
    found = of(QUESTION, ranking=gold, answer=right, validity=Validity(checked=2, missing=()))
    # with two gold, one place has room for half of them, and five hold three others
    room = {"recall@1": 0.5, "all_gold@1": 0.0, "precision@5": 0.4}
    room |= {"precision@10": 0.2, "precision@20": 0.1, "precision@25": 0.08}
    for name in counted(found):
        assert found[name] == pytest.approx(room.get(name, 1.0)), name


def test_a_question_that_raised_is_0_on_all_that_applies_to_it() -> None:
    raised = of(QUESTION, error="ValueError: broken", ranking=(), answer=None)
    assert counted(raised) == counted(of(QUESTION))
    assert set(raised.values()) == {0.0, None}
    # whatever else such an outcome holds does not count
    assert of(QUESTION, error="x", validity=Validity(checked=1, missing=())) == raised
    assert of(QUESTION, error="x", judgement=JudgeMarks(correctness=1.0)) == raised
    assert of(UNANSWERABLE, error="x", answer=NOT_SAID)["abstention"] == 0


def test_without_a_reader_there_are_no_metrics_of_answers() -> None:
    found = of(QUESTION, answer=None, reader=False)
    assert counted(found) == (GROUPS["retrieval"] | GROUPS["triples"])


def test_cuts_and_budgets_deeper_than_the_run_have_no_value() -> None:
    found = of(QUESTION, depth=10, reader=False)
    for k in CUTS:
        for name in ("recall", "all_gold", "precision", "ndcg"):
            assert (found[f"{name}@{k}"] is not None) == (k <= 10)
    assert found["path_recall@50"] is found["triplet_recall@50"] is None
    assert found["mrr"] == 0.5


def test_unanswerable_questions_count_for_saying_so_only() -> None:
    assert counted(of(UNANSWERABLE)) == {"abstention"}
    assert of(UNANSWERABLE)["abstention"] == 0
    assert of(UNANSWERABLE, answer=NOT_SAID)["abstention"] == 1
    assert of(UNANSWERABLE, answer=None, reader=False)["abstention"] is None
    gold = UNANSWERABLE.model_copy(update={"gold": {"d1": 1}, "answers": ("x",)})
    assert counted(of(gold)) == {"abstention"}


def test_an_answer_that_is_not_supported_is_not_right() -> None:
    found = of(QUESTION, answer=NOT_SAID)
    for name in ("exact_match", "f1", "accuracy", "golden_match", "rouge_l", "rouge_lsum"):
        assert found[name] == 0, name


def test_questions_without_such_gold_do_not_count() -> None:
    assert counted(of(BenchQuestion(id="q", question="?", answers=("Oslo",)))) == (
        GROUPS["answer"] - {"accuracy", "abstention", "mauve"}
    )
    no_label = QUESTION.model_copy(update={"labels": ("Bergen", "Bodø")})
    assert of(no_label)["accuracy"] is None
    only_gold = BenchQuestion(id="q", question="?", gold={"d1": 2})
    assert counted(of(only_gold)) == GROUPS["retrieval"]


def test_the_evidence_of_any_question_can_be_invalid() -> None:
    missing = Validity(checked=3, missing=("c9",))
    assert of(UNANSWERABLE, validity=missing)["evidence_validity"] == 0
    assert of(QUESTION, validity=missing)["evidence_validity"] == 0
    silent = Validity(checked=0, missing=())
    assert of(QUESTION, validity=silent)["evidence_validity"] is None


def test_a_judge_that_failed_gives_no_marks() -> None:
    found = of(QUESTION, judgement=JudgeMarks(error="not JSON"))
    assert not counted(found) & GROUPS["judge"]


def test_mauve_is_of_the_texts_without_citations_and_the_right_answers() -> None:
    questions = {"q": QUESTION, "u": UNANSWERABLE}
    outcomes = [
        outcome(),
        outcome(question_id="u"),
        outcome(answer=None),
        outcome(error="x", answer=None),
    ]
    assert texts_and_references(questions, outcomes) == (["In Oslo, Norway."], ["Oslo"])
