"""Fitting contextual: values tried on a graph's questions, what serves, and a run that goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clew import Clew
from clew.errors import JobStopped
from clew.results.training import TrainingProgress
from clew.strategies.contextual import training as module
from clew.strategies.contextual.fitted import Fitted, options_for, read_fitted, write_fitted
from clew.strategies.contextual.options import ContextualOptions

CORPUS = "test-contextual-training"
METHOD = "contextual"
OPTIONS: dict[str, Any] = {"examples": 40, "held_out": 12, "seed": 1}
VALUES = {"weight": (0.5, 1.0), "added": (0, 20), "length": (1,), "width": (3,)}


@pytest.fixture(autouse=True)
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VALUES", VALUES)


def tried(folder: str) -> dict[Fitted, float]:
    rows = json.loads((Path(folder) / module.TRIED).read_text())
    return {Fitted(**row["values"]): row["ndcg"] for row in rows}


def test_the_best_of_what_was_tried_is_kept_and_serves_where_it_is_no_worse(clew: Clew) -> None:
    told: list[TrainingProgress] = []
    version = clew.train(METHOD, CORPUS, tell=told.append, **OPTIONS)
    assert {one.stage for one in told} >= {"learn", "measure before", "measure after", "done"}
    assert all(one.done <= one.total for one in told if one.total)
    fitted, seen = read_fitted(Path(version.folder)), tried(version.folder)
    start = Fitted.of(clew.settings.options(ContextualOptions))
    assert start in seen
    assert len(seen) == 1 + 2 + 1 + 1  # the added 20 is the one that was there
    assert seen[fitted] == max(seen.values())
    before, after = version.figures["before"], version.figures["after"]
    assert 0 < before["ndcg"] <= 1
    assert version.serves == (after["ndcg"] >= before["ndcg"])
    curve = [point.loss for point in clew.trained_model(METHOD, version.version).curve]
    assert curve == pytest.approx([1 - value for value in seen.values()])


def test_what_was_fitted_is_used_for_its_corpus_and_every_backbone(
    clew: Clew, tmp_path: Path
) -> None:
    version = clew.train(METHOD, CORPUS, **{**OPTIONS, "seed": 2})
    alone = Fitted(weight=1.0, width=1, length=1, added=0)
    write_fitted(alone, Path(version.folder))
    read_fitted.cache_clear()
    clew.promote(METHOD, version.version)
    assert Fitted.of(options_for(clew.resources, CORPUS)) == alone
    assert Fitted.of(options_for(clew.resources, "another")) != alone
    question = "Where was the director of The Amber Door of Marlow 0 born?"
    for name in (METHOD, f"{METHOD}:bm25"):
        with_it = clew.search(question, CORPUS, name)
        assert [s.detail["added"] for s in with_it.trace if s.name == "completion"] == [0]
    # with all of the weight on the question, it ranks as its backbone does
    plain = clew.search(question, CORPUS, "dense")
    assert [c.id for c in clew.search(question, CORPUS, METHOD).chunks] == [
        c.id for c in plain.chunks
    ]
    untrained = clew.resources.under(contextual_trained=False)
    assert Fitted.of(options_for(untrained, CORPUS)) != alone


def test_a_run_that_was_stopped_asks_no_value_twice(
    clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[Fitted] = []
    figures = module._figures

    def counted(run, examples, fitted, done, total):  # type: ignore[no-untyped-def]
        if len(examples) > 10:
            if len(learned) == 3:
                learned.append(fitted)
                raise run.stopped()
            learned.append(fitted)
        return figures(run, examples, fitted, done, total)

    monkeypatch.setattr(module, "_figures", counted)
    options = {**OPTIONS, "held_out": 10}
    with pytest.raises(JobStopped):
        clew.train(METHOD, CORPUS, **options)
    cut_short = learned[3]
    version = clew.train(METHOD, CORPUS, **options)
    assert learned[4] == cut_short
    assert learned[:3] + learned[4:] == list(tried(version.folder))


def test_a_run_stops_between_questions(clew: Clew) -> None:
    told: list[TrainingProgress] = []

    def learned() -> list[int]:
        return [one.done for one in told if one.stage == "learn"]

    with pytest.raises(JobStopped):
        clew.train(
            METHOD,
            CORPUS,
            tell=told.append,
            cancelled=lambda: max(learned(), default=0) >= 3,
            **{**OPTIONS, "held_out": 9},
        )
    assert max(learned()) == 3
