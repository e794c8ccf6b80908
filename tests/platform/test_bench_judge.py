"""The bench with a judge: a language model behind a real HTTP endpoint marks the answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.clew import Clew
from clew.evaluation.request import BenchRequest
from clew.evaluation.summary import summarise
from clew.settings import Settings
from clew_cypher.corpora import delete_corpus
from clew_cypher.jobs.bench_runs import delete_bench_run

from ..running_clew import OwnSettings
from ..scripted_llm import ChatEndpoint, serving
from ..tiny_model import tiny_model
from .bench_data_set import people_and_towns

MARKS = {"correctness": 5, "faithfulness": 3, "relevance": 1}


class Judge(ChatEndpoint):
    """Gives every answer the same marks, and every third reply is no JSON."""

    def reply(self, body: dict[str, Any]) -> str:
        return json.dumps(MARKS) if len(self.asked) % 3 else "Well …"


def judged_by(
    endpoint: ChatEndpoint, own_settings: OwnSettings, home: Path, **more: Any
) -> Settings:
    return own_settings(home, llm_base_url=endpoint.url, llm_model="judge", **more)


@pytest.fixture
def endpoint() -> Iterator[Judge]:
    with serving(Judge()) as server:
        yield server


def test_answers_are_marked_and_the_judges_tokens_are_not_the_strategys(
    endpoint: Judge, own_settings: OwnSettings, tmp_path: Path
) -> None:
    settings = judged_by(endpoint, own_settings, tmp_path)
    request = BenchRequest(
        data_set=str(people_and_towns(tmp_path)),
        strategies=("bm25",),
        reader="extractive",
        judge=True,
    )
    with Clew(settings) as clew:
        run = clew.bench(request)
        delete_bench_run(clew.resources.store, run.id)
        delete_corpus(clew.resources.store, run.index.corpus)
    assert len(endpoint.asked) == 6
    assert run.questions[0].question in endpoint.asked[0].body["messages"][-1]["content"]
    marks = [outcome.judgement for outcome in run.outcomes]
    assert [mark.correctness for mark in marks if mark and mark.error is None] == [1.0] * 4
    assert sum(mark is not None and mark.error is not None for mark in marks) == 2
    assert any("2 answers have no marks" in notice for notice in run.notices)
    (figures,) = summarise(run).strategies
    for name, value in (("correctness", 1.0), ("faithfulness", 0.5), ("relevance", 0.0)):
        assert (figures.metrics[name].value, figures.metrics[name].questions) == (value, 4)
    assert (figures.cost.calls, figures.cost.prompt_tokens) == (0, 0)


class ClueJudge(ChatEndpoint):
    """Scores clues, each second one 0, and marks answers."""

    def reply(self, body: dict[str, Any]) -> str:
        if "Clue:" not in body["messages"][-1]["content"]:
            return json.dumps(MARKS)
        scored = sum("Clue:" in one.body["messages"][-1]["content"] for one in self.asked)
        return json.dumps({"score": scored % 2})


def test_clues_that_led_to_gold_are_scored(own_settings: OwnSettings, tmp_path: Path) -> None:
    request = BenchRequest(
        data_set=str(people_and_towns(tmp_path)),
        strategies=("translator",),
        reader="extractive",
        judge=True,
    )
    with serving(ClueJudge()) as endpoint:
        settings = judged_by(
            endpoint,
            own_settings,
            tmp_path,
            translator_model=str(tiny_model(tmp_path / "tiny")),
            translator_precision="float32",
        )
        with Clew(settings) as clew:
            run = clew.bench(request)
            delete_bench_run(clew.resources.store, run.id)
            delete_corpus(clew.resources.store, run.index.corpus)
        asked = [one.body["messages"][-1]["content"] for one in endpoint.asked]
    scored = [outcome.coverage for outcome in run.outcomes if outcome.coverage]
    about_clues = [text for text in asked if "Clue:" in text]
    assert about_clues
    assert all("@@" in text for text in about_clues)
    assert sum(coverage.clues for coverage in scored) == len(about_clues)
    assert sum(coverage.covering for coverage in scored) == (len(about_clues) + 1) // 2
    (figures,) = summarise(run).strategies
    covered = figures.metrics["semantic_coverage"]
    assert covered.questions == len(scored)
    assert covered.value == pytest.approx(
        sum(one.covering / one.clues for one in scored) / len(scored)
    )
